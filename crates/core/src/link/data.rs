//! Bytes inside a link: `length.check.data`, the data being raw deflate (level 9) in base64url without padding, the length
//! that of the data in characters, the check sum the CRC-32 of the bytes before they were packed.
//!
//! Invariant: from length and check sum it is certain whether data was cut or damaged, and which of the two.

use std::io::Write;

use base64::Engine;
use base64::alphabet::URL_SAFE;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use flate2::Compression;
use flate2::write::DeflateEncoder;

use super::LinkError;
use crate::bytes::Limits;

/// Chat tools strip `=`, mail programs add it; bits behind the last byte mean nothing either way.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new()
        .with_encode_padding(false)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// What chat programs and mail readers put behind a link, or take for a part of it.
pub(super) fn is_trailing_punctuation(character: char) -> bool {
    character.is_whitespace()
        || matches!(
            character,
            '.' | ','
                | ';'
                | ':'
                | '!'
                | '?'
                | ')'
                | ']'
                | '}'
                | '>'
                | '"'
                | '\''
                | '*'
                | '_'
                | '~'
                | '`'
                | '|'
                | '…'
                | '’'
                | '”'
                | '»'
        )
}

/// Packs bytes.
pub(super) fn pack(bytes: &[u8]) -> String {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    // Writing into memory cannot fail.
    let packed = encoder.write_all(bytes).and_then(|()| encoder.finish()).unwrap_or_default();
    let text = BASE64.encode(packed);
    format!("{}.{:08x}.{text}", text.len(), crate::bytes::crc32(bytes))
}

/// Unpacks bytes. `link` is the length of the whole link, for the error that it was cut.
pub(super) fn unpack(text: &str, limits: &Limits, link: usize) -> Result<Vec<u8>, LinkError> {
    let damaged = |what: &str| LinkError::Damaged { what: what.to_owned() };
    let cut =
        |missing: Option<usize>| LinkError::Cut { have: link, want: missing.map(|missing| link + missing), url: None };
    let mut parts = text.splitn(3, '.');
    let (length, check, data) = (parts.next().unwrap_or_default(), parts.next(), parts.next());
    let (Some(check), Some(data)) = (check, data) else {
        // Not even the beginning is whole, or it was never there.
        return Err(if length.bytes().all(|byte| byte.is_ascii_digit()) {
            cut(None)
        } else {
            damaged("its data has no length and no check sum")
        });
    };
    let Ok(length) = length.parse::<usize>() else { return Err(damaged("the length of its data is no number")) };
    let Some(check) = u32::from_str_radix(check, 16).ok().filter(|_| check.len() == 8) else {
        return Err(damaged("the check sum of its data is no check sum"));
    };
    let data = data.trim_end_matches(is_trailing_punctuation_or_padding);
    if data.len() < length {
        return Err(cut(Some(length - data.len())));
    }
    let Some(whole) = data.get(..length) else {
        return Err(damaged("its data holds characters that are no base64url"));
    };
    let Ok(packed) = BASE64.decode(whole) else {
        return Err(damaged("its data holds characters that are no base64url"));
    };
    let bytes = match crate::bytes::inflate_all(&packed, limits) {
        Ok(Some(bytes)) => bytes,
        Ok(None) => return Err(damaged("its data is no deflate data")),
        Err(error) => return Err(LinkError::Unpack { what: error.to_string() }),
    };
    if crate::bytes::crc32(&bytes) != check {
        return Err(damaged("its data does not fit its check sum"));
    }
    Ok(bytes)
}

fn is_trailing_punctuation_or_padding(character: char) -> bool {
    // `_` is a digit of base64url, and the length says where the data ends.
    character == '=' || (character != '_' && is_trailing_punctuation(character))
}
