//! Raw deflate with the brakes on: output is counted, limits and cancellation are checked as it grows.

use flate2::{Decompress, FlushDecompress, Status};

use super::watch::STRIDE;
use super::{Limits, UnpackError, Watch};

/// How a deflate stream ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// With its last block.
    Complete,
    /// The input ran out inside it.
    Cut,
    /// The data is no deflate data.
    Damaged,
    /// The caller wanted no more than this.
    Enough,
}

/// What a call to [`inflate`] did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Inflated {
    /// Input bytes used.
    pub(crate) consumed: usize,
    /// How it ended.
    pub(crate) end: End,
}

/// What holds for one stream.
pub(crate) struct Stream<'a> {
    /// The limits in force.
    pub(crate) limits: &'a Limits,
    /// Compressed bytes of the same file that were used before, for the ratio.
    pub(crate) used_before: u64,
    /// What the stream says it unpacks to. Only a hint for the first allocation.
    pub(crate) size_hint: u64,
    /// Stop after this many bytes.
    pub(crate) at_most: usize,
}

impl<'a> Stream<'a> {
    /// A stream of its own that is wanted whole.
    pub(crate) fn whole(limits: &'a Limits) -> Self {
        Self { limits, used_before: 0, size_hint: 0, at_most: usize::MAX }
    }
}

/// Unpacks `input` to the end of `out`.
///
/// `out` may already hold earlier members of the same stream; they count for the limits.
///
/// # Errors
/// The limits, no memory, or [`UnpackError::Cancelled`]. Damage is no error here but an [`End`]: callers know what it means.
pub(crate) fn inflate(
    input: &[u8],
    out: &mut Vec<u8>,
    stream: &Stream<'_>,
    watch: &mut dyn Watch,
) -> Result<Inflated, UnpackError> {
    // A lying hint may cost at most what 64 times the input would need, or 1 MiB.
    let believable = (input.len() as u64).saturating_mul(64).max(1 << 20);
    let hint = stream.size_hint.min(believable).min(stream.limits.unpacked_bytes).min(stream.at_most as u64);
    reserve(out, usize::try_from(hint).unwrap_or(0))?;
    let mut decompress = Decompress::new(false);
    let mut rest = input;
    let limit = out.len().saturating_add(stream.at_most);
    loop {
        let start = out.len();
        let want = STRIDE.min(limit - start);
        if want == 0 {
            return Ok(Inflated { consumed: input.len() - rest.len(), end: End::Enough });
        }
        if out.capacity() - start < want {
            // Doubling keeps the number of copies logarithmic; `try_reserve` makes no memory an error instead of an abort.
            reserve(out, want.max(start))?;
        }
        out.resize(start + want, 0);
        let (before_in, before_out) = (decompress.total_in(), decompress.total_out());
        let status = decompress.decompress(rest, out.get_mut(start..).unwrap_or_default(), FlushDecompress::None);
        let used = usize::try_from(decompress.total_in() - before_in).unwrap_or(0);
        let made = usize::try_from(decompress.total_out() - before_out).unwrap_or(0);
        out.truncate(start + made);
        rest = rest.get(used..).unwrap_or_default();
        let consumed = input.len() - rest.len();
        stream.limits.check(stream.used_before + consumed as u64, out.len() as u64)?;
        match status {
            Ok(Status::StreamEnd) => return Ok(Inflated { consumed, end: End::Complete }),
            Err(_) => return Ok(Inflated { consumed, end: End::Damaged }),
            Ok(Status::Ok | Status::BufError) if used == 0 && made == 0 => {
                return Ok(Inflated { consumed, end: End::Cut });
            }
            Ok(Status::Ok | Status::BufError) => {}
        }
        if watch.advance(consumed as u64, input.len() as u64).is_break() {
            return Err(UnpackError::Cancelled);
        }
    }
}

/// Unpacks a whole deflate stream; `None` when it is damaged, cut, or followed by something.
///
/// # Errors
/// The limits, or no memory.
pub(crate) fn inflate_all(input: &[u8], limits: &Limits) -> Result<Option<Vec<u8>>, UnpackError> {
    let mut out = Vec::new();
    let inflated = inflate(input, &mut out, &Stream::whole(limits), &mut super::Unwatched)?;
    Ok((inflated.end == End::Complete && inflated.consumed == input.len()).then_some(out))
}

/// Room for `more` bytes, or the error that there is none.
pub(crate) fn reserve(out: &mut Vec<u8>, more: usize) -> Result<(), UnpackError> {
    out.try_reserve_exact(more).map_err(|_| UnpackError::OutOfMemory { bytes: (out.len() + more) as u64 })
}
