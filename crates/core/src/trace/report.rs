//! Differences as a file: JSON for programs, Markdown for people.
//!
//! Invariant: both say the same, with every digit; a list that is cut says how many there are.

use std::fmt::Write as _;

use super::diff::{Difference, StepDifferences};
use super::json::{Layout, to_json};
use super::value::Value;

/// Differing values of one step that Markdown lists: it is for reading.
const MARKDOWN_ROWS: usize = 20;

/// The differences of two traces, or of a trace and its replay.
#[derive(Clone, Debug)]
pub struct Report {
    /// The left side's name.
    pub left: String,
    /// The right side's name.
    pub right: String,
    /// The verdict in a sentence.
    pub sentence: String,
    /// What is not identical.
    pub rows: Vec<Row>,
}

/// One step that is not identical.
#[derive(Clone, Debug)]
pub struct Row {
    /// The step (0-based), -1 for the request.
    pub index: i64,
    /// The tool, or mixle's word.
    pub name: String,
    /// The verdict's word.
    pub verdict: &'static str,
    /// The first difference or the reason, in words.
    pub detail: String,
    /// The proven cause.
    pub cause: Option<String>,
    /// The differing values.
    pub differences: StepDifferences,
}

impl Report {
    /// As JSON. `diff` holds mixle's own rows, of the steps that differ.
    pub fn json(&self) -> String {
        let optional = |text: &Option<String>| text.as_ref().map_or(Value::Null, |text| Value::text(text.as_str()));
        let difference = |d: &Difference| {
            Value::object([
                ("field", Value::text(d.field.name())),
                ("pointer", Value::text(d.pointer.as_str())),
                ("left", optional(&d.left)),
                ("right", optional(&d.right)),
                ("ulps", d.ulps.map_or(Value::Null, |ulps| Value::int(i64::try_from(ulps).unwrap_or(i64::MAX)))),
            ])
        };
        let row = |row: &Row| {
            Value::object([
                ("index", Value::int(row.index)),
                ("name", Value::text(row.name.as_str())),
                ("verdict", Value::text(row.verdict)),
                ("detail", Value::text(row.detail.as_str())),
                ("cause", optional(&row.cause)),
                ("difference_count", Value::int(row.differences.total as i64)),
                ("differences", Value::array(row.differences.listed.iter().map(difference).collect())),
            ])
        };
        let differing = self.rows.iter().filter(|row| row.verdict == "different");
        let pairs = differing.map(|row| Value::array(vec![Value::int(row.index), Value::text(row.name.as_str())]));
        let report = Value::object([
            ("left", Value::text(self.left.as_str())),
            ("right", Value::text(self.right.as_str())),
            ("verdict", Value::text(self.sentence.as_str())),
            ("diff", Value::array(pairs.collect())),
            ("rows", Value::array(self.rows.iter().map(row).collect())),
        ]);
        // Text keys always write.
        let mut text = to_json(&report, Layout::Verbatim).unwrap_or_default();
        text.push('\n');
        text
    }

    /// As Markdown.
    pub fn markdown(&self) -> String {
        // Writing to a string does not fail.
        let mut out = format!("# {} and {}\n\n**{}**\n", plain(&self.left), plain(&self.right), plain(&self.sentence));
        if self.rows.is_empty() {
            return out;
        }
        out.push_str("\n| step | tool | verdict | what |\n|---|---|---|---|\n");
        for row in &self.rows {
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} |",
                number(row.index),
                plain(&row.name),
                row.verdict,
                plain(&row.detail)
            );
        }
        for row in self.rows.iter().filter(|row| !row.differences.listed.is_empty()) {
            let _ = write!(out, "\n## Step {} {}\n\n", number(row.index), plain(&row.name));
            if let Some(cause) = &row.cause {
                let _ = write!(out, "Cause: {}.\n\n", plain(cause));
            }
            out.push_str("| where | left | right |\n|---|---|---|\n");
            for d in row.differences.listed.iter().take(MARKDOWN_ROWS) {
                let side = |text: &Option<String>| text.as_ref().map_or_else(|| "(none)".to_owned(), |text| code(text));
                let _ = writeln!(out, "| {} | {} | {} |", plain(&d.place()), side(&d.left), side(&d.right));
            }
            let more = row.differences.total.saturating_sub(MARKDOWN_ROWS);
            if more > 0 {
                let _ = writeln!(out, "\n{more} more values differ.");
            }
        }
        out
    }
}

fn number(index: i64) -> String {
    if index < 0 { "request".to_owned() } else { (index + 1).to_string() }
}

/// Text in which nothing is markup.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' => out.push(' '),
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '~' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

/// A code span that holds any text: as many backticks around it as it takes.
fn code(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let text = text.replace('|', "\\|").replace(['\n', '\r'], " ");
    format!("{fence} {text} {fence}")
}
