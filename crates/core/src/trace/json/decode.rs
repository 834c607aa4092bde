//! From bytes to text, by the rules of `json.loads`: the encoding is guessed from the first bytes, surrogates pass.

use std::borrow::Cow;

use super::error::{JsonError, JsonErrorKind};
use crate::trace::text::{TextBuf, is_generalized_utf8, sequence_len};

/// The encodings that `json.loads` takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8.
    Utf8,
    /// UTF-8 after a byte order mark.
    Utf8Sig,
    /// UTF-16, little end first.
    Utf16Le,
    /// UTF-16, big end first.
    Utf16Be,
    /// UTF-32, little end first.
    Utf32Le,
    /// UTF-32, big end first.
    Utf32Be,
}

impl Encoding {
    /// The name to show.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Utf8 | Encoding::Utf8Sig => "utf-8",
            Encoding::Utf16Le => "utf-16-le",
            Encoding::Utf16Be => "utf-16-be",
            Encoding::Utf32Le => "utf-32-le",
            Encoding::Utf32Be => "utf-32-be",
        }
    }
}

/// The encoding that Python's `json.detect_encoding` answers, and how many bytes of byte order mark stand in front.
pub fn detect_encoding(bytes: &[u8]) -> (Encoding, usize) {
    match bytes {
        [0x00, 0x00, 0xFE, 0xFF, ..] => (Encoding::Utf32Be, 4),
        [0xFF, 0xFE, 0x00, 0x00, ..] => (Encoding::Utf32Le, 4),
        [0xFE, 0xFF, ..] => (Encoding::Utf16Be, 2),
        [0xFF, 0xFE, ..] => (Encoding::Utf16Le, 2),
        [0xEF, 0xBB, 0xBF, ..] => (Encoding::Utf8Sig, 3),
        [0, b, _, _, ..] => (if *b == 0 { Encoding::Utf32Be } else { Encoding::Utf16Be }, 0),
        [_, 0, c, d, ..] => (if *c == 0 && *d == 0 { Encoding::Utf32Le } else { Encoding::Utf16Le }, 0),
        [0, _] => (Encoding::Utf16Be, 0),
        [_, 0] => (Encoding::Utf16Le, 0),
        _ => (Encoding::Utf8, 0),
    }
}

/// A document as generalized UTF-8, and how its places map back to the bytes that came.
pub(crate) struct Decoded<'a> {
    pub(crate) text: Cow<'a, [u8]>,
    pub(crate) encoding: Encoding,
    pub(crate) bom_len: usize,
}

impl Decoded<'_> {
    /// The byte of the input that byte `at` of the text came from.
    pub(crate) fn source_byte(&self, at: usize) -> usize {
        let before = self.text.get(..at).unwrap_or(&self.text);
        let unit = match self.encoding {
            Encoding::Utf8 | Encoding::Utf8Sig => return self.bom_len + at,
            Encoding::Utf16Le | Encoding::Utf16Be => 2,
            Encoding::Utf32Le | Encoding::Utf32Be => 4,
        };
        let chars = before.iter().filter(|b| (**b & 0xC0) != 0x80).count();
        let astral = if unit == 2 { before.iter().filter(|b| **b >= 0xF0).count() } else { 0 };
        self.bom_len + (chars + astral) * unit
    }
}

/// The bytes of a document as generalized UTF-8, by the encoding Python would choose.
///
/// # Errors
/// [`JsonErrorKind::Decode`] with Python's message when the bytes are no text in that encoding.
pub fn decode_text(bytes: &[u8]) -> Result<(Cow<'_, [u8]>, Encoding), JsonError> {
    decode(bytes).map(|d| (d.text, d.encoding))
}

pub(crate) fn decode(bytes: &[u8]) -> Result<Decoded<'_>, JsonError> {
    let (encoding, bom_len) = detect_encoding(bytes);
    let body = bytes.get(bom_len..).unwrap_or_default();
    // With a mark the decoder sees it too, so its positions count it; `utf-8-sig` cuts it off first.
    let base = if encoding == Encoding::Utf8Sig { 0 } else { bom_len };
    let text = match encoding {
        Encoding::Utf8 | Encoding::Utf8Sig => {
            if is_generalized_utf8(body) {
                Cow::Borrowed(body)
            } else {
                return Err(utf8_error(body, bom_len));
            }
        }
        Encoding::Utf16Le | Encoding::Utf16Be => Cow::Owned(decode_utf16(body, encoding, base)?),
        Encoding::Utf32Le | Encoding::Utf32Be => Cow::Owned(decode_utf32(body, encoding, base)?),
    };
    Ok(Decoded { text, encoding, bom_len })
}

/// `byte_pos` is where Python says it is; `byte` where it is in the input.
fn decode_error(encoding: &str, bad: &[u8], start: usize, len: usize, byte: usize, reason: &str) -> JsonError {
    let place = match bad {
        [b] => format!("byte 0x{b:02x} in position {start}"),
        _ => format!("bytes in position {start}-{}", start + len.max(1) - 1),
    };
    JsonError {
        kind: JsonErrorKind::Decode,
        message: format!("'{encoding}' codec can't decode {place}: {reason}"),
        char_pos: start,
        line: 1,
        column: start + 1,
        byte,
    }
}

fn utf8_error(body: &[u8], bom_len: usize) -> JsonError {
    let mut at = 0;
    loop {
        let rest = body.get(at..).unwrap_or_default();
        match sequence_len(rest) {
            0 => break,
            len => at += len,
        }
    }
    let rest = body.get(at..).unwrap_or_default();
    let first = rest.first().copied().unwrap_or(0);
    let second = rest.get(1).copied();
    let in_tail = |b: Option<u8>| b.is_some_and(|b| (0x80..=0xBF).contains(&b));
    // What CPython's decoder takes as one faulty unit: the lead byte and the continuations it could still accept.
    let second_fits = match first {
        0xE0 => second.is_some_and(|b| (0xA0..=0xBF).contains(&b)),
        // A surrogate is no UTF-8 to the decoder; `surrogatepass` looked at it and had no use for it either.
        0xED => second.is_some_and(|b| (0x80..=0x9F).contains(&b)),
        0xF0 => second.is_some_and(|b| (0x90..=0xBF).contains(&b)),
        0xF4 => second.is_some_and(|b| (0x80..=0x8F).contains(&b)),
        _ => in_tail(second),
    };
    let need = match first {
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF4 => 4,
        _ => 1,
    };
    let mut good = 1;
    if need > 1 && second_fits {
        good = 2;
        while good < need && in_tail(rest.get(good).copied()) {
            good += 1;
        }
    }
    let reason = if need == 1 {
        "invalid start byte"
    } else if rest.len() <= good {
        "unexpected end of data"
    } else {
        "invalid continuation byte"
    };
    let mut error = decode_error("utf-8", rest.get(..good).unwrap_or(rest), at, good, bom_len + at, reason);
    let (line, column) = line_and_column(body, at);
    error.line = line;
    error.column = column;
    error
}

fn decode_utf16(body: &[u8], encoding: Encoding, base: usize) -> Result<Vec<u8>, JsonError> {
    let unit = |i: usize| -> Option<u16> {
        let pair = [*body.get(i)?, *body.get(i + 1)?];
        Some(if encoding == Encoding::Utf16Be { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) })
    };
    let mut out = TextBuf::default();
    let mut i = 0;
    while let Some(first) = unit(i) {
        i += 2;
        let mut c = u32::from(first);
        if (0xD800..0xDC00).contains(&c)
            && let Some(second) = unit(i)
            && (0xDC00..0xE000).contains(&second)
        {
            i += 2;
            c = 0x10000 + ((c - 0xD800) << 10) + (u32::from(second) - 0xDC00);
        }
        out.push(c);
    }
    if i < body.len() {
        let at = base + i;
        return Err(decode_error(encoding.name(), body.get(i..).unwrap_or_default(), at, 1, at, "truncated data"));
    }
    Ok(out.finish().as_bytes().to_vec())
}

fn decode_utf32(body: &[u8], encoding: Encoding, base: usize) -> Result<Vec<u8>, JsonError> {
    let mut out = TextBuf::default();
    let mut chunks = body.chunks_exact(4);
    let mut i = 0;
    for chunk in chunks.by_ref() {
        let quad = <[u8; 4]>::try_from(chunk).unwrap_or_default();
        let c = if encoding == Encoding::Utf32Be { u32::from_be_bytes(quad) } else { u32::from_le_bytes(quad) };
        if c > 0x10_FFFF {
            let at = base + i;
            return Err(decode_error(encoding.name(), chunk, at, 4, at, "code point not in range(0x110000)"));
        }
        out.push(c);
        i += 4;
    }
    let rest = chunks.remainder();
    if !rest.is_empty() {
        let at = base + i;
        return Err(decode_error(encoding.name(), rest, at, rest.len(), at, "truncated data"));
    }
    Ok(out.finish().as_bytes().to_vec())
}

/// Line and column (in code points), both from 1, of byte `at` of a text.
pub(crate) fn line_and_column(text: &[u8], at: usize) -> (usize, usize) {
    let before = text.get(..at).unwrap_or(text);
    let line = 1 + memchr::memchr_iter(b'\n', before).count();
    let start = memchr::memrchr(b'\n', before).map_or(0, |n| n + 1);
    let column = 1 + before.get(start..).unwrap_or_default().iter().filter(|b| (**b & 0xC0) != 0x80).count();
    (line, column)
}
