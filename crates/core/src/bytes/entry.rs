//! What a container lists, whatever its kind, and how an entry's bytes are got.

use std::borrow::Cow;
use std::ops::Range;

use super::gzip::crc32;
use super::inflate::{End, Stream, inflate};
use super::sniff::Container;
use super::{Limits, Note, UnpackError, Watch, bundle, tar, zip};

/// What a zip, a tar or a bundle holds: its files, folders left out (they show in the names).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The files in the order of the archive.
    pub entries: Vec<Entry>,
    /// What is odd about the archive and its names.
    pub notes: Vec<Note>,
}

/// One file of a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name: `/` between folders, no root, no `.` or `..`, never empty, and no other entry of the listing has it.
    pub name: String,
    /// Its compressed size in the container.
    pub packed: u64,
    /// Its size as the container states it: to be shown as such and never to be relied on.
    pub stated: u64,
    /// Where its bytes are.
    pub body: Body,
}

/// Where the bytes of an entry are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// As they are, in this range of the container; with the CRC-32 they should have, if the container keeps one.
    Stored {
        /// The range.
        at: Range<usize>,
        /// The check sum.
        crc: Option<u32>,
    },
    /// Compressed with deflate in this range of the container.
    Deflated {
        /// The range.
        at: Range<usize>,
        /// The CRC-32 that the content should have.
        crc: u32,
    },
    /// They cannot be had, and why.
    Closed(UnpackError),
}

/// Lists the files of a zip, a tar or a bundle. (A gzip file holds one content and no list: see [`gunzip`](super::gunzip).)
///
/// # Errors
/// When not even the beginning of the list can be read. A list that breaks off later is given with a note.
pub fn list(bytes: &[u8], container: Container, limits: &Limits) -> Result<Listing, UnpackError> {
    match container {
        Container::Zip => zip::list(bytes, limits),
        Container::Tar => tar::list(bytes, limits),
        Container::Bundle => bundle::list(bytes, limits),
        Container::Gzip => Err(UnpackError::NotThat { expected: Container::Zip }),
    }
}

/// The bytes of an entry of `container`, checked against the check sum that the container keeps. Stored ones are borrowed.
///
/// # Errors
/// Damage, a limit, no memory, or a stop asked for by `watch`.
pub fn read<'a>(
    container: &'a [u8],
    entry: &Entry,
    limits: &Limits,
    watch: &mut dyn Watch,
) -> Result<Cow<'a, [u8]>, UnpackError> {
    match &entry.body {
        Body::Closed(why) => Err(why.clone()),
        Body::Stored { at, crc } => {
            let bytes = container.get(at.clone()).unwrap_or_default();
            limits.check(bytes.len() as u64, bytes.len() as u64)?;
            if let Some(stated) = *crc {
                let found = crc32(bytes);
                if found != stated {
                    return Err(UnpackError::ZipChecksum { unpacked: bytes.len() as u64, found, stated });
                }
            }
            Ok(Cow::Borrowed(bytes))
        }
        Body::Deflated { at, crc } => {
            let packed = container.get(at.clone()).unwrap_or_default();
            // One byte more than stated is enough to know that the size is a lie.
            let at_most = usize::try_from(entry.stated.saturating_add(1)).unwrap_or(usize::MAX);
            let stream = Stream { size_hint: entry.stated, at_most, ..Stream::whole(limits) };
            let mut out = Vec::new();
            let inflated = inflate(packed, &mut out, &stream, watch)?;
            let found = out.len() as u64;
            match inflated.end {
                End::Complete if found == entry.stated => {}
                End::Complete | End::Enough => {
                    return Err(UnpackError::ZipSize { found, stated: entry.stated });
                }
                End::Cut | End::Damaged => {
                    return Err(UnpackError::ZipDamaged {
                        byte: (at.start + inflated.consumed) as u64,
                        unpacked: found,
                    });
                }
            }
            let sum = crc32(&out);
            if sum != *crc {
                return Err(UnpackError::ZipChecksum { unpacked: found, found: sum, stated: *crc });
            }
            Ok(Cow::Owned(out))
        }
    }
}

/// At most the first `at_most` bytes of an entry, unchecked: for a look at what it is.
///
/// # Errors
/// As [`read`], as far as it shows in these bytes.
pub fn read_start<'a>(
    container: &'a [u8],
    entry: &Entry,
    at_most: usize,
    limits: &Limits,
) -> Result<Cow<'a, [u8]>, UnpackError> {
    match &entry.body {
        Body::Closed(why) => Err(why.clone()),
        Body::Stored { at, .. } => {
            let bytes = container.get(at.clone()).unwrap_or_default();
            Ok(Cow::Borrowed(bytes.get(..at_most).unwrap_or(bytes)))
        }
        Body::Deflated { at, .. } => {
            let packed = container.get(at.clone()).unwrap_or_default();
            let stream = Stream { at_most, ..Stream::whole(limits) };
            let mut out = Vec::new();
            let inflated = inflate(packed, &mut out, &stream, &mut super::Unwatched)?;
            if out.is_empty() && matches!(inflated.end, End::Cut | End::Damaged) {
                return Err(UnpackError::ZipDamaged { byte: (at.start + inflated.consumed) as u64, unpacked: 0 });
            }
            Ok(Cow::Owned(out))
        }
    }
}
