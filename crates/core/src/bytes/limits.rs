//! Every limit on what comes from outside, as one constant each with its reason.
//!
//! Invariant: a size that a file states about itself is never believed; what counts is what was produced or found.

use super::UnpackError;

/// The most bytes one compressed stream may unpack to: 1 GiB.
///
/// The page's memory is 4 GiB at the very most (wasm32). While a tape is opened its bytes, the index (about as much again
/// for short records) and what grows beside them must fit. Ten million records are about 150 MB.
pub const MAX_UNPACKED_BYTES: u64 = 1 << 30;

/// The most bytes that all containers inside one artifact may hold unpacked at the same time: 1 GiB, for the same memory.
pub const MAX_TOTAL_BYTES: u64 = 1 << 30;

/// The largest trace document: 256 MiB.
///
/// The text, its values and what a replay gives stand in memory together; general values take up to six times their text,
/// and the reader's memory is 4 GiB at the very most.
pub const MAX_TRACE_BYTES: u64 = 256 << 20;

/// Up to here, 512 MiB, no compression ratio is suspicious: the tape of a tight loop really packs 400 to 1.
pub const RATIO_FREE_BYTES: u64 = 512 << 20;

/// Beyond [`RATIO_FREE_BYTES`], the highest ratio of unpacked to packed bytes: deflate cannot do better than 1,032 to 1
/// and only does so for one repeated byte, which no recording is.
pub const MAX_RATIO: u64 = 600;

/// How many containers may lie inside one another. CI hands out a zip, which may hold a zip of a job, which holds a
/// `.tar.gz` (two levels) of `.gz` files: five. Eight leaves room, and stops archives that contain themselves.
pub const MAX_NESTING: u32 = 8;

/// How many entries are looked at in one artifact, nested ones included. A large test suite leaves some thousand files;
/// every entry costs a row in the page and a look at its first bytes.
pub const MAX_ENTRIES: usize = 20_000;

/// The longest entry name in bytes: `PATH_MAX` of Linux, so no name that was a file is longer.
pub const MAX_NAME_BYTES: usize = 4_096;

/// How many bytes at the start of an entry are unpacked to see what it is.
///
/// Enough for the 512-byte header of a tar and for the keys at the front of a JSON text; little enough that
/// [`MAX_ENTRIES`] looks are quick.
pub const SNIFF_BYTES: usize = 4_096;

/// How many bytes of plain text are searched for the lines of a saved test log, in one artifact: 32 MiB, well under a
/// second of work. Logs are searched whole, because the lines that count are often the last.
pub const MAX_LOG_SEARCH_BYTES: u64 = 32 << 20;

/// The largest test results file that is read: 64 MiB, some hundred thousand tests.
pub const MAX_TEST_RESULTS_BYTES: u64 = 64 << 20;

/// How deep the JSON of test results may nest. The real one nests 3 deep; the reader is recursive and the wasm stack is 1 MB.
pub const MAX_JSON_DEPTH: u32 = 64;

/// How many notes one container keeps; further ones are counted. A zip in which every name is odd must not flood the page.
pub const MAX_NOTES: usize = 100;

/// The limits in force, so that tests can lower them. [`Limits::default`] gives the constants of this file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// See [`MAX_UNPACKED_BYTES`].
    pub unpacked_bytes: u64,
    /// See [`MAX_TOTAL_BYTES`].
    pub total_bytes: u64,
    /// See [`RATIO_FREE_BYTES`].
    pub ratio_free_bytes: u64,
    /// See [`MAX_RATIO`].
    pub ratio: u64,
    /// See [`MAX_NESTING`].
    pub nesting: u32,
    /// See [`MAX_ENTRIES`].
    pub entries: usize,
    /// See [`MAX_NAME_BYTES`].
    pub name_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            unpacked_bytes: MAX_UNPACKED_BYTES,
            total_bytes: MAX_TOTAL_BYTES,
            ratio_free_bytes: RATIO_FREE_BYTES,
            ratio: MAX_RATIO,
            nesting: MAX_NESTING,
            entries: MAX_ENTRIES,
            name_bytes: MAX_NAME_BYTES,
        }
    }
}

impl Limits {
    /// Checks what the first `packed` bytes of a stream have unpacked to.
    ///
    /// The ratio is that of what was read so far, not of the whole file: a bomb need not be read to its end to be known.
    ///
    /// # Errors
    /// [`UnpackError::TooLarge`] or [`UnpackError::Ratio`] once a limit is passed.
    pub(crate) fn check(&self, packed: u64, unpacked: u64) -> Result<(), UnpackError> {
        if unpacked > self.unpacked_bytes {
            return Err(UnpackError::TooLarge { limit: self.unpacked_bytes });
        }
        if unpacked > self.ratio_free_bytes && unpacked > packed.saturating_mul(self.ratio) {
            return Err(UnpackError::Ratio { packed, unpacked, ratio: self.ratio, free: self.ratio_free_bytes });
        }
        Ok(())
    }
}
