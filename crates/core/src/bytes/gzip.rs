//! gzip (RFC 1952): any number of members, padding and rubbish behind them, cut and damaged files.
//!
//! Invariant: bytes whose check sum does not fit are never handed out. A cut file hands out what came before the cut,
//! with a note, because a tape that is cut is still worth reading.

use super::inflate::{End, Stream, inflate};
use super::sniff::Container;
use super::{Limits, Note, UnpackError, Watch};

/// The first two bytes of every member.
pub(crate) const MAGIC: [u8; 2] = [0x1f, 0x8b];

/// What a gzip file held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gunzipped {
    /// The content of all members, one after another.
    pub bytes: Vec<u8>,
    /// How many members there were.
    pub members: u32,
    /// The file name in the first member's header, when there is one (ISO 8859-1 by the standard, bytes in practice).
    pub name: Option<Vec<u8>>,
    /// What is odd about it.
    pub notes: Vec<Note>,
}

/// Unpacks a gzip file.
///
/// # Errors
/// Damage, a limit, no memory, or a stop asked for by `watch`.
pub fn gunzip(bytes: &[u8], limits: &Limits, watch: &mut dyn Watch) -> Result<Gunzipped, UnpackError> {
    unpack(bytes, usize::MAX, limits, watch)
}

/// The first `at_most` bytes that a gzip file holds. Nothing is checked beyond what these need.
///
/// # Errors
/// As [`gunzip`].
pub fn gunzip_start(bytes: &[u8], at_most: usize, limits: &Limits) -> Result<Vec<u8>, UnpackError> {
    unpack(bytes, at_most, limits, &mut super::Unwatched).map(|unpacked| unpacked.bytes)
}

fn unpack(bytes: &[u8], at_most: usize, limits: &Limits, watch: &mut dyn Watch) -> Result<Gunzipped, UnpackError> {
    if !bytes.starts_with(&MAGIC) {
        return Err(UnpackError::NotThat { expected: Container::Gzip });
    }
    let total = bytes.len() as u64;
    let mut result = Gunzipped { bytes: Vec::new(), members: 0, name: None, notes: Vec::new() };
    let mut at = 0;
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        let member = result.members + 1;
        if result.members > 0 && !starts_member(rest) {
            let zeros = rest.iter().all(|byte| *byte == 0);
            result.notes.push(Note::GzipTrailing { byte: at as u64, bytes: rest.len() as u64, zeros });
            break;
        }
        let header = match header(rest) {
            Ok(header) => header,
            Err(HeaderError::Cut) if result.bytes.is_empty() => return Err(UnpackError::GzipCut { byte: total }),
            Err(HeaderError::Cut) => {
                result.notes.push(Note::GzipCut { member, byte: total, unpacked: result.bytes.len() as u64 });
                break;
            }
            Err(HeaderError::Bad(why)) => {
                return Err(UnpackError::GzipHeader { member, byte: at as u64, why });
            }
        };
        let data = rest.get(header.len..).unwrap_or_default();
        let start = result.bytes.len();
        let stream = Stream {
            limits,
            used_before: (at + header.len) as u64,
            // The last four bytes of the file are the last member's length modulo 2^32.
            size_hint: if at == 0 {
                bytes.last_chunk().map_or(0, |word| u64::from(u32::from_le_bytes(*word)))
            } else {
                0
            },
            at_most: at_most.saturating_sub(start),
        };
        let mut progress = |done: u64, _: u64| watch.advance((at + header.len) as u64 + done, total);
        let inflated = inflate(data, &mut result.bytes, &stream, &mut progress)?;
        let end = at + header.len + inflated.consumed;
        result.members = member;
        if member == 1 {
            result.name = header.name.map(<[u8]>::to_vec);
        }
        let unpacked = (result.bytes.len() - start) as u64;
        let trailer = bytes.get(end..).unwrap_or_default().first_chunk::<8>();
        match (inflated.end, trailer) {
            (End::Enough, _) => break,
            (End::Damaged, _) => {
                return Err(UnpackError::GzipDamaged { member, byte: end as u64, unpacked });
            }
            (End::Cut, _) | (End::Complete, None) => {
                if result.bytes.is_empty() {
                    return Err(UnpackError::GzipCut { byte: total });
                }
                result.notes.push(Note::GzipCut { member, byte: total, unpacked: result.bytes.len() as u64 });
                break;
            }
            (End::Complete, Some(trailer)) => {
                let [a, b, c, d, l0, l1, l2, l3] = *trailer;
                let (stated, length) = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([l0, l1, l2, l3]));
                let found = crc32(result.bytes.get(start..).unwrap_or_default());
                // The length is kept modulo 2^32, so only its low 32 bits can be compared.
                if stated != found || length != (unpacked & 0xffff_ffff) as u32 {
                    return Err(UnpackError::GzipChecksum { member, byte: end as u64, unpacked, found, stated });
                }
                at = end + 8;
            }
        }
    }
    if result.members > 1 {
        result.notes.push(Note::GzipMembers { members: result.members });
    }
    Ok(result)
}

/// The CRC-32 that gzip and zip use.
pub(crate) fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// Whether another member begins here: the magic and the only method there is.
fn starts_member(rest: &[u8]) -> bool {
    rest.starts_with(&[0x1f, 0x8b, 8]) || (rest.len() < 3 && [0x1f, 0x8b, 8].starts_with(rest))
}

struct Header<'a> {
    len: usize,
    name: Option<&'a [u8]>,
}

enum HeaderError {
    Cut,
    Bad(&'static str),
}

fn header(bytes: &[u8]) -> Result<Header<'_>, HeaderError> {
    const HCRC: u8 = 2;
    const EXTRA: u8 = 4;
    const NAME: u8 = 8;
    const COMMENT: u8 = 16;
    const RESERVED: u8 = 0xe0;
    let Some(&[_, _, method, flags, ..]) = bytes.first_chunk::<10>() else {
        return match bytes.get(2) {
            Some(method) if *method != 8 => Err(HeaderError::Bad("its compression method is not deflate")),
            _ => Err(HeaderError::Cut),
        };
    };
    if method != 8 {
        return Err(HeaderError::Bad("its compression method is not deflate"));
    }
    if flags & RESERVED != 0 {
        return Err(HeaderError::Bad("it uses flags that no gzip has"));
    }
    let mut at = 10;
    if flags & EXTRA != 0 {
        let Some(len) = bytes.get(at..).and_then(|rest| rest.first_chunk::<2>()) else { return Err(HeaderError::Cut) };
        at += 2 + usize::from(u16::from_le_bytes(*len));
    }
    let text = |at: &mut usize| -> Result<&[u8], HeaderError> {
        let rest = bytes.get(*at..).ok_or(HeaderError::Cut)?;
        let len = memchr::memchr(0, rest).ok_or(HeaderError::Cut)?;
        *at += len + 1;
        rest.get(..len).ok_or(HeaderError::Cut)
    };
    let name = if flags & NAME != 0 { Some(text(&mut at)?) } else { None };
    if flags & COMMENT != 0 {
        text(&mut at)?;
    }
    if flags & HCRC != 0 {
        at += 2;
    }
    if at > bytes.len() { Err(HeaderError::Cut) } else { Ok(Header { len: at, name }) }
}
