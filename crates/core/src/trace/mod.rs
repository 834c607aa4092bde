//! mixle execution traces: the JSON of Python, the model, replay and the differences.
//!
//! The facts come from mixle 0.8.2 with CPython 3.11; `tests/corpus/mixle` holds the answers of the real library.
//!
//! Invariant: nothing here runs a tool or reads a clock; replay asks a tool box that the caller brings.

mod error;
pub mod json;
mod text;
mod value;

pub use error::PyError;
pub use text::{CodePoints, Text, TextBuf};
pub use value::{Array, Float, Int, Key, Object, Value, compare_numbers};
