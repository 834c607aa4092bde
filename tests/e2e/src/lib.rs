//! A harness for tests that drive the built page in a real browser: real clicks, real keys, files that are really dropped.
//!
//! `cargo xtask test e2e` builds the page and runs them; by hand the page must be in `dist/` and chromedriver on PATH (or named by
//! `CHROMEDRIVER`). Each test has a browser of its own and a server of its own, which serves the page from a folder deep inside a host, as
//! project pages are.
//!
//! Invariant: a test finds things as a person does who cannot see the page, by role and accessible name; never by class or structure.
//! Invariant: every test fails on an error in the console or a breach of the page's policy, whatever else it looks at.
//! Invariant: no test sleeps for a fixed time to let something happen; it waits until the thing is so, with a limit.

mod browser;
mod element;
mod page;
mod plain;
mod worker;

pub use browser::run;
pub use element::{Area, Element};
pub use page::{Page, Position, Theme};
pub use plain::Plain;

/// What a test returns: an error says what was expected and what was there.
pub type Result<T = ()> = anyhow::Result<T>;

/// A file of `www/samples/`, which ships with the page.
pub fn sample(name: &str) -> std::path::PathBuf {
    root().join("www/samples").join(name)
}

/// The root of the workspace. Without a `..`: a browser refuses to read a dropped file whose path holds one.
fn root() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .map(std::path::Path::to_path_buf)
        .unwrap_or_default()
}
