//! `bench`: measures the page as it ships, in a browser, beside what it is compared with.
//!
//! This only builds what is measured and lays it out in `target/bench/site/`; the measuring is a program of its own
//! (`benches/driver`), so that no other chore waits for it to be compiled.
//!
//! Invariant: what is measured was just built, with the settings that ship.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result, bail};
use clap::Args;

use crate::setup::{Need, Tools, setup};
use crate::{build, child};

/// What can be measured, in the order in which it is.
const PARTS: [&str; 4] = ["wasm", "open", "state", "frames"];

/// What to measure.
#[derive(Args)]
pub(crate) struct Options {
    /// Parts to measure (all without one)
    #[arg(value_parser = PARTS)]
    parts: Vec<String>,
    /// How often each comparison is repeated; a figure is the median
    #[arg(long, default_value_t = 5)]
    rounds: u32,
    /// Leave out tapes of more records than this
    #[arg(long)]
    most: Option<u64>,
    /// Measure what the last run built
    #[arg(long)]
    no_build: bool,
}

/// The chore.
pub(crate) fn run(options: &Options) -> Result<()> {
    let parts: Vec<&str> = PARTS
        .into_iter()
        .filter(|part| options.parts.is_empty() || options.parts.iter().any(|asked| asked == part))
        .collect();
    let tools = setup(Need::Tests)?;
    let folder = child::target_dir().join("bench");
    let site = folder.join("site");
    if !options.no_build {
        // The page is needed by all parts but the first.
        if parts.iter().any(|part| *part != "wasm") {
            replace(&build::page(&tools, false)?, &site.join("page"))?;
        }
        if parts.contains(&"wasm") {
            build_wasm(&tools, &site.join("wasm"))?;
        }
    }
    let mut cargo = child::command("cargo");
    cargo.args(["run", "--quiet", "--package", "bench", "--", "--folder"]).arg(&folder);
    cargo.arg("--settings").arg(child::root().join("webdriver.json"));
    cargo.args(["--rounds", &options.rounds.to_string()]);
    if let Some(most) = options.most {
        cargo.args(["--most", &most.to_string()]);
    }
    child::run(cargo.args(parts))
}

/// The module that is measured inside: built as the reader is, but with functions that a script can call.
fn build_wasm(tools: &Tools, to: &Path) -> Result<()> {
    let mut cargo = tools.command("cargo");
    cargo.args(["build", "--release", "--package", "bench-wasm", "--target", "wasm32-unknown-unknown"]);
    child::run(&mut cargo)?;
    let mut bindgen = tools.command("wasm-bindgen");
    bindgen.args(["--target", "no-modules", "--no-typescript", "--out-dir"]).arg(to);
    bindgen.arg(child::target_dir().join("wasm32-unknown-unknown/release/bench_wasm.wasm"));
    child::run(&mut bindgen)
}

/// Puts a copy of a folder in the place of another.
fn replace(from: &Path, to: &Path) -> Result<()> {
    match fs::remove_dir_all(to) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            bail!("{} cannot be removed: {error}", to.display());
        }
        _ => copy(from, to).with_context(|| format!("{} cannot be copied to {}", from.display(), to.display())),
    }
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
