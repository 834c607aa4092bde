//! EigenScript bundles (format 2): a copy of the runtime with an archive behind it, which holds a script, its modules and
//! perhaps a tape. Little-endian throughout:
//!
//! - the archive: 24 bytes of magic, then for each entry `u32` name length, name, `u64` size, bytes;
//! - the last 24 bytes of the file: `u64` offset of the archive, `u32` number of entries, `u32` format, `EIGSBNDL`.
//!
//! Invariant: it is read from its end, and no length in it is used before it was checked against the file.

use super::entry::{Body, Entry, Listing};
use super::names::Names;
use super::note::{Note, Notes};
use super::sniff::find;
use super::{Limits, UnpackError};

/// What the archive of any format begins with; the format's number and a NUL follow.
const MAGIC_START: &[u8] = b"\x7fEIGS-BUNDLE-ARCHIVE-v";
/// What the archive of format 2 begins with.
const MAGIC: &[u8; 24] = b"\x7fEIGS-BUNDLE-ARCHIVE-v2\0";
/// What ends a bundle.
const END: &[u8; 8] = b"EIGSBNDL";
/// The size of the trailer.
const TRAILER: usize = 24;
/// The only format that there is.
const FORMAT: u32 = 2;

/// The name of the entry that holds the tape.
pub const TAPE_ENTRY: &str = ".eigs_bundle.tape";

/// Whether this is a bundle, whole or cut: its end, or the magic of its archive somewhere inside.
pub(crate) fn is_bundle(bytes: &[u8]) -> bool {
    bytes.ends_with(END) || find(bytes, MAGIC_START).is_some()
}

/// Lists the files of a bundle.
pub(crate) fn list(bytes: &[u8], limits: &Limits) -> Result<Listing, UnpackError> {
    let damaged = |byte: usize, why: String| UnpackError::BundleDamaged { byte: byte as u64, why };
    let trailer_at = bytes.len().saturating_sub(TRAILER);
    let trailer = bytes.get(trailer_at..).filter(|trailer| trailer.len() == TRAILER && trailer.ends_with(END));
    let Some(trailer) = trailer else {
        return Err(match find(bytes, MAGIC_START) {
            Some(archive) => UnpackError::BundleCut { archive: archive as u64 },
            None => damaged(bytes.len(), "neither the mark of its archive nor its end is there".to_owned()),
        });
    };
    let mut reader = Reader { bytes: trailer, at: 0 };
    let (archive, count, format) = (reader.u64().unwrap_or(0), reader.u32().unwrap_or(0), reader.u32().unwrap_or(0));
    if format != FORMAT {
        return Err(UnpackError::BundleFormat { format });
    }
    // The archive lies before the trailer, so a larger offset is a lie.
    let Some(archive) = usize::try_from(archive).ok().filter(|archive| *archive <= trailer_at) else {
        return Err(damaged(
            trailer_at,
            format!("its end says that the archive starts at byte {archive}, which is not in the file"),
        ));
    };
    let body = bytes.get(..trailer_at).unwrap_or_default();
    let mut reader = Reader { bytes: body, at: archive };
    if reader.take(MAGIC.len() as u64) != Some(MAGIC) {
        return Err(damaged(archive, "the archive does not begin with its mark".to_owned()));
    }
    let mut notes = Notes::default();
    let mut names = Names::new(limits.name_bytes);
    let mut entries = Vec::new();
    for _ in 0..count {
        if entries.len() >= limits.entries {
            notes.push(Note::TooManyEntries { limit: limits.entries as u64 });
            break;
        }
        let start = reader.at;
        match entry(&mut reader) {
            Ok((name, at)) => {
                let stated = at.len() as u64;
                let name = names.clean(name, &mut notes);
                entries.push(Entry { name, packed: stated, stated, body: Body::Stored { at, crc: None } });
            }
            Err(why) if entries.is_empty() => return Err(damaged(start, why)),
            Err(why) => {
                notes.push(Note::ListDamaged { found: entries.len() as u64, byte: start as u64, why });
                break;
            }
        }
    }
    names.finish(&mut notes);
    Ok(Listing { entries, notes: notes.into_vec() })
}

fn entry<'a>(reader: &mut Reader<'a>) -> Result<(&'a [u8], std::ops::Range<usize>), String> {
    let left = |reader: &Reader<'_>| reader.bytes.len() - reader.at;
    let cut = "an entry breaks off";
    let name_len = reader.u32().ok_or(cut)?;
    let name = reader
        .take(u64::from(name_len))
        .ok_or_else(|| format!("an entry's name should have {name_len} bytes, and {} are left", left(reader)))?;
    let size = reader.u64().ok_or(cut)?;
    let start = reader.at;
    reader.take(size).ok_or_else(|| format!("an entry should have {size} bytes, and {} are left", left(reader)))?;
    Ok((name, start..reader.at))
}

/// Takes little-endian numbers and runs of bytes; `None`, and nothing taken, when too little is left.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, len: u64) -> Option<&'a [u8]> {
        let end = self.at.checked_add(usize::try_from(len).ok()?)?;
        let taken = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(taken)
    }

    fn u32(&mut self) -> Option<u32> {
        self.take(4)?.first_chunk().map(|word| u32::from_le_bytes(*word))
    }

    fn u64(&mut self) -> Option<u64> {
        self.take(8)?.first_chunk().map(|word| u64::from_le_bytes(*word))
    }
}
