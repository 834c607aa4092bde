//! Why bytes could not be unpacked: one variant a cause, in words for the person who opened the file.

use super::sniff::Container;

/// A cause for which a container or an entry of it is not opened. The text says what, where and why;
/// [`advice`](Self::advice) says what to do next.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnpackError {
    /// The caller asked to stop. Never comes from content.
    #[error("Opening was cancelled.")]
    Cancelled,
    /// Happens when a stream unpacks to more than the limit, whatever its header claims.
    #[error("This unpacks to more than {}, the most that Tapedeck opens in one piece.", size(*limit))]
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// Happens when a stream unpacks too far for its size: an archive bomb.
    #[error("The first {} of this unpack to more than {}. Beyond {} Tapedeck goes on only up to {ratio} to 1, because an archive that is made to fill the memory looks like this.", size(*packed), size(*unpacked), size(*free))]
    Ratio {
        /// The compressed bytes read so far.
        packed: u64,
        /// The bytes that came out so far.
        unpacked: u64,
        /// The highest ratio.
        ratio: u64,
        /// Where the ratio begins to count.
        free: u64,
    },
    /// Happens when what the containers of one artifact hold together passes the limit.
    #[error("The archives inside this file unpack to more than {} together, the most that Tapedeck holds at once.", size(*limit))]
    TotalTooLarge {
        /// The limit in bytes.
        limit: u64,
    },
    /// Happens when the browser has no memory left for what unpacks.
    #[error("There is not enough memory for the {} that this needs.", size(*bytes))]
    OutOfMemory {
        /// The bytes that were asked for.
        bytes: u64,
    },
    /// Happens when archives lie inside one another deeper than the limit.
    #[error("Archives lie inside one another more than {limit} deep here.")]
    TooDeep {
        /// The limit.
        limit: u32,
    },

    /// Happens when a gzip header is not one: another method than deflate, reserved flags, or it ends too early.
    #[error("Member {member} of this gzip file has a damaged header at byte {byte}: {why}.")]
    GzipHeader {
        /// Which member, counted from 1.
        member: u32,
        /// Where the member starts.
        byte: u64,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Happens when a gzip file ends before anything could be unpacked from it.
    #[error("This gzip file is cut: it ends at byte {byte}, before any of its content.")]
    GzipCut {
        /// Where the file ends.
        byte: u64,
    },
    /// Happens when the compressed data is not deflate data, near this byte.
    #[error("Member {member} of this gzip file is damaged near byte {byte}, after {unpacked} unpacked bytes.")]
    GzipDamaged {
        /// Which member, counted from 1.
        member: u32,
        /// Near which byte of the file.
        byte: u64,
        /// What came out before it.
        unpacked: u64,
    },
    /// Happens when a member unpacks, but not to what its check sum or length says.
    #[error(
        "Member {member} of this gzip file is damaged: it unpacks to {unpacked} bytes whose CRC-32 is {found:08x}, and its end, at byte {byte}, says {stated:08x}."
    )]
    GzipChecksum {
        /// Which member, counted from 1.
        member: u32,
        /// Where its trailer starts.
        byte: u64,
        /// How many bytes came out of it.
        unpacked: u64,
        /// The check sum of these.
        found: u32,
        /// The check sum that the trailer states.
        stated: u32,
    },

    /// Happens when a zip has no readable central directory: most often the download was cut.
    #[error(
        "This zip file has no readable list of its entries (its central directory, at the end of the file): {why}."
    )]
    ZipDirectory {
        /// What the reader met.
        why: String,
    },
    /// Happens when an entry is compressed with a method other than store and deflate.
    #[error("This entry is compressed with {method}; Tapedeck unpacks the methods store and deflate.")]
    ZipMethod {
        /// The method's name, or its number.
        method: String,
    },
    /// Happens when an entry is encrypted.
    #[error("This entry is encrypted.")]
    ZipEncrypted,
    /// Happens when an entry's data is not where the central directory says it is.
    #[error("The data of this entry is not at byte {byte}, where the zip file's list says it is: {why}.")]
    ZipEntry {
        /// Where the entry should start.
        byte: u64,
        /// What the reader met.
        why: String,
    },
    /// Happens when the compressed data of an entry is not deflate data, or ends too early.
    #[error("The compressed data of this entry is damaged near byte {byte}, after {unpacked} unpacked bytes.")]
    ZipDamaged {
        /// Near which byte of the zip file.
        byte: u64,
        /// What came out before it.
        unpacked: u64,
    },
    /// Happens when an entry unpacks to another length than the zip states, so at least one of the two is wrong.
    #[error(
        "This entry unpacks to {found} bytes, and the zip file says {stated}: it is damaged, or it was made to deceive."
    )]
    ZipSize {
        /// The bytes that came out (at least; unpacking stops soon after it has passed the stated size).
        found: u64,
        /// The bytes stated.
        stated: u64,
    },
    /// Happens when an entry unpacks to other bytes than those whose check sum the zip states.
    #[error(
        "This entry is damaged: it unpacks to {unpacked} bytes whose CRC-32 is {found:08x}, and the zip file says {stated:08x}."
    )]
    ZipChecksum {
        /// How many bytes came out.
        unpacked: u64,
        /// Their check sum.
        found: u32,
        /// The check sum that the zip states.
        stated: u32,
    },

    /// Happens when not even the first header of a tar can be read.
    #[error("This tar archive is damaged at byte {byte}: {why}.")]
    TarDamaged {
        /// Where reading stopped.
        byte: u64,
        /// What the reader met.
        why: String,
    },
    /// Happens when the entry is a sparse file: its bytes are not stored in one piece.
    #[error(
        "This entry is stored as a sparse file, with its empty parts left out; Tapedeck does not put such files together."
    )]
    TarSparse,
    /// Happens when a tar ends inside this entry.
    #[error(
        "The tar archive is cut: this entry should have {stated} bytes, and the archive ends after {found} of them."
    )]
    TarCut {
        /// The bytes that are there.
        found: u64,
        /// The bytes stated.
        stated: u64,
    },

    /// Happens when a bundle has its archive but not its trailer: the file was cut.
    #[error(
        "This EigenScript bundle is cut: its archive starts at byte {archive}, but the 24 bytes that end a bundle are not at the end of the file."
    )]
    BundleCut {
        /// Where the archive's mark was found.
        archive: u64,
    },
    /// Happens when a bundle is of another format than 2.
    #[error("This EigenScript bundle is of format {format}; Tapedeck reads format 2.")]
    BundleFormat {
        /// The format that the bundle names.
        format: u32,
    },
    /// Happens when something in a bundle points outside of it, or its mark is missing.
    #[error("This EigenScript bundle is damaged at byte {byte}: {why}.")]
    BundleDamaged {
        /// Where.
        byte: u64,
        /// What is wrong there.
        why: String,
    },

    /// Happens when UTF-16 or UTF-32 text has a length that cannot be one.
    #[error(
        "This is {encoding} text, but it has {bytes} bytes, which is not a whole number of {unit}-byte units: it was cut."
    )]
    TextCut {
        /// The encoding.
        encoding: &'static str,
        /// The length.
        bytes: u64,
        /// Bytes a unit.
        unit: u64,
    },
    /// Happens when a function that opens one kind of container is given another.
    #[error("This is not {}.", expected.with_article())]
    NotThat {
        /// What was expected.
        expected: Container,
    },
}

impl UnpackError {
    /// What to do next, in one sentence.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::Cancelled => "Open the file again when you want to.",
            Self::TooLarge { .. } | Self::OutOfMemory { .. } => {
                "Record a shorter run, or cut the tape into parts that each begin with its first line."
            }
            Self::Ratio { .. } => "If it is a real recording, unpack it on your machine and open what comes out.",
            Self::TotalTooLarge { .. } | Self::TooDeep { .. } => {
                "Unpack the outer archive on your machine and open the part you want."
            }
            Self::GzipCut { .. } | Self::BundleCut { .. } | Self::TextCut { .. } | Self::TarCut { .. } => {
                "Download or copy the file again; if it is cut at its source too, the program that wrote it was stopped early."
            }
            Self::GzipHeader { .. }
            | Self::GzipDamaged { .. }
            | Self::GzipChecksum { .. }
            | Self::ZipDirectory { .. }
            | Self::ZipEntry { .. }
            | Self::ZipDamaged { .. }
            | Self::ZipSize { .. }
            | Self::ZipChecksum { .. }
            | Self::TarDamaged { .. }
            | Self::BundleDamaged { .. } => "Download or copy the file again.",
            Self::ZipMethod { .. } => "Unpack it on your machine, or make the zip with the method deflate.",
            Self::ZipEncrypted => "Unpack it on your machine with its password and open what comes out.",
            Self::TarSparse => "Unpack the archive on your machine and open the file itself.",
            Self::BundleFormat { .. } => {
                "Open it with a Tapedeck that reads that format, or make the bundle again with an EigenScript that writes format 2."
            }
            Self::NotThat { .. } => "Open it as what it is.",
        }
    }

    /// A stable word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Cancelled => "cancelled",
            Self::TooLarge { .. } | Self::TotalTooLarge { .. } => "too-large",
            Self::Ratio { .. } => "bomb",
            Self::OutOfMemory { .. } => "out-of-memory",
            Self::TooDeep { .. } => "too-deep",
            Self::GzipCut { .. } | Self::BundleCut { .. } | Self::TextCut { .. } | Self::TarCut { .. } => "cut",
            Self::GzipHeader { .. }
            | Self::GzipDamaged { .. }
            | Self::GzipChecksum { .. }
            | Self::ZipDirectory { .. }
            | Self::ZipEntry { .. }
            | Self::ZipDamaged { .. }
            | Self::ZipSize { .. }
            | Self::ZipChecksum { .. }
            | Self::TarDamaged { .. }
            | Self::BundleDamaged { .. } => "damaged",
            Self::ZipMethod { .. } => "method",
            Self::ZipEncrypted => "encrypted",
            Self::TarSparse => "sparse",
            Self::BundleFormat { .. } => "format",
            Self::NotThat { .. } => "other-kind",
        }
    }
}

/// A size for people: `17 bytes`, `3.4 KB`, `512 MB` (1 KB = 1,024 bytes, as file managers count).
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KB", "MB", "GB", "TB"];
    if bytes < 1024 {
        return if bytes == 1 { "1 byte".to_owned() } else { format!("{bytes} bytes") };
    }
    let mut unit = 0;
    let mut tenths = bytes.saturating_mul(10) / 1024;
    while tenths >= 10_240 && unit + 1 < UNITS.len() {
        tenths /= 1024;
        unit += 1;
    }
    let name = UNITS.get(unit).copied().unwrap_or("TB");
    if tenths >= 100 || tenths.is_multiple_of(10) {
        format!("{} {name}", tenths / 10)
    } else {
        format!("{}.{} {name}", tenths / 10, tenths % 10)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::size;

    #[test]
    fn sizes_read_as_people_write_them() {
        for (bytes, text) in [
            (0, "0 bytes"),
            (1, "1 byte"),
            (1023, "1023 bytes"),
            (1024, "1 KB"),
            (3500, "3.4 KB"),
            (512 << 20, "512 MB"),
            (1 << 30, "1 GB"),
            (10_737_418_240, "10 GB"),
            (u64::MAX, "1677721 TB"),
        ] {
            assert_eq!(size(bytes), text);
        }
    }
}
