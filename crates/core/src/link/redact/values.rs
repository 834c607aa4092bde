//! The text inside values, read leniently: cut and damaged values hold secrets as well as whole ones.

/// An `A` or `N` record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record<'a> {
    kind: u8,
    pub(super) name: &'a [u8],
    pub(super) value: &'a [u8],
}

impl Record<'_> {
    pub(super) fn is_input(&self) -> bool {
        self.kind == b'N'
    }
}

/// A line as an `A` or `N` record, when it has a name and `=`.
pub(super) fn record(line: &[u8]) -> Option<Record<'_>> {
    let kind = *line.first().filter(|kind| matches!(kind, b'A' | b'N'))?;
    let rest = line.get(2..)?;
    let at = memchr::memchr(b'=', rest)?;
    Some(Record { kind, name: rest.get(..at)?, value: rest.get(at + 1..)? })
}

/// The function's name in an `S` record; empty for other lines.
pub(super) fn function(line: &[u8]) -> &[u8] {
    let Some(rest) = line.strip_prefix(b"S ") else { return &[] };
    let mut spaces = memchr::memrchr_iter(b' ', rest);
    let end = spaces.nth(1).unwrap_or(rest.len());
    rest.get(..end).unwrap_or_default()
}

/// A string of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    /// Its bytes, escapes undone.
    pub(super) bytes: Vec<u8>,
    /// Whether it is a key of a dict.
    pub(super) is_key: bool,
    /// Whether the program's string may have gone on behind it.
    pub(super) may_be_cut: bool,
}

/// How many escaped bytes of a string an `A` record keeps.
const SHORT: usize = 60;

/// Every string of a value, and every buffer as the bytes that its numbers are.
pub(super) fn pieces(value: &[u8]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut at = 0;
    while let Some(next) = memchr::memchr2(b'"', b'b', value.get(at..).unwrap_or_default()).map(|next| at + next) {
        let rest = value.get(next..).unwrap_or_default();
        if rest.first() == Some(&b'"') {
            let (bytes, len, closed) = string(rest.get(1..).unwrap_or_default());
            let ellipsis = "…".as_bytes();
            let (bytes, marked) = match bytes.strip_suffix(ellipsis) {
                Some(shorter) => (shorter.to_vec(), true),
                None => (bytes, false),
            };
            at = next + 1 + len;
            let after = value.get(at..).unwrap_or_default().trim_ascii_start();
            pieces.push(Piece {
                bytes,
                is_key: after.first() == Some(&b':'),
                may_be_cut: marked || !closed || len > SHORT,
            });
        } else if rest.get(1) == Some(&b'[') {
            let body = rest.get(2..).unwrap_or_default();
            let len = memchr::memchr(b']', body).unwrap_or(body.len());
            let bytes = body.get(..len).unwrap_or_default().split(|byte| *byte == b',').map_while(byte_of).collect();
            pieces.push(Piece { bytes, is_key: false, may_be_cut: len == body.len() });
            at = next + 2 + len;
        } else {
            at = next + 1;
        }
    }
    pieces
}

fn byte_of(number: &[u8]) -> Option<u8> {
    std::str::from_utf8(number.trim_ascii()).ok()?.parse().ok()
}

/// The bytes of a string whose opening quote is behind us, how long it was with its closing quote, and whether it had one.
fn string(text: &[u8]) -> (Vec<u8>, usize, bool) {
    let mut out = Vec::new();
    let mut at = 0;
    loop {
        let rest = text.get(at..).unwrap_or_default();
        let Some(plain) = memchr::memchr2(b'"', b'\\', rest) else {
            out.extend_from_slice(rest);
            return (out, text.len(), false);
        };
        out.extend_from_slice(rest.get(..plain).unwrap_or_default());
        at += plain + 1;
        if rest.get(plain) == Some(&b'"') {
            return (out, at, true);
        }
        match text.get(at) {
            Some(b'n') => out.push(b'\n'),
            Some(b'r') => out.push(b'\r'),
            Some(b'x') => {
                let digits = text.get(at + 1..at + 3).and_then(|digits| std::str::from_utf8(digits).ok());
                if let Some(byte) = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
                    out.push(byte);
                    at += 2;
                }
            }
            Some(other) => out.push(*other),
            None => return (out, text.len(), false),
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(value: &str) -> Vec<String> {
        pieces(value.as_bytes()).into_iter().map(|piece| String::from_utf8_lossy(&piece.bytes).into_owned()).collect()
    }

    #[test]
    fn strings_of_every_form_are_found() {
        assert_eq!(texts(r#""a\"b\\c\n\x41""#), ["a\"b\\c\nA"]);
        assert_eq!(texts(r#"["a", {"k": "v", "l": ["w"]}, 7]"#), ["a", "k", "v", "l", "w"]);
        assert_eq!(texts("\"cut off…<truncated>"), ["cut off…<truncated>"]);
        assert_eq!(texts("\"shortened…\""), ["shortened"]);
        assert_eq!(texts("b[65, 66,67]"), ["ABC"]);
        assert_eq!(texts("[b[65], b[66, 6…<truncated>"), ["A", "B"]);
        assert_eq!(texts("<list:3>"), Vec::<String>::new());
        let keys: Vec<_> = pieces(br#"{"k": "v"}"#).into_iter().map(|piece| piece.is_key).collect();
        assert_eq!(keys, [true, false]);
    }

    #[test]
    fn the_function_is_what_stands_before_two_numbers() {
        assert_eq!(function(b"S my fn 1 22"), b"my fn");
        assert_eq!(function(b"S f"), b"f");
        assert_eq!(function(b"A f 1 2"), b"");
    }
}
