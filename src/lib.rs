//! Tapedeck's page and its workers. Everything here needs a browser; what does not lives in `tapedeck-core`.
#![cfg(target_arch = "wasm32")]

pub mod app;
pub mod reader;
pub mod web;
