//! An opened document of traces, and the answers to what the page asks about it.
//!
//! Invariant: the recorded steps never change; what a replay gave stands beside them. Verdicts come from `replay`, and nothing
//! here softens one.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::bytes::limits::MAX_TRACE_BYTES;
use crate::model::RowWindow;
use crate::model::protocol::{Direction, Refusal};
use crate::model::protocol_trace::{
    Bar, Check, CompareAnswer, CompareRow, DifferenceRow, Ended, Export, FieldAnswer, FieldQuery, GeneratorChange,
    Mark, ReplayState, RngChange, ShownText, StateChange, StepAnswer, StepRow, StepsAnswer, TraceAnswer, TraceIssue,
    TraceItem, TraceKind, TraceQuestion, TraceSummary, WordsAnswer, WordsOf,
};

use super::diff::{DiffRow, Difference, StepDifferences, diff, explain, explain_values};
use super::json::{Encoding, JsonErrorKind, Layout};
use super::lines::{lines, preview, verbatim};
use super::model::{ExecutionTrace, Field, FieldRef, TraceStep};
use super::open::{Found, OpenError, open};
use super::record::{NOT_REPLAYABLE, TraceRecord};
use super::replay::{NotReplayed, StepVerdict, Summary, ToolSource, TraceVerdict, replayed_trace, summarize};
use super::report;
use super::value::Value;
use super::wire::{Packer, Ran, RanStep, Unpacker};

/// Issues that are listed; the rest are counted in the last one.
const MAX_ISSUES: usize = 200;

/// Bytes of a packed batch of steps, about: large enough that messages cost little, small enough that progress is seen.
const BATCH_BYTES: usize = 512 << 10;

/// Bytes of a value in a row of differences.
const ROW_BYTES: usize = 2_000;

/// Differing values that travel with a step or a row of a comparison.
const ROW_DIFFERENCES: usize = 50;

/// A document of traces that is open.
#[derive(Debug)]
pub struct TraceDeck {
    name: String,
    bytes: u64,
    items: Vec<TraceItem>,
    /// The traces, one an item.
    traces: Vec<Held>,
    chosen: Option<usize>,
    is_session: bool,
    issues: Vec<TraceIssue>,
    notes: Vec<String>,
    verdicts: Vec<Option<(StepVerdict, Option<ToolSource>)>>,
    /// The one step that the last replay was about; `None` for all.
    only: Option<u32>,
    was_cancelled: bool,
    other: Option<Other>,
}

#[derive(Debug)]
struct Held {
    /// For a record: its steps as trace steps, without states.
    trace: ExecutionTrace,
    record: Option<TraceRecord>,
}

#[derive(Debug)]
struct Other {
    name: String,
    trace: ExecutionTrace,
    rows: Vec<DiffRow>,
    sentence: String,
}

impl TraceDeck {
    /// Opens a document; `progress` is told the bytes done about every megabyte.
    ///
    /// # Errors
    /// Why it holds no trace, and where.
    pub fn open(
        name: String,
        bytes: &[u8],
        notes: Vec<String>,
        progress: &mut dyn FnMut(usize),
    ) -> Result<TraceDeck, Refusal> {
        if bytes.len() as u64 > MAX_TRACE_BYTES {
            return Err(too_large(bytes.len() as u64));
        }
        let mut told = |done: usize| {
            progress(done);
            ControlFlow::Continue(())
        };
        let opened = open(bytes, Some(&mut told)).map_err(|error| refused(&error))?;
        let mut notes = notes;
        if opened.encoding != Encoding::Utf8 {
            notes.push(format!("The text is {:?}; byte positions are those of the file.", opened.encoding));
        }
        let mut issues: Vec<TraceIssue> = opened
            .duplicates
            .iter()
            .map(|d| TraceIssue {
                what: format!(
                    "The key {} stands twice in one object; the last one wins.",
                    preview(&Value::Text(d.key.clone()), 200)
                ),
                place: format!("line {}, column {}, byte {}", d.line, d.column, d.byte),
            })
            .collect();
        if opened.duplicate_count > opened.duplicates.len() {
            let more = opened.duplicate_count - opened.duplicates.len();
            issues.push(TraceIssue { what: format!("{more} more keys stand twice."), place: String::new() });
        }
        issues.extend(opened.problems.iter().map(|problem| TraceIssue { what: problem.clone(), place: String::new() }));
        let mut items = Vec::with_capacity(opened.items.len());
        let mut traces = Vec::with_capacity(opened.items.len());
        for item in opened.items {
            let held = match item.found {
                Found::Trace(trace) => Held { trace, record: None },
                Found::Record(record) => Held { trace: trace_of(&record), record: Some(record) },
            };
            items.push(TraceItem {
                path: item.path,
                is_record: held.record.is_some(),
                steps: held.trace.steps.len() as u32,
                request: preview(&held.trace.request, 200),
            });
            traces.push(held);
        }
        let chosen = (traces.len() == 1 && !opened.offered).then_some(0);
        let mut deck = TraceDeck {
            name,
            bytes: bytes.len() as u64,
            items,
            traces,
            chosen: None,
            is_session: false,
            issues,
            notes,
            verdicts: Vec::new(),
            only: None,
            was_cancelled: false,
            other: None,
        };
        deck.choose(chosen);
        deck.find_odd_fields();
        Ok(deck)
    }

    /// A trace that is being recorded, without steps so far.
    pub fn session(request: String, seed: &str) -> TraceDeck {
        let trace = ExecutionTrace::new(Value::text(request));
        let item = TraceItem { path: String::new(), is_record: false, steps: 0, request: preview(&trace.request, 200) };
        let mut deck = TraceDeck {
            name: "recording.json".to_owned(),
            bytes: 0,
            items: vec![item],
            traces: vec![Held { trace, record: None }],
            chosen: None,
            is_session: true,
            issues: Vec::new(),
            notes: vec![format!(
                "Both generators began at seed {seed}; the exit state of a step is the entry state of the next."
            )],
            verdicts: Vec::new(),
            only: None,
            was_cancelled: false,
            other: None,
        };
        deck.choose(Some(0));
        deck
    }

    /// Shows another trace of the document.
    pub fn choose(&mut self, item: Option<usize>) {
        self.chosen = item.filter(|item| *item < self.traces.len());
        self.forget_replay(None);
        self.other = None;
    }

    /// Names the request of a session. Any other trace keeps its own.
    pub fn name_request(&mut self, request: String) {
        if self.is_session
            && let Some(held) = self.traces.first_mut()
        {
            held.trace.request = Arc::new(Value::text(request));
            if let Some(item) = self.items.first_mut() {
                item.request = preview(&held.trace.request, 200);
            }
        }
    }

    /// Appends a packed step to a session; `false` when it is none.
    pub fn add_step(&mut self, packed: &[u8]) -> bool {
        let Some(step) = Unpacker::new(packed).step() else { return false };
        if !self.is_session {
            return false;
        }
        if let (Some(held), Some(item)) = (self.traces.first_mut(), self.items.first_mut()) {
            held.trace.steps.push(step);
            item.steps = held.trace.steps.len() as u32;
        }
        self.forget_replay(None);
        true
    }

    fn find_odd_fields(&mut self) {
        let mut found = Vec::new();
        let mut more = 0_usize;
        for (item, held) in self.items.iter().zip(&self.traces) {
            let at = if item.path.is_empty() { String::new() } else { format!("{}, ", item.path) };
            for (i, step) in held.trace.steps.iter().enumerate() {
                let odd = [
                    (!matches!(step.tool, Value::Text(_)))
                        .then(|| format!("The tool is a {}, not text.", step.tool.type_name())),
                    (!matches!(step.succeeded, Value::Null | Value::Bool(_)))
                        .then(|| format!("`succeeded` is a {}, not true, false or null.", step.succeeded.type_name())),
                    Field::ALL
                        .iter()
                        .any(|field| has_non_finite(step.field(*field)))
                        .then(|| "It holds a NaN or an infinity, which mixle refuses to compare.".to_owned()),
                ];
                for what in odd.into_iter().flatten() {
                    if self.issues.len() + found.len() < MAX_ISSUES {
                        found.push(TraceIssue { what, place: format!("{at}step {}", i + 1) });
                    } else {
                        more += 1;
                    }
                }
            }
        }
        self.issues.extend(found);
        if more > 0 {
            self.issues.push(TraceIssue { what: format!("{more} more are not listed."), place: String::new() });
        }
    }

    fn held(&self) -> Option<&Held> {
        self.traces.get(self.chosen?)
    }

    fn steps(&self) -> &[TraceStep] {
        self.held().map(|held| held.trace.steps.as_slice()).unwrap_or_default()
    }

    /// What the document holds, and what the chosen trace is.
    pub fn summary(&self) -> TraceSummary {
        let held = self.held();
        let kind = match held {
            _ if self.is_session => TraceKind::Session,
            Some(Held { record: Some(_), .. }) => TraceKind::Record,
            _ => TraceKind::Trace,
        };
        let mut notes = self.notes.clone();
        if kind == TraceKind::Record {
            notes.push(NOT_REPLAYABLE.to_owned());
        }
        if let (Some(item), true) = (self.chosen.and_then(|chosen| self.items.get(chosen)), self.items.len() > 1) {
            notes.push(format!("This is the trace at {}.", item.path));
        } else if let Some(item) =
            self.chosen.and_then(|chosen| self.items.get(chosen)).filter(|item| !item.path.is_empty())
        {
            notes.push(format!("The trace stands at {} of the document.", item.path));
        }
        TraceSummary {
            name: self.name.clone(),
            bytes: self.bytes,
            items: self.items.clone(),
            chosen: self.chosen.map(|chosen| chosen as u32),
            kind,
            request: held.map(|held| ShownText::cut(verbatim(&held.trace.request), ROW_BYTES)).unwrap_or_default(),
            steps: self.steps().len() as u32,
            without_state: self.steps().iter().filter(|step| step.rng_state_before.is_null()).count() as u32,
            notes,
            issues: self.issues.len() as u32,
        }
    }

    /// Answers a question; `Err` says why it has no answer.
    ///
    /// # Errors
    /// When the step does not exist, was not replayed, or there is nothing to compare with.
    pub fn answer(&self, question: &TraceQuestion) -> Result<TraceAnswer, String> {
        Ok(match question {
            TraceQuestion::Steps { rows } => TraceAnswer::Steps(self.step_rows(*rows)),
            TraceQuestion::Bars { first, count, bars } => TraceAnswer::Bars(self.bars(*first, *count, *bars)),
            TraceQuestion::Step { step } => TraceAnswer::Step(Box::new(self.step(*step)?)),
            TraceQuestion::Field(query) => TraceAnswer::Field(self.field(query)?),
            TraceQuestion::Words { step, which } => TraceAnswer::Words(self.words(*step, *which)?),
            TraceQuestion::Issues { rows } => TraceAnswer::Issues(window(&self.issues, *rows).to_vec()),
            TraceQuestion::NextDifference { from, direction } => {
                TraceAnswer::NextDifference { step: self.next_difference(*from, *direction) }
            }
            TraceQuestion::Compare { rows } => TraceAnswer::Compare(self.compare(*rows)?),
        })
    }

    fn verdict(&self, step: usize) -> Option<&StepVerdict> {
        self.verdicts.get(step).and_then(Option::as_ref).map(|(verdict, _)| verdict)
    }

    fn mark(&self, step: usize) -> Mark {
        self.verdict(step).map_or(Mark::None, mark_of)
    }

    fn step_rows(&self, rows: RowWindow) -> StepsAnswer {
        let at_hand = window(self.steps(), rows);
        let rows_of = |(i, step): (usize, &TraceStep)| {
            let at = rows.first as usize + i;
            StepRow {
                tool: step.tool_name(),
                seed: if step.seed.is_null() { String::new() } else { preview(&step.seed, 40) },
                ended: ended(step),
                verdict: self.mark(at),
                detail: self.verdict(at).map(StepVerdict::detail).unwrap_or_default(),
            }
        };
        StepsAnswer { first: rows.first, rows: at_hand.iter().enumerate().map(rows_of).collect() }
    }

    fn bars(&self, first: u32, count: u32, bars: u32) -> Vec<Bar> {
        let rows = RowWindow { first, count };
        let at_hand = window(self.steps(), rows);
        let share = at_hand.len().div_ceil(bars.max(1) as usize).max(1);
        at_hand
            .chunks(share)
            .enumerate()
            .map(|(i, steps)| {
                let at = first as usize + i * share;
                Bar {
                    first: at as u32,
                    count: steps.len() as u32,
                    tool: steps.first().filter(|_| steps.len() == 1).map(TraceStep::tool_name).unwrap_or_default(),
                    has_failed: steps.iter().any(|step| ended(step) == Ended::Failed),
                    verdict: (at..at + steps.len()).map(|step| self.mark(step)).max().unwrap_or_default(),
                }
            })
            .collect()
    }

    fn recorded(&self, step: u32) -> Result<&TraceStep, String> {
        self.steps().get(step as usize).ok_or_else(|| format!("There is no step {}.", u64::from(step) + 1))
    }

    fn replayed(&self, step: u32) -> Result<&TraceStep, String> {
        let recorded = self.recorded(step)?;
        self.verdict(step as usize)
            .and_then(|verdict| verdict.replayed(recorded))
            .ok_or_else(|| format!("Step {} was not replayed.", u64::from(step) + 1))
    }

    fn step(&self, step: u32) -> Result<StepAnswer, String> {
        let recorded = self.recorded(step)?;
        let verdict = self.verdict(step as usize);
        let replayed = verdict.and_then(|verdict| match verdict {
            StepVerdict::Different { replayed, .. } | StepVerdict::NotComparable { replayed, .. } => Some(&**replayed),
            _ => None,
        });
        let (differences, cause) = match verdict {
            Some(StepVerdict::Different { differences, cause, .. }) => (Some(differences), cause.as_ref()),
            Some(StepVerdict::NotComparable { differences, .. }) => (Some(differences), None),
            _ => (None, None),
        };
        let args = Value::from(recorded.args.clone());
        let replayed_args = replayed.map(|step| Value::from(step.args.clone()));
        let headline = verdict.map(headline_of).unwrap_or_default();
        Ok(StepAnswer {
            step,
            tool: recorded.tool_name(),
            seed: preview(&recorded.seed, 200),
            succeeded: preview(&recorded.succeeded, 200),
            args: lines(&args, replayed_args.as_ref()),
            result: lines(&recorded.result, replayed.map(|step| &step.result)),
            action: (!recorded.action.is_null()).then(|| lines(&recorded.action, None)),
            state: state_change(recorded),
            rng: rng_change(recorded),
            record_extras: self.record_extras(step),
            verdict: verdict.map_or(Mark::None, mark_of),
            headline,
            cause: cause.map(super::replay::Cause::sentence),
            differences: differences.map(|found| rows_of(found, ROW_DIFFERENCES)).unwrap_or_default(),
            difference_count: differences.map_or(0, |found| found.total as u32),
            checks: self.checks(step as usize, recorded),
        })
    }

    fn record_extras(&self, step: u32) -> Vec<(String, String)> {
        let record = self.held().and_then(|held| held.record.as_ref());
        let Some(step) = record.and_then(|record| record.steps.get(step as usize)) else { return Vec::new() };
        [("model", &step.model), ("recorded verdict", &step.recorded_verdict)]
            .into_iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (name.to_owned(), preview(value, ROW_BYTES)))
            .collect()
    }

    /// What a replay checked, one line each, as far as it came.
    fn checks(&self, step: usize, recorded: &TraceStep) -> Vec<Check> {
        let Some(Some((verdict, source))) = self.verdicts.get(step) else { return Vec::new() };
        let check = |what: &str, mark: Mark, says: String| Check { what: what.to_owned(), mark, says };
        let tool = recorded.tool_name();
        let origin = match source {
            Some(ToolSource::Shipped) => format!("{tool} (ships with Tapedeck)"),
            Some(ToolSource::Module { name, sha256 }) => {
                format!("{tool} (module {name}, SHA-256 {}…)", sha256.get(..12).unwrap_or(sha256))
            }
            None => tool,
        };
        let replayed = match verdict {
            StepVerdict::NotReplayed(reason) => {
                let mut checks = Vec::new();
                if source.is_some() {
                    checks.push(check("tool", Mark::Identical, origin));
                }
                checks.push(check("not replayed", Mark::NotProven, reason.sentence()));
                return checks;
            }
            StepVerdict::Identical => recorded,
            StepVerdict::Different { replayed, .. } | StepVerdict::NotComparable { replayed, .. } => replayed,
        };
        let found = match verdict {
            StepVerdict::Different { differences, .. } | StepVerdict::NotComparable { differences, .. } => {
                Some(differences)
            }
            _ => None,
        };
        let compared = |what: &str, field: Field, same: String| {
            if same_field(recorded.field(field), replayed.field(field)) {
                return check(what, Mark::Identical, same);
            }
            let listed = found.map_or(0, |found| found.listed.iter().filter(|d| d.field == field).count());
            let words = found.and_then(|found| found.listed.iter().find(|d| d.field == field)).map(Difference::place);
            check(
                what,
                Mark::Different,
                match (listed, words) {
                    (1, Some(place)) => place,
                    (n, _) if n > 1 => format!("{n} values differ"),
                    _ => "differs".to_owned(),
                },
            )
        };
        let seed = if recorded.seed.is_null() { "none".to_owned() } else { preview(&recorded.seed, 40) };
        let mut checks = vec![
            check("tool", Mark::Identical, origin),
            compared("arguments", Field::Args, "equal".to_owned()),
            check("seed", Mark::Identical, seed),
            compared("entry RNG", Field::RngStateBefore, "restored".to_owned()),
            compared("result", Field::Result, "equal".to_owned()),
            compared("exit RNG", Field::RngStateAfter, "equal".to_owned()),
            compared("succeeded", Field::Succeeded, preview(&recorded.succeeded, 40)),
        ];
        if matches!(verdict, StepVerdict::NotComparable { .. }) {
            checks.push(check("comparison", Mark::NotProven, verdict.detail()));
        }
        checks
    }

    fn field(&self, query: &FieldQuery) -> Result<FieldAnswer, String> {
        let text = if query.field == "request" {
            verbatim(&self.held().ok_or("No trace is chosen.")?.trace.request)
        } else {
            let step = if query.is_replayed { self.replayed(query.step)? } else { self.recorded(query.step)? };
            let field = Field::ALL
                .into_iter()
                .find(|field| field.name() == query.field)
                .ok_or_else(|| format!("A step has no field {}.", query.field))?;
            verbatim(&step.field(field).into_value())
        };
        Ok(FieldAnswer { query: query.clone(), text: ShownText::cut(text, FieldAnswer::MAX_BYTES) })
    }

    fn words(&self, step: u32, which: WordsOf) -> Result<WordsAnswer, String> {
        let of = if which.is_replayed { self.replayed(step)? } else { self.recorded(step)? };
        let state = if which.is_after { &of.rng_state_after } else { &of.rng_state_before };
        let words = if which.is_numpy {
            state.get("numpy").and_then(|numpy| numpy.get("keys")).cloned()
        } else {
            python_internal(state)
        };
        let words = match words {
            Some(Value::Array(words)) => words.iter().map(|word| preview(&word, 80)).collect(),
            Some(other) => vec![preview(&other, 80)],
            None => return Err("This step carries no such state.".to_owned()),
        };
        Ok(WordsAnswer { step, which, words })
    }

    fn next_difference(&self, from: u32, direction: Direction) -> Option<u32> {
        let has_different = self.verdicts.iter().flatten().any(|(verdict, _)| mark_of(verdict) == Mark::Different);
        let sought = if has_different { Mark::Different } else { Mark::NotProven };
        let is_hit = |step: &usize| self.mark(*step) == sought && !self.is_stopped(*step);
        let found = match direction {
            Direction::Forward => (from as usize + 1..self.verdicts.len()).find(is_hit),
            Direction::Back => (0..(from as usize).min(self.verdicts.len())).rev().find(is_hit),
        };
        found.map(|step| step as u32)
    }

    fn is_stopped(&self, step: usize) -> bool {
        matches!(self.verdict(step), Some(StepVerdict::NotReplayed(NotReplayed::Stopped)))
    }

    // ── replay ──────────────────────────────────────────────────────────────────────────────────────────────────────────

    fn forget_replay(&mut self, only: Option<u32>) {
        let total = self.steps().len();
        match only.map(|step| step as usize).filter(|step| *step < total && self.verdicts.len() == total) {
            Some(step) => {
                if let Some(slot) = self.verdicts.get_mut(step) {
                    *slot = None;
                }
            }
            None => self.verdicts = (0..total).map(|_| None).collect(),
        }
        self.only = only;
        self.was_cancelled = false;
    }

    /// A replay begins: of all steps, or of one, in which case the verdicts of the others stay.
    pub fn begin_replay(&mut self, only: Option<u32>) -> ReplayState {
        self.forget_replay(only);
        self.replay_state()
    }

    /// Packs steps to replay: from `first` on, at most `count`, about [`BATCH_BYTES`]. Returns how many were packed.
    pub fn batch(&self, first: u32, count: u32) -> (u32, Vec<u8>) {
        let mut packer = Packer::new();
        let mut packed = 0;
        for step in window(self.steps(), RowWindow { first, count }) {
            packer.step(step);
            packed += 1;
            if packer.len() >= BATCH_BYTES {
                break;
            }
        }
        (packed, packer.finish())
    }

    /// Takes packed outcomes. What does not fit the trace is passed over.
    pub fn take_outcomes(&mut self, packed: &[u8]) -> ReplayState {
        let mut unpacker = Unpacker::new(packed);
        while !unpacker.is_done() {
            let Some(RanStep { step, ran, source }) = unpacker.ran() else { break };
            let Ok(recorded) = self.recorded(step) else { continue };
            let verdict = match ran {
                Ran::Identical => StepVerdict::Identical,
                Ran::Different { replayed, cause } => {
                    let differences = explain(recorded, &replayed);
                    StepVerdict::Different { replayed, differences, cause }
                }
                Ran::NotComparable { replayed } => {
                    let differences = explain(recorded, &replayed);
                    StepVerdict::NotComparable { replayed, differences }
                }
                Ran::NotReplayed(reason) => StepVerdict::NotReplayed(reason),
            };
            self.set_verdict(step, verdict, source);
        }
        self.replay_state()
    }

    fn set_verdict(&mut self, step: u32, verdict: StepVerdict, source: Option<ToolSource>) {
        if let Some(slot) = self.verdicts.get_mut(step as usize) {
            *slot = Some((verdict, source));
        }
    }

    /// A step could not be run to its end.
    pub fn stopped(&mut self, step: u32, why: String) -> ReplayState {
        self.set_verdict(step, StepVerdict::NotReplayed(NotReplayed::Refused(why)), None);
        self.replay_state()
    }

    /// The replay was ended by the user: what has no verdict was not replayed.
    pub fn cancelled(&mut self) -> ReplayState {
        self.was_cancelled = true;
        self.replay_state()
    }

    fn all_verdicts(&self) -> Vec<StepVerdict> {
        let stopped = || StepVerdict::NotReplayed(NotReplayed::Stopped);
        self.verdicts.iter().map(|slot| slot.as_ref().map_or_else(stopped, |(verdict, _)| verdict.clone())).collect()
    }

    /// How the replay stands.
    pub fn replay_state(&self) -> ReplayState {
        let mut state = ReplayState { total: self.steps().len() as u32, ..ReplayState::default() };
        for (verdict, _) in self.verdicts.iter().flatten() {
            state.done += 1;
            match mark_of(verdict) {
                Mark::Identical => state.identical += 1,
                Mark::Different => state.different += 1,
                Mark::NotProven | Mark::None => state.not_proven += 1,
            }
        }
        let marks = || (0..self.verdicts.len()).map(|step| self.mark(step));
        state.first = [Mark::Different, Mark::NotProven]
            .into_iter()
            .find_map(|sought| marks().position(|mark| mark == sought))
            .map(|step| step as u32);
        let one = self.only.filter(|_| state.done < state.total);
        if let Some(step) = one {
            if let (Ok(recorded), Some(verdict)) = (self.recorded(step), self.verdict(step as usize)) {
                state.verdict = mark_of(verdict);
                let detail = verdict.detail();
                let colon = if detail.is_empty() { "" } else { ": " };
                state.sentence =
                    format!("step {} {} {}{colon}{detail}", step + 1, recorded.tool_name(), said_of(verdict));
            }
        } else if (state.done == state.total || self.was_cancelled)
            && let Some(summary) = self.sum_up()
        {
            state.verdict = match summary.verdict {
                TraceVerdict::Identical => Mark::Identical,
                TraceVerdict::Different => Mark::Different,
                TraceVerdict::NotProven => Mark::NotProven,
            };
            state.sentence = summary.sentence;
        }
        state
    }

    fn sum_up(&self) -> Option<Summary> {
        Some(summarize(&self.held()?.trace, &self.all_verdicts()))
    }

    // ── files ───────────────────────────────────────────────────────────────────────────────────────────────────────────

    /// A file to save: its name, its media type and its bytes.
    ///
    /// # Errors
    /// Why there is none.
    pub fn export(&self, export: Export) -> Result<(String, &'static str, Vec<u8>), String> {
        let held = self.held().ok_or("No trace is chosen.")?;
        let stem = self.name.trim_end_matches(".gz").trim_end_matches(".jsonl").trim_end_matches(".json");
        let dumps = |trace: &ExecutionTrace| {
            trace.dumps().map(String::into_bytes).map_err(|error| format!("mixle could not write this trace: {error}."))
        };
        Ok(match export {
            Export::Trace => {
                if held.record.is_some() {
                    return Err(NOT_REPLAYABLE.to_owned());
                }
                (format!("{stem}.json"), "application/json", dumps(&held.trace)?)
            }
            Export::Replayed => {
                let replayed = replayed_trace(&held.trace, &self.all_verdicts()).map_err(|step| {
                    format!(
                        "Step {} was not replayed, and a replayed trace holds every step. Replay all steps first, or bring the tool.",
                        step + 1
                    )
                })?;
                (format!("{stem}.replayed.json"), "application/json", dumps(&replayed)?)
            }
            Export::DiffJson { is_compare } => {
                let report = self.report(is_compare)?;
                (format!("{stem}.diff.json"), "application/json", report.json().into_bytes())
            }
            Export::DiffMarkdown { is_compare } => {
                let report = self.report(is_compare)?;
                (format!("{stem}.diff.md"), "text/markdown", report.markdown().into_bytes())
            }
        })
    }

    fn report(&self, is_compare: bool) -> Result<report::Report, String> {
        let held = self.held().ok_or("No trace is chosen.")?;
        if is_compare {
            let other = self.other.as_ref().ok_or("There is no other trace to compare with.")?;
            let rows = other.rows.iter().map(|row| self.compared(&held.trace, other, row)).collect();
            return Ok(report::Report {
                left: self.name.clone(),
                right: other.name.clone(),
                sentence: other.sentence.clone(),
                rows,
            });
        }
        let state = self.replay_state();
        if state.done == 0 {
            return Err("Nothing was replayed so far.".to_owned());
        }
        let rows = self
            .verdicts
            .iter()
            .enumerate()
            .filter_map(|(i, slot)| {
                let (verdict, _) = slot.as_ref()?;
                let recorded = held.trace.steps.get(i)?;
                let (found, cause) = match verdict {
                    StepVerdict::Identical => return None,
                    StepVerdict::Different { differences, cause, .. } => (Some(differences), cause.as_ref()),
                    StepVerdict::NotComparable { differences, .. } => (Some(differences), None),
                    StepVerdict::NotReplayed(_) => (None, None),
                };
                Some(report::Row {
                    index: i as i64,
                    name: recorded.tool_name(),
                    verdict: verdict.word(),
                    detail: verdict.detail(),
                    cause: cause.map(super::replay::Cause::sentence),
                    differences: found.cloned().unwrap_or_default(),
                })
            })
            .collect();
        let sentence = if state.sentence.is_empty() {
            format!("{} of {} steps replayed", state.done, state.total)
        } else {
            state.sentence
        };
        Ok(report::Report { left: self.name.clone(), right: "the replay".to_owned(), sentence, rows })
    }

    // ── two traces ──────────────────────────────────────────────────────────────────────────────────────────────────────

    /// Compares the chosen trace with that of another document; returns one sentence.
    ///
    /// # Errors
    /// When the other document holds no single trace, or nothing is chosen here.
    pub fn compare_with(&mut self, name: String, bytes: &[u8]) -> Result<String, Refusal> {
        let other = TraceDeck::open(name, bytes, Vec::new(), &mut |_| {})?;
        let sorry = |what: &str, advice: &str| Refusal {
            kind: "no-trace".to_owned(),
            what: what.to_owned(),
            place: String::new(),
            advice: advice.to_owned(),
        };
        let Some(trace) = other.traces.into_iter().next().map(|held| held.trace) else {
            return Err(sorry("The document holds no trace.", "Choose another one."));
        };
        if other.items.len() > 1 {
            return Err(sorry(
                "The document holds several traces; two single ones can be compared.",
                "Save the one you mean to a file of its own.",
            ));
        }
        let Some(held) = self.held() else {
            return Err(sorry("No trace is open to compare with.", "Open one first."));
        };
        let (rows, sentence) = match diff(&held.trace, &trace) {
            Ok(rows) if rows.is_empty() => (rows, "identical: mixle's diff is empty".to_owned()),
            Ok(rows) => {
                let sentence =
                    format!("different: mixle's diff has {} row{}", rows.len(), if rows.len() == 1 { "" } else { "s" });
                (rows, sentence)
            }
            Err(error) => (Vec::new(), format!("not comparable: mixle would raise {error}")),
        };
        self.other = Some(Other { name: other.name, trace, rows, sentence: sentence.clone() });
        Ok(sentence)
    }

    fn compared(&self, trace: &ExecutionTrace, other: &Other, row: &DiffRow) -> report::Row {
        let name = row.name.as_str().map_or_else(|| preview(&row.name, 200), str::to_owned);
        let differences = match usize::try_from(row.index) {
            Err(_) => explain_values(&trace.request, &other.trace.request, Field::Args),
            Ok(i) => match (trace.steps.get(i), other.trace.steps.get(i)) {
                (Some(a), Some(b)) => explain(a, b),
                _ => StepDifferences::default(),
            },
        };
        let detail = match (row.index, trace.steps.len(), other.trace.steps.len()) {
            (0, 0, 0) => "neither trace has steps".to_owned(),
            (i, a, b) if a != b && usize::try_from(i) == Ok(a.min(b)) => format!("{a} steps against {b}"),
            _ => differences.listed.first().map(Difference::place).unwrap_or_default(),
        };
        report::Row { index: row.index, name, verdict: "different", detail, cause: None, differences }
    }

    fn compare(&self, rows: RowWindow) -> Result<CompareAnswer, String> {
        let (Some(held), Some(other)) = (self.held(), &self.other) else {
            return Err("There is no other trace to compare with.".to_owned());
        };
        let at_hand = window(&other.rows, rows);
        let rows_out = at_hand
            .iter()
            .map(|row| {
                let row = self.compared(&held.trace, other, row);
                CompareRow {
                    index: row.index,
                    name: row.name,
                    why: rows_of(&row.differences, ROW_DIFFERENCES),
                    count: row.differences.total as u32,
                }
            })
            .collect();
        Ok(CompareAnswer {
            other: other.name.clone(),
            sentence: other.sentence.clone(),
            total: other.rows.len() as u32,
            first: rows.first,
            rows: rows_out,
        })
    }
}

fn window<T>(all: &[T], rows: RowWindow) -> &[T] {
    let first = (rows.first as usize).min(all.len());
    let end = first.saturating_add(rows.count as usize).min(all.len());
    all.get(first..end).unwrap_or_default()
}

fn too_large(bytes: u64) -> Refusal {
    Refusal {
        kind: "too-large".to_owned(),
        what: format!("The document has {bytes} bytes; a trace of at most {MAX_TRACE_BYTES} bytes is opened."),
        place: String::new(),
        advice: "Split the trace, or check it on your machine with the `tapedeck` command.".to_owned(),
    }
}

/// Refuses a document by its size, before it is read.
pub fn refuse_size(bytes: u64) -> Option<Refusal> {
    (bytes > MAX_TRACE_BYTES).then(|| too_large(bytes))
}

fn refused(error: &OpenError) -> Refusal {
    let (kind, place, advice) = match error {
        OpenError::Json(json) => (
            if json.kind == JsonErrorKind::Syntax { "not-json" } else { "json" },
            format!("line {}, column {}, byte {}", json.line, json.column, json.byte),
            "If the file was cut, save it again; a file with one trace a line is opened too.",
        ),
        OpenError::NotATrace(_) => (
            "not-a-trace",
            "line 1, column 1".to_owned(),
            "Open what `ExecutionTrace.dumps()` or a TraceRecord gave; an object that holds a trace one level down is opened too.",
        ),
    };
    Refusal { kind: kind.to_owned(), what: error.to_string(), place, advice: advice.to_owned() }
}

/// A record's steps as trace steps: what it does not carry is null.
fn trace_of(record: &TraceRecord) -> ExecutionTrace {
    let mut trace = ExecutionTrace::new(record.prompt.clone());
    trace.steps = record
        .steps
        .iter()
        .map(|step| {
            let mut out = TraceStep::new(step.tool.clone(), step.args.clone());
            out.result = step.result.clone();
            out.seed = step.seed.clone();
            out
        })
        .collect();
    trace
}

fn ended(step: &TraceStep) -> Ended {
    match step.succeeded {
        Value::Bool(true) => Ended::Returned,
        Value::Bool(false) => Ended::Failed,
        Value::Null => Ended::Unsaid,
        _ => Ended::Odd,
    }
}

fn mark_of(verdict: &StepVerdict) -> Mark {
    match verdict {
        StepVerdict::Identical => Mark::Identical,
        StepVerdict::Different { .. } => Mark::Different,
        StepVerdict::NotComparable { .. } | StepVerdict::NotReplayed(_) => Mark::NotProven,
    }
}

fn said_of(verdict: &StepVerdict) -> &'static str {
    match verdict {
        StepVerdict::Identical => "is identical",
        StepVerdict::Different { .. } => "is different",
        StepVerdict::NotComparable { .. } => "cannot be compared",
        StepVerdict::NotReplayed(_) => "was not replayed",
    }
}

fn headline_of(verdict: &StepVerdict) -> String {
    match verdict {
        StepVerdict::Identical => "Identical to the last digit.".to_owned(),
        StepVerdict::Different { differences, .. } => {
            let first = differences.listed.first().map(Difference::place).unwrap_or_default();
            match differences.total {
                0 | 1 => format!("Different: {first}."),
                n => format!("Different: {first} and {} more.", n - 1),
            }
        }
        StepVerdict::NotComparable { .. } => format!("Not comparable: {}.", verdict.detail()),
        StepVerdict::NotReplayed(reason) => format!("Not replayed: {}.", reason.sentence()),
    }
}

fn has_non_finite(field: FieldRef<'_>) -> bool {
    match field {
        FieldRef::Value(value) => value.has_non_finite(),
        FieldRef::Object(object) => object.iter().any(|(_, value)| value.has_non_finite()),
    }
}

fn same_field(a: FieldRef<'_>, b: FieldRef<'_>) -> bool {
    let text = |field: FieldRef<'_>| {
        let mut out = String::new();
        // What cannot be written (mixed keys) differs from everything.
        field.write(&mut out, Layout::Compact).ok().map(|()| out)
    };
    text(a).is_some_and(|a| text(b).is_some_and(|b| a == b))
}

fn rows_of(found: &StepDifferences, limit: usize) -> Vec<DifferenceRow> {
    let cut = |text: &Option<String>| text.clone().map(|text| ShownText::cut(text, ROW_BYTES).text);
    found
        .listed
        .iter()
        .take(limit)
        .map(|d| DifferenceRow {
            place: d.place(),
            pointer: d.pointer.clone(),
            left: cut(&d.left),
            right: cut(&d.right),
        })
        .collect()
}

fn state_change(step: &TraceStep) -> Option<StateChange> {
    if step.state_before.is_null() && step.state_after.is_null() {
        return None;
    }
    let found = explain_values(&step.state_before, &step.state_after, Field::StateAfter);
    Some(StateChange {
        change_count: found.total as u32,
        changes: rows_of(&found, ROW_DIFFERENCES),
        before: ShownText::cut(verbatim(&step.state_before), ROW_BYTES),
        after: ShownText::cut(verbatim(&step.state_after), ROW_BYTES),
    })
}

/// Python's 625 numbers: the words and the position.
fn python_internal(state: &Value) -> Option<Value> {
    state.get("python").and_then(Value::as_array).and_then(|parts| parts.get(1)).map(std::borrow::Cow::into_owned)
}

fn rng_change(step: &TraceStep) -> Option<RngChange> {
    let (before, after) = (&step.rng_state_before, &step.rng_state_after);
    if before.is_null() && after.is_null() {
        return None;
    }
    let missing = || "not recorded".to_owned();
    let python_position = |state: &Value| {
        let internal = python_internal(state)?;
        let internal = internal.as_array()?;
        let position = internal.get(internal.len().checked_sub(1)?)?;
        Some(preview(&position, 40))
    };
    let python_cached = |state: &Value| {
        let parts = state.get("python")?.as_array()?;
        let cached = parts.get(2)?;
        (!cached.is_null()).then(|| preview(&cached, 40))
    };
    let numpy_position = |state: &Value| Some(preview(state.get("numpy")?.get("position")?, 40));
    let numpy_cached = |state: &Value| {
        let numpy = state.get("numpy")?;
        let has = numpy.get("has_gauss")?;
        let is_empty = matches!(has, Value::Int(int) if int.as_i64() == Some(0));
        (!is_empty).then(|| numpy.get("cached_gaussian").map(|value| preview(value, 40))).flatten()
    };
    let moved = |key: &str| match (before.get(key), after.get(key)) {
        (Some(a), Some(b)) => !same_field(FieldRef::Value(a), FieldRef::Value(b)),
        (None, None) => false,
        _ => true,
    };
    Some(RngChange {
        python: GeneratorChange {
            before: python_position(before).unwrap_or_else(missing),
            after: python_position(after).unwrap_or_else(missing),
            has_moved: moved("python"),
            cached_before: python_cached(before),
            cached_after: python_cached(after),
        },
        numpy: GeneratorChange {
            before: numpy_position(before).unwrap_or_else(missing),
            after: numpy_position(after).unwrap_or_else(missing),
            has_moved: moved("numpy"),
            cached_before: numpy_cached(before),
            cached_after: numpy_cached(after),
        },
    })
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
