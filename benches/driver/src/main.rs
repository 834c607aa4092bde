//! The measurements behind `cargo xtask bench`, all in one browser and one run, on tapes made for it.
//!
//! `cargo xtask bench` builds what is measured and starts this program; it is not meant to be started by hand.
//!
//! Invariant: what is compared is interleaved in the same browser, and a figure is a median or a percentile of samples that all
//! stand in the JSON; nothing is left out as an outlier.
//! Invariant: a figure is measured where the person would feel it: from the page's own events, clock and animation frames.

mod browser;
mod frames;
mod inside;
mod open;
mod report;
mod site;
mod state;
mod stats;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, ensure};
use clap::{Parser, ValueEnum};

use browser::Browser;
use report::Report;
use site::Site;

/// Measures the built page.
#[derive(Parser)]
struct Arguments {
    /// The folder with what is measured and what is written: page/ and wasm/ must be in its site/
    #[arg(long)]
    folder: PathBuf,
    /// The browser's settings for all tests
    #[arg(long)]
    settings: PathBuf,
    /// The parts to measure
    parts: Vec<Part>,
    /// How often each comparison is repeated
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Only tapes of up to so many records
    #[arg(long, default_value_t = site::RECORDS_MOST)]
    most: u64,
}

/// A part of the measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Parsing, indexing and asking inside a wasm instance
    Wasm,
    /// Opening a file in the page, and in speedscope
    Open,
    /// Asking the page's worker
    State,
    /// Animation frames while scrubbing and zooming
    Frames,
}

fn main() -> ExitCode {
    match measure(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn measure(arguments: &Arguments) -> Result<()> {
    let site = Site::prepare(&arguments.folder, arguments.most, arguments.parts.contains(&Part::Open))?;
    let mut browser = Browser::start(&arguments.folder, &arguments.settings)?;
    let mut report = Report::new(&browser.version()?);
    // A part that fails must not take the others' figures with it.
    let mut failed = Vec::new();
    for part in &arguments.parts {
        println!("Measuring: {part:?} …");
        let outcome = match part {
            Part::Wasm => inside::measure(&mut browser, &site, arguments.rounds, &mut report),
            Part::Open => open::measure(&mut browser, &site, arguments.rounds, &mut report),
            Part::State => state::measure(&mut browser, &site, &mut report),
            Part::Frames => frames::measure(&mut browser, &site, arguments.rounds, &mut report),
        };
        if let Err(error) = outcome {
            println!("  {part:?} could not be measured: {error:#}");
            failed.push(format!("{part:?}"));
        }
    }
    browser.end();
    report.finish(&arguments.folder)?;
    ensure!(failed.is_empty(), "could not be measured: {}", failed.join(", "));
    Ok(())
}
