//! What needs web-sys and knows no Yew: the bridge to the reader worker, files and drops, storage.
//!
//! Invariant: nothing here draws, and nothing here decides what the page shows; it carries bytes and messages.

#[cfg(target_arch = "wasm32")]
pub mod bridge;
#[cfg(target_arch = "wasm32")]
pub mod canvas;
#[cfg(target_arch = "wasm32")]
pub mod deck;
#[cfg(target_arch = "wasm32")]
pub mod files;
#[cfg(target_arch = "wasm32")]
pub mod frames;
#[cfg(target_arch = "wasm32")]
pub mod page;
pub mod questions;
pub mod replay_plan;
#[cfg(target_arch = "wasm32")]
pub mod save;
#[cfg(target_arch = "wasm32")]
pub mod storage;
#[cfg(target_arch = "wasm32")]
pub mod toolbox;
#[cfg(target_arch = "wasm32")]
pub mod watch;
#[cfg(target_arch = "wasm32")]
pub mod workshop;
