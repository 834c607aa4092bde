//! Opening a document that holds traces: one trace, a TraceRecord, a list of them, JSON Lines, or an object with one inside.
//!
//! Invariant: a document opens as everything that can be read of it; what cannot is named with its place. A trace that is only
//! found inside another object is offered with its path, never opened as if the file were the trace.

use std::ops::ControlFlow;

use super::json::{DuplicateKey, Encoding, JsonError, JsonErrorKind, ReadOptions, decode_text, loads, loads_with};
use super::model::ExecutionTrace;
use super::record::{TraceRecord, validate};
use super::value::Value;

/// Traces and records that one document may hold; a longer file is cut there and says so.
pub const MAX_ITEMS: usize = 10_000;

/// A trace or a record.
#[derive(Clone, Debug)]
pub enum Found {
    /// An execution trace, which can be replayed.
    Trace(ExecutionTrace),
    /// A TraceRecord, which cannot.
    Record(TraceRecord),
}

/// One of the things that a document holds.
#[derive(Clone, Debug)]
pub struct Item {
    /// Where it stands: empty for the whole document, `[2]`, `line 3`, or `/payload` for one that is offered.
    pub path: String,
    /// What it is.
    pub found: Found,
}

/// A document that was opened.
#[derive(Clone, Debug)]
pub struct Opened {
    /// What it holds, at least one.
    pub items: Vec<Item>,
    /// True when the items stand inside an object that is no trace itself: they are offered, and the user chooses.
    pub offered: bool,
    /// Keys that stood twice in one object; the last won.
    pub duplicates: Vec<DuplicateKey>,
    /// How many such keys there are in all.
    pub duplicate_count: usize,
    /// The encoding of the bytes.
    pub encoding: Encoding,
    /// What could not be read of a list or of JSON Lines, each with its place.
    pub problems: Vec<String>,
}

/// Why a document holds no trace.
#[derive(Clone, Debug)]
pub enum OpenError {
    /// It is no JSON.
    Json(JsonError),
    /// It is JSON, and no trace: what was found, what was expected, and what mixle raises.
    NotATrace(String),
}

impl std::fmt::Display for OpenError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            OpenError::Json(error) => {
                write!(f, "This is not JSON at {error}. A trace is one JSON object with `request` and `steps`.")
            }
            OpenError::NotATrace(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for OpenError {}

/// Opens a document; `progress` is asked about every megabyte and may stop it.
///
/// # Errors
/// When nothing in it is a trace or a record, or it is no JSON.
pub fn open(bytes: &[u8], progress: Option<&mut dyn FnMut(usize) -> ControlFlow<()>>) -> Result<Opened, OpenError> {
    let parsed = match loads_with(bytes, ReadOptions { progress }) {
        Ok(parsed) => parsed,
        // A second document behind the first: one a line?
        Err(error) if error.kind == JsonErrorKind::Syntax && error.message == "Extra data" => {
            return open_lines(bytes, error);
        }
        Err(error) => return Err(OpenError::Json(error)),
    };
    let mut opened = Opened {
        items: Vec::new(),
        offered: false,
        duplicates: parsed.duplicates,
        duplicate_count: parsed.duplicate_count,
        encoding: parsed.encoding,
        problems: Vec::new(),
    };
    match kind_of(&parsed.value) {
        Kind::Trace | Kind::Record => {
            let found = take(parsed.value).map_err(OpenError::NotATrace)?;
            opened.items.push(Item { path: String::new(), found });
            return Ok(opened);
        }
        Kind::Neither => {}
    }
    let description = describe(&parsed.value);
    match parsed.value {
        Value::Array(items) if items.iter().any(|item| kind_of(&item) != Kind::Neither) => {
            for (i, item) in items.into_vec().into_iter().enumerate() {
                add(&mut opened, format!("[{i}]"), item);
            }
        }
        Value::Object(object) => {
            opened.offered = true;
            for (key, value) in object.into_entries() {
                let name = key.as_text().map(ToString::to_string).unwrap_or_default();
                let path = format!("/{}", name.replace('~', "~0").replace('/', "~1"));
                match value {
                    Value::Array(items) if items.iter().any(|item| kind_of(&item) != Kind::Neither) => {
                        for (i, item) in items.into_vec().into_iter().enumerate() {
                            add(&mut opened, format!("{path}/{i}"), item);
                        }
                    }
                    // A store may keep the trace as the text that `dumps` gave.
                    Value::Text(text) if text.as_bytes().starts_with(b"{") => {
                        if let Ok(inner) = super::json::text_loads(&text)
                            && kind_of(&inner.value) != Kind::Neither
                        {
                            add(&mut opened, path, inner.value);
                        }
                    }
                    other => {
                        if kind_of(&other) != Kind::Neither {
                            add(&mut opened, path, other);
                        }
                    }
                }
            }
        }
        _ => {}
    }
    if opened.items.is_empty() {
        let reasons = opened.problems.first().map(|p| format!(" {p}.")).unwrap_or_default();
        return Err(OpenError::NotATrace(format!("{description}{reasons}")));
    }
    Ok(opened)
}

fn open_lines(bytes: &[u8], whole: JsonError) -> Result<Opened, OpenError> {
    let Ok((text, encoding)) = decode_text(bytes) else { return Err(OpenError::Json(whole)) };
    let mut opened = Opened {
        items: Vec::new(),
        offered: false,
        duplicates: Vec::new(),
        duplicate_count: 0,
        encoding,
        problems: Vec::new(),
    };
    for (i, line) in text.split(|b| *b == b'\n').enumerate() {
        let line = line.trim_ascii();
        if line.is_empty() {
            continue;
        }
        match loads(line) {
            Ok(parsed) => {
                opened.duplicate_count += parsed.duplicate_count;
                let moved = parsed.duplicates.into_iter().map(|d| DuplicateKey { line: i + 1, ..d });
                opened.duplicates.extend(moved);
                add(&mut opened, format!("line {}", i + 1), parsed.value);
            }
            Err(error) => {
                problem(&mut opened, format!("line {}, column {}: {}", i + 1, error.column, error.message));
            }
        }
    }
    if opened.items.is_empty() {
        return Err(OpenError::Json(whole));
    }
    Ok(opened)
}

fn problem(opened: &mut Opened, what: String) {
    // As many as a page can show; a file of a million bad lines needs no million sentences.
    if opened.problems.len() < 100 {
        opened.problems.push(what);
    }
}

fn add(opened: &mut Opened, path: String, value: Value) {
    if opened.items.len() >= MAX_ITEMS {
        if opened.items.len() == MAX_ITEMS && !opened.problems.iter().any(|p| p.contains("the first")) {
            problem(opened, format!("only the first {MAX_ITEMS} traces are opened"));
        }
        return;
    }
    match take(value) {
        Ok(found) => opened.items.push(Item { path, found }),
        Err(reason) => problem(opened, format!("{path}: {reason}")),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Trace,
    Record,
    Neither,
}

/// What a value means to be, by its keys.
fn kind_of(value: &Value) -> Kind {
    let has = |key: &str| value.get(key).is_some();
    if has("request") && (has("steps") || value.as_object().is_some_and(|o| o.len() == 1)) {
        Kind::Trace
    } else if has("prompt") && has("steps") {
        Kind::Record
    } else {
        Kind::Neither
    }
}

fn take(value: Value) -> Result<Found, String> {
    match kind_of(&value) {
        Kind::Record => {
            validate(&value)
                .map_err(|e| format!("This looks like a TraceRecord, but mixle refuses it: {}", e.message))?;
            TraceRecord::from_json(&value).map(Found::Record).map_err(|e| e.to_string())
        }
        Kind::Trace => ExecutionTrace::from_json(value)
            .map(Found::Trace)
            .map_err(|e| format!("This looks like an execution trace, but {e}")),
        Kind::Neither => Err(describe(&value)),
    }
}

/// What was found instead of a trace.
fn describe(value: &Value) -> String {
    let found = match value {
        Value::Object(object) if object.is_empty() => "an empty object".to_string(),
        Value::Object(object) => {
            let mut keys: Vec<String> =
                object.iter().take(8).map(|(k, _)| super::repr::repr_key(k).to_string()).collect();
            if object.len() > 8 {
                keys.push("…".into());
            }
            format!("an object with the keys {}", keys.join(", "))
        }
        Value::Array(items) => match items.len() {
            0 => "an empty list".to_string(),
            n => {
                let first = items.get(0).map(|v| v.type_name()).unwrap_or_default();
                format!("a list of {n}, the first of type {first}")
            }
        },
        Value::Text(_) => "a text".to_string(),
        Value::Null => "null".to_string(),
        other => format!("a value of type {}", other.type_name()),
    };
    format!(
        "This is JSON, but no trace: line 1, column 1 begins {found}; \
         expected an object with `request` and `steps` (an execution trace), or with `prompt` and `steps` (a TraceRecord)."
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::panic)]
    use super::*;

    const TRACE: &str = r#"{"request": "r", "steps": [{"tool": "t"}]}"#;
    const RECORD: &str = r#"{"prompt": "p", "steps": [], "outcome": null, "provenance": {}}"#;

    fn paths(text: &str) -> Vec<String> {
        open(text.as_bytes(), None).unwrap().items.into_iter().map(|i| i.path).collect()
    }

    #[test]
    fn every_way_to_hold_a_trace_opens() {
        assert_eq!(paths(TRACE), [""]);
        assert_eq!(paths(RECORD), [""]);
        assert_eq!(paths(&format!("[{TRACE}, {RECORD}]")), ["[0]", "[1]"]);
        assert_eq!(paths(&format!("{TRACE}\r\n\n{RECORD}\n")), ["line 1", "line 3"]);
        let inside = format!(r#"{{"kind": "trace", "pay/load": {TRACE}, "n": 1}}"#);
        assert_eq!(paths(&inside), ["/pay~1load"]);
        assert!(open(inside.as_bytes(), None).unwrap().offered);
        let as_text = format!(r#"{{"body": {TRACE:?}}}"#);
        assert_eq!(paths(&as_text), ["/body"]);
    }

    #[test]
    fn a_bad_line_does_not_hide_the_others() {
        let opened = open(format!("{TRACE}\n{{\"request\": }}\n{TRACE}\n[1]\n").as_bytes(), None).unwrap();
        assert_eq!(opened.items.len(), 2);
        assert!(opened.problems[0].starts_with("line 2, column 13: Expecting value"), "{:?}", opened.problems);
        assert!(opened.problems[1].starts_with("line 4: This is JSON, but no trace"), "{:?}", opened.problems);
    }

    #[test]
    fn what_is_no_trace_says_what_it_is() {
        let error = |text: &str| open(text.as_bytes(), None).unwrap_err().to_string();
        assert!(error("{\"name\": 1}").contains("an object with the keys 'name'"));
        assert!(error("[1, 2]").contains("a list of 2, the first of type int"));
        assert!(error("{\"request\": 1, \"steps\": [5]}").contains("step 1: mixle raises TypeError"));
        assert!(error("{\"prompt\": 1, \"steps\": 5}").contains("missing frozen keys: ['outcome', 'provenance']"));
        assert!(error("nope").contains("line 1, column 1 (byte 0): Expecting value"));
    }
}
