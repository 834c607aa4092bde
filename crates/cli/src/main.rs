//! `tapedeck` on the command line: the native twin of the page. The same core reads the same files and gives the same answers.
//!
//! Invariant: what scripts need is in the exit status: 0 fine or identical, 1 unreadable (3 where a runtime is asked for, as
//! EigenScript's replay has it), 2 usage, 3 refused, 4 different, 5 not proven. Text is for people, `--json` for machines.

mod check;
mod input;
mod link;
mod out;
mod tape;
mod trace;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Status {
    /// All is well, or the two are identical.
    Fine = 0,
    /// A file cannot be read, unpacked, or understood.
    Unreadable = 1,
    /// The command line makes no sense for this file.
    Usage = 2,
    /// A gate refuses it.
    Refused = 3,
    /// The two differ.
    Different = 4,
    /// Neither identical nor different can be claimed.
    NotProven = 5,
}

/// A failure, told on standard error.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) status: Status,
    pub(crate) text: String,
}

impl Failure {
    pub(crate) fn new(status: Status, text: impl Into<String>) -> Self {
        Self { status, text: text.into() }
    }
}

/// Look into recorded executions: EigenScript tapes and mixle traces, alone or inside zip, tar, gzip and bundles.
#[derive(Debug, Parser)]
#[command(name = "tapedeck", version, about, after_help = EXIT_STATUS)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXIT_STATUS: &str =
    "Exit status: 0 fine or identical, 1 unreadable (3 with --runtime), 2 usage, 3 refused, 4 different, 5 not proven.
A FILE may be an archive; `-` is standard input.";

/// Which recording of which file.
#[derive(Args, Clone, Debug)]
pub(crate) struct Recording {
    /// The file: a tape, a trace, or an archive that holds one; `-` for standard input
    pub(crate) file: PathBuf,
    /// Which file inside the archive, by its path there
    #[arg(long, value_name = "PATH")]
    pub(crate) member: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Say what files are and what is odd about them
    Check {
        /// The files; `-` for standard input
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Also ask whether this EigenScript version would replay the tapes
        #[arg(long, value_name = "VERSION")]
        runtime: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show a position of a tape, or a step of a trace: events, call stack, bindings
    Show {
        #[command(flatten)]
        recording: Recording,
        /// The position or step, counted from 1, or `last`
        #[arg(long, default_value = "1")]
        at: At,
    },
    /// List the bindings at a position of a tape
    State {
        #[command(flatten)]
        recording: Recording,
        /// The position, counted from 1, or `last`
        #[arg(long, default_value = "last")]
        at: At,
        /// Only names that contain this text
        #[arg(long, default_value = "")]
        filter: String,
    },
    /// List every assignment of a name, as resolved at a position of a tape
    History {
        #[command(flatten)]
        recording: Recording,
        /// The name
        name: String,
        /// The position, counted from 1, or `last`
        #[arg(long, default_value = "last")]
        at: At,
    },
    /// Compare two traces as mixle's diff does, and say why they differ
    Diff {
        /// The first trace
        a: PathBuf,
        /// The second trace
        b: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Write a trace as mixle's dumps() does
    Dumps {
        #[command(flatten)]
        recording: Recording,
    },
    /// Make a link to a recording, with the recording inside it or by its address
    Link(link::LinkArgs),
}

/// A position from the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At {
    /// Counted from 1.
    Number(u64),
    /// The last one.
    Last,
}

impl std::str::FromStr for At {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "last" => Ok(Self::Last),
            _ => match text.parse() {
                Ok(number @ 1..) => Ok(Self::Number(number)),
                _ => Err("positions are numbers from 1 on, or `last`".to_owned()),
            },
        }
    }
}

impl At {
    /// The 0-based index among `count`.
    pub(crate) fn index(self, count: u64, what: &str) -> Result<u32, Failure> {
        let number = match self {
            Self::Number(number) => number,
            Self::Last => count,
        };
        if number == 0 || number > count {
            return Err(Failure::new(Status::Usage, format!("there is no {what} {number}: there are {count}")));
        }
        u32::try_from(number - 1).map_err(|_| Failure::new(Status::Usage, "that is too far"))
    }
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Check { files, runtime, json } => check::run(&files, runtime.as_deref(), json),
        Command::Show { recording, at } => show(&recording, at),
        Command::State { recording, at, filter } => tape::state(&recording, at, &filter),
        Command::History { recording, name, at } => tape::history(&recording, &name, at),
        Command::Diff { a, b, json } => trace::diff(&a, &b, json),
        Command::Dumps { recording } => trace::dumps(&recording),
        Command::Link(args) => link::run(&args),
    };
    let status = result.unwrap_or_else(|failure| {
        out::error(&failure.text);
        failure.status
    });
    ExitCode::from(status as u8)
}

fn show(recording: &Recording, at: At) -> Result<Status, Failure> {
    let opened = input::open(recording)?;
    match opened.kind {
        input::Kind::Tape => tape::show(opened, recording.json, at),
        input::Kind::Trace => trace::show(&opened, recording.json, at),
    }
}
