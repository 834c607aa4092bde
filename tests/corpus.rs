//! Checks the recordings of a corpus against the answers of the real programs.
//!
//! `TAPEDECK_CORPUS=DIR cargo test --test corpus` checks any folder laid out as `tests/corpus` (the default): what is there
//! is checked, a kind that is missing is fine, nothing at all fails. One line a kind tells how many answers agreed.

#![cfg(not(target_arch = "wasm32"))]
#![allow(unreachable_pub, clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::needless_pass_by_value)]

use std::path::PathBuf;

mod corpus_support;

use corpus_support::{Report, eigs, mixle};

/// The folder of the corpus.
fn root() -> PathBuf {
    std::env::var_os("TAPEDECK_CORPUS")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/corpus"), PathBuf::from)
}

#[test]
fn every_answer_of_the_corpus_agrees() {
    let mut report = Report::default();
    eigs::run(&root().join("eigs"), &mut report);
    mixle::run(&root().join("mixle"), &mut report);
    report.finish(&root());
}
