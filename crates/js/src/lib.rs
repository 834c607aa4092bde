//! tapedeck.js: Tapedeck's core for the script of any page, without Tapedeck's own page.
//!
//! Positions are 0-based here, as everywhere but in what people read. Numbers of a recording cross as their text, since a
//! JavaScript number would round them; JSON crosses as JSON text for the same reason. What fails throws an `Error` whose
//! message is a sentence and whose `kind` is a stable word.
//!
//! Invariant: nothing here can make a request or read a clock; what is opened stays in the page that opened it.
#![cfg(target_arch = "wasm32")]

mod cursor;
mod error;
mod tape;
mod trace;

pub use cursor::Cursor;
pub use tape::Tape;
pub use trace::Trace;
