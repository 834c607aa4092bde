//! What the page asks the reader about an opened trace, and the answers.
//!
//! The requests that carry steps to and from the tools worker have a payload of their own (see `trace::wire`), which the page
//! passes on without looking into it.
//!
//! Invariant: an answer holds what a panel shows, never a whole trace; texts are exact, and one that is cut says so.

use serde::{Deserialize, Serialize};

use super::RowWindow;
use super::protocol::Direction;

/// What is opened: this decides what can be done with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TraceKind {
    /// An execution trace: it can be replayed.
    Trace,
    /// A TraceRecord: it carries no generator states and cannot be replayed.
    Record,
    /// A trace that is being recorded on the page.
    Session,
}

/// What an opened document of traces holds, and what the chosen trace in it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceSummary {
    /// The file name.
    pub name: String,
    /// Size of the document in bytes, after unwrapping.
    pub bytes: u64,
    /// The traces in the document, at least one.
    pub items: Vec<TraceItem>,
    /// The one that is shown; `None` while the user has yet to choose.
    pub chosen: Option<u32>,
    /// What the chosen one is.
    pub kind: TraceKind,
    /// Its request (a record's prompt) as JSON.
    pub request: ShownText,
    /// Its steps.
    pub steps: u32,
    /// Steps that carry no generator state.
    pub without_state: u32,
    /// Remarks on the whole: what was done to the bytes, why a record is not replayed.
    pub notes: Vec<String>,
    /// How many issues [`TraceQuestion::Issues`] lists.
    pub issues: u32,
}

/// One trace of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceItem {
    /// Where it stands: empty for the whole document, `[2]`, `line 3`, `/payload`.
    pub path: String,
    /// Whether it is a TraceRecord.
    pub is_record: bool,
    /// Its steps.
    pub steps: u32,
    /// The beginning of its request as JSON.
    pub request: String,
}

/// A text to show: whole, or its beginning.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShownText {
    /// The text.
    pub text: String,
    /// Bytes of the whole text.
    pub bytes: u64,
}

impl ShownText {
    /// The text, cut to at most `limit` bytes.
    pub fn cut(mut text: String, limit: usize) -> Self {
        let bytes = text.len() as u64;
        if text.len() > limit {
            let end = (0..=limit).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
            text.truncate(end);
        }
        Self { text, bytes }
    }

    /// Whether it is only the beginning.
    pub fn is_cut(&self) -> bool {
        (self.text.len() as u64) < self.bytes
    }
}

/// A question about the chosen trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TraceQuestion {
    /// Rows of the step list.
    Steps {
        /// Which rows.
        rows: RowWindow,
    },
    /// The bars of the timeline.
    Bars {
        /// The first step in view.
        first: u32,
        /// How many steps are in view.
        count: u32,
        /// The most bars that fit; steps share a bar beyond it.
        bars: u32,
    },
    /// Everything about one step.
    Step {
        /// The step (0-based).
        step: u32,
    },
    /// The whole text of one field.
    Field(FieldQuery),
    /// All words of one generator of a step.
    Words {
        /// The step (0-based).
        step: u32,
        /// Which generator, at which moment.
        which: WordsOf,
    },
    /// What is odd in the document.
    Issues {
        /// Which rows.
        rows: RowWindow,
    },
    /// The next step that differs or is not proven.
    NextDifference {
        /// From this step (0-based).
        from: u32,
        /// Which way.
        direction: Direction,
    },
    /// The differences to the other trace.
    Compare {
        /// Which rows.
        rows: RowWindow,
    },
}

/// The kind of a [`TraceQuestion`]: a newer one replaces an older one that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum TraceQuestionKind {
    Steps,
    Bars,
    Step,
    Field,
    Words,
    Issues,
    NextDifference,
    Compare,
}

impl TraceQuestion {
    /// Its kind.
    pub fn kind(&self) -> TraceQuestionKind {
        match self {
            Self::Steps { .. } => TraceQuestionKind::Steps,
            Self::Bars { .. } => TraceQuestionKind::Bars,
            Self::Step { .. } => TraceQuestionKind::Step,
            Self::Field(_) => TraceQuestionKind::Field,
            Self::Words { .. } => TraceQuestionKind::Words,
            Self::Issues { .. } => TraceQuestionKind::Issues,
            Self::NextDifference { .. } => TraceQuestionKind::NextDifference,
            Self::Compare { .. } => TraceQuestionKind::Compare,
        }
    }
}

/// One of a step's ten fields, by its name in JSON, of the recorded or the replayed step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldQuery {
    /// The step (0-based).
    pub step: u32,
    /// The field's name: `args`, `result`, … or `request` for the trace's own.
    pub field: String,
    /// Whether of the replayed step.
    pub is_replayed: bool,
}

/// Which generator, at which moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WordsOf {
    /// NumPy's; otherwise Python's.
    pub is_numpy: bool,
    /// After the step; otherwise before it.
    pub is_after: bool,
    /// Of the replayed step; otherwise of the recorded one.
    pub is_replayed: bool,
}

/// The answer to a [`TraceQuestion`], variant by variant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum TraceAnswer {
    Steps(StepsAnswer),
    Bars(Vec<Bar>),
    Step(Box<StepAnswer>),
    Field(FieldAnswer),
    Words(WordsAnswer),
    Issues(Vec<TraceIssue>),
    NextDifference { step: Option<u32> },
    Compare(CompareAnswer),
}

/// Rows of the step list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepsAnswer {
    /// The first row's step.
    pub first: u32,
    /// The rows.
    pub rows: Vec<StepRow>,
}

/// One row of the step list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepRow {
    /// The tool's name.
    pub tool: String,
    /// The seed as JSON; empty when there is none.
    pub seed: String,
    /// How the call ended, as recorded.
    pub ended: Ended,
    /// What the replay said.
    pub verdict: Mark,
    /// The verdict in words: what differs, or why it was not replayed.
    pub detail: String,
}

/// How a recorded call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ended {
    /// It returned.
    Returned,
    /// It failed, and the failure is its result.
    Failed,
    /// `succeeded` is null: the recorder predates the field, or it is a record.
    Unsaid,
    /// `succeeded` is neither true, false nor null.
    Odd,
}

/// What a replay said of a step, or of several: the worst of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Mark {
    /// It was not replayed so far.
    #[default]
    None,
    /// Identical to the last digit.
    Identical,
    /// It could not be replayed or compared.
    NotProven,
    /// It differs.
    Different,
}

impl Mark {
    /// The word for it; empty for a step that was not replayed so far.
    pub fn word(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Identical => "identical",
            Self::NotProven => "not replayed",
            Self::Different => "different",
        }
    }
}

/// One bar of the timeline.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bar {
    /// Its first step.
    pub first: u32,
    /// How many steps share it.
    pub count: u32,
    /// The tool of a bar of one step; empty otherwise.
    pub tool: String,
    /// Whether one of the steps failed, as recorded.
    pub has_failed: bool,
    /// The worst verdict.
    pub verdict: Mark,
}

/// Everything about one step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepAnswer {
    /// The step (0-based).
    pub step: u32,
    /// The tool's name.
    pub tool: String,
    /// The seed as JSON.
    pub seed: String,
    /// `succeeded` as JSON.
    pub succeeded: String,
    /// The arguments, the result and the action, line by line, differences marked.
    pub args: FieldLines,
    /// The result.
    pub result: FieldLines,
    /// The action; `None` when it is null.
    pub action: Option<FieldLines>,
    /// The state before and after; `None` when both are null.
    pub state: Option<StateChange>,
    /// The generators; `None` when the step carries neither state.
    pub rng: Option<RngChange>,
    /// A record's `model` and recorded verdict as JSON, where it has them.
    pub record_extras: Vec<(String, String)>,
    /// What the replay said.
    pub verdict: Mark,
    /// The verdict's headline: "identical", "result[2], 1 ULP", "there is no tool 'fetch'; mixle would raise KeyError".
    pub headline: String,
    /// The proven cause of a difference, in words.
    pub cause: Option<String>,
    /// The differing values.
    pub differences: Vec<DifferenceRow>,
    /// How many differing values there are in all.
    pub difference_count: u32,
    /// What was checked: each with its outcome.
    pub checks: Vec<Check>,
}

/// A field, line by line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldLines {
    /// The lines, at most [`FieldLines::MAX_LINES`].
    pub lines: Vec<Line>,
    /// Bytes of the recorded field as JSON.
    pub bytes: u64,
    /// Whether lines are missing, or one is cut.
    pub is_cut: bool,
}

impl FieldLines {
    /// Lines that are shown; the whole is one [`TraceQuestion::Field`] away.
    pub const MAX_LINES: usize = 400;
    /// Bytes of one value that are shown in a line.
    pub const MAX_VALUE_BYTES: usize = 2_000;
}

/// One line of a field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// How deep it stands.
    pub depth: u16,
    /// The text.
    pub text: String,
    /// On which side it stands.
    pub side: Side,
}

/// On which side a line stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Side {
    Both,
    Recorded,
    Replayed,
}

/// The state before and after a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StateChange {
    /// What changed, place by place.
    pub changes: Vec<DifferenceRow>,
    /// How many places changed in all.
    pub change_count: u32,
    /// The state before as JSON.
    pub before: ShownText,
    /// The state after as JSON.
    pub after: ShownText,
}

/// The generators at entry and exit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RngChange {
    /// Python's.
    pub python: GeneratorChange,
    /// NumPy's.
    pub numpy: GeneratorChange,
}

/// One generator at entry and exit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GeneratorChange {
    /// The position at entry as JSON; "not recorded" when there is none.
    pub before: String,
    /// The position at exit.
    pub after: String,
    /// Whether anything of the generator changed.
    pub has_moved: bool,
    /// The cached gaussian at entry, where there is one.
    pub cached_before: Option<String>,
    /// The cached gaussian at exit.
    pub cached_after: Option<String>,
}

/// A differing value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DifferenceRow {
    /// Where, in words: `result[2], 1 ULP`.
    pub place: String,
    /// The JSON pointer.
    pub pointer: String,
    /// The left value as JSON; `None` when there is none.
    pub left: Option<String>,
    /// The right value.
    pub right: Option<String>,
}

/// One thing that a replay checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// What: "tool", "arguments", "result", …
    pub what: String,
    /// How it stands.
    pub mark: Mark,
    /// In words.
    pub says: String,
}

/// The whole text of a field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldAnswer {
    /// The question.
    pub query: FieldQuery,
    /// The text as the document spells it; cut at [`FieldAnswer::MAX_BYTES`].
    pub text: ShownText,
}

impl FieldAnswer {
    /// How much text travels at the most: a page that shows more is no longer moved through.
    pub const MAX_BYTES: usize = 16 << 20;
}

/// All words of a generator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WordsAnswer {
    /// The step (0-based).
    pub step: u32,
    /// Which generator.
    pub which: WordsOf,
    /// The words as JSON; whatever stands there when it is no list of words.
    pub words: Vec<String>,
}

/// Something odd in a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceIssue {
    /// What.
    pub what: String,
    /// Where.
    pub place: String,
}

/// The differences of two traces.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompareAnswer {
    /// The name of the other document.
    pub other: String,
    /// One sentence.
    pub sentence: String,
    /// mixle's rows in all.
    pub total: u32,
    /// The first row's number.
    pub first: u32,
    /// The rows.
    pub rows: Vec<CompareRow>,
}

/// One row of mixle's `diff`, and the why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompareRow {
    /// The step (0-based), -1 for the request.
    pub index: i64,
    /// The tool, or mixle's word.
    pub name: String,
    /// Why.
    pub why: Vec<DifferenceRow>,
    /// How many values differ in all.
    pub count: u32,
}

/// What is asked of the reader beside questions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TraceRequest {
    /// Show this trace of the document. Answered by `Reply::OpenedTrace`.
    Choose {
        /// Its number in [`TraceSummary::items`].
        item: u32,
    },
    /// Forget the verdicts: a replay begins. Answered by [`TraceReply::Replay`].
    BeginReplay {
        /// Only this step.
        only: Option<u32>,
    },
    /// Steps to replay, packed. Answered by [`TraceReply::Batch`] with a payload.
    Batch {
        /// From this step on.
        first: u32,
        /// At most so many.
        count: u32,
    },
    /// The payload holds the outcomes of steps. Answered by [`TraceReply::Replay`].
    Outcomes,
    /// A step could not be run to its end here. Answered by [`TraceReply::Replay`].
    Stopped {
        /// The step (0-based).
        step: u32,
        /// Why, in a sentence.
        why: String,
    },
    /// The replay was ended before its end. Answered by [`TraceReply::Replay`].
    Cancelled,
    /// A file to save. Answered by [`TraceReply::File`] with a payload, or [`TraceReply::NoFile`].
    Export(Export),
    /// Begin a recording of one's own, without steps. Answered by `Reply::OpenedTrace`.
    NewSession {
        /// The request.
        request: String,
        /// The seed of both generators, to show.
        seed: String,
    },
    /// The payload is a step that was recorded: append it. Answered by `Reply::OpenedTrace`.
    AddStep,
    /// Name the request of the session. Answered by `Reply::OpenedTrace`.
    NameRequest {
        /// The request.
        request: String,
    },
    /// The payload is another document, to compare with. Answered by [`TraceReply::Other`] or [`TraceReply::NoFile`].
    CompareWith {
        /// Its name.
        name: String,
    },
}

/// A file to save.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Export {
    /// The trace as mixle would write it (`dumps`).
    Trace,
    /// The replayed trace.
    Replayed,
    /// The differences of the replay (or of the two traces) as JSON.
    DiffJson {
        /// Of the two traces; otherwise of the replay.
        is_compare: bool,
    },
    /// The differences as Markdown.
    DiffMarkdown {
        /// Of the two traces; otherwise of the replay.
        is_compare: bool,
    },
}

/// What the reader says to a [`TraceRequest`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum TraceReply {
    /// Steps to replay are in the payload; none are left when `count` is 0.
    Batch {
        /// The first of them.
        first: u32,
        /// How many.
        count: u32,
    },
    /// How the replay stands.
    Replay(ReplayState),
    /// The file is in the payload.
    File {
        /// Its name.
        name: String,
        /// Its media type.
        media: String,
    },
    /// There is no such file, and why.
    NoFile(String),
    /// The other trace is open.
    Other {
        /// Its name.
        name: String,
        /// One sentence on the comparison.
        sentence: String,
    },
}

/// How a replay stands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplayState {
    /// Steps of the trace.
    pub total: u32,
    /// Steps with a verdict.
    pub done: u32,
    /// Identical steps.
    pub identical: u32,
    /// Different steps.
    pub different: u32,
    /// Steps that could not be replayed or compared.
    pub not_proven: u32,
    /// The verdict on the whole, worst of all.
    pub verdict: Mark,
    /// The sentence it ends in; what is known so far before that.
    pub sentence: String,
    /// The first step that is different, or else not proven.
    pub first: Option<u32>,
}
