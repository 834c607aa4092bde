//! Text as Python holds it: a sequence of code points, lone surrogates included.
//!
//! Invariant: the bytes are generalized UTF-8, where a surrogate code point (U+D800..U+DFFF) is three bytes like any other of
//! its size. Byte order is therefore code point order, which is how Python sorts, and a pair of surrogate *code points* stays
//! apart from the one code point they would spell in UTF-16, as it does in Python.

use std::fmt;

/// A Python `str`: code points, lone surrogates included. Ordered by code point.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text(Box<[u8]>);

impl Text {
    /// Takes bytes that are generalized UTF-8.
    ///
    /// `None` when they are not. Callers that made the bytes from code points use [`TextBuf`] instead.
    pub fn from_generalized_utf8(bytes: &[u8]) -> Option<Text> {
        is_generalized_utf8(bytes).then(|| Text(bytes.into()))
    }

    /// For the reader, which has checked the whole document once.
    pub(crate) fn from_checked(bytes: Box<[u8]>) -> Text {
        debug_assert!(is_generalized_utf8(&bytes));
        Text(bytes)
    }

    /// The bytes, generalized UTF-8.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The text, when it holds no lone surrogate.
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.0).ok()
    }

    /// True when the text holds no code point at all.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of code points (Python's `len`).
    pub fn code_point_count(&self) -> usize {
        self.0.iter().filter(|b| (**b & 0xC0) != 0x80).count()
    }

    /// The code points in order, each at most U+10FFFF.
    pub fn code_points(&self) -> CodePoints<'_> {
        CodePoints { bytes: &self.0, at: 0 }
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        *self.0 == *other.as_bytes()
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        *self.0 == *other.as_bytes()
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Text {
        Text(text.as_bytes().into())
    }
}

impl From<String> for Text {
    fn from(text: String) -> Text {
        Text(text.into_bytes().into_boxed_slice())
    }
}

impl FromIterator<u32> for Text {
    fn from_iter<I: IntoIterator<Item = u32>>(code_points: I) -> Text {
        let mut buf = TextBuf::default();
        for c in code_points {
            buf.push(c);
        }
        buf.finish()
    }
}

/// Shown with each lone surrogate as its escape (`\ud800`), which no other character of the text can be mistaken for in a place
/// that says so; use the JSON writer where the text must come back.
impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use fmt::Write as _;
        if let Some(s) = self.as_str() {
            return f.write_str(s);
        }
        for c in self.code_points() {
            match char::from_u32(c) {
                Some(c) => f.write_char(c)?,
                None => write!(f, "\\u{c:04x}")?,
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_string())
    }
}

/// Builds a [`Text`] from code points.
#[derive(Clone, Debug, Default)]
pub struct TextBuf(Vec<u8>);

impl TextBuf {
    /// Appends one code point. Values above U+10FFFF do not exist; they become U+FFFD.
    pub fn push(&mut self, code_point: u32) {
        match char::from_u32(code_point) {
            Some(c) => self.0.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            None if (0xD800..0xE000).contains(&code_point) => {
                let [_, _, hi, lo] = code_point.to_be_bytes();
                // A surrogate is 1101 1xxx xxxx xxxx: three bytes, the first always ED.
                self.0.extend_from_slice(&[0xED, 0x80 | ((hi & 0x0F) << 2) | (lo >> 6), 0x80 | (lo & 0x3F)]);
            }
            None => self.push(0xFFFD),
        }
    }

    /// Appends a piece of ordinary text.
    pub fn push_str(&mut self, piece: &str) {
        self.0.extend_from_slice(piece.as_bytes());
    }

    /// Appends a piece that may hold lone surrogates.
    pub fn push_text(&mut self, piece: &Text) {
        self.0.extend_from_slice(piece.as_bytes());
    }

    /// Appends a piece of a text that was checked as a whole.
    pub(crate) fn push_checked(&mut self, piece: &[u8]) {
        self.0.extend_from_slice(piece);
    }

    /// The text built so far.
    pub fn finish(self) -> Text {
        Text(self.0.into_boxed_slice())
    }
}

/// Iterator over the code points of a [`Text`].
#[derive(Clone, Debug)]
pub struct CodePoints<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Iterator for CodePoints<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let first = *self.bytes.get(self.at)?;
        let (len, init) = match first {
            0..=0x7F => (1, u32::from(first)),
            0x80..=0xDF => (2, u32::from(first & 0x1F)),
            0xE0..=0xEF => (3, u32::from(first & 0x0F)),
            _ => (4, u32::from(first & 0x07)),
        };
        let tail = self.bytes.get(self.at + 1..self.at + len).unwrap_or_default();
        self.at += len;
        Some(tail.iter().fold(init, |c, b| (c << 6) | u32::from(b & 0x3F)))
    }
}

/// The length of the well-formed sequence that `bytes` starts with, by Python's rules with `surrogatepass`; 0 when there is none.
pub(crate) fn sequence_len(bytes: &[u8]) -> usize {
    let is_tail = |b: Option<&u8>| b.is_some_and(|b| (0x80..=0xBF).contains(b));
    let Some(first) = bytes.first() else { return 0 };
    let second = bytes.get(1).copied().unwrap_or(0);
    match first {
        0..=0x7F => 1,
        0xC2..=0xDF if is_tail(bytes.get(1)) => 2,
        0xE0 if !(0xA0..=0xBF).contains(&second) => 0,
        0xE0..=0xEF if is_tail(bytes.get(1)) && is_tail(bytes.get(2)) => 3,
        0xF0 if !(0x90..=0xBF).contains(&second) => 0,
        0xF4 if !(0x80..=0x8F).contains(&second) => 0,
        0xF0..=0xF4 if is_tail(bytes.get(1)) && is_tail(bytes.get(2)) && is_tail(bytes.get(3)) => 4,
        _ => 0,
    }
}

/// True when `bytes` are UTF-8 in which surrogates may stand as three bytes.
pub(crate) fn is_generalized_utf8(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    loop {
        match std::str::from_utf8(rest) {
            Ok(_) => return true,
            Err(e) => {
                rest = rest.get(e.valid_up_to()..).unwrap_or_default();
                let len = sequence_len(rest);
                if len == 0 {
                    return false;
                }
                rest = rest.get(len..).unwrap_or_default();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn surrogates_are_kept_and_sorted_by_code_point() {
        let lone: Text = [0xD800].into_iter().collect();
        let private: Text = [0xE000].into_iter().collect();
        let astral = Text::from("\u{10000}");
        assert!(lone < private && private < astral);
        assert_eq!(lone.as_str(), None);
        assert_eq!(lone.to_string(), "\\ud800");
        assert_eq!(lone.code_points().collect::<Vec<_>>(), [0xD800]);
    }

    #[test]
    fn every_code_point_goes_in_and_comes_out() {
        for c in 0..=0x10FFFF_u32 {
            let text: Text = [c].into_iter().collect();
            assert_eq!(text.code_points().collect::<Vec<_>>(), [c]);
            assert!(is_generalized_utf8(text.as_bytes()));
            assert_eq!(text.code_point_count(), 1);
        }
    }

    #[test]
    fn overlong_and_too_large_sequences_are_refused() {
        for bad in [&[0xC0, 0x80][..], &[0xE0, 0x80, 0x80], &[0xF4, 0x90, 0x80, 0x80], &[0x80], &[0xED, 0xA0]] {
            assert!(!is_generalized_utf8(bad), "{bad:x?}");
        }
    }
}
