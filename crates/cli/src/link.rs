//! `link`: a link to a recording, with a list of what goes along.

use sha2::{Digest, Sha256};
use tapedeck_core::link::limits::too_long_for;
use tapedeck_core::link::redact::{Kind, Plan, inventory, redact_link};
use tapedeck_core::link::{Link, Source, write};

use crate::input::{self, Opened};
use crate::out::{Out, remark};
use crate::{At, Failure, Recording, Status, tape};

/// Arguments of `link`.
#[derive(Debug, clap::Args)]
pub(crate) struct LinkArgs {
    #[command(flatten)]
    recording: Recording,
    /// The position or step, counted from 1, or `last`
    #[arg(long)]
    at: Option<At>,
    /// The address of the Tapedeck page, put before the fragment
    #[arg(long, value_name = "URL", default_value = "")]
    base: String,
    /// Link to this address of the file instead of putting the recording into the link; the file's SHA-256 goes along
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// Take out every environment value, file content, header and the like, and home paths
    #[arg(long, conflicts_with = "url")]
    redact: bool,
    /// Take out this text wherever it occurs (may be given several times)
    #[arg(long, value_name = "TEXT", conflicts_with = "url")]
    redact_text: Vec<String>,
    /// Leave the source out
    #[arg(long)]
    no_source: bool,
}

/// Runs the command.
pub(crate) fn run(args: &LinkArgs) -> Result<Status, Failure> {
    let opened = input::open(&args.recording)?;
    let position = match args.at {
        None => None,
        Some(At::Number(number)) => Some(number),
        Some(At::Last) => Some(last_position(&opened)?),
    };
    let mut link = Link { position, ..Link::default() };
    if let Some(url) = &args.url {
        let bytes = input::read(&args.recording.file)?;
        link.source = Source::Url { url: url.clone(), sha256: Some(Sha256::digest(&bytes).into()) };
        link.file = opened.path;
    } else {
        let code = opened.source.filter(|_| !args.no_source);
        if opened.kind == input::Kind::Tape {
            list(&opened.bytes, args);
        }
        link.source = Source::Inline { name: opened.name, data: opened.bytes, code };
        if args.redact || !args.redact_text.is_empty() {
            let kinds = if args.redact { Kind::ALL.to_vec() } else { Vec::new() };
            let (clean, report) = redact_link(&link, &Plan { kinds, texts: args.redact_text.clone() });
            remark(&format!(
                "taken out: {} inputs, {} assignments, {} other places",
                report.inputs,
                report.assigns,
                report.lines + report.places
            ));
            for warning in &report.warnings {
                remark(&format!("note: {warning}"));
            }
            link = clean;
        }
    }
    let base = args.base.trim_end_matches('#');
    let text = format!("{base}{}", write(&link));
    for channel in too_long_for(text.len()) {
        remark(&format!(
            "note: this link has {} characters; {} {} ({})",
            text.len(),
            channel.name,
            channel.what,
            channel.page
        ));
    }
    let mut out = Out::new();
    if args.recording.json {
        out.json(&serde_json::json!({ "link": text, "characters": text.len() }));
    } else {
        out.line(text);
    }
    out.print();
    Ok(Status::Fine)
}

/// Says what goes along.
fn list(tape: &[u8], args: &LinkArgs) {
    let held = inventory(tape);
    if held.counts.is_empty() || args.redact {
        return;
    }
    remark("this link holds what the run was given; --redact takes it out:");
    for count in &held.counts {
        remark(&format!("  {}: {} records, {} bytes", count.kind.title(), count.records, count.bytes));
    }
}

fn last_position(opened: &Opened) -> Result<u64, Failure> {
    match opened.kind {
        input::Kind::Trace => {
            Err(Failure::new(Status::Usage, "`--at last` is for tapes; name the step of a trace by its number"))
        }
        input::Kind::Tape => {
            // The builder keeps the bytes that it reads, and the link needs them too.
            let copy = Opened {
                bytes: opened.bytes.clone(),
                name: opened.name.clone(),
                path: None,
                kind: opened.kind,
                notes: Vec::new(),
                source: None,
            };
            let positions = tape::named(copy)?.positions();
            if positions == 0 {
                Err(Failure::new(Status::Unreadable, "the tape has no positions"))
            } else {
                Ok(positions.into())
            }
        }
    }
}
