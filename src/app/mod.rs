//! The page: Yew components over one reducer.
//!
//! Invariant: components draw the state and dispatch actions; what reaches outside the page goes through `web`.

#[cfg(target_arch = "wasm32")]
pub mod components;
#[cfg(target_arch = "wasm32")]
pub mod context;
pub mod highlight;
#[cfg(target_arch = "wasm32")]
pub mod hooks;
pub mod keys;
#[cfg(target_arch = "wasm32")]
mod root;
pub mod rows;
pub mod shared;
pub mod state;
pub mod text;
pub mod trace_state;
pub mod tree;

#[cfg(target_arch = "wasm32")]
pub use root::{App, main};
