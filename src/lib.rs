//! Tapedeck's page and its workers.
//!
//! What needs a browser is compiled for wasm only. The reducer, the key table, the texts, the arithmetic of long lists and
//! the bookkeeping of questions need none: they compile everywhere and are tested natively.

pub mod app;
#[cfg(target_arch = "wasm32")]
pub mod reader;
#[cfg(target_arch = "wasm32")]
pub mod tools;
pub mod web;
