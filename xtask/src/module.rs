//! `module`: builds the example tool module, as a person would build one of their own.
//!
//! Invariant: the last line of the output is the path of the module; tests read it.

use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::child;
use crate::setup::wasm_tools;

/// The chore.
pub(crate) fn run() -> Result<()> {
    println!("{}", build()?.display());
    Ok(())
}

/// Builds `examples/tool-module` for WebAssembly; returns the module's path.
fn build() -> Result<PathBuf> {
    let mut cargo = wasm_tools()?.command("cargo");
    cargo.args(["build", "--quiet", "--release", "-p", "tool-module", "--target", "wasm32-unknown-unknown"]);
    child::run(&mut cargo)?;
    let module = child::target_dir().join("wasm32-unknown-unknown/release/tool_module.wasm");
    if !module.exists() {
        bail!("{} was not built", module.display());
    }
    Ok(module)
}
