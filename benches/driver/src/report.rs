//! What was measured: a table for people, JSON for programs.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

/// What a figure must be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Target {
    /// No more than this.
    AtMost(f64),
    /// Less than this.
    Under(f64),
    /// No less than this.
    AtLeast(f64),
    /// Nothing is promised.
    None,
}

impl Target {
    fn is_met(self, value: f64) -> Option<bool> {
        match self {
            Self::AtMost(most) => Some(value <= most),
            Self::Under(bound) => Some(value < bound),
            Self::AtLeast(least) => Some(value >= least),
            Self::None => None,
        }
    }

    fn words(self) -> String {
        match self {
            Self::AtMost(most) => format!("at most {most}"),
            Self::Under(bound) => format!("under {bound}"),
            Self::AtLeast(least) => format!("at least {least}"),
            Self::None => String::new(),
        }
    }
}

struct Figure {
    part: &'static str,
    name: String,
    value: f64,
    unit: &'static str,
    target: Target,
}

/// Figures and the samples behind them.
pub(crate) struct Report {
    browser: String,
    figures: Vec<Figure>,
    samples: serde_json::Map<String, Value>,
}

impl Report {
    pub(crate) fn new(browser: &str) -> Self {
        Self { browser: browser.to_owned(), figures: Vec::new(), samples: serde_json::Map::new() }
    }

    /// Adds a figure.
    pub(crate) fn add(
        &mut self,
        part: &'static str,
        name: impl Into<String>,
        value: f64,
        unit: &'static str,
        target: Target,
    ) {
        self.figures.push(Figure { part, name: name.into(), value, unit, target });
    }

    /// Keeps what figures were made of.
    pub(crate) fn keep(&mut self, name: &str, samples: impl Into<Value>) {
        self.samples.insert(name.to_owned(), samples.into());
    }

    /// Prints the table and writes `bench.json` into the folder.
    pub(crate) fn finish(self, folder: &Path) -> Result<()> {
        println!("\n{}", self.table());
        let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        let figures: Vec<Value> = self
            .figures
            .iter()
            .map(|figure| {
                json!({ "part": figure.part, "name": figure.name, "value": figure.value, "unit": figure.unit,
                        "target": figure.target.words(), "met": figure.target.is_met(figure.value) })
            })
            .collect();
        let whole = json!({
            "browser": self.browser,
            "cores": std::thread::available_parallelism().map_or(0, usize::from),
            "load_at_the_end": load.trim(),
            "figures": figures,
            "samples": self.samples,
        });
        let path = folder.join("bench.json");
        fs::write(&path, serde_json::to_vec_pretty(&whole)?)
            .with_context(|| format!("{} cannot be written", path.display()))?;
        println!("All samples are in {}.", path.display());
        Ok(())
    }

    fn table(&self) -> String {
        let width = self.figures.iter().map(|figure| figure.name.chars().count()).max().unwrap_or(0);
        let mut lines =
            vec![format!("{} ({} cores)", self.browser, std::thread::available_parallelism().map_or(0, usize::from))];
        let mut part = "";
        for figure in &self.figures {
            if figure.part != part {
                part = figure.part;
                lines.push(format!("\n{part}"));
            }
            let verdict = match figure.target.is_met(figure.value) {
                Some(true) => "ok",
                Some(false) => "MISSED",
                None => "",
            };
            let line = format!(
                "  {:<width$}  {:>10} {:<10} {:<14} {verdict}",
                figure.name,
                rounded(figure.value),
                figure.unit,
                figure.target.words()
            );
            lines.push(line.trim_end().to_owned());
        }
        let promised = self.figures.iter().filter_map(|figure| figure.target.is_met(figure.value));
        let (kept, missed): (Vec<bool>, Vec<bool>) = promised.partition(|met| *met);
        lines.push(format!("\n{} targets met, {} missed", kept.len(), missed.len()));
        lines.join("\n")
    }
}

/// Three digits that matter.
fn rounded(value: f64) -> String {
    let decimals = match value.abs() {
        size if size >= 100.0 || size == 0.0 => 0,
        size if size >= 10.0 => 1,
        size if size >= 1.0 => 2,
        _ => 3,
    };
    format!("{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_says_which_targets_were_missed() {
        let mut report = Report::new("Chromium");
        report.add("Opening", "ten records", 12.345, "ms", Target::AtMost(12.0));
        report.add("Opening", "ratio", 12.0, "times", Target::AtLeast(12.0));
        report.add("Opening", "size", 1234.5, "bytes", Target::None);
        report.add("Opening", "bound", 10.0, "ms", Target::Under(10.0));
        let table = report.table();
        let line = |name: &str| table.lines().find(|line| line.contains(name)).unwrap_or_default().to_owned();
        assert!(line("ten records").contains("12.3 ms") && line("ten records").ends_with("at most 12     MISSED"));
        assert!(line("ratio").ends_with("ok") && line("size").ends_with("bytes") && line("bound").ends_with("MISSED"));
        assert!(table.ends_with("1 targets met, 2 missed"));
    }
}
