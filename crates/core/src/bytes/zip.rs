//! Zip archives, read by their central directory: data descriptors, Zip64, comments and leading bytes are no matter then.

use rawzip::{CompressionMethod, ErrorKind, ZipArchive, ZipSliceArchive};

use super::entry::{Body, Entry, Listing};
use super::names::Names;
use super::note::{Note, Notes};
use super::sniff::find;
use super::{Limits, UnpackError};

/// The mark that ends a zip's list.
const END: &[u8] = b"PK\x05\x06";
/// The mark of an entry in the list.
const LISTED: &[u8] = b"PK\x01\x02";
/// The mark before an entry's data.
const LOCAL: &[u8] = b"PK\x03\x04";
/// How many characters of the archive's comment are shown.
const COMMENT_CHARS: usize = 200;

/// Whether a zip archive ends these bytes, whatever they begin with: its end mark must be there and its list before it.
pub(crate) fn ends_as_zip(bytes: &[u8]) -> bool {
    // The end record has 22 bytes and a comment of at most 65,535.
    let tail = bytes.len().saturating_sub(22 + 65_535);
    let Some(end) = memchr::memmem::rfind(bytes.get(tail..).unwrap_or_default(), END).map(|at| at + tail) else {
        return false;
    };
    let Some(size) = bytes.get(end + 12..).and_then(|rest| rest.first_chunk::<4>()) else { return false };
    // In Zip64 the size stands elsewhere; the locator just before the end record says that it is one.
    let zip64 = end.checked_sub(20).and_then(|at| bytes.get(at..)).is_some_and(|rest| rest.starts_with(b"PK\x06\x07"));
    zip64
        || end
            .checked_sub(u32::from_le_bytes(*size) as usize)
            .and_then(|list| bytes.get(list..))
            .is_some_and(|list| list.starts_with(LISTED))
}

/// Lists the files of a zip archive.
pub(crate) fn list(bytes: &[u8], limits: &Limits) -> Result<Listing, UnpackError> {
    let (archive, skipped) = open(bytes)?;
    let body = bytes.get(skipped..).unwrap_or_default();
    let mut notes = Notes::default();
    let comment =
        String::from_utf8_lossy(archive.comment().as_bytes()).trim().chars().take(COMMENT_CHARS).collect::<String>();
    if !comment.is_empty() {
        notes.push(Note::ZipComment { text: comment });
    }
    let trailing = (body.len() as u64).saturating_sub(archive.end_offset());
    if trailing > 0 {
        notes.push(Note::ZipTrailing { bytes: trailing });
    }
    let mut names = Names::new(limits.name_bytes);
    let mut entries = Vec::new();
    let (mut found, mut first_data) = (0u64, u64::MAX);
    let mut directory = archive.entries();
    loop {
        let record = match directory.next_entry() {
            Ok(Some(record)) => record,
            Ok(None) => {
                if found != archive.entries_hint() {
                    notes.push(Note::ZipCount { stated: archive.entries_hint(), found });
                }
                break;
            }
            Err(error) if found == 0 => return Err(UnpackError::ZipDirectory { why: words(&error) }),
            Err(error) => {
                let byte = skipped as u64 + archive.directory_offset();
                notes.push(Note::ListDamaged { found, byte, why: words(&error) });
                break;
            }
        };
        found += 1;
        if entries.len() >= limits.entries {
            notes.push(Note::TooManyEntries { limit: limits.entries as u64 });
            break;
        }
        first_data = first_data.min(record.local_header_offset());
        if record.is_dir() {
            continue;
        }
        let name = names.clean(record.file_path().as_bytes(), &mut notes);
        if record.mode().is_symlink() {
            notes.push(Note::NotAFile { name, what: "a symbolic link".to_owned() });
            continue;
        }
        let place = skipped as u64 + record.local_header_offset();
        let crc = record.crc32();
        let (packed, stated) = (record.compressed_size_hint(), record.uncompressed_size_hint());
        let body = if record.flags().is_encrypted() {
            Body::Closed(UnpackError::ZipEncrypted)
        } else {
            match (archive.get_entry(record.wayfinder()), record.compression_method()) {
                (Err(error), _) => Body::Closed(UnpackError::ZipEntry { byte: place, why: words(&error) }),
                (Ok(data), method @ (CompressionMethod::STORE | CompressionMethod::DEFLATE)) => {
                    let (start, end) = data.compressed_data_range();
                    let shift = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).saturating_add(skipped);
                    let at = shift(start)..shift(end);
                    if method == CompressionMethod::DEFLATE {
                        Body::Deflated { at, crc }
                    } else if packed == stated {
                        Body::Stored { at, crc: Some(crc) }
                    } else {
                        Body::Closed(UnpackError::ZipSize { found: packed, stated })
                    }
                }
                (Ok(_), method) => Body::Closed(UnpackError::ZipMethod { method: method_name(method) }),
            }
        };
        entries.push(Entry { name, packed, stated, body });
    }
    let leading = if first_data == u64::MAX { skipped as u64 } else { skipped as u64 + first_data };
    if leading > 0 {
        notes.push(Note::ZipLeading { bytes: leading });
    }
    names.finish(&mut notes);
    Ok(Listing { entries, notes: notes.into_vec() })
}

/// The archive, and how many bytes before it its own offsets do not count.
fn open(bytes: &[u8]) -> Result<(ZipSliceArchive<&[u8]>, usize), UnpackError> {
    let error = match ZipArchive::from_slice(bytes) {
        Ok(archive) => match archive.entries().next_entry() {
            Ok(Some(first)) if archive.get_entry(first.wayfinder()).is_ok() => return Ok((archive, 0)),
            Ok(None) => return Ok((archive, 0)),
            Ok(Some(first)) => {
                if let Some(shifted) = behind_leading_bytes(bytes) {
                    return Ok(shifted);
                }
                let place = usize::try_from(first.local_header_offset()).unwrap_or(usize::MAX);
                if bytes.get(place..).is_some_and(|rest| rest.starts_with(LOCAL)) || first.compressed_size_hint() > 0 {
                    // The list is fine and this entry is not: the listing says so entry by entry.
                    return Ok((archive, 0));
                }
                return Err(UnpackError::ZipDirectory { why: "its entries are not where it says".to_owned() });
            }
            Err(error) => error,
        },
        Err(error) => error,
    };
    behind_leading_bytes(bytes).ok_or_else(|| UnpackError::ZipDirectory { why: words(&error) })
}

/// The archive behind bytes that its offsets do not count (a Zip64 archive behind a program): it starts with its first entry.
fn behind_leading_bytes(bytes: &[u8]) -> Option<(ZipSliceArchive<&[u8]>, usize)> {
    let skipped = find(bytes, LOCAL).filter(|at| *at > 0)?;
    let archive = ZipArchive::from_slice(bytes.get(skipped..)?).ok()?;
    let first = archive.entries().next_entry().ok()??;
    archive.get_entry(first.wayfinder()).is_ok().then_some((archive, skipped))
}

fn method_name(method: CompressionMethod) -> String {
    match method.name() {
        Some(name) => format!("the method {} (number {})", name.to_ascii_lowercase(), method.as_u16()),
        None => format!("method number {}", method.as_u16()),
    }
}

/// A zip reader's error in words for people.
fn words(error: &rawzip::Error) -> String {
    match error.kind() {
        ErrorKind::MissingEndOfCentralDirectory => {
            "the record that ends a zip file is missing, so the file was cut".to_owned()
        }
        ErrorKind::InvalidSignature { expected, actual } => {
            format!("the mark {actual:08x} stands where {expected:08x} should")
        }
        ErrorKind::Eof => "it points past the end of the file, or breaks off".to_owned(),
        ErrorKind::InvalidEndOfCentralDirectory => "its end record points behind itself".to_owned(),
        other => other.to_string(),
    }
}
