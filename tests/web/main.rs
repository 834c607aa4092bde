//! In a real browser: the bridge to a worker, the readers of the page, and the components.
//!
//! The worker here is a few lines of JavaScript that answers with bytes prepared in Rust, so that every order of events
//! (late, never, broken, dead) can be played. The built worker itself is driven end to end.
#![cfg(target_arch = "wasm32")]
#![allow(unreachable_pub, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod bridge;
mod components;
mod deck;
mod support;
mod timeline;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);
