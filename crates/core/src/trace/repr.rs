//! Python's `repr` and `str` of values, as its messages quote them.
//!
//! Invariant: the answers are CPython 3.11's, with Unicode 14 deciding what is printable.

use super::json::python_float;
use super::text::{Text, TextBuf};
use super::unicode14;
use super::value::{Key, Value};

/// `repr(text)`.
pub fn repr_text(text: &Text) -> Text {
    let mut buf = TextBuf::default();
    push_text(&mut buf, text);
    buf.finish()
}

/// `repr(value)`.
///
/// A list or an object nested deeper than the reader allows does not occur; nesting takes one stack frame a level.
pub fn repr(value: &Value) -> Text {
    let mut buf = TextBuf::default();
    push(&mut buf, value);
    buf.finish()
}

/// `str(value)`: text as it is, everything else as its `repr`.
pub fn str_of(value: &Value) -> Text {
    match value {
        Value::Text(text) => text.clone(),
        other => repr(other),
    }
}

/// `repr` of the key of an object.
pub fn repr_key(key: &Key) -> Text {
    repr(&key.to_value())
}

/// `repr` of a float: as JSON, but `nan` and `inf`.
pub fn repr_float(value: f64) -> String {
    if value.is_nan() {
        return "nan".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf".into() } else { "-inf".into() };
    }
    python_float(value)
}

fn push(buf: &mut TextBuf, value: &Value) {
    match value {
        Value::Null => buf.push_str("None"),
        Value::Bool(true) => buf.push_str("True"),
        Value::Bool(false) => buf.push_str("False"),
        Value::Int(int) => buf.push_str(&int.to_string()),
        Value::Float(float) => buf.push_str(&repr_float(float.get())),
        Value::Text(text) => push_text(buf, text),
        Value::Array(array) => {
            buf.push_str("[");
            for (i, item) in array.iter().enumerate() {
                if i > 0 {
                    buf.push_str(", ");
                }
                push(buf, &item);
            }
            buf.push_str("]");
        }
        Value::Object(object) => {
            buf.push_str("{");
            for (i, (key, item)) in object.iter().enumerate() {
                if i > 0 {
                    buf.push_str(", ");
                }
                push(buf, &key.to_value());
                buf.push_str(": ");
                push(buf, item);
            }
            buf.push_str("}");
        }
    }
}

fn push_text(buf: &mut TextBuf, text: &Text) {
    let has = |wanted: u32| text.code_points().any(|c| c == wanted);
    let quote = if has(0x27) && !has(0x22) { 0x22 } else { 0x27 };
    buf.push(quote);
    for c in text.code_points() {
        match c {
            0x5C => buf.push_str("\\\\"),
            0x0A => buf.push_str("\\n"),
            0x0D => buf.push_str("\\r"),
            0x09 => buf.push_str("\\t"),
            c if c == quote => {
                buf.push(0x5C);
                buf.push(c);
            }
            c if unicode14::is_printable(c) => buf.push(c),
            0..=0xFF => buf.push_str(&format!("\\x{c:02x}")),
            0x100..=0xFFFF => buf.push_str(&format!("\\u{c:04x}")),
            _ => buf.push_str(&format!("\\U{c:08x}")),
        }
    }
    buf.push(quote);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::trace::json::loads;

    #[test]
    fn values_are_quoted_as_python_quotes_them() {
        for (json, expected) in [
            (r#""it's""#, r#""it's""#),
            (r#""it's \"x\"""#, r#"'it\'s "x"'"#),
            (r#""\u0000\u00a0\u200b\ud800\udb40\udc01\n\\é""#, r"'\x00\xa0\u200b\ud800\U000e0001\n\\é'"),
            (r#"[null, true, 1.0, 1e999, {"a": -0.0}]"#, "[None, True, 1.0, inf, {'a': -0.0}]"),
        ] {
            assert_eq!(repr(&loads(json.as_bytes()).unwrap().value).to_string(), expected);
        }
    }
}
