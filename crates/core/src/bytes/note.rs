//! What was odd about a container but did not stop it from being opened: said, never hidden.

use serde::{Deserialize, Serialize};

/// One odd thing about a container or an entry. Its text is a sentence for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[non_exhaustive]
pub enum Note {
    /// The gzip file has several members; their contents belong together.
    #[error("This gzip file has {members} members, one after another; their contents were joined.")]
    GzipMembers {
        /// How many.
        members: u32,
    },
    /// The gzip file is cut; what came before the cut is shown.
    #[error(
        "This gzip file is cut at byte {byte}, inside member {member}: the first {unpacked} bytes of its content are shown, and their check sum, which was at the end, is missing."
    )]
    GzipCut {
        /// Which member, counted from 1.
        member: u32,
        /// Where the file ends.
        byte: u64,
        /// How many bytes were unpacked.
        unpacked: u64,
    },
    /// Bytes that belong to no member follow the last one.
    #[error("{bytes} bytes behind the end of the gzip data, from byte {byte} on, {}.", if *zeros { "are zeros and were left out" } else { "are not gzip data and were left out" })]
    GzipTrailing {
        /// Where they start.
        byte: u64,
        /// How many they are.
        bytes: u64,
        /// Whether all are zeros (padding, as tapes and some writers leave).
        zeros: bool,
    },
    /// Something stands before the zip archive: a self-extracting program, or the rest of another file.
    #[error(
        "The zip archive starts at byte {bytes} of the file; what stands before it (a self-extracting program has this form) was left out."
    )]
    ZipLeading {
        /// How many bytes stand before the archive.
        bytes: u64,
    },
    /// Something stands behind the zip archive.
    #[error("{bytes} bytes behind the end of the zip archive were left out.")]
    ZipTrailing {
        /// How many.
        bytes: u64,
    },
    /// The archive's comment, shown because people put build numbers there.
    #[error("The zip archive's comment: {text}")]
    ZipComment {
        /// Its first 200 characters.
        text: String,
    },
    /// The archive's list holds another number of entries than its end says.
    #[error("The zip archive's end says {stated} entries, its list holds {found}.")]
    ZipCount {
        /// The number stated.
        stated: u64,
        /// The number found.
        found: u64,
    },
    /// The list breaks off: entries before the damage are shown.
    #[error(
        "The archive's list is damaged after {found} entries, at byte {byte}: {why}. The entries before it are shown."
    )]
    ListDamaged {
        /// How many entries were read.
        found: u64,
        /// Where reading stopped.
        byte: u64,
        /// What the reader met.
        why: String,
    },
    /// More entries than are looked at.
    #[error(
        "This holds more than {limit} entries, the most that Tapedeck looks at; those after the first {limit} are not shown. Make an archive of fewer files."
    )]
    TooManyEntries {
        /// The limit.
        limit: u64,
    },
    /// More odd things than are listed.
    #[error("{more} more remarks of this kind are not listed.")]
    MoreNotes {
        /// How many.
        more: u64,
    },
    /// The name climbs out of the archive with `..`; it is shown without these steps.
    #[error(
        "The name {name:?} climbs out of the archive with \"..\"; it is shown without these steps. Nothing is ever written to your disk."
    )]
    NameClimbs {
        /// The name as it is stored.
        name: String,
    },
    /// The name is an absolute path; it is shown without its root.
    #[error(
        "The name {name:?} is an absolute path; it is shown without its beginning. Nothing is ever written to your disk."
    )]
    NameAbsolute {
        /// The name as it is stored.
        name: String,
    },
    /// The name is used by an earlier entry too; both are shown.
    #[error(
        "The name {name:?} occurs {times} times in this archive; each entry is shown, the later ones with a number behind the name."
    )]
    NameDuplicate {
        /// The name.
        name: String,
        /// How often it occurs.
        times: u64,
    },
    /// The name is not UTF-8; what cannot be read is shown as U+FFFD.
    #[error("The name {name:?} is not UTF-8; the bytes that cannot be read are shown as \u{fffd}.")]
    NameNotUtf8 {
        /// The name as it is shown.
        name: String,
    },
    /// The name is empty, or nothing is left of it.
    #[error("Entry {number} has no usable name; it is shown as {name:?}.")]
    NameEmpty {
        /// Which entry, counted from 1.
        number: u64,
        /// The name it is given.
        name: String,
    },
    /// The name is longer than any file name can be; it is shown cut.
    #[error(
        "The name of entry {number} has {bytes} bytes, more than the {limit} that a path can have; it is shown cut."
    )]
    NameLong {
        /// Which entry, counted from 1.
        number: u64,
        /// Its length.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// Neither a file nor a folder: a link or a device, which has no content of its own.
    #[error("{name:?} is {what}; it has no content of its own and is not opened.")]
    NotAFile {
        /// The entry's name.
        name: String,
        /// What it is.
        what: String,
    },
    /// The tar archive ends without the two empty blocks that should end it.
    #[error(
        "The tar archive ends at byte {byte} without its two closing blocks: it may have been cut, and entries may be missing."
    )]
    TarNoEnd {
        /// Where it ends.
        byte: u64,
    },
    /// The text was of another encoding and was re-encoded as UTF-8.
    #[error("The text was {encoding} and was re-encoded as UTF-8{}; byte positions count in the new text.", if *replaced == 0 { String::new() } else { format!(" ({replaced} units that are no characters became \u{fffd})") })]
    Reencoded {
        /// The encoding it was in.
        encoding: String,
        /// How many units were replaced by U+FFFD.
        replaced: u64,
    },
    /// A byte order mark stood before the text and was left out.
    #[error("A UTF-8 byte order mark stood before the text and was left out; byte positions count without it.")]
    ByteOrderMark,
}

/// Collects notes up to [`MAX_NOTES`](super::limits::MAX_NOTES) and counts the rest.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    list: Vec<Note>,
    more: u64,
}

impl Notes {
    pub(crate) fn push(&mut self, note: Note) {
        if self.list.len() < super::limits::MAX_NOTES { self.list.push(note) } else { self.more += 1 }
    }

    pub(crate) fn into_vec(mut self) -> Vec<Note> {
        if self.more > 0 {
            self.list.push(Note::MoreNotes { more: self.more });
        }
        self.list
    }
}
