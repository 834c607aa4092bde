//! Progress out, cancellation in: how long work talks to the one who waits for it.

use std::ops::ControlFlow;

/// Told how far a piece of work is; answers whether to go on.
///
/// Any `FnMut(done, total) -> ControlFlow<()>` is one. It is called at least every [`STRIDE`] bytes of output.
pub trait Watch {
    /// `done` of `total` input bytes are behind us. `Break` ends the work with [`UnpackError::Cancelled`](super::UnpackError::Cancelled).
    fn advance(&mut self, done: u64, total: u64) -> ControlFlow<()>;
}

/// How many bytes are unpacked between two calls of [`Watch::advance`], at the most: about a millisecond of work.
pub const STRIDE: usize = 256 << 10;

impl<F: FnMut(u64, u64) -> ControlFlow<()>> Watch for F {
    fn advance(&mut self, done: u64, total: u64) -> ControlFlow<()> {
        self(done, total)
    }
}

/// The [`Watch`] of work that nobody waits for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn advance(&mut self, _done: u64, _total: u64) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
