//! How a tool fails.

use tapedeck_core::trace::{PyError, Text};

/// Why a tool gave no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolError {
    /// It raised, as the recorded one would have.
    Raised(PyError),
    /// It was not run to its end, for a limit of this program or because its result is not determined by its input.
    Refused(String),
}

impl ToolError {
    /// A Python exception.
    pub fn raised(kind: &str, message: impl Into<Text>) -> ToolError {
        ToolError::Raised(PyError::new(kind, message))
    }
}

impl From<PyError> for ToolError {
    fn from(error: PyError) -> ToolError {
        ToolError::Raised(error)
    }
}
