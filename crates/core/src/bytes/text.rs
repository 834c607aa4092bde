//! Text in other encodings, re-encoded as UTF-8 so that a tape that went through an editor or a shell still opens.

use std::borrow::Cow;

use super::{Encoding, Note, UnpackError};

/// Text as UTF-8, with what was done to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded<'a> {
    /// The text; borrowed when nothing but a mark had to go.
    pub bytes: Cow<'a, [u8]>,
    /// What was done.
    pub note: Note,
}

/// The encoding of `bytes` when it is not plain UTF-8: by its byte order mark, or, for UTF-16 and UTF-32 without one,
/// by the zeros that ASCII text leaves in it.
pub(crate) fn detect(bytes: &[u8]) -> Option<Encoding> {
    match bytes {
        [0xef, 0xbb, 0xbf, ..] => Some(Encoding::Utf8Bom),
        // UTF-16 text that begins with a NUL would read the same, and no recording begins so.
        [0xff, 0xfe, 0, 0, ..] => Some(Encoding::Utf32Le),
        [0, 0, 0xfe, 0xff, ..] => Some(Encoding::Utf32Be),
        [0xff, 0xfe, ..] => Some(Encoding::Utf16Le),
        [0xfe, 0xff, ..] => Some(Encoding::Utf16Be),
        _ => {
            let unit =
                |at: usize| bytes.get(at).copied().filter(|byte| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~'));
            let zero = |at: usize| bytes.get(at) == Some(&0);
            // Eight bytes are the least that tells: two characters of UTF-32, four of UTF-16.
            let le16 = (0..8).step_by(2).all(|at| unit(at).is_some() && zero(at + 1));
            let be16 = (0..8).step_by(2).all(|at| zero(at) && unit(at + 1).is_some());
            let le32 = (0..8).step_by(4).all(|at| unit(at).is_some() && (1..4).all(|more| zero(at + more)));
            let be32 = (0..8).step_by(4).all(|at| (0..3).all(|more| zero(at + more)) && unit(at + 3).is_some());
            match () {
                () if le16 => Some(Encoding::Utf16Le),
                () if be16 => Some(Encoding::Utf16Be),
                () if le32 => Some(Encoding::Utf32Le),
                () if be32 => Some(Encoding::Utf32Be),
                () => None,
            }
        }
    }
}

/// Re-encodes text of `encoding` as UTF-8, without its byte order mark.
///
/// Units that are no characters (a lone surrogate, a number beyond U+10FFFF) become U+FFFD and are counted in the note.
///
/// # Errors
/// [`UnpackError::TextCut`] when the length is no whole number of units.
pub fn decode(bytes: &[u8], encoding: Encoding) -> Result<Decoded<'_>, UnpackError> {
    match encoding {
        Encoding::Utf8Bom => {
            let bytes = bytes.strip_prefix(&[0xef, 0xbb, 0xbf]).unwrap_or(bytes);
            Ok(Decoded { bytes: Cow::Borrowed(bytes), note: Note::ByteOrderMark })
        }
        Encoding::Utf16Le => utf16(bytes, encoding, u16::from_le_bytes),
        Encoding::Utf16Be => utf16(bytes, encoding, u16::from_be_bytes),
        Encoding::Utf32Le => utf32(bytes, encoding, u32::from_le_bytes),
        Encoding::Utf32Be => utf32(bytes, encoding, u32::from_be_bytes),
    }
}

/// As [`decode`], for the start of a text, of which the last unit may be cut.
pub(crate) fn decode_start(start: &[u8], encoding: Encoding) -> Vec<u8> {
    let whole = start.len() - start.len() % 4;
    decode(start.get(..whole).unwrap_or_default(), encoding)
        .map(|decoded| decoded.bytes.into_owned())
        .unwrap_or_default()
}

fn utf16(bytes: &[u8], encoding: Encoding, unit: fn([u8; 2]) -> u16) -> Result<Decoded<'_>, UnpackError> {
    let (units, rest) = bytes.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(UnpackError::TextCut { encoding: encoding.name(), bytes: bytes.len() as u64, unit: 2 });
    }
    let units = units.iter().map(|pair| unit(*pair));
    collect(char::decode_utf16(units).map(Result::ok), bytes.len() / 2, encoding)
}

fn utf32(bytes: &[u8], encoding: Encoding, unit: fn([u8; 4]) -> u32) -> Result<Decoded<'_>, UnpackError> {
    let (units, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return Err(UnpackError::TextCut { encoding: encoding.name(), bytes: bytes.len() as u64, unit: 4 });
    }
    collect(units.iter().map(|four| char::from_u32(unit(*four))), bytes.len() / 4, encoding)
}

fn collect<'a>(
    characters: impl Iterator<Item = Option<char>>,
    at_least: usize,
    encoding: Encoding,
) -> Result<Decoded<'a>, UnpackError> {
    let mut out = Vec::new();
    super::inflate::reserve(&mut out, at_least)?;
    let mut replaced = 0;
    for (number, character) in characters.enumerate() {
        if number == 0 && character == Some('\u{feff}') {
            continue;
        }
        replaced += u64::from(character.is_none());
        let character = character.unwrap_or(char::REPLACEMENT_CHARACTER);
        out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    }
    Ok(Decoded { bytes: Cow::Owned(out), note: Note::Reencoded { encoding: encoding.name().to_owned(), replaced } })
}
