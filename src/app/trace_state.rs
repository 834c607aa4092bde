//! The part of the page's state that belongs to an open trace, its replay, the tools and the recorder.
//!
//! Invariant: an answer is shown only when it belongs to the step and the rows that are shown now; a verdict is never older than
//! the replay it came from, because every change of the replay asks for everything anew.

use std::rc::Rc;

use tapedeck_core::model::RowWindow;
use tapedeck_core::model::protocol::{Direction, Question, Refusal};
use tapedeck_core::model::protocol_tools::{ModuleReport, ToolRow, Tried};
use tapedeck_core::model::protocol_trace::{
    Bar, CompareAnswer, FieldAnswer, FieldQuery, ReplayState, StepAnswer, StepsAnswer, TraceAnswer, TraceIssue,
    TraceKind, TraceQuestion, TraceSummary, WordsAnswer, WordsOf,
};

use super::shared::Shared;

/// Issues that are shown at most.
const ISSUE_ROWS: RowWindow = RowWindow { first: 0, count: 201 };

/// Rows of a comparison that are shown at most; the files hold all.
const COMPARE_ROWS: RowWindow = RowWindow { first: 0, count: 200 };

/// What lies over the page.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Sheet {
    /// Nothing.
    #[default]
    None,
    /// The whole text of a field.
    Field(FieldQuery),
    /// All words of a generator.
    Words(u32, WordsOf),
}

/// The trace that is open and what the page shows of it.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenTrace {
    /// Grows with every opened recording.
    pub serial: u32,
    /// Grows whenever answers may differ from those before.
    pub epoch: u32,
    /// What it holds.
    pub summary: Shared<TraceSummary>,
    /// Whether its reader is lost.
    pub is_lost: bool,
    /// The step that is shown (0-based).
    pub step: u32,
    /// The rows of the step list in view.
    pub rows: RowWindow,
    /// The step list.
    pub steps: Option<Shared<StepsAnswer>>,
    /// How many bars fit on the timeline.
    pub bar_room: u32,
    /// The timeline's bars.
    pub bars: Option<Shared<Vec<Bar>>>,
    /// Everything about the step; while an answer is under way, that of the step before.
    pub detail: Option<Shared<StepAnswer>>,
    /// How the replay stands.
    pub replay: Option<Shared<ReplayState>>,
    /// Whether a replay runs.
    pub is_replaying: bool,
    /// What is odd in the document.
    pub issues: Option<Shared<Vec<TraceIssue>>>,
    /// What lies over the page.
    pub sheet: Sheet,
    /// The text of the sheet.
    pub field: Option<Shared<FieldAnswer>>,
    /// The words of the sheet.
    pub words: Option<Shared<WordsAnswer>>,
    /// A search for the next difference that is under way.
    pub seeking: Option<(u32, Direction)>,
    /// The name of the other trace and the sentence on the comparison.
    pub other: Option<Shared<(String, String)>>,
    /// The differences to it.
    pub compare: Option<Shared<CompareAnswer>>,
}

impl OpenTrace {
    /// A trace at its first step.
    pub fn new(serial: u32, summary: TraceSummary) -> Self {
        Self {
            serial,
            epoch: 0,
            summary: Shared::new(summary),
            is_lost: false,
            step: 0,
            rows: RowWindow { first: 0, count: 64 },
            steps: None,
            bar_room: 0,
            bars: None,
            detail: None,
            replay: None,
            is_replaying: false,
            issues: None,
            sheet: Sheet::None,
            field: None,
            words: None,
            seeking: None,
            other: None,
            compare: None,
        }
    }

    /// The last step, or 0 when there is none.
    pub fn last(&self) -> u32 {
        self.summary.steps.saturating_sub(1)
    }

    /// Whether it can be replayed.
    pub fn can_replay(&self) -> bool {
        self.summary.kind != TraceKind::Record && self.summary.steps > 0 && !self.is_lost
    }

    fn seek(&mut self, step: u32) {
        self.step = step.min(self.last());
    }

    /// The answers that the page lacks.
    pub fn wanted(&self) -> Vec<TraceQuestion> {
        if self.is_lost {
            return Vec::new();
        }
        let mut questions = Vec::with_capacity(6);
        if self.summary.issues > 0 {
            questions.push(TraceQuestion::Issues { rows: ISSUE_ROWS });
        }
        if self.summary.chosen.is_none() || self.summary.steps == 0 {
            return questions;
        }
        questions.push(TraceQuestion::Steps { rows: self.rows });
        questions.push(TraceQuestion::Step { step: self.step });
        if self.bar_room > 0 {
            questions.push(TraceQuestion::Bars { first: 0, count: self.summary.steps, bars: self.bar_room });
        }
        match &self.sheet {
            Sheet::None => {}
            Sheet::Field(query) => questions.push(TraceQuestion::Field(query.clone())),
            Sheet::Words(step, which) => questions.push(TraceQuestion::Words { step: *step, which: *which }),
        }
        if let Some((from, direction)) = self.seeking {
            questions.push(TraceQuestion::NextDifference { from, direction });
        }
        if self.other.is_some() {
            questions.push(TraceQuestion::Compare { rows: COMPARE_ROWS });
        }
        questions
    }
}

/// Modules and tools, which stay while traces come and go.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tools {
    /// The tools there are; `None` until they were asked for.
    pub rows: Option<Shared<Vec<ToolRow>>>,
    /// The modules that the user brought.
    pub modules: Rc<Vec<Rc<ModuleReport>>>,
    /// A module that was not taken: its file and why.
    pub refused: Option<Shared<(String, Refusal)>>,
    /// Whether the Tools panel is shown.
    pub is_shown: bool,
    /// The tool that the recorder has chosen.
    pub chosen: Rc<str>,
    /// Whether a tool runs.
    pub is_trying: bool,
    /// How the last try ended.
    pub tried: Option<Shared<Tried>>,
    /// Whether the last try may still be added.
    pub can_add: bool,
    /// What was typed and cannot be used.
    pub bad_input: Option<Rc<str>>,
}

/// What can happen to a trace, its replay, the tools and the recorder.
#[derive(Clone, Debug, PartialEq)]
pub enum TraceAction {
    /// It was changed: another of the document, or a step more.
    Changed(Box<TraceSummary>),
    /// The list shows these rows.
    RowsSeen(RowWindow),
    /// So many bars fit on the timeline.
    RoomSeen(u32),
    /// Go to this step.
    Seek(u32),
    /// Find the next difference.
    ToDifference(Direction),
    /// Something lies over the page, or nothing.
    SheetShown(Sheet),
    /// A replay begins.
    ReplayStarted,
    /// How the replay stands.
    Replayed(ReplayState),
    /// The replay came to its end.
    ReplayEnded,
    /// The other trace is open.
    Compared(String, String),
    /// The comparison is closed.
    CompareClosed,
    /// Show or hide the Tools panel.
    ToolsToggled,
    /// The tools there are.
    ToolsListed(Vec<ToolRow>),
    /// A module was taken.
    ModuleTaken(Box<ModuleReport>),
    /// A module was not taken.
    ModuleRefused(String, Refusal),
    /// A module goes.
    ModuleDropped(String),
    /// The recorder chooses a tool.
    ToolChosen(String),
    /// A tool runs.
    TryStarted,
    /// A tool ran.
    Tried(Tried),
    /// The tried step was added.
    Added,
    /// What was typed cannot be used.
    BadInput(String),
}

/// What an action does to the tools; `true` when it was theirs alone.
pub fn reduce_tools(tools: &mut Tools, action: &TraceAction) {
    match action {
        TraceAction::ToolsToggled => tools.is_shown = !tools.is_shown,
        TraceAction::ToolsListed(rows) => {
            if tools.chosen.is_empty()
                && let Some(first) = rows.first()
            {
                tools.chosen = Rc::from(first.name.as_str());
            }
            tools.rows = Some(Shared::new(rows.clone()));
        }
        TraceAction::ModuleTaken(report) => {
            let mut modules: Vec<Rc<ModuleReport>> =
                tools.modules.iter().filter(|other| other.module.sha256 != report.module.sha256).cloned().collect();
            modules.push(Rc::new((**report).clone()));
            tools.modules = Rc::new(modules);
            tools.rows = Some(Shared::new(report.all.clone()));
            tools.refused = None;
            tools.is_shown = true;
        }
        TraceAction::ModuleRefused(file, refusal) => {
            tools.refused = Some(Shared::new((file.clone(), refusal.clone())));
            tools.is_shown = true;
        }
        TraceAction::ModuleDropped(sha256) => {
            let modules = tools.modules.iter().filter(|other| other.module.sha256 != *sha256).cloned().collect();
            tools.modules = Rc::new(modules);
        }
        TraceAction::ToolChosen(name) => {
            tools.chosen = Rc::from(name.as_str());
            tools.tried = None;
            tools.can_add = false;
            tools.bad_input = None;
        }
        TraceAction::TryStarted => {
            tools.is_trying = true;
            tools.tried = None;
            tools.can_add = false;
            tools.bad_input = None;
        }
        TraceAction::Tried(tried) => {
            tools.is_trying = false;
            tools.can_add = tried.is_returned;
            tools.tried = Some(Shared::new(tried.clone()));
        }
        TraceAction::Added => tools.can_add = false,
        TraceAction::BadInput(why) => {
            tools.is_trying = false;
            tools.bad_input = Some(Rc::from(why.as_str()));
        }
        _ => {}
    }
}

/// What an action does to the open trace; the text is a remark for the user.
pub fn reduce_trace(trace: &mut OpenTrace, action: TraceAction) -> Option<String> {
    match action {
        TraceAction::Changed(summary) => {
            let is_other = summary.chosen != trace.summary.chosen;
            let has_grown = summary.steps > trace.summary.steps;
            trace.summary = Shared::new(*summary);
            trace.epoch += 1;
            trace.replay = None;
            trace.is_replaying = false;
            trace.seeking = None;
            if is_other {
                trace.step = 0;
                trace.steps = None;
                trace.bars = None;
                trace.detail = None;
                trace.other = None;
                trace.compare = None;
            } else if has_grown {
                trace.step = trace.last();
            }
        }
        TraceAction::RowsSeen(rows) => trace.rows = rows,
        TraceAction::RoomSeen(room) => trace.bar_room = room,
        TraceAction::Seek(step) => trace.seek(step),
        TraceAction::ToDifference(direction) => {
            if trace.replay.as_ref().is_none_or(|replay| replay.done == 0) {
                return Some("Replay the trace first: then [ and ] go from difference to difference.".to_owned());
            }
            trace.seeking = Some((trace.step, direction));
        }
        TraceAction::SheetShown(sheet) => {
            trace.sheet = sheet;
            trace.field = None;
            trace.words = None;
        }
        TraceAction::ReplayStarted => {
            trace.is_replaying = true;
            trace.replay = None;
            trace.seeking = None;
        }
        TraceAction::Replayed(state) => {
            trace.replay = Some(Shared::new(state));
            trace.epoch += 1;
        }
        TraceAction::ReplayEnded => trace.is_replaying = false,
        TraceAction::Compared(name, sentence) => {
            trace.other = Some(Shared::new((name, sentence)));
            trace.compare = None;
            trace.epoch += 1;
        }
        TraceAction::CompareClosed => {
            trace.other = None;
            trace.compare = None;
        }
        _ => {}
    }
    None
}

/// An answer of the reader; the text is a remark for the user.
pub fn answered(trace: &mut OpenTrace, question: TraceQuestion, answer: TraceAnswer) -> Option<String> {
    match (question, answer) {
        (TraceQuestion::Steps { .. }, TraceAnswer::Steps(answer)) => trace.steps = Some(Shared::new(answer)),
        (TraceQuestion::Bars { .. }, TraceAnswer::Bars(bars)) => trace.bars = Some(Shared::new(bars)),
        (TraceQuestion::Step { .. }, TraceAnswer::Step(answer)) => trace.detail = Some(Shared::new(*answer)),
        (TraceQuestion::Field(query), TraceAnswer::Field(answer)) if trace.sheet == Sheet::Field(query.clone()) => {
            trace.field = Some(Shared::new(answer));
        }
        (TraceQuestion::Words { step, which }, TraceAnswer::Words(answer))
            if trace.sheet == Sheet::Words(step, which) =>
        {
            trace.words = Some(Shared::new(answer));
        }
        (TraceQuestion::Issues { .. }, TraceAnswer::Issues(issues)) => trace.issues = Some(Shared::new(issues)),
        (TraceQuestion::NextDifference { from, direction }, TraceAnswer::NextDifference { step }) => {
            if trace.seeking != Some((from, direction)) {
                return None;
            }
            trace.seeking = None;
            match step {
                Some(step) => trace.seek(step),
                None => {
                    let way = if direction == Direction::Forward { "after" } else { "before" };
                    return Some(format!("No difference {way} step {}.", u64::from(from) + 1));
                }
            }
        }
        (TraceQuestion::Compare { .. }, TraceAnswer::Compare(answer)) => trace.compare = Some(Shared::new(answer)),
        _ => {}
    }
    None
}

/// The questions of an open trace as the reader takes them.
pub fn questions(trace: &OpenTrace) -> Vec<Question> {
    trace.wanted().into_iter().map(Question::Trace).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use tapedeck_core::model::protocol_trace::ShownText;

    use super::*;

    fn summary(steps: u32) -> TraceSummary {
        TraceSummary {
            name: "t.json".into(),
            bytes: 1,
            items: Vec::new(),
            chosen: Some(0),
            kind: TraceKind::Trace,
            request: ShownText::default(),
            steps,
            without_state: 0,
            notes: Vec::new(),
            issues: 0,
        }
    }

    #[test]
    fn a_step_beyond_the_end_is_the_last() {
        let mut trace = OpenTrace::new(1, summary(3));
        assert_eq!(reduce_trace(&mut trace, TraceAction::Seek(9)), None);
        assert_eq!(trace.step, 2);
        assert!(trace.wanted().contains(&TraceQuestion::Step { step: 2 }));
    }

    #[test]
    fn differences_are_sought_after_a_replay_only_and_the_newest_search_counts() {
        let mut trace = OpenTrace::new(1, summary(3));
        assert!(reduce_trace(&mut trace, TraceAction::ToDifference(Direction::Forward)).is_some());
        let state = ReplayState { total: 3, done: 3, ..ReplayState::default() };
        reduce_trace(&mut trace, TraceAction::Replayed(state));
        reduce_trace(&mut trace, TraceAction::ToDifference(Direction::Forward));
        let question = TraceQuestion::NextDifference { from: 0, direction: Direction::Forward };
        assert!(trace.wanted().contains(&question));
        assert_eq!(answered(&mut trace, question.clone(), TraceAnswer::NextDifference { step: Some(2) }), None);
        assert_eq!((trace.step, trace.seeking), (2, None));
        assert_eq!(answered(&mut trace, question, TraceAnswer::NextDifference { step: Some(1) }), None);
        assert_eq!(trace.step, 2);
    }

    #[test]
    fn a_growing_recording_shows_its_newest_step_and_forgets_its_verdicts() {
        let mut trace = OpenTrace::new(1, summary(1));
        reduce_trace(&mut trace, TraceAction::Replayed(ReplayState::default()));
        reduce_trace(&mut trace, TraceAction::Changed(Box::new(summary(2))));
        assert_eq!((trace.step, trace.replay.is_none()), (1, true));
    }

    #[test]
    fn a_module_brought_again_stands_once() {
        let mut tools = Tools::default();
        let report = ModuleReport {
            module: tapedeck_core::model::protocol_tools::ModuleName {
                name: "m".into(),
                version: "1".into(),
                sha256: "0".into(),
            },
            file: "m.wasm".into(),
            tools: vec!["a".into()],
            shadowed: Vec::new(),
            all: Vec::new(),
        };
        reduce_tools(&mut tools, &TraceAction::ModuleTaken(Box::new(report.clone())));
        reduce_tools(&mut tools, &TraceAction::ModuleTaken(Box::new(report)));
        assert_eq!(tools.modules.len(), 1);
        reduce_tools(&mut tools, &TraceAction::ModuleDropped("0".into()));
        assert!(tools.modules.is_empty());
    }
}
