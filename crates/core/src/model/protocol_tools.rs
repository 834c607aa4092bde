//! The messages between the page and the tools worker, which runs tools and nothing else.
//!
//! A message is `[id, bytes, payload?]` in both directions, `bytes` being postcard. Payloads are packed steps and states
//! (`trace::wire`), which the page carries between the two workers and does not look into.
//!
//! Invariant: the tools worker keeps nothing of a recording from one message to the next; it can be ended at any moment and
//! another one, given the same modules, goes on.

use serde::{Deserialize, Serialize};

use super::protocol::Refusal;

/// What the page asks of the tools worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ToolsRequest {
    /// Replay the steps in the payload. Answered by [`ToolsReply::Began`] and [`ToolsReply::Outcomes`], the last of which
    /// says so.
    Run {
        /// The first step's number, to be told back.
        first: u32,
        /// Tell every step before it runs, and its outcome right after: then a step that never ends is known.
        is_careful: bool,
    },
    /// The payload is a module that the user brought. Answered by [`ToolsReply::Module`] or [`ToolsReply::ModuleRefused`].
    AddModule {
        /// Its file name.
        name: String,
        /// Whether its tools replace those of the same name.
        replaces: bool,
    },
    /// Take a module out. Answered by [`ToolsReply::Tools`].
    DropModule {
        /// The SHA-256 of its bytes.
        sha256: String,
    },
    /// Which tools are there? Answered by [`ToolsReply::Tools`].
    List,
    /// Fresh generators from a seed. Answered by [`ToolsReply::Seeded`] with a payload, or [`ToolsReply::BadInput`].
    Seed {
        /// The seed: a whole number from 0 to 2^32 - 1 in decimal.
        seed: String,
    },
    /// Run a tool once, as `record_step` does. Answered by [`ToolsReply::Tried`] or [`ToolsReply::BadInput`].
    Try {
        /// The payload is a step, at whose exit state this one begins; otherwise it is a state.
        is_after_step: bool,
        /// The tool.
        tool: String,
        /// The arguments as JSON: an object.
        args: String,
        /// The seed as JSON; empty for none.
        seed: String,
    },
}

/// What the tools worker says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ToolsReply {
    /// It runs and takes requests (sent once, with id 0).
    Ready,
    /// This step runs now.
    Began {
        /// Its number.
        step: u32,
    },
    /// Outcomes of steps are in the payload.
    Outcomes {
        /// The step after the last of them.
        next: u32,
        /// Whether the batch is done.
        is_last: bool,
    },
    /// The tools there are.
    Tools(Vec<ToolRow>),
    /// A module was taken.
    Module(ModuleReport),
    /// A module was not taken.
    ModuleRefused(Refusal),
    /// The generators' state is in the payload.
    Seeded,
    /// A tool ran.
    Tried(Tried),
    /// What was typed cannot be used, and why.
    BadInput(String),
    /// A panic, told by the panic hook just before the worker is lost.
    Panicked(String),
}

/// One tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolRow {
    /// Its name.
    pub name: String,
    /// How it is called: `draw_normal(n, seed)`.
    pub signature: String,
    /// What it does, in a sentence.
    pub description: String,
    /// Whether it takes a seed.
    pub takes_seed: bool,
    /// The module it comes from; `None` for a tool that ships.
    pub module: Option<ModuleName>,
}

/// Which module a tool comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModuleName {
    /// The module's name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// SHA-256 of its bytes, lower-case hex.
    pub sha256: String,
}

/// A module that was taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModuleReport {
    /// Which one.
    pub module: ModuleName,
    /// The file it came in.
    pub file: String,
    /// Its tools that are in use.
    pub tools: Vec<String>,
    /// Its tools that are not, because another tool has the name.
    pub shadowed: Vec<String>,
    /// All tools there are now.
    pub all: Vec<ToolRow>,
}

/// How a tool ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tried {
    /// The result, or the exception, as text.
    pub shown: super::protocol_trace::ShownText,
    /// Whether it returned: then the payload is the step.
    pub is_returned: bool,
    /// What the generators did, in words.
    pub rng: String,
}
