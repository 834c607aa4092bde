//! The `V` header and the two gates: OPEN (may it be viewed?) and REPLAY (may it be replayed as this version?).
//!
//! Both work on the raw bytes. Refuse, never fall back, never migrate: a plausible wrong answer is worse than none.

use crate::model::protocol::Refusal;

use super::cnum;

/// The tape format that Tapedeck reads.
pub const FORMAT: i64 = 2;

/// What a `V` line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header<'a> {
    /// The format, read as C's `strtol` reads it.
    pub format: i64,
    /// The runtime: the whole rest of the line after one space.
    pub runtime: &'a [u8],
}

/// Why a gate refuses a tape; each cause its own kind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GateError {
    /// There is not a single byte.
    #[error("the tape is empty")]
    Empty,
    /// The first line does not start with `V`.
    #[error("the tape has no version header: its first line does not start with V{}", .looks_like.map(|what| format!(", and {what}")).unwrap_or_default())]
    NoHeader {
        /// What the bytes look like instead, when that is plain.
        looks_like: Option<&'static str>,
    },
    /// A line starts with `V` and is not a header: no integer and space follow.
    #[error("malformed version header {text:?}")]
    Malformed {
        /// The line, decoded, its first 80 bytes.
        text: String,
        /// Where the line starts.
        byte: usize,
    },
    /// Another tape format.
    #[error("this tape is of format {found}, Tapedeck reads format {FORMAT}")]
    Format {
        /// The format that the header names.
        found: i64,
        /// Where the header starts.
        byte: usize,
    },
    /// Another runtime than the one declared (REPLAY), or than the first header's (OPEN).
    #[error("{}", match .wanted { Some(wanted) => format!("recorded on EigenScript {found:?}, not on {wanted:?}"), None => "the version header names no runtime".to_owned() })]
    Runtime {
        /// The runtime that the header names.
        found: String,
        /// The one it should name; `None` when it names none at all.
        wanted: Option<String>,
        /// Where the header starts.
        byte: usize,
    },
    /// The runtime holds a carriage return: the file's line ends were changed.
    #[error("the version header ends in a carriage return: the line ends of this file were changed (CRLF or CR)")]
    CarriageReturn {
        /// Where the header starts.
        byte: usize,
    },
}

impl GateError {
    /// A stable word for the kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Empty => "empty",
            Self::NoHeader { .. } => "no-header",
            Self::Malformed { .. } => "malformed-header",
            Self::Format { .. } => "format",
            Self::Runtime { .. } => "runtime",
            Self::CarriageReturn { .. } => "carriage-return",
        }
    }

    /// The byte at which the offending line starts.
    pub fn byte(&self) -> usize {
        match self {
            Self::Empty | Self::NoHeader { .. } => 0,
            Self::Malformed { byte, .. }
            | Self::Format { byte, .. }
            | Self::Runtime { byte, .. }
            | Self::CarriageReturn { byte } => *byte,
        }
    }

    /// What the user can do next.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::Empty => "The recorder may have been stopped before it wrote anything: record the run again.",
            Self::NoHeader { looks_like: Some(_) } => {
                "Open the file through Tapedeck's page or `tapedeck check`, which unwrap it, or convert it back to the bytes that EigenScript wrote."
            }
            Self::NoHeader { looks_like: None } => {
                "Check that this is a tape written by EIGS_TRACE or --trace; one from a version before headers must be recorded again."
            }
            Self::Malformed { .. } => "The header was torn or edited: record the run again, or restore the line.",
            Self::Format { .. } => {
                "Record the run again with a runtime that writes format 2; formats are never converted."
            }
            Self::Runtime { .. } => {
                "A tape is valid only for the version that recorded it: use that runtime, or record the run again with yours."
            }
            Self::CarriageReturn { .. } => {
                "Restore the file's line ends to a single line feed (for example `dos2unix`), or fetch it again in binary mode."
            }
        }
    }

    /// The refusal as the page shows it. `line` is the line of the file at which [`GateError::byte`] lies, counted from 1.
    pub fn refusal(&self, line: u64) -> Refusal {
        Refusal {
            kind: self.kind().to_owned(),
            what: sentence(&self.to_string()),
            place: format!("byte {}, line {line}", self.byte()),
            advice: self.advice().to_owned(),
        }
    }
}

/// Upper-cases the first letter and adds a full stop.
pub(crate) fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first: String = chars.next().map(|first| first.to_uppercase().collect()).unwrap_or_default();
    format!("{first}{}.", chars.as_str())
}

/// What a reader sees of a line: it ends at a NUL.
pub(crate) fn up_to_nul(line: &[u8]) -> &[u8] {
    memchr::memchr(0, line).and_then(|end| line.get(..end)).unwrap_or(line)
}

/// Reads a line that starts with `V`. `line` is without its line feed and ends at its first NUL; `byte` is where it starts.
///
/// # Errors
/// [`GateError::NoHeader`] when it does not start with `V`; [`GateError::Malformed`] when `V `, an integer and a space are not there.
pub fn parse(line: &[u8], byte: usize) -> Result<Header<'_>, GateError> {
    if line.first() != Some(&b'V') {
        return Err(GateError::NoHeader { looks_like: looks_like(line) });
    }
    let malformed = || GateError::Malformed { text: shown(line), byte };
    let rest = line.strip_prefix(b"V ").ok_or_else(malformed)?;
    let (format, read) = cnum::strtol(rest);
    match rest.get(read..) {
        Some([b' ', runtime @ ..]) if read > 0 => Ok(Header { format, runtime }),
        _ => Err(malformed()),
    }
}

pub(crate) fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.get(..80).unwrap_or(bytes)).into_owned()
}

/// Names what bytes that are no tape look like.
fn looks_like(bytes: &[u8]) -> Option<&'static str> {
    Some(match bytes {
        [0x1f, 0x8b, ..] => "the bytes are gzip's",
        [b'P', b'K', 3 | 5, _, ..] => "the bytes are a zip archive's",
        [0xef, 0xbb, 0xbf, ..] => "a byte order mark stands before it (UTF-8 BOM)",
        [0xff, 0xfe, ..] | [b'V', 0, ..] => "the text is UTF-16 (little-endian)",
        [0xfe, 0xff, ..] | [0, b'V', ..] => "the text is UTF-16 (big-endian)",
        [b'{' | b'[', ..] => "it looks like JSON",
        _ => return None,
    })
}

/// The test that every session header must pass for a tape to be viewed: format 2, a runtime that is not empty and holds no
/// CR, and the same runtime in every session.
///
/// # Errors
/// The [`GateError`] of the first test that fails; the format is tested before the runtime.
pub fn check_open(header: Header<'_>, first: Option<&[u8]>, byte: usize) -> Result<(), GateError> {
    if header.format != FORMAT {
        return Err(GateError::Format { found: header.format, byte });
    }
    if header.runtime.contains(&b'\r') {
        return Err(GateError::CarriageReturn { byte });
    }
    if header.runtime.is_empty() {
        return Err(GateError::Runtime { found: String::new(), wanted: None, byte });
    }
    match first {
        Some(first) if first != header.runtime => {
            Err(GateError::Runtime { found: shown(header.runtime), wanted: Some(shown(first)), byte })
        }
        _ => Ok(()),
    }
}

/// The REPLAY gate over a whole tape: every line that starts with `V` must name format 2 and exactly `runtime`.
///
/// # Errors
/// The [`GateError`] that the real runtime of that version would refuse with, for the first header that fails.
pub fn check_replay(tape: &[u8], runtime: &[u8]) -> Result<(), GateError> {
    if tape.is_empty() {
        return Err(GateError::Empty);
    }
    let mut start = 0;
    for line in tape.split(|byte| *byte == b'\n') {
        let seen = up_to_nul(line);
        if start == 0 || seen.first() == Some(&b'V') {
            let header = parse(seen, start)?;
            if header.format != FORMAT {
                return Err(GateError::Format { found: header.format, byte: start });
            }
            if header.runtime != runtime {
                let (found, wanted) = (shown(header.runtime), Some(shown(runtime)));
                return Err(GateError::Runtime { found, wanted, byte: start });
            }
        }
        start += line.len() + 1;
    }
    Ok(())
}
