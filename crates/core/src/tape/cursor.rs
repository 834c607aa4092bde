//! The replay cursor: what a builtin gets from a tape, call by call, when a program is run again.
//!
//! The order of the `N` records is the contract. The cursor holds no more than a place in the bytes, so a host (the command
//! line, a page's script) can drive a program of its own with it. Invariant: nothing is ever served that EigenScript 0.40.0
//! would not serve for the same bytes (corpus `cursor.json`), and a header that does not match is never passed over.

use serde::Serialize;

use super::header::{self, FORMAT, GateError};
use super::value::{self, Token, Unreadable};

/// How a tape is put in place for replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Install {
    /// As an embedding host does it: every session header is tested before anything is served.
    InMemory,
    /// As `EIGS_REPLAY` does it: the first header is tested at once, a later one when a take reaches it.
    Streaming,
}

/// What happens when the program calls another builtin than the tape recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NameRule {
    /// A warning; the record is served anyway.
    #[default]
    Lenient,
    /// The replay has diverged and stops (`EIGS_REPLAY_STRICT`).
    Strict,
}

/// An `N` record, as places in the tape.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Where the record starts.
    pub byte: usize,
    /// Where its builtin's name stands.
    pub name: core::ops::Range<usize>,
    /// Where its value stands.
    pub value: core::ops::Range<usize>,
}

/// What a call of a recorded builtin gets.
#[derive(Clone, Debug, PartialEq)]
pub enum Taken {
    /// The tape's value.
    Served {
        /// The record that was used up.
        record: Record,
        /// Its value.
        tokens: Vec<Token>,
        /// Whether the tape recorded another builtin here.
        is_renamed: bool,
    },
    /// The record was used up, but its value cannot be read back: the live source runs for this call.
    Unreadable {
        /// The record that was used up.
        record: Record,
        /// Why it cannot be served.
        why: Unreadable,
        /// Whether the tape recorded another builtin here.
        is_renamed: bool,
    },
    /// There is no further record: replay has just switched off, for good, and the live source runs.
    Exhausted,
    /// Replay is off: the live source runs.
    Live,
    /// The builtin cannot be replayed at all; it raises this message.
    Raises(String),
    /// The replay stops with exit status 3.
    Stopped(Stop),
}

/// Why a replay stops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Under [`NameRule::Strict`] the program called another builtin than the tape recorded.
    Name {
        /// The record at which it stopped.
        record: Record,
    },
    /// A later session's header does not match.
    Header(GateError),
    /// It stopped at an earlier call.
    Before,
}

/// A place in a tape from which builtins are served. `B` is whatever holds the bytes: a slice, a `Vec`, an `Rc<[u8]>`.
#[derive(Clone, Debug)]
pub struct Cursor<B> {
    tape: B,
    runtime: Vec<u8>,
    rule: NameRule,
    at: usize,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    On,
    Off,
    Stopped,
}

impl<B: AsRef<[u8]>> Cursor<B> {
    /// Puts a tape in place, declared to be of `runtime`.
    ///
    /// # Errors
    /// The [`GateError`] of the first header that does not pass the REPLAY gate: of the first one alone when streaming.
    pub fn install(tape: B, runtime: &[u8], install: Install, rule: NameRule) -> Result<Self, GateError> {
        match install {
            Install::InMemory => header::check_replay(tape.as_ref(), runtime)?,
            Install::Streaming => {
                let bytes = tape.as_ref();
                if bytes.is_empty() {
                    return Err(GateError::Empty);
                }
                check(line_at(bytes, 0), runtime, 0)?;
            }
        }
        Ok(Self { tape, runtime: runtime.to_vec(), rule, at: 0, state: State::On })
    }

    /// What a call of `builtin` gets. Builtins that leave no record on any tape must not be asked for (they never take).
    pub fn take(&mut self, builtin: &[u8]) -> Taken {
        match self.state {
            State::Off => return Taken::Live,
            State::Stopped => return Taken::Stopped(Stop::Before),
            State::On => {}
        }
        if is_never_replayable(builtin) {
            return Taken::Raises(not_replayable_message(builtin));
        }
        let record = match self.next_record() {
            Ok(Some(record)) => record,
            Ok(None) => {
                self.state = State::Off;
                return Taken::Exhausted;
            }
            Err(error) => {
                self.state = State::Stopped;
                return Taken::Stopped(Stop::Header(error));
            }
        };
        let bytes = self.tape.as_ref();
        let is_renamed = bytes.get(record.name.clone()) != Some(builtin);
        if is_renamed && self.rule == NameRule::Strict {
            self.state = State::Stopped;
            return Taken::Stopped(Stop::Name { record });
        }
        match value::read(bytes.get(record.value.clone()).unwrap_or_default()) {
            Ok(tokens) => Taken::Served { record, tokens, is_renamed },
            Err(why) => Taken::Unreadable { record, why, is_renamed },
        }
    }

    /// The next `N` record, past everything else. The byte after `N` must be a space; a record without `=` is torn.
    fn next_record(&mut self) -> Result<Option<Record>, GateError> {
        let bytes = self.tape.as_ref();
        while self.at < bytes.len() {
            let byte = self.at;
            let rest = bytes.get(byte..).unwrap_or_default();
            self.at = byte + memchr::memchr(b'\n', rest).map_or(rest.len(), |feed| feed + 1);
            let line = line_at(bytes, byte);
            match line {
                [b'V', ..] => check(line, &self.runtime, byte)?,
                [b'N', b' ', body @ ..] => {
                    if let Some(eq) = memchr::memchr(b'=', body) {
                        let eq = byte + 2 + eq;
                        return Ok(Some(Record { byte, name: byte + 2..eq, value: eq + 1..byte + line.len() }));
                    }
                }
                _ => {}
            }
        }
        Ok(None)
    }

    /// The tape.
    pub fn tape(&self) -> &[u8] {
        self.tape.as_ref()
    }

    /// Whether the tape may still serve: it was not exhausted, and the replay did not stop.
    pub fn is_on(&self) -> bool {
        self.state == State::On
    }

    /// What a call got, as programs and people read it.
    pub fn report(&self, builtin: &[u8], taken: &Taken) -> CallReport {
        let text = |range: &core::ops::Range<usize>| lossy(self.tape().get(range.clone()).unwrap_or_default());
        let mut report = CallReport { function: lossy(builtin), ..CallReport::default() };
        match taken {
            Taken::Served { record, tokens, is_renamed } => {
                report.outcome = "tape";
                report.record = Some(text(&record.value));
                report.json = value::to_json(tokens).map(|json| lossy(&json));
                report.warning = is_renamed.then(|| NameWarning { expected: lossy(builtin), got: text(&record.name) });
            }
            Taken::Unreadable { record, why, is_renamed } => {
                report.outcome = "live";
                report.unreadable = true;
                report.record = Some(text(&record.value));
                report.warning = is_renamed.then(|| NameWarning { expected: lossy(builtin), got: text(&record.name) });
                report.message =
                    Some(format!("the record at byte {} cannot be served ({why}): the live source runs", record.byte));
            }
            Taken::Exhausted => {
                report.outcome = "live";
                report.exhausted = true;
                report.message = Some("the tape has no further record: replay is off from here on".to_owned());
            }
            Taken::Live => report.outcome = "live",
            Taken::Raises(message) => {
                report.outcome = "raises";
                report.message = Some(message.clone());
            }
            Taken::Stopped(stop) => {
                report.outcome = "exit3";
                (report.why, report.message) = match stop {
                    Stop::Name { record } => {
                        let recorded = text(&record.name);
                        let message = format!(
                            "the tape has '{recorded}' at byte {}, the program called '{}'",
                            record.byte, report.function
                        );
                        report.recorded = Some(recorded);
                        (Some("name"), Some(message))
                    }
                    Stop::Header(error) => (Some("header"), Some(format!("{error} (byte {})", error.byte()))),
                    Stop::Before => (Some("before"), Some("the replay stopped at an earlier call".to_owned())),
                };
            }
        }
        report
    }
}

/// What a call got: the fields of the corpus' `cursor.json`, and a sentence.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CallReport {
    /// The builtin that the program called.
    #[serde(rename = "fn")]
    pub function: String,
    /// `tape`, `live`, `raises` or `exit3`.
    pub outcome: &'static str,
    /// The value of the record that was used up, as the tape spells it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
    /// What was served, as JSON; none when it nests too deeply for `json_encode`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub json: Option<String>,
    /// The record was used up but cannot be read back.
    #[serde(skip_serializing_if = "is_false")]
    pub unreadable: bool,
    /// This call found no further record.
    #[serde(skip_serializing_if = "is_false")]
    pub exhausted: bool,
    /// The tape recorded another builtin here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warning: Option<NameWarning>,
    /// Why the replay stopped: `name`, `header`, or `before` for every call after it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<&'static str>,
    /// The builtin that the tape has where the replay stopped over the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recorded: Option<String>,
    /// What to tell people; none when nothing is odd.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// A builtin that is not the recorded one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NameWarning {
    /// What the program called.
    pub expected: String,
    /// What the tape has.
    pub got: String,
}

impl NameWarning {
    /// The words of the real runtime.
    pub fn words(&self) -> String {
        format!("trace: replay name mismatch — expected '{}', got '{}' (using anyway)", self.expected, self.got)
    }
}

/// The tape in place for replay, if any: what an embedding host holds.
#[derive(Clone, Debug)]
pub struct Replay<B> {
    cursor: Option<Cursor<B>>,
}

impl<B> Default for Replay<B> {
    fn default() -> Self {
        Self { cursor: None }
    }
}

impl<B: AsRef<[u8]>> Replay<B> {
    /// Puts a tape in place of the one before it.
    ///
    /// # Errors
    /// As [`Cursor::install`]; the previous tape then stays in place, where it was.
    pub fn install(&mut self, tape: B, runtime: &[u8], install: Install, rule: NameRule) -> Result<(), GateError> {
        self.cursor = Some(Cursor::install(tape, runtime, install, rule)?);
        Ok(())
    }

    /// What a call of `builtin` gets: always the live source while no tape is in place.
    pub fn take(&mut self, builtin: &[u8]) -> Taken {
        self.cursor.as_mut().map_or(Taken::Live, |cursor| cursor.take(builtin))
    }

    /// The cursor in place.
    pub fn cursor(&self) -> Option<&Cursor<B>> {
        self.cursor.as_ref()
    }
}

/// Builtins on the wrong side of the replay boundary: they leave no record, and raise while replay is on.
pub const NEVER_REPLAYABLE: [&str; 11] = [
    "proc_spawn",
    "proc_write",
    "proc_read_line",
    "proc_read",
    "proc_read_buf",
    "proc_close",
    "proc_wait",
    "exec_capture",
    "recv",
    "try_recv",
    "recv_timeout",
];

/// Whether a builtin raises while replay is on.
pub fn is_never_replayable(builtin: &[u8]) -> bool {
    NEVER_REPLAYABLE.iter().any(|name| name.as_bytes() == builtin)
}

/// What such a builtin raises, in the words of the real runtime.
pub fn not_replayable_message(builtin: &[u8]) -> String {
    format!("{}: not replayable under EIGS_REPLAY (subprocess/concurrency boundary; see docs/TRACE.md)", lossy(builtin))
}

/// The line at a byte, as the reader sees it.
fn line_at(bytes: &[u8], byte: usize) -> &[u8] {
    let rest = bytes.get(byte..).unwrap_or_default();
    let line = memchr::memchr(b'\n', rest).and_then(|feed| rest.get(..feed)).unwrap_or(rest);
    header::up_to_nul(line)
}

/// The REPLAY gate over one header line.
fn check(line: &[u8], runtime: &[u8], byte: usize) -> Result<(), GateError> {
    let header = header::parse(line, byte)?;
    if header.format != FORMAT {
        return Err(GateError::Format { found: header.format, byte });
    }
    if header.runtime != runtime {
        let (found, wanted) = (header::shown(header.runtime), Some(header::shown(runtime)));
        return Err(GateError::Runtime { found, wanted, byte });
    }
    Ok(())
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde asks for a reference
fn is_false(value: &bool) -> bool {
    !value
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic)]
mod tests {
    use super::*;

    const TAPE: &[u8] = b"V 2 0.40.0\nN random=0.5\nV 2 0.39.0\nN random=0.25\n";

    #[test]
    fn a_later_header_is_met_at_install_in_memory_and_at_its_take_when_streaming() {
        let in_memory = Cursor::install(TAPE, b"0.40.0", Install::InMemory, NameRule::Lenient);
        assert_eq!(in_memory.unwrap_err().kind(), "runtime");
        let mut streaming = Cursor::install(TAPE, b"0.40.0", Install::Streaming, NameRule::Lenient).unwrap();
        assert!(matches!(streaming.take(b"random"), Taken::Served { .. }));
        let Taken::Stopped(Stop::Header(error)) = streaming.take(b"random") else { panic!("it must stop") };
        assert_eq!((error.kind(), error.byte()), ("runtime", 24));
        assert_eq!(streaming.take(b"random"), Taken::Stopped(Stop::Before));
        assert!(!streaming.is_on());
    }

    #[test]
    fn a_refused_tape_leaves_the_previous_one_where_it_was() {
        let mut replay = Replay::default();
        assert_eq!(replay.take(b"random"), Taken::Live);
        let good = b"V 2 0.40.0\nN random=1\nN random=2\n".as_slice();
        replay.install(good, b"0.40.0", Install::InMemory, NameRule::Lenient).unwrap();
        assert!(matches!(replay.take(b"random"), Taken::Served { .. }));
        assert!(replay.install(TAPE, b"0.40.0", Install::InMemory, NameRule::Lenient).is_err());
        let taken = replay.take(b"random");
        assert_eq!(replay.cursor().unwrap().report(b"random", &taken).json.as_deref(), Some("2"));
    }

    #[test]
    fn what_raises_under_replay_runs_live_once_the_tape_is_used_up() {
        let mut cursor =
            Cursor::install(b"V 2 0.40.0\n".as_slice(), b"0.40.0", Install::Streaming, NameRule::Strict).unwrap();
        assert!(matches!(cursor.take(b"recv"), Taken::Raises(message) if message.starts_with("recv: not replayable")));
        assert_eq!(cursor.take(b"random"), Taken::Exhausted);
        assert_eq!(cursor.take(b"recv"), Taken::Live);
        assert_eq!(cursor.take(b"random"), Taken::Live);
    }
}
