//! What the corpus checks share: counting, reporting, reading files.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

pub mod eigs;
pub mod mixle;
pub mod mixle_answers;

/// Answers that agreed and that did not, by kind.
#[derive(Default)]
pub struct Report {
    kinds: BTreeMap<String, (u64, u64)>,
    differences: Vec<String>,
    /// Lines about kinds that have a rule of their own, and whether the rule was met.
    remarks: Vec<(String, bool)>,
}

impl Report {
    /// Counts one answer; `found` is what Tapedeck says, `expected` what the real program said.
    pub fn check<T: PartialEq + std::fmt::Debug>(
        &mut self,
        kind: &str,
        place: impl Fn() -> String,
        found: &T,
        expected: &T,
    ) {
        self.count(kind, found == expected, || {
            format!("{}: found {:.300}, expected {:.300}", place(), format!("{found:?}"), format!("{expected:?}"))
        });
    }

    /// Counts one answer that was compared elsewhere.
    pub fn count(&mut self, kind: &str, agrees: bool, difference: impl FnOnce() -> String) {
        let (agreed, total) = self.kinds.entry(kind.to_owned()).or_default();
        *total += 1;
        *agreed += u64::from(agrees);
        if !agrees && self.differences.len() < 40 {
            self.differences.push(format!("{kind}: {}", difference()));
        }
    }

    /// Adds a line for a kind that has a rule of its own.
    #[allow(dead_code)] // not every format has such a kind
    pub fn remark(&mut self, line: String, is_met: bool) {
        self.remarks.push((line, is_met));
    }

    /// Prints a line a kind and fails when an answer differs or nothing was there to check.
    pub fn finish(self, root: &Path) {
        // Straight to standard output: the test harness would hold back what `print!` writes.
        let mut out = std::io::stdout().lock();
        let mut total_differing = 0;
        for (kind, (agreed, total)) in &self.kinds {
            writeln!(out, "{kind}: {agreed} of {total}").unwrap();
            total_differing += total - agreed;
        }
        for (line, _) in &self.remarks {
            writeln!(out, "{line}").unwrap();
        }
        for difference in &self.differences {
            writeln!(out, "DIFFERS {difference}").unwrap();
        }
        out.flush().unwrap();
        drop(out);
        let checked: u64 = self.kinds.values().map(|(_, total)| total).sum();
        assert!(checked > 0, "no recording with an answer lies in {}", root.display());
        assert_eq!(total_differing, 0, "answers differ");
        assert!(self.remarks.iter().all(|(_, is_met)| *is_met), "a rule is not met");
    }
}

/// The files of a folder whose names end in `ending`, sorted; none when there is no such folder.
pub fn files(folder: &Path, ending: &str) -> Vec<std::path::PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<_> = entries
        .map(|entry| entry.expect("a folder of the corpus can be listed").path())
        .filter(|path| path.to_string_lossy().ends_with(ending))
        .collect();
    files.sort();
    files
}

/// A JSON file.
pub fn json(path: &Path) -> serde_json::Value {
    let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_slice(&bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
