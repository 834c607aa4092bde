//! The link: everything that the sender saw, in the part of an address that browsers do not send (`#1&…`).
//!
//! A link names a recording by its address and the SHA-256 of its bytes, or holds it; then the view. The number up front is
//! the format's; older ones are upgraded step by step ([`UPGRADES`](version::UPGRADES)), newer ones are refused by name.
//!
//! | key | what | key | what |
//! |---|---|---|---|
//! | `z` | length and check sum of all that follows | `p` | position (1-based) |
//! | `u` `h` | address of the recording, SHA-256 of its bytes | `r` | visible range, `first-last` (1-based) |
//! | `d` `n` | the recording itself, its file name | `m` | the selected name |
//! | `c` `cn` | its source, the source's file name | `b` | breakpoints, by line |
//! | `u2 h2 d2 n2 c2 cn2` | the second recording, to compare | `k` | pins |
//! | `f` | the file inside the artifact | `q` `/` | the question, the search |
//! | `t` | theme | `s` `v` | notes, the replay version |
//! | `e` | ends a link that would end in a character which chat programs take off | | |
//!
//! Invariant: what [`write()`] makes, [`parse`] reads back field by field. A link that was cut or changed on its way is never
//! taken for a whole one: `z` tells for the link, and length and check sum in `d` and `c` tell for the data.

mod data;
mod fields;
pub mod limits;
pub mod redact;
mod version;

use serde::{Deserialize, Serialize};

pub use fields::{parse, write};
pub use version::CURRENT;

use crate::model::protocol::Pin;

/// What a link says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link {
    /// The recording.
    pub source: Source,
    /// A second one, to compare.
    pub second: Source,
    /// The path of the file inside the artifact that `source` is, as [`Node::path`](crate::artifact::Node::path) has it.
    pub file: Option<String>,
    /// The position or step, counted from 1.
    pub position: Option<u64>,
    /// The visible range: first and last position, counted from 1, both included.
    pub range: Option<(u64, u64)>,
    /// The selected name.
    pub selected: Option<Pin>,
    /// Breakpoints, by line.
    pub breakpoints: Vec<i32>,
    /// Pins: names, or expressions in the place of a name.
    pub pins: Vec<Pin>,
    /// What the Ask bar holds.
    pub question: Option<String>,
    /// What the search box holds.
    pub search: Option<String>,
    /// The theme, when it is not the system's.
    pub theme: Option<Theme>,
    /// Notes by the sender.
    pub notes: Option<String>,
    /// The runtime as which the tape is replayed ("replaying as 0.40.0").
    pub replay_version: Option<String>,
}

/// Where a recording comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Source {
    /// From nowhere: the link holds a view only.
    #[default]
    None,
    /// From an address.
    Url {
        /// The address.
        url: String,
        /// The SHA-256 of the bytes that were there when the link was made.
        sha256: Option<[u8; 32]>,
    },
    /// From the link itself.
    Inline {
        /// The file name.
        name: String,
        /// The bytes of the recording.
        data: Vec<u8>,
        /// Its source text, with the file name.
        code: Option<(String, Vec<u8>)>,
    },
}

impl Source {
    /// Whether the page must ask before it fetches: the address carries a query or a user name, which may hold a token and
    /// tell its server who opened the link.
    pub fn must_confirm(&self) -> bool {
        match self {
            Self::Url { url, .. } => {
                let authority = url.split_once("//").map_or("", |(_, rest)| rest);
                let authority = authority.split(['/', '?', '#']).next().unwrap_or_default();
                url.contains('?') || authority.contains('@')
            }
            Self::None | Self::Inline { .. } => false,
        }
    }
}

/// Light or dark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Theme {
    Light,
    Dark,
}

/// A link that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parsed {
    /// What it says.
    pub link: Link,
    /// What is odd about it: to be shown, not to be hidden.
    pub notes: Vec<LinkNote>,
}

/// Something odd about a link that can be used all the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[non_exhaustive]
pub enum LinkNote {
    /// It is not as it was made: something in it was changed.
    #[error(
        "This link is damaged, or was edited after it was made: what it holds does not fit its check sum. Position, range and the other settings may not be what the sender saw."
    )]
    Changed,
    /// Something was put behind it, as chat programs and trackers do.
    #[error("{text:?} was put behind this link after it was made, and was left out.")]
    Trailing {
        /// What was left out.
        text: String,
    },
    /// `&` arrived as `&amp;`.
    #[error(
        "The `&` in this link had become `&amp;`, as happens when it is copied out of the source of a web page; it was read as `&`."
    )]
    HtmlEscaped,
    /// The address seems to go on in what was read as settings of its own.
    #[error("The address {url:?} may go on behind it: {} stood behind an unencoded `&` and was read as a setting of the link. In an address inside a link, write `&` as %26.", list(.keys))]
    UnencodedAmpersand {
        /// The address as it was read.
        url: String,
        /// The keys that may belong to it.
        keys: Vec<String>,
    },
    /// Keys that this Tapedeck does not know.
    #[error("This link says something about {}, which this Tapedeck does not know and leaves out.", list(.keys))]
    UnknownKeys {
        /// The keys.
        keys: Vec<String>,
    },
    /// A value that cannot be one of its key.
    #[error("{value:?} is no {what}; this setting of the link was left out.")]
    BadValue {
        /// What it should be.
        what: String,
        /// What is there.
        value: String,
    },
    /// A key that occurs more than once.
    #[error("`{key}` occurs more than once in this link; the first one counts.")]
    Repeated {
        /// The key.
        key: String,
    },
}

/// Why a link cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[non_exhaustive]
pub enum LinkError {
    /// Happens when the address part after `#` is no link of Tapedeck at all.
    #[error("This is no Tapedeck link: it begins with {start:?}, not with a format number.")]
    NotALink {
        /// Its first characters.
        start: String,
    },
    /// Happens when the link was made by a later version.
    #[error("This link needs a newer Tapedeck: it is of format {version}, and this one reads formats up to {CURRENT}.")]
    Newer {
        /// The format that it names.
        version: String,
    },
    /// Happens when less is there than was made.
    #[error("{}", cut_text(*have, *want))]
    Cut {
        /// The characters that are here.
        have: usize,
        /// The characters that it had, when its beginning still says so.
        want: Option<usize>,
        /// The address of the recording, when that part is whole.
        url: Option<String>,
    },
    /// Happens when the data in it is not what was put in, though nothing is missing.
    #[error("This link is damaged: {what}.")]
    Damaged {
        /// What does not fit.
        what: String,
    },
    /// Happens when what the link holds unpacks past a limit.
    #[error("What this link holds cannot be unpacked. {what}")]
    Unpack {
        /// Why.
        what: String,
    },
}

impl LinkError {
    /// What to do next, in one sentence.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::NotALink { .. } => "Copy the whole link again.",
            Self::Newer { .. } => {
                "Reload the page to get the newest version, or ask the sender which address the link was made at."
            }
            Self::Cut { .. } => {
                "Ask the sender for it in a form that is not cut: as a file, or as a link to an address of the recording."
            }
            Self::Damaged { .. } => {
                "Copy the link again from where it was sent, or ask the sender for the recording as a file."
            }
            Self::Unpack { .. } => "Ask the sender for the recording as a file.",
        }
    }

    /// A stable word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotALink { .. } => "not-a-link",
            Self::Newer { .. } => "newer",
            Self::Cut { .. } => "cut",
            Self::Damaged { .. } => "damaged",
            Self::Unpack { .. } => "unpack",
        }
    }
}

/// What to say of a cut link: how much of it is here.
fn cut_text(have: usize, want: Option<usize>) -> String {
    match want {
        Some(want) => format!("This link was cut: {have} of its {want} characters are here."),
        None => format!("This link was cut: only its first {have} characters are here."),
    }
}

/// `a`, `a and b`, `a, b and c`, each in back quotes.
fn list(words: &[String]) -> String {
    let quoted: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}
