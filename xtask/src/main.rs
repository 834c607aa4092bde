//! The chores of Tapedeck, as `cargo xtask CHORE`: one module a chore.
//!
//! Invariant: a chore needs nothing done by hand before it; `serve` and `test` run `setup` themselves.

mod bench;
mod build;
mod child;
mod dist;
mod module;
mod serve;
mod setup;
mod size;
mod test;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Chores of Tapedeck.
#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Find what building and testing need, and get what is missing
    Setup,
    /// Build the page and serve it on this machine
    Serve(serve::Options),
    /// Run every check and test, or those named
    Test(test::Options),
    /// Build the example tool module for WebAssembly and say where it lies
    Module,
    /// Measure speed and memory in a browser, on tapes of up to ten million records
    Bench(bench::Options),
    /// Measure the built WebAssembly against its budget
    Size,
    /// Finish a trunk build (called by trunk): names the workers by their content
    #[command(hide = true)]
    Dist,
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().chore {
        Chore::Setup => setup::run(),
        Chore::Serve(options) => serve::run(&options),
        Chore::Test(options) => test::run(&options),
        Chore::Module => module::run(),
        Chore::Bench(options) => bench::run(&options),
        Chore::Size => size::run(),
        Chore::Dist => dist::run(),
    };
    // Not returned from main: that would print a backtrace of this program, which helps nobody find what failed in a child.
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
