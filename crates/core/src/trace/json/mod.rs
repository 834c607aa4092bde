//! JSON as Python's `json` module reads and writes it, to the digit.
//!
//! `serde_json` was looked at and does not fit: it has no lone surrogates, and its floats and big integers are not Python's.
//!
//! Invariant: reading needs no recursion, so no document can overflow the stack; what is read writes back as Python writes it.

mod decode;
mod error;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub use decode::{Encoding, decode_text, detect_encoding};
pub use error::{JsonError, JsonErrorKind};
pub use read::{DuplicateKey, Parsed, ReadOptions, loads, loads_with, text_loads};
pub use write::{Layout, python_float, to_json};
pub(crate) use write::{push_float, sort_keys, write_object, write_value};

/// Deepest nesting of lists and objects that is read: what `json.loads` of CPython 3.11 takes at its recursion limit of 1,000.
///
/// Values are dropped and compared with one stack frame a level, which this bound keeps far below the 1 MB of a wasm stack.
pub const MAX_DEPTH: usize = 992;

/// Python's limit on the digits of an integer in text (`sys.set_int_max_str_digits`).
pub const MAX_INT_DIGITS: usize = 4300;
