//! A Python exception, as mixle would have raised or recorded it.

use super::text::Text;
use super::value::Value;

/// A Python exception: the name of its class and `str()` of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PyError {
    /// The class name, such as `ValueError`.
    pub kind: String,
    /// The message; text, as it may quote lone surrogates of the input.
    pub message: Text,
}

impl PyError {
    /// An exception.
    pub fn new(kind: impl Into<String>, message: impl Into<Text>) -> PyError {
        PyError { kind: kind.into(), message: message.into() }
    }

    /// `failure_result(exc)`: the shape in which mixle records a failed step.
    pub fn failure_result(&self) -> Value {
        Value::object([(
            "error",
            Value::object([("type", Value::text(self.kind.as_str())), ("message", Value::Text(self.message.clone()))]),
        )])
    }
}

impl std::fmt::Display for PyError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.kind, self.message)
    }
}

impl std::error::Error for PyError {}
