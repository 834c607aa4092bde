//! EigenScript tapes, format 2: reading, indexing, asking, writing.
//!
//! A tape is bytes: records of one line each, whose first byte names their kind (`V L S A N`). [`TapeBuilder`] takes the
//! bytes in chunks and makes a [`Tape`], which answers questions about any position. The rules are those of EigenScript
//! 0.40.0 as its own `--step` shows them.

pub mod cursor;
pub mod header;
pub mod observer;
pub mod step;
pub mod synth;
pub mod value;
pub mod write;

pub(crate) mod answer;
pub(crate) mod build;
pub(crate) mod cnum;
pub(crate) mod index;
mod intern;
mod moves;
mod source;
mod words;

pub use build::{MAX_TAPE_BYTES, TapeBuilder, refuse_size};
pub use header::{GateError, check_replay};
pub use index::{FrameSpan, PinHistory, Tape};
