//! What went wrong in a JSON text, in Python's words and with the place.

use std::fmt;

/// The kind of a [`JsonError`], which says what Python would have raised.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JsonErrorKind {
    /// The text is not JSON: `JSONDecodeError`.
    Syntax,
    /// The bytes are not text in the encoding that Python would have chosen: `UnicodeDecodeError`.
    Decode,
    /// An integer has more than 4300 digits: `ValueError`.
    TooManyDigits,
    /// Lists and objects are nested deeper than [`super::MAX_DEPTH`]: `RecursionError`.
    TooDeep,
    /// The caller asked to stop.
    Cancelled,
}

/// Why a text could not be read, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// The kind.
    pub kind: JsonErrorKind,
    /// The message of Python's `json`, without the place.
    pub message: String,
    /// Code points before the place (Python's `pos`).
    pub char_pos: usize,
    /// Line, from 1.
    pub line: usize,
    /// Column in code points, from 1.
    pub column: usize,
    /// Byte of the input, from 0, before any decoding.
    pub byte: usize,
}

impl JsonError {
    /// The Python exception's class name.
    pub fn python_type(&self) -> &'static str {
        match self.kind {
            JsonErrorKind::Syntax => "JSONDecodeError",
            JsonErrorKind::Decode => "UnicodeDecodeError",
            JsonErrorKind::TooManyDigits => "ValueError",
            JsonErrorKind::TooDeep => "RecursionError",
            JsonErrorKind::Cancelled => "KeyboardInterrupt",
        }
    }

    /// `str()` of the Python exception.
    pub fn python_message(&self) -> String {
        match self.kind {
            JsonErrorKind::Syntax => {
                format!("{}: line {} column {} (char {})", self.message, self.line, self.column, self.char_pos)
            }
            _ => self.message.clone(),
        }
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {} (byte {}): {}", self.line, self.column, self.byte, self.message)
    }
}

impl std::error::Error for JsonError {}
