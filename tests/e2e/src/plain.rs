//! What a tape says, read in the simplest way there is: from the start, line by line, with no index and no cleverness.
//!
//! Invariant: nothing here comes from the code under test, so that an error there is not an error here too. It knows only what the
//! tests need: tapes that are whole, and names that one scope assigns.

use std::path::Path;

use crate::Result;

/// A tape as its lines.
#[derive(Debug)]
pub struct Plain {
    lines: Vec<String>,
}

impl Plain {
    /// Reads a tape.
    ///
    /// # Errors
    /// When the file cannot be read or is not UTF-8.
    pub fn read(path: &Path) -> Result<Self> {
        Ok(Self { lines: std::fs::read_to_string(path)?.lines().map(str::to_owned).collect() })
    }

    /// How many positions it has.
    pub fn positions(&self) -> u64 {
        self.lines.iter().filter(|line| line.starts_with('L')).count() as u64
    }

    /// The source line at a position (0-based).
    pub fn line(&self, position: u64) -> Option<String> {
        let mut positions = self.lines.iter().filter(|line| line.starts_with('L'));
        positions.nth(usize::try_from(position).ok()?).map(|line| line[1..].trim().to_owned())
    }

    /// The value of a name that one scope assigns, as it is written on the tape, after everything that belongs to a position (0-based).
    pub fn value(&self, name: &str, position: u64) -> Option<String> {
        let prefix = format!("A {name}=");
        self.up_to(position).filter_map(|line| line.strip_prefix(&prefix)).last().map(str::to_owned)
    }

    /// How many times a name was assigned up to and with a position (0-based).
    pub fn assignments(&self, name: &str, position: u64) -> usize {
        let prefix = format!("A {name}=");
        self.up_to(position).filter(|line| line.starts_with(&prefix)).count()
    }

    /// The positions (0-based) that assign a name.
    pub fn changes(&self, name: &str) -> Vec<u64> {
        let prefix = format!("A {name}=");
        let mut positions = 0_u64;
        let mut changes = Vec::new();
        for line in &self.lines {
            if line.starts_with('L') {
                positions += 1;
            } else if line.starts_with(&prefix) {
                changes.push(positions.saturating_sub(1));
            }
        }
        changes
    }

    fn up_to(&self, position: u64) -> impl Iterator<Item = &str> {
        let mut seen = 0;
        self.lines.iter().map(String::as_str).take_while(move |line| {
            seen += u64::from(line.starts_with('L'));
            seen <= position + 1
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_tape_is_read_line_by_line() {
        let plain =
            Plain { lines: ["V 2 x", "L 7", "A a=1", "L 8", "A a=2", "A b=3", "L 9"].map(str::to_owned).to_vec() };
        assert_eq!((plain.positions(), plain.line(1)), (3, Some("8".to_owned())));
        assert_eq!(
            (plain.value("a", 0), plain.value("a", 2), plain.value("b", 0)),
            (Some("1".to_owned()), Some("2".to_owned()), None)
        );
        assert_eq!((plain.assignments("a", 2), plain.changes("a")), (2, vec![0, 1]));
    }
}
