//! `test`: every check and test that must hold before a change lands.
//!
//! Invariant: a step that fails does not hide the ones after it: all run, and the end says which failed and repeats each runner's closing line.
//! Invariant: a run in which no test ran is a failure.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use clap::Args;

use crate::setup::{Need, Tools, seconds, setup};
use crate::{build, child, size};

/// How many browsers run at once at most: each takes about half a gigabyte.
const BROWSERS: usize = 4;

/// What to run.
#[derive(Args)]
pub(crate) struct Options {
    /// Steps to run (all without one: fmt native clippy clippy-wasm web build size e2e); any other word picks tests by name
    words: Vec<String>,
    /// Build the page without link-time optimisation (quicker; the size is then not checked)
    #[arg(long)]
    quick: bool,
}

/// One step: its name on the command line, what it does in words, and whether it can be asked for a test by name.
struct Step {
    name: &'static str,
    about: &'static str,
    takes_filter: bool,
}

const STEPS: [Step; 8] = [
    Step { name: "fmt", about: "formatting", takes_filter: false },
    Step { name: "native", about: "tests of the core, the tools, the command line and the chores", takes_filter: true },
    Step { name: "clippy", about: "lints", takes_filter: false },
    Step { name: "clippy-wasm", about: "lints of the page and its workers", takes_filter: false },
    Step { name: "web", about: "tests that run inside a browser", takes_filter: true },
    Step { name: "build", about: "the page as it ships", takes_filter: false },
    Step { name: "size", about: "its size", takes_filter: false },
    Step { name: "e2e", about: "tests that drive the built page from outside", takes_filter: true },
];

/// What a step left behind.
struct Report {
    name: &'static str,
    took: Duration,
    closing_lines: Vec<String>,
    error: Option<anyhow::Error>,
}

/// The chore.
pub(crate) fn run(options: &Options) -> Result<()> {
    let start = Instant::now();
    let (names, filters): (Vec<&String>, Vec<&String>) =
        options.words.iter().partition(|word| STEPS.iter().any(|step| step.name == word.as_str()));
    let filter = match filters.as_slice() {
        [] => None,
        [one] => Some(one.as_str()),
        [_, second, ..] => bail!("{second} is the second name of a test; one can be given"),
    };
    let tools = setup(Need::Tests)?;
    let mut reports = Vec::new();
    for step in &STEPS {
        let is_chosen = if names.is_empty() {
            filter.is_none() || step.takes_filter
        } else {
            names.iter().any(|name| *name == step.name)
        };
        if !is_chosen || (step.name == "size" && options.quick) {
            continue;
        }
        println!("\n=== {}: {} ===", step.name, step.about);
        let start = Instant::now();
        let mut closing_lines = Vec::new();
        let error = run_step(step.name, &tools, options.quick, filter, &mut closing_lines).err();
        if let Some(error) = &error {
            println!("{}: {error:#}", step.name);
        }
        reports.push(Report { name: step.name, took: start.elapsed(), closing_lines, error });
    }
    conclude(&reports, start.elapsed())
}

fn run_step(
    name: &str,
    tools: &Tools,
    quick: bool,
    filter: Option<&str>,
    closing_lines: &mut Vec<String>,
) -> Result<()> {
    let deny_warnings = ["--", "-D", "warnings"];
    match name {
        "fmt" => child::run(child::command("cargo").args(["fmt", "--all", "--check"])),
        "native" => {
            let mut cargo = child::command("cargo");
            cargo.args(["test", "--workspace", "--exclude", "e2e"]).args(filter);
            run_tests(&mut cargo, closing_lines)
        }
        "clippy" => {
            child::run(child::command("cargo").args(["clippy", "--workspace", "--all-targets"]).args(deny_warnings))
        }
        "clippy-wasm" => {
            let mut cargo = tools.command("cargo");
            cargo
                .args(["clippy", "-p", "tapedeck", "--all-targets", "--target", "wasm32-unknown-unknown"])
                .args(deny_warnings);
            child::run(&mut cargo)
        }
        "web" => {
            let mut cargo = tools.command("cargo");
            cargo.args(["test", "-p", "tapedeck", "--target", "wasm32-unknown-unknown"]).args(filter);
            cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", "wasm-bindgen-test-runner");
            // The default of 20 s is too short for a machine that does something else beside.
            cargo.env("CHROMEDRIVER", tools.driver()?).env("WASM_BINDGEN_TEST_TIMEOUT", "120");
            run_tests(&mut cargo, closing_lines)
        }
        "build" => build::page(tools, quick).map(|_| ()),
        "size" => size::run(),
        "e2e" => {
            let mut cargo = child::command("cargo");
            cargo.args(["test", "-p", "e2e"]).args(filter);
            cargo.env("TAPEDECK_DIST", build::dist_dir()).env("CHROMEDRIVER", tools.driver()?);
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            cargo.env("RUST_TEST_THREADS", cores.min(BROWSERS).to_string());
            run_tests(&mut cargo, closing_lines)
        }
        _ => bail!("there is no step {name}"),
    }
}

/// Runs a test command, passes its output on and keeps the closing line of every runner in it.
fn run_tests(command: &mut Command, closing_lines: &mut Vec<String>) -> Result<()> {
    // One failing test binary must not keep the others from running.
    command.arg("--no-fail-fast").stdout(Stdio::piped());
    let shown = child::shown(command);
    let mut running = command.spawn().with_context(|| format!("could not start `{shown}`"))?;
    if let Some(output) = running.stdout.take() {
        for line in BufReader::new(output).split(b'\n') {
            let line = String::from_utf8_lossy(&line?).into_owned();
            println!("{line}");
            if line.starts_with("test result:") {
                closing_lines.push(line);
            }
        }
    }
    let status = running.wait()?;
    if !status.success() {
        bail!("`{shown}` failed ({status})");
    }
    Ok(())
}

fn conclude(reports: &[Report], took: Duration) -> Result<()> {
    println!("\n=== summary ({}) ===", seconds(took));
    let (mut passed, mut failed) = (0, 0);
    for report in reports {
        let word = if report.error.is_some() { "FAILED" } else { "ok" };
        println!("{:<12} {word:<7} {}", report.name, seconds(report.took));
        for line in &report.closing_lines {
            passed += count(line, "passed");
            failed += count(line, "failed");
            // Crates without a test of their own say so too; that is noise here.
            if count(line, "passed") + count(line, "failed") > 0 {
                println!("             {line}");
            }
        }
    }
    println!("{passed} passed, {failed} failed");
    let failures: Vec<&str> =
        reports.iter().filter(|report| report.error.is_some()).map(|report| report.name).collect();
    if !failures.is_empty() {
        bail!("failed: {}", failures.join(", "));
    }
    let should_have_tested =
        reports.iter().any(|report| STEPS.iter().any(|step| step.takes_filter && step.name == report.name));
    if should_have_tested && passed == 0 {
        bail!("no test ran");
    }
    Ok(())
}

/// The number before a word in a closing line: 3 in "test result: ok. 3 passed; 0 failed; …" for "passed".
fn count(line: &str, word: &str) -> usize {
    let words: Vec<&str> = line.split_whitespace().map(|word| word.trim_end_matches(';')).collect();
    words.windows(2).find(|pair| pair[1] == word).and_then(|pair| pair[0].parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines_are_counted() {
        let line = "test result: FAILED. 12 passed; 3 failed; 0 ignored; 0 measured; 1 filtered out; finished in 0.01s";
        assert_eq!((count(line, "passed"), count(line, "failed"), count(line, "skipped")), (12, 3, 0));
    }
}
