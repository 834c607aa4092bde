//! The state of the page and the one function that changes it.
//!
//! [`reduce`] is pure: the same state and action give the same state, and nothing else happens. What must happen outside
//! (questions to the reader, files, storage) follows from the state: [`wanted`] says which answers the page lacks.
//!
//! Invariant: an answer is shown only when it belongs to the tape that is open and to the question the page still asks;
//! opening a tape replaces everything that belonged to the one before.

use std::collections::BTreeSet;
use std::rc::Rc;

use tapedeck_core::model::protocol::{
    Answer, BindingRow, Direction, HistoryAnswer, HistoryQuery, InputsAnswer, IssuesAnswer, JumpQuery, JumpTarget,
    LinesAnswer, Minimap, Pin, Progress, Question, Refusal, SourceSummary, StateAnswer, StateQuery, StreamId,
    TapeSummary, TimelineQuery, TimelineSlice, ValueAnswer,
};
use tapedeck_core::model::protocol_trace::TraceSummary;
use tapedeck_core::model::{ByteOffset, IssueKind, Pos, RowWindow};
use tapedeck_core::timeline::Range;

use super::shared::Shared;
use super::trace_state::{self, OpenTrace, Tools, TraceAction};

/// Speeds of playing, in positions a second.
pub const SPEEDS: [f64; 7] = [2.0, 10.0, 30.0, 100.0, 1000.0, 10_000.0, 100_000.0];

/// Lines whose visits are asked for at once: more than any source has, yet a bounded answer.
const LINES_AT_ONCE: u32 = 65_536;

/// Points of the sparkline: about one a CSS pixel of the panel.
const SPARKLINE_POINTS: u32 = 320;

/// The colours of the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the system says.
    #[default]
    System,
    /// Light, whatever the system says.
    Light,
    /// Dark, whatever the system says.
    Dark,
}

/// What is being opened.
#[derive(Clone, Debug, PartialEq)]
pub struct Opening {
    /// The file's name.
    pub name: Rc<str>,
    /// How far it is; `None` until the reader says so.
    pub progress: Option<Shared<Progress>>,
}

/// Something that went wrong and stays on the page until it is dismissed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alert {
    /// What happened, as a headline.
    pub title: String,
    /// Why, in a sentence.
    pub what: String,
    /// Where in the file; empty when that makes no sense.
    pub place: String,
    /// What to do next.
    pub advice: String,
    /// Whether the same file can be opened again.
    pub can_retry: bool,
}

impl Alert {
    /// The alert for a file that the reader refused.
    pub fn refused(name: &str, refusal: &Refusal) -> Self {
        Self {
            title: format!("{name} was not opened"),
            what: refusal.what.clone(),
            place: refusal.place.clone(),
            advice: refusal.advice.clone(),
            can_retry: matches!(refusal.kind.as_str(), "unreadable" | "changed" | "memory"),
        }
    }

    /// The alert for a file that was asked for but never reached the reader.
    pub fn unavailable(name: &str, what: String, advice: &str) -> Self {
        Self {
            title: format!("{name} was not opened"),
            what,
            place: String::new(),
            advice: advice.to_owned(),
            can_retry: false,
        }
    }
}

/// A dialog over the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialog {
    /// None is shown.
    #[default]
    None,
    /// The sheet of keys.
    Keys,
    /// The field to paste a tape into.
    Paste,
    /// The whole value of the record that starts at this byte.
    Value(ByteOffset),
    /// What a trace lays over the page (its sheet).
    Trace,
}

/// A binding whose history is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selected {
    /// Its stream.
    pub stream: StreamId,
    /// Its name.
    pub name: String,
    /// The function of its scope when the depth is above 0.
    pub function: Option<String>,
}

impl Selected {
    /// The binding of a row.
    pub fn of(row: &BindingRow) -> Self {
        Self {
            stream: row.stream,
            name: row.name.text.clone(),
            function: row.function.as_ref().map(|function| function.text.clone()),
        }
    }

    /// The pin that shows it on the timeline.
    pub fn pin(&self) -> Pin {
        Pin { function: self.function.clone(), name: self.name.clone() }
    }
}

/// An answer with the rows it was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Windowed<T> {
    /// The rows asked for.
    pub rows: RowWindow,
    /// The answer.
    pub answer: T,
}

/// What is true at one position, with the question that it answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// The question.
    pub query: StateQuery,
    /// The answer.
    pub answer: StateAnswer,
}

/// The history of a binding, with the question that it answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Past {
    /// The question.
    pub query: HistoryQuery,
    /// The answer.
    pub answer: HistoryAnswer,
}

/// The panels whose lists are asked for in parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Panel {
    Bindings,
    Events,
    Frames,
    History,
    Inputs,
    Issues,
    Lines,
}

/// The tape that is open and what the page shows of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Open {
    /// Grows with every opened tape: panels begin anew when it changes.
    pub serial: u32,
    /// Grows when the reader's answers may differ from those before: everything is asked anew then.
    pub epoch: u32,
    /// What the tape holds.
    pub summary: Shared<TapeSummary>,
    /// Whether its reader is lost; nothing can be asked any more.
    pub is_lost: bool,
    /// The position.
    pub pos: Pos,
    /// The visible range of the timeline, in positions.
    pub range: Range,
    /// What is true at a position; while an answer is under way, that of the position before.
    pub moment: Option<Shared<Moment>>,
    /// How many issues there are of each kind; the source adds its own.
    pub issue_counts: Rc<Vec<(IssueKind, u32)>>,
    /// The source beside the tape.
    pub source: Option<Shared<SourceSummary>>,
    /// The filter of binding names.
    pub filter: Rc<str>,
    /// The binding whose history is shown.
    pub selected: Option<Shared<Selected>>,
    /// Its history.
    pub history: Option<Shared<Past>>,
    /// The nondet records in view.
    pub inputs: Option<Shared<Windowed<InputsAnswer>>>,
    /// The issues in view.
    pub issues: Option<Shared<Windowed<IssuesAnswer>>>,
    /// Only issues of this kind.
    pub issue_kind: Option<IssueKind>,
    /// Lines and their visits.
    pub lines: Option<Shared<Windowed<LinesAnswer>>>,
    /// The timeline's question and answer.
    pub timeline_query: Option<TimelineQuery>,
    /// What the timeline shows.
    pub slice: Option<Shared<TimelineSlice>>,
    /// How many parts the minimap has.
    pub minimap_buckets: u32,
    /// The density of the whole tape.
    pub minimap: Option<Shared<Minimap>>,
    /// The whole value that the dialog shows.
    pub value: Option<Shared<ValueAnswer>>,
    /// The bindings kept in view.
    pub pins: Rc<Vec<Pin>>,
    /// The lines that `c` stops at.
    pub breakpoints: Rc<BTreeSet<i32>>,
    /// A movement whose end the reader is asked for.
    pub jump: Option<JumpQuery>,
    /// Whether time runs by itself.
    pub is_playing: bool,
    /// How fast, in positions a second.
    pub speed: f64,
    /// The part of a position that playing has not yet moved by.
    pub carry: f64,
    rows: PanelRows,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct PanelRows {
    bindings: RowWindow,
    events: RowWindow,
    frames: RowWindow,
    history: RowWindow,
    inputs: RowWindow,
    issues: RowWindow,
    lines: RowWindow,
}

impl Default for PanelRows {
    fn default() -> Self {
        let first_rows = RowWindow { first: 0, count: 64 };
        Self {
            bindings: first_rows,
            events: first_rows,
            frames: first_rows,
            history: first_rows,
            inputs: first_rows,
            issues: first_rows,
            lines: RowWindow { first: 0, count: LINES_AT_ONCE },
        }
    }
}

impl Open {
    /// A tape at its first position.
    pub fn new(serial: u32, summary: TapeSummary) -> Self {
        let pins = Rc::new(summary.suggested_pins.clone());
        Self {
            serial,
            epoch: 0,
            is_lost: false,
            pos: Pos(0),
            range: Range::whole(summary.positions),
            moment: None,
            issue_counts: Rc::new(summary.issues.clone()),
            source: None,
            filter: Rc::from(""),
            selected: None,
            history: None,
            inputs: None,
            issues: None,
            issue_kind: None,
            lines: None,
            timeline_query: None,
            slice: None,
            minimap_buckets: 0,
            minimap: None,
            value: None,
            pins,
            breakpoints: Rc::new(BTreeSet::new()),
            jump: None,
            is_playing: false,
            speed: SPEEDS[1],
            carry: 0.0,
            rows: PanelRows::default(),
            summary: Shared::new(summary),
        }
    }

    /// The last position, or 0 when there is none.
    pub fn last(&self) -> u32 {
        self.summary.positions.saturating_sub(1)
    }

    /// How many issues there are in all.
    pub fn issue_count(&self) -> u64 {
        self.issue_counts.iter().map(|(_, count)| u64::from(*count)).sum()
    }

    fn seek(&mut self, pos: u32) {
        self.pos = Pos(pos.min(self.last()));
        self.carry = 0.0;
        self.range = self.range.revealing(self.pos, self.summary.positions);
    }

    fn set_range(&mut self, range: Range) {
        self.range = range.clamped(self.summary.positions);
    }

    fn rows_mut(&mut self, panel: Panel) -> &mut RowWindow {
        match panel {
            Panel::Bindings => &mut self.rows.bindings,
            Panel::Events => &mut self.rows.events,
            Panel::Frames => &mut self.rows.frames,
            Panel::History => &mut self.rows.history,
            Panel::Inputs => &mut self.rows.inputs,
            Panel::Issues => &mut self.rows.issues,
            Panel::Lines => &mut self.rows.lines,
        }
    }

    fn state_query(&self) -> StateQuery {
        StateQuery {
            pos: self.pos,
            bindings: self.rows.bindings,
            filter: self.filter.to_string(),
            events: self.rows.events,
            frames: self.rows.frames,
        }
    }

    fn history_query(&self) -> Option<HistoryQuery> {
        self.selected.as_ref().map(|selected| HistoryQuery {
            stream: selected.stream,
            pos: self.pos,
            rows: self.rows.history,
            sparkline: SPARKLINE_POINTS,
        })
    }

    /// Another frame of the same function has a stream of its own: the selection follows the name into the frame that is shown.
    fn follow_selection(&mut self) {
        let (Some(selected), Some(moment)) = (&self.selected, &self.moment) else { return };
        let rows = &moment.answer.bindings;
        if rows.iter().any(|row| row.stream == selected.stream) {
            return;
        }
        let same = |row: &&BindingRow| {
            row.name.text == selected.name && row.function.as_ref().map(|text| &text.text) == selected.function.as_ref()
        };
        if let Some(row) = rows.iter().find(same) {
            self.selected = Some(Shared::new(Selected::of(row)));
        }
    }
}

/// The state of the whole page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// The colours.
    pub theme: Theme,
    /// What is being opened.
    pub opening: Option<Opening>,
    /// What went wrong.
    pub alert: Option<Shared<Alert>>,
    /// A remark that needs no answer ("no further change").
    pub notice: Option<Rc<str>>,
    /// The dialog over the page.
    pub dialog: Dialog,
    /// The open tape.
    pub tape: Option<Open>,
    /// The open trace; never beside a tape.
    pub trace: Option<OpenTrace>,
    /// The tools and the recorder.
    pub tools: Tools,
    /// How many tapes were opened so far.
    pub opened: u32,
}

/// What can happen to the page.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// A file of this name is on its way to the reader.
    OpenStarted(String),
    /// The reader says how far it is.
    Progressed(Progress),
    /// The reader has it. `is_again` when the reader was lost and the same file was opened anew: then the view stays.
    Opened {
        /// What the tape holds.
        summary: Box<TapeSummary>,
        /// Whether it is the file that was open.
        is_again: bool,
    },
    /// The reader has a trace. `is_again` as above.
    OpenedTrace {
        /// What it holds.
        summary: Box<TraceSummary>,
        /// Whether it is the file that was open.
        is_again: bool,
    },
    /// Something of an open trace, the tools or the recorder.
    Trace(TraceAction),
    /// The opening ended without a tape.
    OpenFailed(Alert),
    /// The user cancelled the opening.
    OpenCancelled,
    /// The reader of the open tape is lost.
    ReaderLost(Alert),
    /// The reader took the source.
    SourceTaken(Box<SourceSummary>),
    /// Something went wrong that concerns neither the opening nor the open tape.
    Alerted(Alert),
    /// The user read the alert.
    AlertDismissed,
    /// A remark.
    Noticed(String),
    /// The reader answered.
    Answered(Box<Question>, Box<Answer>),
    /// Go to a position.
    Seek(Pos),
    /// Go this many positions forwards (or back).
    Step(i64),
    /// Go to the first position.
    First,
    /// Go to the last position.
    Last,
    /// Go to the next or previous change of the selected binding.
    ToChange(Direction),
    /// Go to the next or previous visit of a breakpoint.
    Continue(Direction),
    /// Go to the next or previous visit of a line.
    ToLine(Direction, i32),
    /// Start or stop time.
    PlayToggled,
    /// This many milliseconds passed while time runs.
    Ticked(f64),
    /// Positions a second.
    SpeedChosen(f64),
    /// The visible range of the timeline.
    RangeChosen(Range),
    /// Zoom around the cursor: by a factor below 1 closer, above 1 farther.
    Zoomed(f64),
    /// Move the visible range by so many times its own width.
    Paged(f64),
    /// See the whole tape.
    Fitted,
    /// The timeline wants to know.
    TimelineAsked(Question),
    /// Only bindings whose name contains this.
    Filtered(String),
    /// A panel shows these rows.
    RowsSeen(Panel, RowWindow),
    /// Only issues of this kind.
    IssueKindChosen(Option<IssueKind>),
    /// Show the history of this binding.
    Chosen(Selected),
    /// Pin or unpin.
    PinToggled(Pin),
    /// Pin or unpin the selected binding.
    SelectedPinToggled,
    /// Set or clear a breakpoint.
    BreakpointToggled(i32),
    /// Show a dialog, or none.
    DialogShown(Dialog),
    /// Other colours.
    ThemeChosen(Theme),
}

/// The state after an action.
pub fn reduce(state: &State, action: Action) -> State {
    let mut next = state.clone();
    match action {
        Action::OpenStarted(name) => {
            next.opening = Some(Opening { name: Rc::from(name), progress: None });
            next.alert = None;
            next.notice = None;
            next.dialog = Dialog::None;
            if let Some(open) = &mut next.tape {
                open.is_playing = false;
            }
        }
        Action::Progressed(progress) => {
            if let Some(opening) = &mut next.opening {
                opening.progress = Some(Shared::new(progress));
            }
        }
        Action::Opened { summary, is_again } => {
            next.opening = None;
            next.alert = None;
            next.notice = None;
            next.dialog = Dialog::None;
            next.opened += 1;
            let mut open = Open::new(next.opened, *summary);
            if let (true, Some(old)) = (is_again, &state.tape) {
                open.pins = Rc::clone(&old.pins);
                open.breakpoints = Rc::clone(&old.breakpoints);
                open.speed = old.speed;
                open.filter = Rc::clone(&old.filter);
                open.set_range(old.range);
                open.seek(old.pos.0);
            }
            next.tape = Some(open);
            next.trace = None;
        }
        Action::OpenedTrace { summary, is_again } => {
            next.opening = None;
            next.alert = None;
            next.notice = None;
            next.dialog = Dialog::None;
            next.opened += 1;
            let mut trace = OpenTrace::new(next.opened, *summary);
            if let (true, Some(old)) = (is_again, &state.trace) {
                trace.step = old.step.min(trace.last());
            }
            next.trace = Some(trace);
            next.tape = None;
        }
        Action::Trace(action) => {
            if !matches!(action, TraceAction::Replayed(_) | TraceAction::RowsSeen(_) | TraceAction::RoomSeen(_)) {
                next.notice = None;
            }
            if let TraceAction::SheetShown(sheet) = &action {
                next.dialog = if *sheet == trace_state::Sheet::None { Dialog::None } else { Dialog::Trace };
            }
            trace_state::reduce_tools(&mut next.tools, &action);
            if let Some(trace) = &mut next.trace
                && let Some(notice) = trace_state::reduce_trace(trace, action)
            {
                next.notice = Some(Rc::from(notice));
            }
        }
        Action::OpenFailed(alert) => {
            next.opening = None;
            next.alert = Some(Shared::new(alert));
        }
        Action::OpenCancelled => {
            if let Some(opening) = next.opening.take() {
                next.notice = Some(Rc::from(format!("Opening {} was cancelled.", opening.name)));
            }
        }
        Action::ReaderLost(alert) => {
            next.alert = Some(Shared::new(alert));
            next.dialog = Dialog::None;
            if let Some(open) = &mut next.tape {
                open.is_lost = true;
                open.is_playing = false;
                open.jump = None;
            }
            if let Some(trace) = &mut next.trace {
                trace.is_lost = true;
                trace.is_replaying = false;
                trace.sheet = trace_state::Sheet::None;
            }
        }
        Action::Alerted(alert) => next.alert = Some(Shared::new(alert)),
        Action::AlertDismissed => next.alert = None,
        Action::Noticed(text) => next.notice = Some(Rc::from(text)),
        Action::DialogShown(dialog) => {
            next.dialog = dialog;
            if let Some(trace) = next.trace.as_mut().filter(|_| dialog != Dialog::Trace) {
                trace.sheet = trace_state::Sheet::None;
            }
            if let Some(open) = &mut next.tape {
                let is_shown = |value: &Shared<ValueAnswer>| dialog == Dialog::Value(value.byte);
                if !open.value.as_ref().is_some_and(is_shown) {
                    open.value = None;
                }
            }
        }
        Action::ThemeChosen(theme) => next.theme = theme,
        of_the_tape => {
            next.notice = None;
            let dialog = next.dialog;
            if let Some(trace) = &mut next.trace {
                next.notice = moved_in_trace(trace, of_the_tape).map(Rc::from);
            } else if let Some(open) = &mut next.tape {
                next.notice = reduce_open(open, dialog, of_the_tape).map(Rc::from);
            }
        }
    }
    next
}

/// What the keys and answers of a tape mean to an open trace, whose positions are its steps.
fn moved_in_trace(trace: &mut OpenTrace, action: Action) -> Option<String> {
    let to = match action {
        Action::Answered(question, answer) => {
            return match (*question, *answer) {
                (Question::Trace(question), Answer::Trace(answer)) => trace_state::answered(trace, question, answer),
                (Question::Trace(_), Answer::Unanswerable(why)) => {
                    trace.seeking = None;
                    Some(why)
                }
                _ => None,
            };
        }
        Action::Seek(pos) => pos.0,
        Action::Step(by) => i64::from(trace.step).saturating_add(by).clamp(0, i64::from(trace.last())) as u32,
        Action::First => 0,
        Action::Last => trace.last(),
        Action::ToChange(direction) => return trace_state::reduce_trace(trace, TraceAction::ToDifference(direction)),
        _ => return None,
    };
    trace_state::reduce_trace(trace, TraceAction::Seek(to))
}

/// What an action does to the open tape; the text is a remark for the user.
fn reduce_open(open: &mut Open, dialog: Dialog, action: Action) -> Option<String> {
    match action {
        Action::SourceTaken(source) => {
            open.issue_counts = Rc::new(source.issues.clone());
            open.source = Some(Shared::new(*source));
            open.epoch += 1;
        }
        Action::Answered(question, answer) => return answered(open, dialog, *question, *answer),
        Action::Seek(pos) => open.seek(pos.0),
        Action::Step(by) => {
            let to = i64::from(open.pos.0).saturating_add(by).clamp(0, i64::from(open.last()));
            open.seek(to as u32);
        }
        Action::First => open.seek(0),
        Action::Last => open.seek(open.last()),
        Action::ToChange(direction) => match &open.selected {
            Some(selected) => return jump(open, direction, JumpTarget::Change(selected.stream)),
            None => return Some("Choose a binding first: its changes are what [ and ] go to.".to_owned()),
        },
        Action::Continue(direction) => {
            let lines = open.breakpoints.iter().copied().collect();
            return jump(open, direction, JumpTarget::Breakpoint(lines));
        }
        Action::ToLine(direction, line) => return jump(open, direction, JumpTarget::Line(line)),
        Action::PlayToggled if open.summary.positions > 1 && !open.is_lost => {
            open.is_playing = !open.is_playing;
            open.carry = 0.0;
            if open.is_playing && open.pos.0 == open.last() {
                open.seek(0);
            }
        }
        Action::Ticked(millis) if open.is_playing => {
            let moved = open.carry + millis.clamp(0.0, 1000.0) * open.speed / 1000.0;
            let whole = moved.floor();
            if whole >= 1.0 {
                let to = f64::from(open.pos.0) + whole;
                open.seek(if to >= f64::from(open.last()) { open.last() } else { to as u32 });
                open.is_playing = open.pos.0 < open.last();
            }
            open.carry = moved - whole;
        }
        Action::SpeedChosen(speed) => open.speed = speed,
        Action::RangeChosen(range) => open.set_range(range),
        Action::Zoomed(factor) => open.range = open.range.zoomed_about(open.pos, factor, open.summary.positions),
        Action::Paged(parts) => open.range = open.range.paged(parts, open.summary.positions),
        Action::Fitted => open.range = Range::whole(open.summary.positions),
        Action::TimelineAsked(Question::Timeline(query)) => open.timeline_query = Some(query),
        Action::TimelineAsked(Question::Minimap { buckets }) => open.minimap_buckets = buckets,
        Action::Filtered(filter) => open.filter = Rc::from(filter),
        Action::RowsSeen(panel, rows) => *open.rows_mut(panel) = rows,
        Action::IssueKindChosen(kind) => open.issue_kind = kind,
        Action::Chosen(selected) if open.selected.as_ref().is_none_or(|old| old.stream != selected.stream) => {
            open.selected = Some(Shared::new(selected));
        }
        Action::PinToggled(pin) => toggle_pin(open, &pin),
        Action::SelectedPinToggled => match open.selected.as_ref().map(|selected| selected.pin()) {
            Some(pin) => toggle_pin(open, &pin),
            None => return Some("Choose a binding first, then p pins it to the timeline.".to_owned()),
        },
        Action::BreakpointToggled(line) => {
            let mut lines = (*open.breakpoints).clone();
            if !lines.remove(&line) {
                lines.insert(line);
            }
            open.breakpoints = Rc::new(lines);
        }
        _ => {}
    }
    None
}

fn jump(open: &mut Open, direction: Direction, target: JumpTarget) -> Option<String> {
    if open.summary.positions == 0 {
        return Some("There is nothing to step: this tape has no positions.".to_owned());
    }
    open.is_playing = false;
    open.jump = Some(JumpQuery { from: open.pos, direction, target });
    None
}

fn toggle_pin(open: &mut Open, pin: &Pin) {
    let mut pins = (*open.pins).clone();
    match pins.iter().position(|other| other == pin) {
        Some(at) => {
            pins.remove(at);
        }
        None => pins.push(pin.clone()),
    }
    open.pins = Rc::new(pins);
}

fn answered(open: &mut Open, dialog: Dialog, question: Question, answer: Answer) -> Option<String> {
    match (question, answer) {
        (Question::State(query), Answer::State(answer)) if *query.filter == *open.filter => {
            open.moment = Some(Shared::new(Moment { query, answer }));
            open.follow_selection();
        }
        (Question::Timeline(_), Answer::Timeline(slice)) => open.slice = Some(Shared::new(slice)),
        (Question::Minimap { .. }, Answer::Minimap(counts)) => open.minimap = Some(Shared::new(counts)),
        (Question::History(query), Answer::History(answer))
            if open.selected.as_ref().is_some_and(|selected| selected.stream == query.stream) =>
        {
            open.history = Some(Shared::new(Past { query, answer }));
        }
        (Question::Issues { kind, rows }, Answer::Issues(answer)) if kind == open.issue_kind => {
            open.issues = Some(Shared::new(Windowed { rows, answer }));
        }
        (Question::Inputs { rows }, Answer::Inputs(answer)) => {
            open.inputs = Some(Shared::new(Windowed { rows, answer }));
        }
        (Question::Lines { rows }, Answer::Lines(answer)) => open.lines = Some(Shared::new(Windowed { rows, answer })),
        (Question::Value { byte }, Answer::Value(answer)) if dialog == Dialog::Value(byte) => {
            open.value = Some(Shared::new(answer));
        }
        (Question::Jump(query), Answer::Jump(answer)) if open.jump.as_ref() == Some(&query) => {
            open.jump = None;
            if let Some(pos) = answer.pos {
                open.seek(pos.0);
            }
            return answer.message;
        }
        (question, Answer::Unanswerable(why)) => {
            if matches!(question, Question::Jump(_)) {
                open.jump = None;
            }
            return Some(why);
        }
        _ => {}
    }
    None
}

/// The questions whose answers the page shows now, at most one of each kind.
pub fn wanted(state: &State) -> Vec<Question> {
    if let Some(trace) = &state.trace {
        return trace_state::questions(trace);
    }
    let Some(open) = &state.tape else { return Vec::new() };
    if open.is_lost {
        return Vec::new();
    }
    let mut questions = Vec::with_capacity(9);
    if open.summary.positions > 0 {
        questions.push(Question::State(open.state_query()));
        questions.extend(open.timeline_query.clone().map(Question::Timeline));
        questions.push(Question::Lines { rows: open.rows.lines });
        questions.extend(open.jump.clone().map(Question::Jump));
        if open.minimap_buckets > 0 {
            questions.push(Question::Minimap { buckets: open.minimap_buckets });
        }
    }
    questions.extend(open.history_query().map(Question::History));
    questions.push(Question::Inputs { rows: open.rows.inputs });
    questions.push(Question::Issues { kind: open.issue_kind, rows: open.rows.issues });
    if let Dialog::Value(byte) = state.dialog {
        questions.push(Question::Value { byte });
    }
    questions
}

#[cfg(test)]
#[path = "state_tests.rs"]
mod tests;
