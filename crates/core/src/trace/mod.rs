//! mixle execution traces: the JSON of Python, the model, replay and the differences.
//!
//! The facts come from mixle 0.8.2 with CPython 3.11; `tests/corpus/mixle` holds the answers of the real library.
//!
//! Invariant: nothing here runs a tool or reads a clock; replay asks a tool box that the caller brings.

pub mod answer;
pub mod diff;
mod error;
pub mod json;
pub mod lines;
mod model;
pub mod module;
pub mod open;
pub mod record;
pub mod replay;
pub mod report;
pub mod repr;
pub mod rng_state;
mod text;
pub mod unicode14;
mod value;
pub mod wire;

pub use error::PyError;
pub use model::{ExecutionTrace, Field, FieldRef, FromJsonError, TraceStep, canonical, not_canonical};
pub use text::{CodePoints, Text, TextBuf};
pub use value::{Array, Float, Int, Key, Object, Value, compare_numbers};
