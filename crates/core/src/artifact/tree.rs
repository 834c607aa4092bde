//! What was found in a file or a folder, as plain data that can travel to the page.

use serde::{Deserialize, Serialize};

use super::testrun::TestRun;
use crate::bytes::{Container, Encoding, Kind, Note, UnpackError};

/// The number of a node in its [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NodeId(pub u32);

/// What a file or folder holds.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tree {
    /// Every file, each container before what it holds; a [`NodeId`] is an index into this.
    pub nodes: Vec<Node>,
    /// The test runs whose results or logs were found.
    pub runs: Vec<TestRun>,
    /// What is odd about the whole.
    pub notes: Vec<Note>,
}

/// One file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// Its number.
    pub id: NodeId,
    /// The container it lies in; `None` for what was opened itself.
    pub parent: Option<NodeId>,
    /// Its name in its container, with folders: `tapes/a.tape.gz`.
    pub name: String,
    /// Where it is in the whole: the names of its containers (without the outermost file, whose name differs from download
    /// to download) and its own, joined by `/`. This is what a link's `f=` holds. Empty for a file that was opened itself.
    pub path: String,
    /// What it is once unwrapped.
    pub kind: Kind,
    /// What it serves for here.
    pub role: Role,
    /// What was, or is to be, unwrapped to get at it, outermost first.
    pub layers: Vec<Layer>,
    /// Its size as its container states it, before it is unwrapped. A statement, not a promise.
    pub stated_bytes: u64,
    /// What is odd about it.
    pub notes: Vec<Note>,
    /// Why it cannot be opened.
    pub problem: Option<Problem>,
    /// For a tape: the source that has its name, or that its test run or bundle names.
    pub source: Join,
}

/// What a file serves for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Role {
    /// It holds further files.
    Container,
    /// A tape to open.
    Tape,
    /// A trace to open.
    Trace,
    /// The results of a test run, as JSON.
    TestResults,
    /// The log of a test run.
    TestLog,
    /// EigenScript source.
    Source,
    /// A tool module (WebAssembly).
    ToolModule,
    /// Listed, not opened.
    Other,
}

/// A wrapping around a file that holds nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Layer {
    /// gzip.
    Gzip,
    /// Another text encoding than UTF-8.
    Encoded(Encoding),
}

/// A cause for which something is not opened, in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// A stable word for programs, see [`UnpackError::code`].
    pub code: String,
    /// What, where and why, in a sentence or two.
    pub what: String,
    /// What to do next.
    pub advice: String,
}

impl From<&UnpackError> for Problem {
    fn from(error: &UnpackError) -> Self {
        Self { code: error.code().to_owned(), what: error.to_string(), advice: error.advice().to_owned() }
    }
}

/// Which file belongs to another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Join {
    /// None is here.
    #[default]
    None,
    /// This one.
    One(NodeId),
    /// Several fit equally well: the user must choose.
    Several(Vec<NodeId>),
}

impl Join {
    /// The only file that fits.
    pub fn one(&self) -> Option<NodeId> {
        match self {
            Self::One(id) => Some(*id),
            Self::None | Self::Several(_) => None,
        }
    }

    pub(super) fn from_candidates(mut candidates: Vec<NodeId>) -> Self {
        match candidates.as_slice() {
            [] => Self::None,
            [one] => Self::One(*one),
            _ => {
                candidates.sort_unstable();
                Self::Several(candidates)
            }
        }
    }
}

impl Tree {
    /// The node of this number.
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.0 as usize)
    }

    /// The first node of this path, as a link's `f=` names it.
    pub fn find(&self, path: &str) -> Option<&Node> {
        self.nodes.iter().find(|node| node.path == path)
    }

    /// The nodes directly inside `parent`; of what was opened itself for `None`.
    pub fn children(&self, parent: Option<NodeId>) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter(move |node| node.parent == parent)
    }

    /// The files of one role, in the order in which they were found.
    pub fn of_role(&self, role: Role) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter(move |node| node.role == role)
    }

    /// Everything that can be opened: first the tapes of failing tests in the order of their run, then the other tapes, then
    /// the traces.
    pub fn recordings(&self) -> Vec<NodeId> {
        let failing = self
            .runs
            .iter()
            .flat_map(|run| &run.tests)
            .filter(|test| test.is_failure())
            .filter_map(|test| test.tape.one());
        let others = self.of_role(Role::Tape).chain(self.of_role(Role::Trace)).map(|node| node.id);
        let mut seen = vec![false; self.nodes.len()];
        failing
            .chain(others)
            .filter(|id| {
                let Some(seen) = seen.get_mut(id.0 as usize) else { return false };
                let fresh = !std::mem::replace(seen, true);
                fresh && self.node(*id).is_some_and(|node| node.problem.is_none())
            })
            .collect()
    }

    /// When there is nothing to open: what was seen, in sentences.
    pub fn nothing_to_open(&self) -> Option<String> {
        if !self.recordings().is_empty() {
            return None;
        }
        if let [only] = self.nodes.as_slice()
            && (only.role != Role::Container || only.problem.is_some())
        {
            return Some(match (&only.problem, only.kind) {
                (Some(problem), _) => format!("{} {}", problem.what, problem.advice),
                (None, Kind::Known(known)) => format!("This is {}. {}", known.with_article(), known.advice()),
                (None, kind) => format!("This is {}, and no recording.", kind.with_article()),
            });
        }
        const NAMED: usize = 8;
        let files: Vec<_> = self.nodes.iter().filter(|node| node.role != Role::Container).collect();
        if files.is_empty() {
            return Some("There is no file in it.".to_owned());
        }
        let mut text = match files.len() {
            1 => "There is no tape and no trace in it:".to_owned(),
            count => format!("There is no tape and no trace among its {count} files:"),
        };
        for (number, node) in files.iter().take(NAMED).enumerate() {
            let separator = if number == 0 { ' ' } else { ';' };
            text.push(separator);
            if number > 0 {
                text.push(' ');
            }
            let name = if node.path.is_empty() { &node.name } else { &node.path };
            text.push_str(&format!("{name} is {}", node.kind.with_article()));
            if node.problem.is_some() {
                text.push_str(" that cannot be opened");
            }
        }
        if files.len() > NAMED {
            text.push_str(&format!("; and {} more", files.len() - NAMED));
        }
        text.push('.');
        Some(text)
    }
}

impl Node {
    /// Whether it holds further files.
    pub fn is_container(&self) -> bool {
        matches!(self.kind, Kind::Container(Container::Zip | Container::Tar | Container::Bundle))
    }

    /// The last part of its name.
    pub fn base_name(&self) -> &str {
        super::join::base_name(&self.name)
    }
}
