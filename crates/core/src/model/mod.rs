//! What both formats share: positions, issues, labels, and the protocol between the page and the reader worker.

pub mod issue;
pub mod position;
pub mod protocol;
pub mod protocol_tools;
pub mod protocol_trace;

pub use issue::{Issue, IssueKind};
pub use position::{ByteOffset, Pos, RowWindow};
