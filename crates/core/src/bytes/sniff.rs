//! What bytes are, by what is in them. File names and extensions are never asked.

use memchr::memmem;
use serde::{Deserialize, Serialize};

use super::{bundle, gzip, tar, testlog, text, zip};

/// A container: something that holds files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Container {
    /// A gzip file (one content, any number of members).
    Gzip,
    /// A zip archive.
    Zip,
    /// A tar archive.
    Tar,
    /// An EigenScript bundle: a runtime with a script, its modules and perhaps a tape behind it.
    Bundle,
}

impl Container {
    /// Its name in a sentence: "a zip archive".
    pub fn with_article(self) -> &'static str {
        match self {
            Self::Gzip => "a gzip file",
            Self::Zip => "a zip archive",
            Self::Tar => "a tar archive",
            Self::Bundle => "an EigenScript bundle",
        }
    }
}

/// A text encoding other than plain UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Encoding {
    /// UTF-8 with a byte order mark before it.
    Utf8Bom,
    /// UTF-16, low byte first (what Windows PowerShell writes with `>`).
    Utf16Le,
    /// UTF-16, high byte first.
    Utf16Be,
    /// UTF-32, low byte first.
    Utf32Le,
    /// UTF-32, high byte first.
    Utf32Be,
}

impl Encoding {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8Bom => "UTF-8 with a byte order mark",
            Self::Utf16Le => "UTF-16 (little endian)",
            Self::Utf16Be => "UTF-16 (big endian)",
            Self::Utf32Le => "UTF-32 (little endian)",
            Self::Utf32Be => "UTF-32 (big endian)",
        }
    }
}

/// What bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Kind {
    /// No bytes at all.
    Empty,
    /// An EigenScript tape, or a text with its records and without its header. The tape's own gate decides.
    Tape,
    /// The JSON of an execution trace: an object with `steps`.
    Trace,
    /// The JSON of `eigenscript --test --json`.
    TestResults,
    /// A saved log with lines of `eigenscript --test`, or with its JSON among other lines.
    TestLog,
    /// JSON text of another shape.
    Json,
    /// A WebAssembly module (or component).
    Wasm,
    /// A container.
    Container(Container),
    /// Text to re-encode first.
    Encoded(Encoding),
    /// Text of no known form.
    Text,
    /// A file of a form that Tapedeck knows by name only.
    Known(Known),
    /// Other bytes.
    Other,
}

/// Forms that Tapedeck does not open but can name, so that the user need not guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Known {
    Html,
    GitLfsPointer,
    Zstd,
    Xz,
    Bzip2,
    Lz4,
    SevenZip,
    Rar,
    Pdf,
    Png,
    Jpeg,
    Sqlite,
    Executable,
}

impl Known {
    /// What it is, in a sentence: "a web page (HTML)".
    pub fn with_article(self) -> &'static str {
        match self {
            Self::Html => "a web page (HTML)",
            Self::GitLfsPointer => "a Git LFS pointer, which stands for a file that is kept elsewhere",
            Self::Zstd => "a Zstandard file",
            Self::Xz => "an xz file",
            Self::Bzip2 => "a bzip2 file",
            Self::Lz4 => "an LZ4 file",
            Self::SevenZip => "a 7-Zip archive",
            Self::Rar => "a RAR archive",
            Self::Pdf => "a PDF document",
            Self::Png => "a PNG image",
            Self::Jpeg => "a JPEG image",
            Self::Sqlite => "an SQLite database",
            Self::Executable => "a program without an EigenScript bundle in it",
        }
    }

    /// What to do with it.
    pub fn advice(self) -> &'static str {
        match self {
            Self::Html => {
                "A login page or an error page often comes in place of a file: download the file in your browser, look into it, and open that."
            }
            Self::GitLfsPointer => "Fetch the file itself with `git lfs pull`, then open it.",
            Self::Zstd => "Unpack it with `zstd -d`, then open what comes out.",
            Self::Xz => "Unpack it with `xz -d`, then open what comes out.",
            Self::Bzip2 => "Unpack it with `bzip2 -d`, then open what comes out.",
            Self::Lz4 => "Unpack it with `lz4 -d`, then open what comes out.",
            Self::SevenZip | Self::Rar => "Unpack it on your machine, then open what comes out.",
            Self::Pdf | Self::Png | Self::Jpeg | Self::Sqlite | Self::Executable => {
                "Open a tape, a trace, or an archive that holds one."
            }
        }
    }
}

impl Kind {
    /// What it is, in a sentence: "a zip archive", "an EigenScript tape".
    pub fn with_article(self) -> &'static str {
        match self {
            Self::Empty => "an empty file",
            Self::Tape => "an EigenScript tape",
            Self::Trace => "an execution trace (JSON)",
            Self::TestResults => "the results of a test run (JSON)",
            Self::TestLog => "the log of a test run",
            Self::Json => "JSON text",
            Self::Wasm => "a WebAssembly module",
            Self::Container(container) => container.with_article(),
            Self::Encoded(encoding) => match encoding {
                Encoding::Utf8Bom => "UTF-8 text with a byte order mark",
                Encoding::Utf16Le | Encoding::Utf16Be => "UTF-16 text",
                Encoding::Utf32Le | Encoding::Utf32Be => "UTF-32 text",
            },
            Self::Text => "plain text",
            Self::Known(known) => known.with_article(),
            Self::Other => "binary data of an unknown form",
        }
    }
}

/// How far into a JSON text its outermost keys are looked for.
const JSON_KEYS_BYTES: usize = 64 << 10;

/// How far into a text its nature is looked for.
const TEXT_BYTES: usize = 8 << 10;

/// What `bytes` are. They may also be only the first part of a file, see [`sniff_start`].
pub fn sniff(bytes: &[u8]) -> Kind {
    match sniff_start(bytes) {
        // These are recognised by their end, or by something in the middle.
        kind @ (Kind::Other | Kind::Known(Known::Executable) | Kind::Text | Kind::Empty) => {
            if bundle::is_bundle(bytes) {
                Kind::Container(Container::Bundle)
            } else if zip::ends_as_zip(bytes) {
                Kind::Container(Container::Zip)
            } else if kind == Kind::Text && testlog::is_log(bytes) {
                Kind::TestLog
            } else {
                kind
            }
        }
        kind => kind,
    }
}

/// What a file is whose first bytes are `start`. What only shows at the end of a file is not found:
/// a bundle, a zip archive behind other bytes, a log whose test lines come late.
pub fn sniff_start(start: &[u8]) -> Kind {
    if start.is_empty() {
        return Kind::Empty;
    }
    if let Some(kind) = by_magic(start) {
        return kind;
    }
    if let Some(encoding) = text::detect(start) {
        return Kind::Encoded(encoding);
    }
    // Before tapes: a tar that holds one shows its lines near the start.
    if tar::is_tar(start) {
        return Kind::Container(Container::Tar);
    }
    // Before the test for text: a tape is bytes, and may hold NULs and anything else.
    if looks_like_tape(start) {
        return Kind::Tape;
    }
    let head = start.get(..TEXT_BYTES).unwrap_or(start);
    if !is_text(head) {
        return Kind::Other;
    }
    let trimmed = start.trim_ascii_start();
    if trimmed.first().is_some_and(|byte| matches!(byte, b'{' | b'['))
        && let Some(kind) = json_kind(trimmed)
    {
        return kind;
    }
    if starts_ignoring_case(trimmed, b"<!doctype html") || starts_ignoring_case(trimmed, b"<html") {
        return Kind::Known(Known::Html);
    }
    if start.starts_with(b"version https://git-lfs.github.com/spec/") {
        return Kind::Known(Known::GitLfsPointer);
    }
    if testlog::is_log(head) { Kind::TestLog } else { Kind::Text }
}

fn by_magic(start: &[u8]) -> Option<Kind> {
    const MAGICS: [(&[u8], Kind); 16] = [
        (&gzip::MAGIC, Kind::Container(Container::Gzip)),
        (b"PK\x03\x04", Kind::Container(Container::Zip)),
        // An archive without entries, and the first part of one that was split.
        (b"PK\x05\x06", Kind::Container(Container::Zip)),
        (b"PK\x07\x08PK\x03\x04", Kind::Container(Container::Zip)),
        (b"\0asm", Kind::Wasm),
        (&[0x28, 0xb5, 0x2f, 0xfd], Kind::Known(Known::Zstd)),
        (b"\xfd7zXZ\0", Kind::Known(Known::Xz)),
        (&[0x04, 0x22, 0x4d, 0x18], Kind::Known(Known::Lz4)),
        (b"7z\xbc\xaf\x27\x1c", Kind::Known(Known::SevenZip)),
        (b"Rar!\x1a\x07", Kind::Known(Known::Rar)),
        (b"%PDF-", Kind::Known(Known::Pdf)),
        (b"\x89PNG\r\n\x1a\n", Kind::Known(Known::Png)),
        (&[0xff, 0xd8, 0xff], Kind::Known(Known::Jpeg)),
        (b"SQLite format 3\0", Kind::Known(Known::Sqlite)),
        (b"\x7fELF", Kind::Known(Known::Executable)),
        (&[0xcf, 0xfa, 0xed, 0xfe], Kind::Known(Known::Executable)),
    ];
    if let Some((_, kind)) = MAGICS.iter().find(|(magic, _)| start.starts_with(magic)) {
        return Some(*kind);
    }
    match start {
        [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, ..] => Some(Kind::Known(Known::Bzip2)),
        // "MZ" alone could begin a text; in a program zeros follow soon.
        [b'M', b'Z', rest @ ..] if rest.iter().take(62).filter(|byte| **byte == 0).count() > 4 => {
            Some(Kind::Known(Known::Executable))
        }
        _ => None,
    }
}

/// Whether this is a tape, or a text with a tape's records and a header that is missing or spoilt.
fn looks_like_tape(start: &[u8]) -> bool {
    let head = start.get(..TEXT_BYTES).unwrap_or(start);
    let mut lines = head.split(|byte| *byte == b'\n');
    let first = lines.next().unwrap_or_default();
    if let Some(rest) = first.strip_prefix(b"V") {
        // "V", "V 2", "V 2 0.40.0", and the same with a tab: no prose starts so.
        let number = rest.trim_ascii_start();
        let spaced = number.len() < rest.len();
        let number = number.strip_prefix(b"+").or_else(|| number.strip_prefix(b"-")).unwrap_or(number);
        if rest.is_empty() || (spaced && (number.is_empty() || number.first().is_some_and(u8::is_ascii_digit))) {
            return true;
        }
    }
    // A spoilt or missing header: of the first lines of what must be text, most must be records, and one an L.
    if !is_text(head) {
        return false;
    }
    let (mut records, mut others, mut has_line) = (0, 0, false);
    for line in std::iter::once(first).chain(lines).map(<[u8]>::trim_ascii_end).filter(|line| !line.is_empty()).take(40)
    {
        match line {
            [b'L', b' ', number @ ..] if is_integer(number) => {
                records += 1;
                has_line = true;
            }
            [b'A' | b'N', b' ', rest @ ..] if rest.iter().position(|byte| *byte == b'=').is_some_and(|at| at > 0) => {
                records += 1;
            }
            [b'S', b' ', rest @ ..]
                if rest.split(|byte| *byte == b' ').filter(|word| is_integer(word)).count() >= 2 =>
            {
                records += 1;
            }
            _ => others += 1,
        }
    }
    has_line && records > others
}

fn is_integer(bytes: &[u8]) -> bool {
    let digits = bytes.strip_prefix(b"-").unwrap_or(bytes);
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

/// Text: no NUL and few control bytes. Bytes beyond ASCII are not held against it.
fn is_text(head: &[u8]) -> bool {
    let controls = head.iter().filter(|byte| matches!(byte, 1..=8 | 14..=26 | 28..=31 | 127)).count();
    !head.contains(&0) && controls * 32 <= head.len()
}

fn starts_ignoring_case(bytes: &[u8], prefix: &[u8]) -> bool {
    bytes.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

/// Which JSON this is, by its outermost keys; `None` when it is no JSON after all.
fn json_kind(bytes: &[u8]) -> Option<Kind> {
    let head = bytes.get(..JSON_KEYS_BYTES).unwrap_or(bytes);
    if let Some(rest) = head.strip_prefix(b"[") {
        return starts_list(rest.trim_ascii_start()).then_some(Kind::Json);
    }
    let keys = outer_keys(head)?;
    let has = |name: &str| keys.contains(&name.as_bytes());
    Some(if has("results") && has("passed") && has("failed") {
        Kind::TestResults
    } else if has("steps") && (has("request") || has("prompt") || keys.len() == 1) {
        Kind::Trace
    } else {
        Kind::Json
    })
}

/// Whether a JSON list goes on so behind its `[`: "[info] …" and "[2026-01-02 …" are lines of a log.
fn starts_list(rest: &[u8]) -> bool {
    let word = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte)).count();
    let (word, after) = rest.split_at(word);
    match rest.first() {
        None | Some(b'{' | b'[' | b'"' | b']') => true,
        Some(b'-' | b'0'..=b'9' | b't' | b'f' | b'n' | b'N' | b'I') => {
            let literal = [&b"true"[..], b"false", b"null", b"NaN", b"Infinity", b"-Infinity"].contains(&word);
            let number = std::str::from_utf8(word).is_ok_and(|word| word.parse::<f64>().is_ok());
            (literal || number) && after.trim_ascii_start().first().is_none_or(|byte| matches!(byte, b',' | b']'))
        }
        Some(_) => false,
    }
}

/// The keys of the outermost object, as far as `head` reaches; `None` when it does not start as an object does.
fn outer_keys(head: &[u8]) -> Option<Vec<&[u8]>> {
    let mut keys = Vec::new();
    let mut depth = 0usize;
    let mut at = 0;
    // Whether a string at depth 1 is a key: after `{` or `,`, not after `:`.
    let mut key_next = true;
    while let Some(byte) = head.get(at) {
        match byte {
            b'"' => {
                let start = at + 1;
                at = start;
                loop {
                    at += memchr::memchr2(b'"', b'\\', head.get(at..)?).unwrap_or(head.len() - at);
                    match head.get(at) {
                        Some(b'\\') => at = (at + 2).min(head.len()),
                        _ => break,
                    }
                }
                if depth == 1 && key_next && at < head.len() {
                    keys.push(head.get(start..at)?);
                    key_next = false;
                }
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    break;
                }
            }
            b',' if depth == 1 => key_next = true,
            byte if depth == 1 && key_next && !byte.is_ascii_whitespace() => return None,
            _ => {}
        }
        at += 1;
    }
    Some(keys)
}

/// Where `needle` first is in `bytes`.
pub(crate) fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    memmem::find(bytes, needle)
}
