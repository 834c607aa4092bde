//! Building the page with trunk into `dist/`.
//!
//! Invariant: what is served, tested and measured comes out of this one function.

use std::path::PathBuf;

use anyhow::Result;

use crate::child;
use crate::setup::Tools;

/// Builds the page and its workers; returns the folder that a web host would serve.
pub(crate) fn page(tools: &Tools, quick: bool) -> Result<PathBuf> {
    let mut trunk = tools.command("trunk");
    trunk.args(["build", "--release"]).env("TRUNK_SKIP_VERSION_CHECK", "true");
    if quick {
        trunk.args(["--cargo-profile", "quick"]);
    }
    child::run(&mut trunk)?;
    Ok(dist_dir())
}

/// Where the built page lies.
pub(crate) fn dist_dir() -> PathBuf {
    child::root().join("dist")
}
