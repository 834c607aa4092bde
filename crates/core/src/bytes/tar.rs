//! Tar archives: v7, ustar, pax and GNU long names, by the `tar` crate. Bytes stay where they are; entries are ranges.

use std::io::Cursor;

use tar::{Archive, EntryType};

use super::entry::{Body, Entry, Listing};
use super::names::Names;
use super::note::{Note, Notes};
use super::sniff::Container;
use super::{Limits, UnpackError};

/// The size of a tar block.
const BLOCK: usize = 512;

/// Whether a tar archive begins here: 512 bytes whose check sum is right.
pub(crate) fn is_tar(bytes: &[u8]) -> bool {
    let Some(header) = bytes.first_chunk::<BLOCK>() else { return false };
    let sum: u32 =
        header.iter().enumerate().map(|(at, byte)| if (148..156).contains(&at) { 32 } else { u32::from(*byte) }).sum();
    let stated = header.get(148..156).unwrap_or_default();
    let digits = stated.trim_ascii_start();
    let len = digits.iter().take_while(|byte| matches!(byte, b'0'..=b'7')).count();
    let stated = std::str::from_utf8(digits.get(..len).unwrap_or_default())
        .ok()
        .and_then(|text| u32::from_str_radix(text, 8).ok());
    stated == Some(sum)
}

/// Lists the files of a tar archive.
pub(crate) fn list(bytes: &[u8], limits: &Limits) -> Result<Listing, UnpackError> {
    if !is_tar(bytes) {
        return Err(UnpackError::NotThat { expected: Container::Tar });
    }
    let mut archive = Archive::new(Cursor::new(bytes));
    let damaged = |byte: u64, error: &std::io::Error| UnpackError::TarDamaged { byte, why: error.to_string() };
    let members = archive.entries_with_seek().map_err(|error| damaged(0, &error))?;
    let mut notes = Notes::default();
    let mut names = Names::new(limits.name_bytes);
    let mut entries = Vec::new();
    // Where the next header should be: behind the last entry's data, in whole blocks.
    let mut next = 0u64;
    let mut broken = false;
    for member in members {
        let mut member = match member {
            Ok(member) => member,
            Err(error) if entries.is_empty() => return Err(damaged(next, &error)),
            Err(error) => {
                notes.push(Note::ListDamaged { found: entries.len() as u64, byte: next, why: error.to_string() });
                broken = true;
                break;
            }
        };
        let (start, stated) = (member.raw_file_position(), member.size());
        next = start.saturating_add(stated).next_multiple_of(BLOCK as u64).min(bytes.len() as u64);
        if entries.len() >= limits.entries {
            notes.push(Note::TooManyEntries { limit: limits.entries as u64 });
            broken = true;
            break;
        }
        let kind = member.header().entry_type();
        if kind.is_dir() || kind.is_pax_global_extensions() || kind.is_pax_local_extensions() {
            continue;
        }
        let name = names.clean(&member.path_bytes(), &mut notes);
        if let Some(what) = no_file(kind) {
            let target = member.link_name_bytes().map(|target| format!(" to {:?}", String::from_utf8_lossy(&target)));
            notes.push(Note::NotAFile { name, what: format!("{what}{}", target.unwrap_or_default()) });
            continue;
        }
        let sparse = kind.is_gnu_sparse()
            || member.pax_extensions().ok().flatten().is_some_and(|mut extensions| {
                extensions
                    .any(|extension| extension.is_ok_and(|extension| extension.key_bytes().starts_with(b"GNU.sparse.")))
            });
        let start = usize::try_from(start).unwrap_or(usize::MAX).min(bytes.len());
        let there = (bytes.len() - start) as u64;
        let body = if sparse {
            Body::Closed(UnpackError::TarSparse)
        } else if there < stated {
            broken = true;
            Body::Closed(UnpackError::TarCut { found: there, stated })
        } else {
            Body::Stored { at: start..start + usize::try_from(stated).unwrap_or(0), crc: None }
        };
        entries.push(Entry { name, packed: stated.min(there), stated, body });
    }
    let end = bytes.get(usize::try_from(next).unwrap_or(usize::MAX)..).unwrap_or_default();
    if !broken && end.get(..2 * BLOCK).is_none_or(|blocks| blocks.iter().any(|byte| *byte != 0)) {
        notes.push(Note::TarNoEnd { byte: bytes.len() as u64 });
    }
    names.finish(&mut notes);
    Ok(Listing { entries, notes: notes.into_vec() })
}

/// What an entry is that has no content of its own.
fn no_file(kind: EntryType) -> Option<&'static str> {
    match kind {
        EntryType::Link => Some("a hard link"),
        EntryType::Symlink => Some("a symbolic link"),
        EntryType::Char | EntryType::Block => Some("a device"),
        EntryType::Fifo => Some("a pipe"),
        _ => None,
    }
}
