//! The list of what a tape holds, for the person who is about to share it.

use serde::{Deserialize, Serialize};

use super::secrets::home_paths;
use super::values::{Record, pieces, record};

/// How many examples of each kind are listed; all are counted.
const EXAMPLES: usize = 50;

/// How many bytes of a value are shown.
const PREVIEW: usize = 60;

/// A kind of what a tape may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Kind {
    /// Environment values (`env_get`).
    Environment,
    /// Contents of files (`read_text`, `read_bytes`, `read_bytes_buf`).
    FileContent,
    /// Names and places of files and folders (`ls`, `getcwd`, `exe_path`).
    FileName,
    /// Lines that somebody typed or piped in (`read_line`).
    StandardInput,
    /// Command-line arguments (`args`).
    Argument,
    /// HTTP headers and session names.
    Header,
    /// What came by HTTP: requests and answers.
    HttpBody,
    /// What came by a network connection.
    Network,
    /// Text that a model wrote (`eigen_generate`).
    ModelText,
    /// Random text, which may have become a key (`random_hex`).
    RandomText,
    /// Text of a builtin that Tapedeck does not know.
    Unknown,
    /// Paths that name a person's home folder, wherever they stand.
    HomePath,
}

impl Kind {
    /// Every kind, in the order in which they are listed.
    pub const ALL: [Kind; 12] = [
        Self::Environment,
        Self::FileContent,
        Self::FileName,
        Self::StandardInput,
        Self::Argument,
        Self::Header,
        Self::HttpBody,
        Self::Network,
        Self::ModelText,
        Self::RandomText,
        Self::Unknown,
        Self::HomePath,
    ];

    /// What it is, for a list: "environment values".
    pub fn title(self) -> &'static str {
        match self {
            Self::Environment => "environment values",
            Self::FileContent => "file contents",
            Self::FileName => "names of files and folders",
            Self::StandardInput => "lines of standard input",
            Self::Argument => "command-line arguments",
            Self::Header => "HTTP headers",
            Self::HttpBody => "HTTP requests and answers",
            Self::Network => "network data",
            Self::ModelText => "text by a model",
            Self::RandomText => "random text",
            Self::Unknown => "text of other builtins",
            Self::HomePath => "paths of a home folder",
        }
    }

    /// The kind of what an `N` record holds; `None` when it holds no text worth asking about.
    pub(super) fn of(record: &Record<'_>) -> Option<Self> {
        let kind = match record.name {
            b"env_get" => Self::Environment,
            b"read_text" | b"read_bytes" | b"read_bytes_buf" => Self::FileContent,
            b"ls" | b"getcwd" | b"exe_path" => Self::FileName,
            b"read_line" => Self::StandardInput,
            b"args" => Self::Argument,
            b"http_request_headers" | b"http_session_id" => Self::Header,
            b"http_post" | b"http_request_body" => Self::HttpBody,
            b"net_recv" => Self::Network,
            b"eigen_generate" => Self::ModelText,
            b"random_hex" => Self::RandomText,
            b"random"
            | b"random_int"
            | b"random_normal"
            | b"monotonic_ns"
            | b"monotonic_ms"
            | b"clock_unix"
            | b"is_dir"
            | b"file_exists"
            | b"mkdir"
            | b"net_listen"
            | b"net_port"
            | b"net_accept"
            | b"net_dial"
            | b"net_send"
            | b"audio_capture_open"
            | b"audio_capture_read"
            | b"audio_stream_queued"
            | b"gfx_read" => {
                return None;
            }
            _ => Self::Unknown,
        };
        // `env_get` of what is not set is null, and tells nothing but that.
        memchr::memchr2(b'"', b'[', record.value).map(|_| kind)
    }
}

/// How much there is of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// The kind.
    pub kind: Kind,
    /// How many records hold some.
    pub records: u32,
    /// How many bytes of text or data.
    pub bytes: u64,
}

/// One thing that a tape holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holding {
    /// What it is.
    pub kind: Kind,
    /// The name of the record: a builtin, or a variable.
    pub name: String,
    /// Where the record starts.
    pub byte: u64,
    /// The size of its text.
    pub bytes: u64,
    /// How it begins.
    pub preview: String,
}

/// What a tape holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inventory {
    /// How much of each kind; kinds without any are left out.
    pub counts: Vec<Count>,
    /// The first 50 different ones of each kind.
    pub examples: Vec<Holding>,
}

impl Inventory {
    /// The kinds that occur.
    pub fn kinds(&self) -> Vec<Kind> {
        self.counts.iter().map(|count| count.kind).collect()
    }

    fn add(&mut self, holding: Holding) {
        match self.counts.iter_mut().find(|count| count.kind == holding.kind) {
            Some(count) => {
                count.records += 1;
                count.bytes += holding.bytes;
            }
            None => self.counts.push(Count { kind: holding.kind, records: 1, bytes: holding.bytes }),
        }
        let mut same = self.examples.iter().filter(|one| one.kind == holding.kind);
        let known = same.clone().any(|one| one.name == holding.name && one.preview == holding.preview);
        if !known && same.nth(EXAMPLES - 1).is_none() {
            self.examples.push(holding);
        }
    }
}

/// Lists what a tape holds.
pub fn inventory(tape: &[u8]) -> Inventory {
    let mut inventory = Inventory::default();
    let mut byte = 0;
    for line in tape.split(|byte| *byte == b'\n') {
        let start = byte;
        byte += line.len() as u64 + 1;
        let Some(record) = record(line) else { continue };
        let name = String::from_utf8_lossy(record.name).into_owned();
        if record.is_input()
            && let Some(kind) = Kind::of(&record)
        {
            let pieces = pieces(record.value);
            let bytes = pieces.iter().map(|piece| piece.bytes.len() as u64).sum();
            let text = pieces.iter().find(|piece| !piece.is_key && !piece.bytes.is_empty());
            let preview = text.map(|piece| preview(&piece.bytes)).unwrap_or_default();
            inventory.add(Holding { kind, name: name.clone(), byte: start, bytes, preview });
        }
        for path in home_paths(record.value) {
            let bytes = path.len() as u64;
            inventory.add(Holding {
                kind: Kind::HomePath,
                name: name.clone(),
                byte: start,
                bytes,
                preview: preview(&path),
            });
        }
    }
    inventory.counts.sort_by_key(|count| count.kind);
    inventory.examples.sort_by_key(|holding| holding.kind);
    inventory
}

fn preview(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes.get(..PREVIEW * 4).unwrap_or(bytes)).into_owned();
    let mut characters = text.chars();
    let shown: String = characters.by_ref().take(PREVIEW).collect();
    if characters.next().is_some() || bytes.len() > PREVIEW * 4 { format!("{shown}…") } else { shown }
}
