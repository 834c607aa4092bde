//! Issues: what is odd in a recording, counted by kind and listed with its place.

use serde::{Deserialize, Serialize};

use super::{ByteOffset, Pos};

/// What kind of oddity an issue is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum IssueKind {
    /// An `A` or `N` record without `=`, or an `S` without its fields: the line was cut. The real readers skip it.
    Torn,
    /// The first byte names no record kind. The real readers skip the line.
    Unknown,
    /// An empty line. The real readers skip it.
    Blank,
    /// A string of an `A` record that is, or may be, longer than what the tape keeps (60 escaped bytes).
    CutString,
    /// An `N` value that ran out of its 65,536-byte budget: replay cannot serve it.
    TruncatedInput,
    /// Bytes that are not UTF-8.
    InvalidUtf8,
    /// A NUL: for the reader the line ends there.
    NulByte,
    /// A carriage return before the line feed; it is part of the value.
    CarriageReturn,
    /// Another session begins here (a `V` header in the middle).
    Seam,
    /// The last line has no line feed: the recording may have been cut.
    NoFinalNewline,
    /// A line number beyond the end of the source at hand.
    LinePastSource,
    /// A line number that is zero or negative.
    OddLine,
}

impl IssueKind {
    /// Every kind, in the order in which they are listed.
    pub const ALL: [IssueKind; 12] = [
        Self::Torn,
        Self::Unknown,
        Self::Blank,
        Self::CutString,
        Self::TruncatedInput,
        Self::InvalidUtf8,
        Self::NulByte,
        Self::CarriageReturn,
        Self::Seam,
        Self::NoFinalNewline,
        Self::LinePastSource,
        Self::OddLine,
    ];

    /// A short name for lists.
    pub fn title(self) -> &'static str {
        match self {
            Self::Torn => "torn record",
            Self::Unknown => "unknown record kind",
            Self::Blank => "blank line",
            Self::CutString => "string may be cut",
            Self::TruncatedInput => "truncated input",
            Self::InvalidUtf8 => "invalid UTF-8",
            Self::NulByte => "NUL byte",
            Self::CarriageReturn => "carriage return",
            Self::Seam => "seam between sessions",
            Self::NoFinalNewline => "no final newline",
            Self::LinePastSource => "line past the source",
            Self::OddLine => "line number below 1",
        }
    }

    /// What it means and what to make of it, in one sentence.
    pub fn explanation(self) -> &'static str {
        match self {
            Self::Torn => {
                "The record is incomplete, as after a killed run or where threads tore one another's lines; it is skipped, as EigenScript skips it."
            }
            Self::Unknown => {
                "The line's first byte is no record kind of format 2; it is skipped, as EigenScript skips it."
            }
            Self::Blank => "An empty line is skipped, as EigenScript skips it.",
            Self::CutString => {
                "An assignment keeps the first 60 escaped bytes of a string; the value may be longer than what is shown."
            }
            Self::TruncatedInput => {
                "The value went past the 65,536-byte budget of a record; on replay the live source would run for this call."
            }
            Self::InvalidUtf8 => {
                "These bytes are not UTF-8 (a string cut in the middle of a character is the usual cause); they are shown as U+FFFD and kept as they are."
            }
            Self::NulByte => "For EigenScript's reader the line ends at the NUL; what follows it is not read.",
            Self::CarriageReturn => {
                "The carriage return is part of the value, so the number before it is not read as a number. Was the file copied in text mode? Record it again, or convert the line ends back."
            }
            Self::Seam => {
                "Another session was appended here: its bindings merge with the earlier ones, as in EigenScript's own stepper."
            }
            Self::NoFinalNewline => {
                "The last line has no line feed: the run may have been killed, or the file cut, so its last record may be incomplete."
            }
            Self::LinePastSource => {
                "The source beside this tape has fewer lines: it may be another version, or the line belongs to an imported file."
            }
            Self::OddLine => "A line number below 1 names no line of a source.",
        }
    }
}

/// One odd place of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Issue {
    /// What is odd.
    pub kind: IssueKind,
    /// The byte at which it lies.
    pub byte: ByteOffset,
    /// The position to which the place belongs (the last `L` before it; 0 before any).
    pub pos: Pos,
}
