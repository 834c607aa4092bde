//! The messages between the page and the reader worker.
//!
//! A request goes out as `[id, request, payload?]`: the request through serde-wasm-bindgen (small, readable in DevTools),
//! the payload a `File` or a transferred `ArrayBuffer`. A reply comes back as `[id, bytes]`, the bytes being postcard in a
//! transferred buffer, because an answer may hold thousands of rows.
//!
//! Invariant: the page holds no recording, only the answers to what it shows now. A newer question of the same kind
//! (see [`Question::kind`]) replaces an older one that is still waiting.

use serde::{Deserialize, Serialize};

use super::protocol_trace::{TraceAnswer, TraceQuestion, TraceQuestionKind, TraceReply, TraceRequest, TraceSummary};
use super::{ByteOffset, Issue, IssueKind, Pos, RowWindow};

/// What the page asks of the reader worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Request {
    /// Read and index the payload (a `File`, or an `ArrayBuffer`) as a recording of this name. Answered by any number of
    /// [`Reply::Progress`] and then [`Reply::Opened`] or [`Reply::Refused`].
    Open {
        /// The file name as the user knows it.
        name: String,
    },
    /// Take the payload as the source text of the open tape. Answered by [`Reply::Source`].
    AddSource {
        /// The file name of the source.
        name: String,
    },
    /// A question about the open recording. Answered by [`Reply::Answer`].
    Ask(Question),
    /// What is asked about an open trace beside questions; each says how it is answered.
    Trace(TraceRequest),
    /// Are you there? Answered by [`Reply::Pong`].
    Ping,
}

/// What the reader worker says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Reply {
    /// The worker runs and takes requests (sent once, with id 0).
    Ready,
    /// How far the opening is.
    Progress(Progress),
    /// The recording is open.
    Opened(Box<TapeSummary>),
    /// The recording is a trace (or several), and open; also after another of its traces was chosen, or one grew.
    OpenedTrace(Box<TraceSummary>),
    /// The recording cannot be opened.
    Refused(Refusal),
    /// The source was taken.
    Source(SourceSummary),
    /// The answer to a question.
    Answer(Box<Answer>),
    /// What there is to say to a [`Request::Trace`]; some of it comes with a payload.
    Trace(TraceReply),
    /// Yes, I am.
    Pong,
    /// A panic, told by the panic hook just before the worker is lost.
    Panicked(String),
}

/// How far a long piece of work is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// What is being done: "Reading", "Indexing", …
    pub stage: String,
    /// Bytes (or records) done so far.
    pub done: f64,
    /// Bytes (or records) in all; 0 when not known.
    pub total: f64,
    /// Whether the worker now works without a word until this stage ends: then it is not dead for being silent.
    pub is_silent: bool,
}

/// Why a recording is not opened, as a sentence for people and a kind for programs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The kind: a stable word such as `empty`, `no-header`, `malformed-header`, `format`, `runtime`, `too-large`.
    pub kind: String,
    /// What is wrong, in one sentence.
    pub what: String,
    /// Where: "byte 0, line 1", or empty.
    pub place: String,
    /// What to do next, in one sentence.
    pub advice: String,
}

/// Text that may not have been UTF-8.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Text {
    /// The text, with U+FFFD for what is not UTF-8.
    pub text: String,
    /// Whether bytes were replaced in `text`.
    pub lossy: bool,
}

impl Text {
    /// Decodes bytes, marking what is not UTF-8.
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        Self { lossy: matches!(text, std::borrow::Cow::Owned(_)), text: text.into_owned() }
    }
}

/// What an opened tape holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TapeSummary {
    /// The file name.
    pub name: String,
    /// Size of the tape in bytes, after unwrapping.
    pub bytes: u32,
    /// The runtime that the header names.
    pub runtime: Text,
    /// Whether trajectory labels are computed: only for a runtime whose observer Tapedeck implements.
    pub has_labels: bool,
    /// Number of positions (`L` records).
    pub positions: u32,
    /// Number of `A` records.
    pub assigns: u32,
    /// Number of (scope, name) bindings.
    pub bindings: u32,
    /// Number of `N` records.
    pub nondet: u32,
    /// Records in all, `V` and `S` included; torn and unknown lines are not records.
    pub records: u32,
    /// Number of distinct call frames (serials), the module's included.
    pub frames: u32,
    /// Rows of the timeline's frame lanes: the deepest stack.
    pub frame_rows: u32,
    /// Number of sessions (`V` headers).
    pub sessions: u32,
    /// How many issues there are of each kind; kinds without any are left out.
    pub issues: Vec<(IssueKind, u32)>,
    /// Bytes of index at rest, beside the tape's own bytes.
    pub index_bytes: u32,
    /// What was done to the bytes before they were read as a tape ("unwrapped from gzip"), and other remarks on the whole.
    pub notes: Vec<String>,
    /// The most frequent numeric names of the module, for a first choice of pins; at most 2.
    pub suggested_pins: Vec<Pin>,
}

/// What the source beside a tape is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourceSummary {
    /// The file name.
    pub name: String,
    /// Its lines, decoded.
    pub lines: Vec<String>,
    /// Positions whose line is past the end of the source.
    pub positions_past_end: u32,
    /// What the source says about the tape ("`import` on line 3: lines may be of another file").
    pub cautions: Vec<String>,
    /// How many issues there are of each kind, now that the source is known.
    pub issues: Vec<(IssueKind, u32)>,
}

/// A question about the open recording.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Question {
    /// What is true at a position.
    State(StateQuery),
    /// What the timeline shows of a range.
    Timeline(TimelineQuery),
    /// The density of the whole recording.
    Minimap {
        /// How many equal parts of the recording are wanted at the most.
        buckets: u32,
    },
    /// The history of one binding.
    History(HistoryQuery),
    /// The list of issues.
    Issues {
        /// Only this kind.
        kind: Option<IssueKind>,
        /// Which rows.
        rows: RowWindow,
    },
    /// The list of nondet records.
    Inputs {
        /// Which rows.
        rows: RowWindow,
    },
    /// Lines with their visits, by line number.
    Lines {
        /// Which rows (one a line number that was visited).
        rows: RowWindow,
    },
    /// The whole value of one record.
    Value {
        /// Where the record starts.
        byte: ByteOffset,
    },
    /// Where a movement leads.
    Jump(JumpQuery),
    /// A command of EigenScript's stepper.
    Step(StepQuery),
    /// A question in the Ask language (docs/ask.md).
    Ask(AskQuery),
    /// Where a text occurs.
    Search(SearchQuery),
    /// What could stand at a place of a question.
    Complete(CompleteQuery),
    /// How this recording and the second one differ.
    Compare(CompareQuery),
    /// The bindings of both recordings side by side.
    ComparedBindings(ComparedBindingsQuery),
    /// A question about an open trace.
    Trace(TraceQuestion),
}

impl Question {
    /// Questions of one kind replace one another while they wait.
    pub fn kind(&self) -> QuestionKind {
        match self {
            Self::State(_) => QuestionKind::State,
            Self::Timeline(_) => QuestionKind::Timeline,
            Self::Minimap { .. } => QuestionKind::Minimap,
            Self::History(_) => QuestionKind::History,
            Self::Issues { .. } => QuestionKind::Issues,
            Self::Inputs { .. } => QuestionKind::Inputs,
            Self::Lines { .. } => QuestionKind::Lines,
            Self::Value { .. } => QuestionKind::Value,
            Self::Jump(_) => QuestionKind::Jump,
            Self::Trace(question) => QuestionKind::Trace(question.kind()),
            Self::Step(_) => QuestionKind::Step,
            Self::Ask(_) => QuestionKind::Ask,
            Self::Search(_) => QuestionKind::Search,
            Self::Complete(_) => QuestionKind::Complete,
            Self::Compare(_) => QuestionKind::Compare,
            Self::ComparedBindings(_) => QuestionKind::ComparedBindings,
        }
    }
}

/// The kind of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs)]
pub enum QuestionKind {
    State,
    Timeline,
    Minimap,
    History,
    Issues,
    Inputs,
    Lines,
    Value,
    Jump,
    Step,
    Ask,
    Search,
    Complete,
    Compare,
    ComparedBindings,
    Trace(TraceQuestionKind),
}

/// The answer to a [`Question`], variant by variant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Answer {
    State(StateAnswer),
    Timeline(TimelineSlice),
    Minimap(Minimap),
    History(HistoryAnswer),
    Issues(IssuesAnswer),
    Inputs(InputsAnswer),
    Lines(LinesAnswer),
    Value(ValueAnswer),
    Jump(JumpAnswer),
    Step(StepAnswer),
    Ask(AskAnswer),
    Search(SearchAnswer),
    Complete(CompleteAnswer),
    Compare(Box<CompareAnswer>),
    ComparedBindings(ComparedBindings),
    /// The question does not fit the recording (nothing is open, a position past the end): what and why.
    Unanswerable(String),
    Trace(TraceAnswer),
}

/// What is asked of one position.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StateQuery {
    /// The position.
    pub pos: Pos,
    /// Which binding rows, after filtering.
    pub bindings: RowWindow,
    /// Only bindings whose name contains this text (ASCII case does not matter); empty for all.
    pub filter: String,
    /// Which events.
    pub events: RowWindow,
    /// Which call frames, innermost first.
    pub frames: RowWindow,
}

/// What is true at one position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StateAnswer {
    /// The position asked for.
    pub pos: Pos,
    /// Its line number as the tape has it.
    pub line: i32,
    /// The function of the innermost frame; `None` before any `S`.
    pub function: Option<Text>,
    /// `A` and `N` records that belong to this position.
    pub events_total: u32,
    /// The events asked for.
    pub events: Vec<EventRow>,
    /// Bindings visible here, after filtering.
    pub bindings_total: u32,
    /// The binding rows asked for, innermost scope first, in order of first assignment.
    pub bindings: Vec<BindingRow>,
    /// Frames on the call stack.
    pub frames_total: u32,
    /// The frames asked for, innermost first.
    pub frames: Vec<FrameRow>,
}

/// One `A` or `N` record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventRow {
    /// Where the record starts.
    pub byte: ByteOffset,
    /// `Some` for a nondet record: the category of its builtin.
    pub input: Option<InputCategory>,
    /// The binding's or the builtin's name.
    pub name: Text,
    /// The value.
    pub value: ValueText,
    /// The binding (stream) that an `A` record assigned.
    pub stream: Option<StreamId>,
}

/// A binding of one scope: the stream of its assignments. The number means something only for the tape that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StreamId(pub u32);

/// One visible binding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BindingRow {
    /// The binding.
    pub stream: StreamId,
    /// Its name.
    pub name: Text,
    /// The value of its last assignment at or before the position.
    pub value: ValueText,
    /// Where that assignment's record starts.
    pub byte: ByteOffset,
    /// The position of that assignment.
    pub assigned_at: Pos,
    /// Its trajectory label; `None` when no number was assigned, or when labels are withheld.
    pub label: Option<Label>,
    /// How many assignments so far.
    pub assigns: u32,
    /// The function of the scope when its depth is above 0.
    pub function: Option<Text>,
    /// The serial of the scope; 0 before any `S`.
    pub serial: u32,
    /// Whether it was assigned at this very position.
    pub changed: bool,
    /// What the tape cannot tell about this row.
    pub cautions: Vec<Caution>,
}

/// Something that the tape cannot tell about a shown value (spec: "Where a tape tells less than happened").
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Caution {
    /// The name was assigned in another scope after the shown value: perhaps it is this binding that changed.
    AssignedLaterElsewhere {
        /// The function of that scope.
        function: Text,
        /// The line of that assignment.
        line: i32,
        /// Its position.
        pos: Pos,
        /// The value assigned there.
        value: ValueText,
    },
    /// The name was also assigned in another scope: this row may be an outer binding, and its count and label cover this frame only.
    MayBeOuter,
}

/// One frame of the call stack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrameRow {
    /// The serial.
    pub serial: u32,
    /// The function.
    pub function: Text,
    /// The depth that its first `S` record gives.
    pub depth: i32,
    /// The position at which it was entered (its first `S`).
    pub entered: Pos,
    /// The last position before it was left, as far as the tape shows.
    pub left: Pos,
}

/// A value's text as the tape has it, or its beginning.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValueText {
    /// The text, at most [`ValueText::PREVIEW_BYTES`] of it, with U+FFFD for what is not UTF-8.
    pub text: String,
    /// Bytes of the whole value on the tape.
    pub bytes: u32,
    /// Whether bytes were replaced in `text`.
    pub lossy: bool,
    /// Whether the tape holds less than the value that the program had.
    pub cut: Cut,
}

impl ValueText {
    /// How much of a value travels with a row; the whole is one [`Question::Value`] away.
    pub const PREVIEW_BYTES: usize = 240;

    /// Whether `text` is only the beginning of what the tape holds.
    pub fn is_preview(&self) -> bool {
        self.bytes as usize > Self::PREVIEW_BYTES
    }
}

/// Whether a tape holds less of a value than the program had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Cut {
    /// It holds the whole.
    #[default]
    No,
    /// A string body of 60 or more escaped bytes without `…`: it may be cut.
    Perhaps,
    /// It is marked as cut.
    Yes,
}

/// The trajectory label of a numeric binding (EigenScript's observer).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Label {
    Oscillating,
    Diverging,
    Improving,
    Converged,
    Equilibrium,
    Stable,
    Moving,
}

impl Label {
    /// Every label.
    pub const ALL: [Label; 7] = [
        Self::Oscillating,
        Self::Diverging,
        Self::Improving,
        Self::Converged,
        Self::Equilibrium,
        Self::Stable,
        Self::Moving,
    ];

    /// The word that EigenScript uses.
    pub fn word(self) -> &'static str {
        match self {
            Self::Oscillating => "oscillating",
            Self::Diverging => "diverging",
            Self::Improving => "improving",
            Self::Converged => "converged",
            Self::Equilibrium => "equilibrium",
            Self::Stable => "stable",
            Self::Moving => "moving",
        }
    }
}

/// What kind of source a recorded builtin reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum InputCategory {
    Random,
    Time,
    Files,
    Process,
    Http,
    Network,
    Media,
    Model,
    Unknown,
}

impl InputCategory {
    /// Every category, in the order of [`InputCategory::index`].
    pub const ALL: [InputCategory; 9] = [
        Self::Random,
        Self::Time,
        Self::Files,
        Self::Process,
        Self::Http,
        Self::Network,
        Self::Media,
        Self::Model,
        Self::Unknown,
    ];

    /// Its place in [`InputCategory::ALL`].
    pub fn index(self) -> usize {
        self as usize
    }

    /// A short name for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Time => "time",
            Self::Files => "environment and files",
            Self::Process => "process",
            Self::Http => "HTTP",
            Self::Network => "network",
            Self::Media => "audio and graphics",
            Self::Model => "model",
            Self::Unknown => "unknown",
        }
    }
}

/// A name kept in view: the assignments of `name` in every frame of `function`, in tape order.
///
/// A pin names a function and not one frame, since every call makes a frame of its own: `seen` in `read_sensor` is one
/// track over all calls. It survives in a link, where a stream number would not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Pin {
    /// The function whose frames are meant; `None` for scopes of depth 0 (the module) and before any `S`.
    pub function: Option<String>,
    /// The name.
    pub name: String,
}

/// What the timeline wants of a range.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TimelineQuery {
    /// The left edge, in positions (fractions allowed).
    pub first: f64,
    /// The right edge, in positions; a position `p` covers `p..p+1`.
    pub last: f64,
    /// Width in device pixels: nothing finer than a pixel is answered.
    pub px: u32,
    /// How many frame rows at the most.
    pub frame_rows: u32,
    /// The first frame row wanted.
    pub first_frame_row: u32,
    /// The tracks.
    pub pins: Vec<Pin>,
}

/// What the timeline shows of a range. Everything is in positions; sizes are bounded by the pixels asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TimelineSlice {
    /// The left edge.
    pub first: f64,
    /// The right edge.
    pub last: f64,
    /// Function names that the spans refer to.
    pub names: Vec<String>,
    /// The number of the first row in `rows` (0 is the outermost).
    pub first_frame_row: u32,
    /// Frame rows from `first_frame_row` on, outermost first.
    pub rows: Vec<Vec<Span>>,
    /// Nondet records.
    pub inputs: Vec<InputMark>,
    /// Issues and seams.
    pub marks: Vec<IssueMark>,
    /// One track a pin, in the order asked.
    pub tracks: Vec<Track>,
}

/// The density of the whole recording.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Minimap {
    /// Positions a part: so many that every count is exact. 0 only without positions.
    pub positions_per_part: u32,
    /// `A` and `N` records in each part of the recording, from left to right; the last part may be narrower.
    pub counts: Vec<u32>,
    /// Issues and seams, at most one mark a kind and part.
    pub marks: Vec<IssueMark>,
}

/// One bar of a frame row: one call frame, or several that share a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// First position.
    pub first: u32,
    /// Last position (inclusive).
    pub last: u32,
    /// Index into [`TimelineSlice::names`] when `count` is 1.
    pub name: u32,
    /// How many frames the bar stands for.
    pub count: u32,
}

/// Nondet records of one category that share a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputMark {
    /// The position of the first.
    pub pos: u32,
    /// Their category.
    pub category: InputCategory,
    /// How many.
    pub count: u32,
}

/// Issues of one kind that share a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IssueMark {
    /// The position of the first.
    pub pos: u32,
    /// Their kind.
    pub kind: IssueKind,
    /// How many.
    pub count: u32,
}

/// The track of one pin in a range.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Track {
    /// Assignments of the pin in the whole tape.
    pub total: u32,
    /// Smallest and largest number of the pin in the whole tape, so that the scale does not jump while zooming; `None` without finite numbers.
    pub bounds: Option<(f64, f64)>,
    /// Assignments from left to right; the first may lie left of the range (the value held when the range begins).
    pub points: Vec<TrackPoint>,
}

/// Assignments of a pin that share a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrackPoint {
    /// Position of the first.
    pub pos: u32,
    /// Position of the last.
    pub last_pos: u32,
    /// How many assignments.
    pub count: u32,
    /// Smallest number, NaN when none of them is a number.
    pub min: f64,
    /// Largest number, NaN when none of them is a number.
    pub max: f64,
    /// The last assignment's number, NaN when it is none.
    pub value: f64,
    /// The label after the last of them.
    pub label: Option<Label>,
}

/// What is asked of a binding's history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HistoryQuery {
    /// The binding.
    pub stream: StreamId,
    /// The position from which "so far" is counted.
    pub pos: Pos,
    /// Which rows, in order of time over the WHOLE tape.
    pub rows: RowWindow,
    /// How many points of the sparkline at the most.
    pub sparkline: u32,
}

/// The history of one binding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HistoryAnswer {
    /// The binding.
    pub stream: StreamId,
    /// Its name.
    pub name: Text,
    /// The function of its scope when the depth is above 0.
    pub function: Option<Text>,
    /// The serial of its scope.
    pub serial: u32,
    /// Assignments in the whole tape.
    pub total: u32,
    /// Assignments at or before the position asked for.
    pub so_far: u32,
    /// The first row's index.
    pub first: u32,
    /// The rows asked for.
    pub rows: Vec<HistoryRow>,
    /// Numbers over the whole history, thinned: (position, min, max) a bucket; empty when there are no numbers.
    pub sparkline: Vec<(u32, f64, f64)>,
}

/// One assignment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HistoryRow {
    /// Its number, counted from 1.
    pub ordinal: u32,
    /// Its position.
    pub pos: Pos,
    /// Its line ("recorded at line").
    pub line: i32,
    /// Where its record starts.
    pub byte: ByteOffset,
    /// The value.
    pub value: ValueText,
    /// The label after it; `None` for a value that is no number.
    pub label: Option<Label>,
}

/// A part of the list of issues.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IssuesAnswer {
    /// How many are listed in all (of the kind asked for).
    pub listed: u32,
    /// How many there are; more than `listed` when a kind has more than the list keeps.
    pub total: u32,
    /// The rows.
    pub rows: Vec<IssueRow>,
}

/// One issue with the bytes around it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IssueRow {
    /// The issue.
    pub issue: Issue,
    /// The number of the tape's line (text line of the file) counted from 1.
    pub file_line: u32,
    /// The beginning of that line.
    pub text: Text,
}

/// A part of the list of nondet records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InputsAnswer {
    /// How many there are.
    pub total: u32,
    /// How many of all of them replay cannot serve (truncated or unreadable).
    pub not_replayable: u32,
    /// The rows.
    pub rows: Vec<InputRow>,
}

/// One nondet record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InputRow {
    /// Its number among the nondet records, counted from 1.
    pub ordinal: u32,
    /// Its position.
    pub pos: Pos,
    /// Where it starts.
    pub byte: ByteOffset,
    /// The builtin.
    pub function: Text,
    /// The builtin's category.
    pub category: InputCategory,
    /// The value.
    pub value: ValueText,
    /// Why replay cannot serve it; `None` when it can.
    pub not_replayable: Option<String>,
}

/// A part of the line list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinesAnswer {
    /// How many line numbers were visited.
    pub total: u32,
    /// (line number, visits on the tape), by line number.
    pub rows: Vec<(i32, u32)>,
}

/// The whole value of a record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ValueAnswer {
    /// Where the record starts.
    pub byte: ByteOffset,
    /// The name.
    pub name: Text,
    /// The raw text as the tape has it, decoded; cut at [`ValueAnswer::MAX_BYTES`].
    pub raw: Text,
    /// The value as a tree, when it can be read back; `None` for markers, cut and unreadable values.
    pub tree: Option<ValueTree>,
    /// Whether the tape holds less than the program had.
    pub cut: Cut,
    /// Bytes of the whole value on the tape.
    pub bytes: u32,
}

impl ValueAnswer {
    /// How much raw text travels at the most; the recorder's own budget is 65,536, so only a foreign tape has more.
    pub const MAX_BYTES: usize = 1 << 20;
}

/// A value as a tree. Numbers keep their text: they are never rounded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ValueTree {
    /// `null`.
    Null,
    /// A number, or `true`/`false` (which EigenScript reads as 1 and 0), as its text on the tape.
    Number(String),
    /// A string, its escapes undone.
    Str(Text),
    /// `[…]`.
    List(Vec<ValueTree>),
    /// `b[…]`: numbers only, as their texts.
    Buffer(Vec<String>),
    /// `{…}`, in the order of the tape.
    Dict(Vec<(Text, ValueTree)>),
}

/// A movement to be resolved from a position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JumpQuery {
    /// From where.
    pub from: Pos,
    /// Which way.
    pub direction: Direction,
    /// To what.
    pub target: JumpTarget,
}

/// Forwards or backwards in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Direction {
    Forward,
    Back,
}

/// To what a jump leads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum JumpTarget {
    /// An assignment of this binding.
    Change(StreamId),
    /// A visit of this line.
    Line(i32),
    /// A visit of any of these lines; none: the end of the tape, as `--step` does.
    Breakpoint(Vec<i32>),
    /// A nondet record.
    Input,
    /// An issue.
    Issue,
    /// A position at which one of these breakpoints holds; none: the end of the tape.
    Condition(Vec<Breakpoint>),
    /// An assignment after which the label of this binding is another.
    LabelChange(StreamId),
    /// The next position of this frame or one outside it: over the frames that it calls.
    Over,
    /// The next position of a frame outside this one.
    Out,
}

/// A place to stop at: a line, a condition, or both together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Breakpoint {
    /// The line; `None` for any.
    pub line: Option<i32>,
    /// The condition, in the Ask language; empty for none.
    pub condition: String,
}

/// Where a jump leads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JumpAnswer {
    /// The position to go to; `None` when there is none.
    pub pos: Option<Pos>,
    /// What to tell the user when there is none, or when a breakpoint was not hit.
    pub message: Option<String>,
}

/// A command of EigenScript's stepper (`s b c rc br del j jb p t i h q`), typed at a position.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepQuery {
    /// Where the stepper stands.
    pub pos: Pos,
    /// The lines that have a breakpoint, in the order in which they were set.
    pub breakpoints: Vec<i32>,
    /// The command as typed; empty is a step forward.
    pub command: String,
}

/// What the stepper does and says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepAnswer {
    /// Where it stands now.
    pub pos: Pos,
    /// The breakpoints now.
    pub breakpoints: Vec<i32>,
    /// The lines that `eigenscript --step` prints for the command.
    pub lines: Vec<Text>,
    /// Whether the command was to quit.
    pub has_quit: bool,
}

/// A question in the Ask language (docs/ask.md), asked at a position.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskQuery {
    /// The question.
    pub text: String,
    /// Where it is asked.
    pub pos: Pos,
    /// Which rows of a list (stretches, inputs, names).
    pub rows: RowWindow,
    /// How many ticks for the minimap at the most.
    pub marks: u32,
}

/// The answer to an [`AskQuery`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum AskAnswer {
    /// The question is not understood, or speaks of what is not there.
    Unclear(AskFault),
    /// One value.
    Value(AskedValue),
    /// The values of all names (`state_at of LINE`).
    State(AskedState),
    /// Where a condition holds.
    Hits(AskedHits),
    /// The inputs for which a condition holds.
    Inputs(AskedInputs),
    /// A breakpoint was described; it is for the page to keep it.
    Breakpoint(Breakpoint),
    /// The work was cancelled.
    Cancelled,
}

/// What is wrong with a question, and with which part of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskFault {
    /// The first byte of the word in the question's UTF-8.
    pub start: u32,
    /// The byte after its last.
    pub end: u32,
    /// A sentence: what is wrong and what to write instead.
    pub message: String,
}

/// The answer to a question about one value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AskedValue {
    /// The answer as a sentence.
    pub sentence: String,
    /// The answer itself.
    pub result: AskedResult,
    /// The position of the assignment that it speaks of.
    pub at: Option<Pos>,
    /// The line of that position.
    pub line: Option<i32>,
}

/// What a question about one value answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum AskedResult {
    /// `null`: it has not happened, or there is none.
    Null,
    /// A value of the tape.
    Value {
        /// The value.
        value: ValueText,
        /// Where its record starts.
        byte: ByteOffset,
        /// What a bare `what is` of the language gives for it instead: a string's length in bytes, a container's items.
        len: Option<u64>,
    },
    /// A number that was computed (a count, an entropy).
    Number(f64),
    /// The name itself (`who is x`).
    Name(Text),
    /// The tape does not hold what the question needs.
    NotOnTape,
}

/// The answer to `state_at of LINE`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AskedState {
    /// How many names have an answer.
    pub total: u32,
    /// The rows asked for, by first assignment.
    pub rows: Vec<AskedName>,
}

/// One name of a state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AskedName {
    /// The name.
    pub name: Text,
    /// Its value.
    pub value: ValueText,
    /// Where the record starts.
    pub byte: ByteOffset,
    /// Its position.
    pub pos: Pos,
    /// Its line.
    pub line: i32,
}

/// Where a condition holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AskedHits {
    /// The answer as a sentence.
    pub sentence: String,
    /// Where the answer leads: the first or last position that was asked for.
    pub target: Option<Pos>,
    /// Whether it holds at the position at which it was asked; `None` when that could not be decided.
    pub holds_here: Option<bool>,
    /// Positions at which it holds.
    pub positions: u32,
    /// Stretches of neighbouring positions at which it holds.
    pub stretches: u32,
    /// Positions at which it could not be decided.
    pub undecided: u32,
    /// The first position at which it could not be decided.
    pub first_undecided: Option<Pos>,
    /// The first and the last position at which it holds.
    pub bounds: Option<(Pos, Pos)>,
    /// The nearest positions before and after the one at which it was asked.
    pub previous: Option<Pos>,
    /// See `previous`.
    pub next: Option<Pos>,
    /// The stretches asked for: first and last position of each.
    pub rows: Vec<(Pos, Pos)>,
    /// All of it for the minimap, thinned: first and last position of each tick.
    pub marks: Vec<(Pos, Pos)>,
}

/// The inputs for which a condition holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AskedInputs {
    /// The answer as a sentence.
    pub sentence: String,
    /// How many there are.
    pub total: u32,
    /// How many could not be decided.
    pub undecided: u32,
    /// The rows asked for.
    pub rows: Vec<InputRow>,
    /// Their positions for the minimap, thinned.
    pub marks: Vec<(Pos, Pos)>,
}

/// A search for a text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchQuery {
    /// The text.
    pub text: String,
    /// Whether the case of ASCII letters matters.
    pub with_case: bool,
    /// Only hits of this kind.
    pub kind: Option<SearchKind>,
    /// From where "next" and "previous" are counted.
    pub pos: Pos,
    /// Which rows.
    pub rows: RowWindow,
    /// How many ticks for the minimap at the most.
    pub marks: u32,
}

/// Where a text was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum SearchKind {
    /// The name of a binding.
    Name,
    /// A value of a binding.
    Value,
    /// The name of a function, at an `S` record.
    Function,
    /// The builtin of a nondet record.
    Input,
    /// The value of a nondet record.
    InputValue,
}

impl SearchKind {
    /// Every kind, in the order of [`SearchAnswer::counts`].
    pub const ALL: [SearchKind; 5] = [Self::Name, Self::Value, Self::Function, Self::Input, Self::InputValue];

    /// A short name for people.
    pub fn title(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Value => "value",
            Self::Function => "function",
            Self::Input => "input",
            Self::InputValue => "input value",
        }
    }
}

/// What a search found. A record counts once, for the first place in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SearchAnswer {
    /// Records found, of the kind asked for.
    pub total: u32,
    /// Records found of each kind, whatever was asked for.
    pub counts: [u32; 5],
    /// The rows asked for, in tape order.
    pub rows: Vec<SearchRow>,
    /// The index and position of the last hit before the position, and of the first one after it.
    pub previous: Option<(u32, Pos)>,
    /// See `previous`.
    pub next: Option<(u32, Pos)>,
    /// Their positions for the minimap, thinned.
    pub marks: Vec<(Pos, Pos)>,
    /// Lines of the source (counted from 1) that hold the text, at most [`SearchAnswer::MAX_SOURCE_LINES`] of them.
    pub source_lines: Vec<u32>,
    /// How many lines of the source hold it.
    pub source_total: u32,
    /// Whether the search was cancelled: then the rest is of the part that was searched.
    pub is_cancelled: bool,
}

impl SearchAnswer {
    /// Lines of the source that are listed at the most.
    pub const MAX_SOURCE_LINES: usize = 1000;
}

/// One record that holds the text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchRow {
    /// Where the record starts.
    pub byte: ByteOffset,
    /// Its position.
    pub pos: Pos,
    /// The line of that position.
    pub line: i32,
    /// Where in the record the text stands.
    pub kind: SearchKind,
    /// The name of the binding, builtin or function.
    pub name: Text,
    /// The value; empty for a function.
    pub value: ValueText,
}

/// What could stand at a place of a question.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompleteQuery {
    /// The question as far as it is typed.
    pub text: String,
    /// The byte at which the cursor stands.
    pub at: u32,
    /// How many suggestions at the most.
    pub most: u32,
}

/// Suggestions for a question.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompleteAnswer {
    /// The bytes that a suggestion replaces.
    pub start: u32,
    /// The byte after them.
    pub end: u32,
    /// The suggestions, best first.
    pub words: Vec<String>,
}

/// One of two recordings that are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Side {
    /// The one that was open first.
    #[default]
    Left,
    /// The second one.
    Right,
}

/// What is wanted of a comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompareQuery {
    /// Which of the stretches that differ.
    pub blocks: RowWindow,
    /// Which of the inputs that differ.
    pub inputs: RowWindow,
    /// Of which recording `pos` is a position.
    pub side: Side,
    /// The position whose partner is wanted.
    pub pos: Pos,
    /// How many ticks for each minimap at the most.
    pub marks: u32,
}

/// What a stretch of an alignment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BlockKind {
    /// The same lines, frames and values.
    Same,
    /// The same lines and frames, with other values.
    Values,
    /// Other lines or frames; either side may be empty.
    Lines,
    /// Too different to be aligned within the bound.
    Unaligned,
}

/// A stretch of an alignment: positions of the left recording beside positions of the right one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// What it is.
    pub kind: BlockKind,
    /// Its first position on the left.
    pub left: u32,
    /// Its positions on the left.
    pub left_len: u32,
    /// Its first position on the right.
    pub right: u32,
    /// Its positions on the right; equal to `left_len` for `Same` and `Values`.
    pub right_len: u32,
}

/// What a comparison comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CompareVerdict {
    /// The same positions with the same values.
    Identical,
    /// One recording ends early; up to there they are equal.
    CutShort(Side),
    /// They differ.
    Differ,
    /// More than half of a recording could not be aligned within the bound.
    TooDifferent,
}

/// How two recordings differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompareAnswer {
    /// What it comes to.
    pub verdict: CompareVerdict,
    /// The same as a sentence.
    pub sentence: String,
    /// What else must be known: the runtimes differ.
    pub notes: Vec<String>,
    /// Where they first differ.
    pub first: Option<Divergence>,
    /// The first input that differs, when none of the program's own assignments or lines differs before it.
    pub cause: Option<InputDifference>,
    /// What is said of the cause, also when there is none.
    pub cause_sentence: String,
    /// Positions that are the same on both sides.
    pub same: u32,
    /// Positions with the same line and other values.
    pub values: u32,
    /// Positions that only the left has.
    pub left_only: u32,
    /// Positions that only the right has.
    pub right_only: u32,
    /// How many stretches differ.
    pub blocks_total: u32,
    /// The differing stretches asked for.
    pub blocks: Vec<Block>,
    /// How many inputs differ.
    pub inputs_total: u32,
    /// The differing inputs asked for; at most the first 10,000 are kept.
    pub inputs: Vec<InputDifference>,
    /// Where the other recording stands when this one stands at the position asked for, and whether that is its partner.
    pub partner: (Pos, bool),
    /// Differing stretches for the left minimap, thinned.
    pub marks_left: Vec<(Pos, Pos)>,
    /// Differing stretches for the right minimap, thinned.
    pub marks_right: Vec<(Pos, Pos)>,
}

/// Where two recordings first differ.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Divergence {
    /// The last pair of positions before it; `None` when the first positions differ already.
    pub last_equal: Option<(Pos, Pos)>,
    /// The position on the left; `None` when the left has ended.
    pub left: Option<Pos>,
    /// The position on the right; `None` when the right has ended.
    pub right: Option<Pos>,
    /// How they differ there.
    pub kind: BlockKind,
    /// The same as a sentence.
    pub sentence: String,
}

/// An input that is not the same in both recordings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InputDifference {
    /// The input on the left; `None` when only the right has it.
    pub left: Option<InputRow>,
    /// The input on the right; `None` when only the left has it.
    pub right: Option<InputRow>,
}

/// The bindings of both recordings, each at a position of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ComparedBindingsQuery {
    /// The position on the left.
    pub left: Pos,
    /// The position on the right.
    pub right: Pos,
    /// Which rows.
    pub rows: RowWindow,
}

/// Bindings side by side, those that differ first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ComparedBindings {
    /// How many names there are on either side; at most 10,000 of each side are looked at.
    pub total: u32,
    /// How many of them differ.
    pub differing: u32,
    /// The rows asked for.
    pub rows: Vec<ComparedRow>,
}

/// A binding on both sides.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparedRow {
    /// On the left; `None` when the name means nothing there.
    pub left: Option<BindingRow>,
    /// On the right.
    pub right: Option<BindingRow>,
    /// Whether the values differ; `None` when the tapes do not hold enough of them to tell.
    pub differs: Option<bool>,
}
