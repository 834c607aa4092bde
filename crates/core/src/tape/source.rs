//! The source beside a tape: its lines, and what it settles about whose a name is.
//!
//! This is no parser of EigenScript. It looks for `define f(a, b) as:` and `local x` by indentation, which settles that a
//! name is the function's own; and for words that bring in other files. What it does not find stays uncertain.

use std::collections::HashSet;

/// A source file as text, with what could be learnt from it.
#[derive(Debug, Default)]
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) lines: Vec<String>,
    /// (function, name): the name is a `local` or a parameter of the function.
    own_names: HashSet<(String, String)>,
    pub(crate) cautions: Vec<String>,
}

impl Source {
    pub(crate) fn new(name: String, bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let mut source = Self { name, ..Self::default() };
        // The functions whose bodies hold the current line, with the indentation of their `define`.
        let mut open: Vec<(usize, String)> = Vec::new();
        for (index, line) in text.lines().enumerate() {
            source.lines.push(line.trim_end_matches('\r').to_owned());
            let code = without_comment(line);
            let trimmed = code.trim_start();
            if trimmed.is_empty() {
                continue;
            }
            let indent = code.len() - trimmed.len();
            while open.last().is_some_and(|(outer, _)| *outer >= indent) {
                open.pop();
            }
            if let Some(rest) = trimmed.strip_prefix("define ") {
                let function: String = rest.trim_start().chars().take_while(|c| is_name_char(*c)).collect();
                let parameters =
                    rest.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map_or("", |(inside, _)| inside);
                for parameter in parameters.split(',') {
                    let name: String = parameter.trim().chars().take_while(|c| is_name_char(*c)).collect();
                    if !name.is_empty() {
                        source.own_names.insert((function.clone(), name));
                    }
                }
                open.push((indent, function));
            } else if let Some(rest) = trimmed.strip_prefix("local ")
                && let Some((_, function)) = open.last()
            {
                let name: String = rest.trim_start().chars().take_while(|c| is_name_char(*c)).collect();
                source.own_names.insert((function.clone(), name));
            }
            for word in ["import", "eval", "load_file"] {
                if has_word(code, word) {
                    source
                        .cautions
                        .push(format!("Line {} uses {word}: lines on the tape may be of another file.", index + 1));
                }
            }
        }
        source
    }

    /// Whether the source settles that `name` in frames of `function` is the function's own.
    pub(crate) fn is_own(&self, function: &[u8], name: &[u8]) -> bool {
        match (core::str::from_utf8(function), core::str::from_utf8(name)) {
            (Ok(function), Ok(name)) => self.own_names.contains(&(function.to_owned(), name.to_owned())),
            _ => false,
        }
    }
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The line up to a `#` that stands outside a string.
fn without_comment(line: &str) -> &str {
    let mut in_string = false;
    let mut escaped = false;
    for (at, c) in line.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if in_string => escaped = true,
            '"' => in_string = !in_string,
            '#' if !in_string => return line.get(..at).unwrap_or(line),
            _ => {}
        }
    }
    line
}

fn has_word(code: &str, word: &str) -> bool {
    code.match_indices(word).any(|(at, _)| {
        let before = code.get(..at).and_then(|text| text.chars().next_back());
        let after = code.get(at + word.len()..).and_then(|text| text.chars().next());
        !before.is_some_and(is_name_char) && !after.is_some_and(is_name_char)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locals_and_parameters_settle_whose_a_name_is() {
        let source = Source::new(
            "a.eigs".into(),
            b"n is 0\ndefine hit(by, n) as:\n    local k is \"# no comment\"\n    if k > 1:\n        local deep is 2\n    total is 1\nlocal top is 1\nimport mod # eval\n",
        );
        for (name, own) in [("by", true), ("n", true), ("k", true), ("deep", true), ("total", false), ("top", false)] {
            assert_eq!(source.is_own(b"hit", name.as_bytes()), own, "{name}");
        }
        assert_eq!(source.lines.len(), 8);
        assert_eq!(source.cautions.len(), 1);
    }
}
