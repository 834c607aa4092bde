//! A value line by line, to read; with the replayed one beside it, the lines that differ are marked.
//!
//! Invariant: every digit and escape is as the document spells it; what is left out or cut is said to be.

use crate::model::protocol_trace::{FieldLines, Line, Side};

use super::json::{Layout, to_json};
use super::value::{Key, Object, Value};

/// Lists and objects whose text is at most so long stand on one line.
const INLINE_BYTES: usize = 76;

/// Deeper values stand on one line, cut: nobody reads further right, and the stack is small.
const MAX_DEPTH: u16 = 40;

/// The lines of a recorded value, with those of the replayed one where they differ.
pub fn lines(recorded: &Value, replayed: Option<&Value>) -> FieldLines {
    let mut writer = Writer { out: FieldLines { bytes: json_bytes(recorded), ..FieldLines::default() } };
    writer.both(0, "", "", recorded, replayed);
    writer.out
}

/// Bytes of a value as JSON on one line, as mixle would write it.
fn json_bytes(value: &Value) -> u64 {
    to_json(value, Layout::Dumps).map_or(0, |text| text.len() as u64)
}

/// The text of a value as the document spells it.
pub fn verbatim(value: &Value) -> String {
    to_json(value, Layout::Verbatim).or_else(|_| to_json(value, Layout::Dumps)).unwrap_or_default()
}

/// The beginning of a value's text on one line, for rows of a list: at most `limit` bytes.
pub fn preview(value: &Value, limit: usize) -> String {
    let mut text = String::new();
    if !inline(&mut text, value, limit, 0) {
        text.push('…');
    }
    text
}

struct Writer {
    out: FieldLines,
}

impl Writer {
    fn is_full(&mut self) -> bool {
        let is_full = self.out.lines.len() >= FieldLines::MAX_LINES;
        self.out.is_cut |= is_full;
        is_full
    }

    fn push(&mut self, depth: u16, text: String, side: Side) {
        if !self.is_full() {
            self.out.lines.push(Line { depth, text, side });
        }
    }

    /// A value of both sides.
    fn both(&mut self, depth: u16, before: &str, after: &str, recorded: &Value, replayed: Option<&Value>) {
        let Some(replayed) = replayed.filter(|replayed| compact(recorded) != compact(replayed)) else {
            return self.one(depth, before, after, recorded, Side::Both);
        };
        match (recorded, replayed) {
            (Value::Array(a), Value::Array(b)) if depth < MAX_DEPTH && !a.is_empty() && !b.is_empty() => {
                self.push(depth, format!("{before}["), Side::Both);
                let len = a.len().max(b.len());
                for i in 0..len {
                    if self.is_full() {
                        break;
                    }
                    let comma = if i + 1 < len { "," } else { "" };
                    match (a.get(i), b.get(i)) {
                        (Some(a), Some(b)) => self.both(depth + 1, "", comma, &a, Some(&b)),
                        (Some(a), None) => self.one(depth + 1, "", comma, &a, Side::Recorded),
                        (None, Some(b)) => self.one(depth + 1, "", comma, &b, Side::Replayed),
                        (None, None) => {}
                    }
                }
                self.push(depth, format!("]{after}"), Side::Both);
            }
            (Value::Object(a), Value::Object(b)) if depth < MAX_DEPTH && !a.is_empty() && !b.is_empty() => {
                self.push(depth, format!("{before}{{"), Side::Both);
                let only_b: Vec<(&Key, &Value)> = b.iter().filter(|(key, _)| find(a, key).is_none()).collect();
                let len = a.len() + only_b.len();
                for (i, (key, left)) in a.iter().chain(only_b.iter().copied()).enumerate() {
                    if self.is_full() {
                        break;
                    }
                    let comma = if i + 1 < len { "," } else { "" };
                    let name = format!("{}: ", key_text(key));
                    if i >= a.len() {
                        self.one(depth + 1, &name, comma, left, Side::Replayed);
                    } else if let Some(right) = find(b, key) {
                        self.both(depth + 1, &name, comma, left, Some(right));
                    } else {
                        self.one(depth + 1, &name, comma, left, Side::Recorded);
                    }
                }
                self.push(depth, format!("}}{after}"), Side::Both);
            }
            _ => {
                self.one(depth, before, after, recorded, Side::Recorded);
                self.one(depth, before, after, replayed, Side::Replayed);
            }
        }
    }

    /// A value of one side, or of both when they agree.
    fn one(&mut self, depth: u16, before: &str, after: &str, value: &Value, side: Side) {
        let mut text = String::new();
        let is_leaf = !matches!(value, Value::Array(_) | Value::Object(_));
        let limit = if is_leaf || depth >= MAX_DEPTH { FieldLines::MAX_VALUE_BYTES } else { INLINE_BYTES };
        let is_whole = inline(&mut text, value, limit, 0);
        if is_whole || is_leaf || depth >= MAX_DEPTH {
            if !is_whole {
                self.out.is_cut = true;
                text.push('…');
            }
            return self.push(depth, format!("{before}{text}{after}"), side);
        }
        match value {
            Value::Array(items) => {
                self.push(depth, format!("{before}["), side);
                for (i, item) in items.iter().enumerate() {
                    if self.is_full() {
                        break;
                    }
                    self.one(depth + 1, "", if i + 1 < items.len() { "," } else { "" }, &item, side);
                }
                self.push(depth, format!("]{after}"), side);
            }
            Value::Object(object) => {
                self.push(depth, format!("{before}{{"), side);
                for (i, (key, item)) in object.iter().enumerate() {
                    if self.is_full() {
                        break;
                    }
                    let name = format!("{}: ", key_text(key));
                    self.one(depth + 1, &name, if i + 1 < object.len() { "," } else { "" }, item, side);
                }
                self.push(depth, format!("}}{after}"), side);
            }
            _ => {}
        }
    }
}

/// The text that is compared; NaN is equal to NaN here.
fn compact(value: &Value) -> String {
    to_json(value, Layout::Compact).or_else(|_| to_json(value, Layout::Verbatim)).unwrap_or_default()
}

/// A key as JSON writes it, so that a live integer key meets its text.
fn key_text(key: &Key) -> String {
    match key {
        Key::Text(_) => verbatim(&key.to_value()),
        other => format!("\"{}\"", verbatim(&other.to_value())),
    }
}

fn find<'a>(object: &'a Object, key: &Key) -> Option<&'a Value> {
    let name = key_text(key);
    object.get_key(key).or_else(|| object.iter().find(|(other, _)| key_text(other) == name).map(|(_, value)| value))
}

/// Appends a value's text on one line; `false` when it was cut at `limit` bytes.
fn inline(out: &mut String, value: &Value, limit: usize, depth: u16) -> bool {
    match value {
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                if depth > MAX_DEPTH || !inline(out, &item, limit, depth + 1) {
                    return false;
                }
            }
            out.push(']');
        }
        Value::Object(object) => {
            out.push('{');
            for (i, (key, item)) in object.iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                out.push_str(&key_text(key));
                out.push_str(": ");
                if depth > MAX_DEPTH || out.len() > limit || !inline(out, item, limit, depth + 1) {
                    return false;
                }
            }
            out.push('}');
        }
        leaf => out.push_str(&verbatim(leaf)),
    }
    if out.len() > limit {
        let end = (0..=limit).rev().find(|at| out.is_char_boundary(*at)).unwrap_or(0);
        out.truncate(end);
        return false;
    }
    true
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::trace::json::loads;

    fn shown(recorded: &str, replayed: Option<&str>) -> Vec<String> {
        let value = |text: &str| loads(text.as_bytes()).unwrap().value;
        let (a, b) = (value(recorded), replayed.map(value));
        let mark = |side| match side {
            Side::Both => ' ',
            Side::Recorded => '-',
            Side::Replayed => '+',
        };
        lines(&a, b.as_ref())
            .lines
            .iter()
            .map(|line| format!("{}{}{}", mark(line.side), "  ".repeat(usize::from(line.depth)), line.text))
            .collect()
    }

    #[test]
    fn short_values_stand_on_one_line_with_their_own_spelling() {
        assert_eq!(shown("{\"b\": [1, 1E2], \"a\": \"\\ud800\"}", None), [" {\"b\": [1, 1E2], \"a\": \"\\ud800\"}"]);
    }

    #[test]
    fn what_differs_stands_on_lines_of_its_own() {
        assert_eq!(
            shown("{\"a\": [0.5, 2], \"z\": 1}", Some("{\"a\": [0.25, 2, 3], \"y\": null}")),
            [
                " {",
                "   \"a\": [",
                "-    0.5,",
                "+    0.25,",
                "     2,",
                "+    3",
                "   ],",
                "-  \"z\": 1,",
                "+  \"y\": null",
                " }"
            ]
        );
    }

    #[test]
    fn other_types_stand_against_each_other() {
        assert_eq!(shown("1", Some("1.0")), ["-1", "+1.0"]);
        assert_eq!(shown("[]", Some("[1]")), ["-[]", "+[1]"]);
        assert_eq!(shown("NaN", Some("NaN")), [" NaN"]);
    }

    #[test]
    fn long_values_are_cut_and_say_so() {
        let long = format!("[{}]", vec!["12345"; 1000].join(","));
        let cut = lines(&loads(long.as_bytes()).unwrap().value, None);
        assert!(cut.is_cut && cut.lines.len() == FieldLines::MAX_LINES);
        let text = lines(&Value::text("x".repeat(5000)), None);
        assert!(text.is_cut && text.lines[0].text.ends_with('…') && text.bytes == 5002);
        let deep = format!("{}1{}", "[".repeat(900), "]".repeat(900));
        assert!(lines(&loads(deep.as_bytes()).unwrap().value, None).is_cut);
    }
}
