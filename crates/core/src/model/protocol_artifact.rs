//! What the page and the reader worker say about artifacts (files that hold others) and about sharing.
//!
//! Invariant: the page is told what an artifact holds, never its bytes; a link that leaves the worker holds what its
//! inventory lists, less what the plan took out.

use serde::{Deserialize, Serialize};

use crate::artifact::{NodeId, Tree};
use crate::link::Link;
use crate::link::redact::{Inventory, Plan, Report};

/// What an artifact holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArtifactSummary {
    /// The name of the file or folder that was opened, or how many files they were.
    pub name: String,
    /// Everything that was found.
    pub tree: Tree,
    /// For each tape with a source: the line that replays it.
    pub replays: Vec<(NodeId, String)>,
}

/// What is asked of a link that is to hold the open tape.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShareQuery {
    /// The view; its source is put in by the reader.
    pub view: Link,
    /// What to take out.
    pub plan: Plan,
}

/// A link that holds the open tape, and what goes along with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShareAnswer {
    /// The link's fragment, `#` included; `None` when the tape is too large for any link.
    pub fragment: Option<String>,
    /// Bytes of the tape and its source, before they are packed.
    pub bytes: u64,
    /// What the tape holds, before anything is taken out.
    pub inventory: Inventory,
    /// Whether the source goes along.
    pub source: Option<String>,
    /// What was taken out.
    pub report: Report,
}
