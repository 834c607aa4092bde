//! `size`: measures the built WebAssembly against its budget.

use std::fs;
use std::io::Write as _;

use anyhow::{Context as _, Result, bail};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::build;

/// What the page and the reader may weigh together, in bytes, gzipped. A person who follows a link waits for both before anything is
/// shown: 900 KB are 0.7 s at 10 Mbit/s, about what a person takes for "at once" on a slow line.
const BUDGET_BYTES: usize = 900_000;

/// The files that count: nothing is shown before these two are there. Other workers load when they are first used.
const COUNTED: [&str; 2] = ["page", "worker"];

/// The chore.
pub(crate) fn run() -> Result<()> {
    let dist = build::dist_dir();
    let mut rows = Vec::new();
    let entries = fs::read_dir(&dist)
        .with_context(|| format!("{} is not there; `cargo xtask serve` or `test` builds it", dist.display()))?;
    for entry in entries {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.ends_with("_bg.wasm") {
            let bytes = fs::read(&path)?;
            let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
            gzip.write_all(&bytes)?;
            let program = name.rsplit_once('-').map_or(name.as_str(), |(program, _)| program).to_owned();
            rows.push((program, bytes.len(), gzip.finish()?.len()));
        }
    }
    rows.sort();
    println!("{:<12} {:>10} {:>10}", "wasm", "bytes", "gzipped");
    for (program, plain, gzipped) in &rows {
        let note = if COUNTED.contains(&program.as_str()) { "" } else { "   (loaded when first used; not counted)" };
        println!("{program:<12} {plain:>10} {gzipped:>10}{note}");
    }
    for program in COUNTED {
        if rows.iter().filter(|(name, ..)| name == program).count() != 1 {
            bail!("{} does not hold exactly one {program}-…_bg.wasm; build the page again", dist.display());
        }
    }
    let sum: usize =
        rows.iter().filter(|(name, ..)| COUNTED.contains(&name.as_str())).map(|(.., gzipped)| gzipped).sum();
    println!("{:<12} {:>10} {sum:>10}   of {BUDGET_BYTES}", COUNTED.join(" + "), "");
    if sum > BUDGET_BYTES {
        bail!("the page and the reader are {} bytes over their budget of {BUDGET_BYTES}", sum - BUDGET_BYTES);
    }
    Ok(())
}
