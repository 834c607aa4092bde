//! Entry names made safe to show and to join by: `../x`, absolute, doubled, not UTF-8, empty, endless.
//!
//! Invariant: names are for people and for joining files to one another. Nothing is ever written under them.

use std::collections::BTreeMap;

use super::note::{Note, Notes};

/// Cleans the names of one listing and remembers which are taken.
pub(crate) struct Names {
    limit: usize,
    number: u64,
    /// How often each name was met, before any number was put behind it.
    taken: BTreeMap<String, u64>,
}

impl Names {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, number: 0, taken: BTreeMap::new() }
    }

    /// A name that is fit to be shown and that no earlier entry has.
    pub(crate) fn clean(&mut self, raw: &[u8], notes: &mut Notes) -> String {
        self.number += 1;
        let cut = raw.get(..self.limit).unwrap_or(raw);
        let text = String::from_utf8_lossy(cut);
        if cut.len() < raw.len() {
            notes.push(Note::NameLong { number: self.number, bytes: raw.len() as u64, limit: self.limit as u64 });
        } else if std::str::from_utf8(cut).is_err() {
            notes.push(Note::NameNotUtf8 { name: text.clone().into_owned() });
        }
        let (mut climbs, mut parts) = (false, Vec::new());
        // Some writers on Windows put backslashes, which no archive format means as a separator but people do.
        let mut rest = text.as_ref();
        let absolute = match rest.as_bytes() {
            [b'/' | b'\\', ..] => true,
            [drive, b':', b'/' | b'\\', ..] if drive.is_ascii_alphabetic() => {
                rest = rest.get(2..).unwrap_or_default();
                true
            }
            _ => false,
        };
        for part in rest.split(['/', '\\']) {
            match part {
                "" | "." => {}
                ".." => climbs = true,
                part => parts.push(part),
            }
        }
        let mut name = parts.join("/");
        if climbs {
            notes.push(Note::NameClimbs { name: text.clone().into_owned() });
        }
        if absolute {
            notes.push(Note::NameAbsolute { name: text.into_owned() });
        }
        if name.is_empty() {
            name = format!("entry {}", self.number);
            notes.push(Note::NameEmpty { number: self.number, name: name.clone() });
        }
        self.unique(name)
    }

    fn unique(&mut self, name: String) -> String {
        let times = self.taken.entry(name.clone()).or_insert(0);
        *times += 1;
        if *times == 1 {
            return name;
        }
        let mut number = *times;
        loop {
            let candidate = format!("{name} ({number})");
            if !self.taken.contains_key(&candidate) {
                self.taken.insert(candidate.clone(), 1);
                return candidate;
            }
            number += 1;
        }
    }

    /// Notes the names that occurred more than once.
    pub(crate) fn finish(self, notes: &mut Notes) {
        for (name, times) in self.taken.into_iter().filter(|(_, times)| *times > 1) {
            notes.push(Note::NameDuplicate { name, times });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clean(raws: &[&[u8]]) -> (Vec<String>, Vec<Note>) {
        let (mut names, mut notes) = (Names::new(20), Notes::default());
        let cleaned = raws.iter().map(|raw| names.clean(raw, &mut notes)).collect();
        names.finish(&mut notes);
        (cleaned, notes.into_vec())
    }

    #[test]
    fn ordinary_names_stay() {
        let (names, notes) = clean(&[b"a", b"a/b.tape", "ü/é".as_bytes(), b"a:b", b"...", b"a..b"]);
        assert_eq!(names, ["a", "a/b.tape", "ü/é", "a:b", "...", "a..b"]);
        assert_eq!(notes, []);
    }

    #[test]
    fn odd_names_are_cleaned_and_noted() {
        let text = |text: &str| text.to_owned();
        for (raw, name, note) in [
            (&b"../x"[..], "x", Note::NameClimbs { name: text("../x") }),
            (b"a/../../x", "a/x", Note::NameClimbs { name: text("a/../../x") }),
            (b"..\\x", "x", Note::NameClimbs { name: text("..\\x") }),
            (b"/etc/x", "etc/x", Note::NameAbsolute { name: text("/etc/x") }),
            (b"C:\\x\\y", "x/y", Note::NameAbsolute { name: text("C:\\x\\y") }),
            (b"x\xff", "x\u{fffd}", Note::NameNotUtf8 { name: text("x\u{fffd}") }),
            (b"", "entry 1", Note::NameEmpty { number: 1, name: text("entry 1") }),
            (b"./", "entry 1", Note::NameEmpty { number: 1, name: text("entry 1") }),
            (&[b'y'; 21], "yyyyyyyyyyyyyyyyyyyy", Note::NameLong { number: 1, bytes: 21, limit: 20 }),
        ] {
            assert_eq!(clean(&[raw]), (vec![text(name)], vec![note]), "{raw:?}");
        }
    }

    #[test]
    fn no_two_entries_share_a_name() {
        let (names, notes) = clean(&[b"x", b"x", b"x (2)", b"./x", b"x (2)"]);
        let mut sorted = names.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!(sorted.len(), names.len(), "{names:?}");
        assert!(notes.contains(&Note::NameDuplicate { name: "x".to_owned(), times: 3 }), "{notes:?}");
    }
}
