//! Ask the tape: the language's own questions, conditions over all of time, conditional breakpoints, search.
//!
//! The grammar is in `docs/ask.md`. Invariant: three-valued throughout. What the tape does not hold in full (a string that may
//! be cut, a container, a withheld label) is "could not be decided" and counted, never false. Deliberately absent: arithmetic
//! and user functions; a condition is not a program.

mod complete;
mod eval;
mod history;
mod inputs;
mod parse;
mod search;
mod token;

use core::ops::Range;
use std::rc::Rc;

use crate::bytes::Watch;
use crate::model::Pos;
use crate::model::protocol::{
    Answer, AskAnswer, AskFault, AskQuery, AskedHits, AskedInputs, Breakpoint, CompleteAnswer, CompleteQuery,
    Direction, JumpAnswer, JumpTarget, Question, SearchAnswer, SearchQuery,
};
use crate::tape::Tape;
use crate::tape::answer::MAX_ROWS;
use crate::timeline::grouped;

pub use eval::{EvalError, Hits, Stretch, Truth, hits};
pub use parse::{Ask, Expr, Here, Interrogative, Moment, Name, Op, Term, Verb, parse, parse_condition};

/// How many conditions keep their answers, so that continuing from breakpoint to breakpoint computes them once.
const KEPT_HITS: usize = 8;
/// Ticks of one answer at the most, whatever was asked.
const MAX_MARKS: u32 = 10_000;

/// What is wrong with a question, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message} (bytes {} to {} of the question)", .at.start, .at.end)]
pub struct AskError {
    /// The bytes of the word in the question.
    pub at: Range<usize>,
    /// A sentence: what is wrong, and what to write instead.
    pub message: String,
}

impl AskError {
    pub(crate) fn new(at: Range<usize>, message: impl Into<String>) -> Self {
        Self { at, message: message.into() }
    }

    fn fault(&self) -> AskFault {
        AskFault { start: self.at.start as u32, end: self.at.end as u32, message: self.message.clone() }
    }
}

/// Answers what is asked of one tape, and remembers what was costly. Another tape needs another one.
#[derive(Debug, Default)]
pub struct Asker {
    kept: Vec<(Expr, Rc<Hits>)>,
    searched: Option<(String, bool, search::Found)>,
}

impl Asker {
    /// Nothing was asked yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers [`Question::Ask`], [`Question::Search`], [`Question::Complete`] and jumps to [`JumpTarget::Condition`];
    /// other questions are not its own.
    pub fn answer(&mut self, tape: &Tape, question: &Question, watch: &mut dyn Watch) -> Option<Answer> {
        match question {
            Question::Ask(query) => Some(Answer::Ask(self.ask(tape, query, watch))),
            Question::Search(query) => Some(Answer::Search(self.search(tape, query, watch))),
            Question::Complete(query) => Some(Answer::Complete(Self::complete(tape, query))),
            Question::Jump(query) => match &query.target {
                JumpTarget::Condition(breakpoints) => {
                    Some(Answer::Jump(self.continue_to(tape, query.from, query.direction, breakpoints, watch)))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Answers a question in the Ask language.
    pub fn ask(&mut self, tape: &Tape, query: &AskQuery, watch: &mut dyn Watch) -> AskAnswer {
        if query.pos.0 >= tape.positions() {
            let message = match tape.positions() {
                0 => "This tape has no position at which anything could be asked.".to_owned(),
                positions => format!("Position {} is past the end: the tape has {positions}.", query.pos.one_based()),
            };
            return AskAnswer::Unclear(AskFault { start: 0, end: query.text.len() as u32, message });
        }
        let ask = match parse(&query.text) {
            Ok(ask) => ask,
            Err(error) => return AskAnswer::Unclear(error.fault()),
        };
        match ask {
            Ask::About { what, name, moment } => AskAnswer::Value(history::about(tape, query.pos, what, &name, moment)),
            Ask::StateAt(line) => history::state_at(tape, query.pos, line, query.rows, watch)
                .map_or(AskAnswer::Cancelled, AskAnswer::State),
            Ask::Condition { verb, condition, starts_at } => match self.hits(tape, &condition, watch) {
                Ok(hits) => {
                    let text = query.text.get(starts_at..).unwrap_or_default().trim();
                    AskAnswer::Hits(asked_hits(tape, &hits, verb, text, query))
                }
                Err(EvalError::Ask(error)) => AskAnswer::Unclear(error.fault()),
                Err(EvalError::Cancelled) => AskAnswer::Cancelled,
            },
            Ask::Inputs(condition) => match inputs::inputs(tape, condition.as_ref(), watch) {
                Some((found, undecided)) => AskAnswer::Inputs(asked_inputs(tape, &found, undecided, query)),
                None => AskAnswer::Cancelled,
            },
            Ask::Breakpoint { line, condition, starts_at } => {
                let text = condition.map(|_| query.text.get(starts_at..).unwrap_or_default().trim().to_owned());
                AskAnswer::Breakpoint(Breakpoint { line: Some(line), condition: text.unwrap_or_default() })
            }
        }
    }

    /// Where a condition holds; computed once while it is among the last few asked for.
    ///
    /// # Errors
    /// As [`hits`].
    pub fn hits(&mut self, tape: &Tape, condition: &Expr, watch: &mut dyn Watch) -> Result<Rc<Hits>, EvalError> {
        if let Some((_, hits)) = self.kept.iter().find(|(kept, _)| kept == condition) {
            return Ok(Rc::clone(hits));
        }
        let hits = Rc::new(hits(tape, condition, watch)?);
        if self.kept.len() == KEPT_HITS {
            self.kept.remove(0);
        }
        self.kept.push((condition.clone(), Rc::clone(&hits)));
        Ok(hits)
    }

    /// Searches for a text. Another window of the rows of the same search is answered without a scan.
    pub fn search(&mut self, tape: &Tape, query: &SearchQuery, watch: &mut dyn Watch) -> SearchAnswer {
        match &self.searched {
            Some((text, with_case, found)) if *text == query.text && *with_case == query.with_case => {
                found.answer(tape, query)
            }
            _ => {
                let found = search::scan(tape, &query.text, query.with_case, watch);
                let answer = found.answer(tape, query);
                // What was cancelled is not the answer to the same question later.
                self.searched = (!answer.is_cancelled).then(|| (query.text.clone(), query.with_case, found));
                answer
            }
        }
    }

    /// What could stand at a place of a question.
    pub fn complete(tape: &Tape, query: &CompleteQuery) -> CompleteAnswer {
        complete::complete(tape, query)
    }

    /// Continues from a position to the next (or previous) one at which a breakpoint holds. Without one: to the end, saying so.
    pub fn continue_to(
        &mut self,
        tape: &Tape,
        from: Pos,
        direction: Direction,
        breakpoints: &[Breakpoint],
        watch: &mut dyn Watch,
    ) -> JumpAnswer {
        let back = direction == Direction::Back;
        let last = tape.positions().saturating_sub(1);
        let from = from.0.min(last);
        let mut nearest: Option<u32> = None;
        let mut found = Vec::new();
        for breakpoint in breakpoints {
            let hits = if breakpoint.condition.trim().is_empty() {
                None
            } else {
                let hits = parse_condition(&breakpoint.condition)
                    .map_err(EvalError::Ask)
                    .and_then(|condition| self.hits(tape, &condition, watch));
                match hits {
                    Ok(hits) => Some(hits),
                    Err(EvalError::Ask(error)) => {
                        let message =
                            format!("In the breakpoint's condition `{}`: {error}", breakpoint.condition.trim());
                        return JumpAnswer { pos: None, message: Some(message) };
                    }
                    Err(EvalError::Cancelled) => {
                        return JumpAnswer { pos: None, message: Some("The work was cancelled.".to_owned()) };
                    }
                }
            };
            let pos = nearest_hit(tape, from, back, breakpoint.line, hits.as_deref());
            nearest = match (nearest, pos) {
                (Some(a), Some(b)) => Some(if back { a.max(b) } else { a.min(b) }),
                (a, b) => a.or(b),
            };
            found.push((breakpoint.line, hits));
        }
        let (first, end) = match (back, nearest) {
            (true, stop) => (stop.unwrap_or(0), from),
            (false, stop) => (from + 1, stop.unwrap_or(last) + u32::from(stop.is_none())),
        };
        let skipped: u64 = found
            .iter()
            .filter_map(|(line, hits)| Some((line, hits.as_ref()?)))
            .map(|(line, hits)| undecided_visits(tape, *line, &hits.undecided, first, end))
            .sum();
        let skipped = (skipped > 0).then(|| {
            format!(
                "At {} on the way the condition could not be decided.",
                if skipped == 1 { "one position".to_owned() } else { format!("{} positions", grouped(skipped)) }
            )
        });
        match nearest {
            Some(pos) => JumpAnswer { pos: Some(Pos(pos)), message: skipped },
            None => {
                let end = if back { "start" } else { "end" };
                let mut message = format!("No breakpoint hit: at the {end} of the tape.");
                if let Some(skipped) = skipped {
                    message.push(' ');
                    message.push_str(&skipped);
                }
                JumpAnswer { pos: Some(Pos(if back { 0 } else { last })), message: Some(message) }
            }
        }
    }
}

/// The nearest position on one side at which a line is visited and a condition holds.
fn nearest_hit(tape: &Tape, from: u32, back: bool, line: Option<i32>, hits: Option<&Hits>) -> Option<u32> {
    let lines = &tape.ix.lines;
    let fits = |pos: usize| {
        line.is_none_or(|line| lines.get(pos) == Some(&line))
            && hits.is_none_or(|hits| hits.at(pos as u32) == Truth::True)
    };
    match (line, hits) {
        (None, Some(hits)) => Hits::near(&hits.holds, from, back),
        _ if back => (0..from as usize).rev().find(|pos| fits(*pos)).map(|pos| pos as u32),
        _ => (from as usize + 1..lines.len()).find(|pos| fits(*pos)).map(|pos| pos as u32),
    }
}

/// Positions `first..end` of a line that lie in one of the stretches.
fn undecided_visits(tape: &Tape, line: Option<i32>, stretches: &[Stretch], first: u32, end: u32) -> u64 {
    let from = stretches.partition_point(|stretch| stretch.last < first);
    let mut visits = 0;
    for stretch in stretches.get(from..).unwrap_or_default().iter().take_while(|stretch| stretch.first < end) {
        let range = stretch.first.max(first) as usize..(stretch.last + 1).min(end) as usize;
        visits += match line {
            None => range.len(),
            Some(line) => {
                let lines = tape.ix.lines.get(range).unwrap_or_default();
                lines.iter().filter(|at| **at == line).count()
            }
        } as u64;
    }
    visits
}

fn asked_hits(tape: &Tape, hits: &Hits, verb: Verb, text: &str, query: &AskQuery) -> AskedHits {
    let positions = Hits::positions(&hits.holds);
    let undecided = Hits::positions(&hits.undecided);
    let bounds = hits.holds.first().zip(hits.holds.last()).map(|(first, last)| (Pos(first.first), Pos(last.last)));
    let place = |pos: Pos| format!("position {} (line {})", grouped(pos.one_based()), tape.line_at(pos));
    let (target, mut sentence) = match (bounds, verb) {
        (None, _) => (None, format!("`{text}` holds nowhere on this tape.")),
        (Some((first, _)), Verb::First) => (Some(first), format!("`{text}` first holds at {}.", place(first))),
        (Some((_, last)), Verb::Last) => (Some(last), format!("`{text}` last holds at {}.", place(last))),
        (Some((first, last)), Verb::Count | Verb::All) => {
            let stretches = hits.holds.len() as u64;
            let where_ = match (positions, stretches) {
                (1, _) => format!("at {}", place(first)),
                (_, 1) => format!("at {} positions, from {} to {}", grouped(positions), place(first), place(last)),
                _ => format!(
                    "at {} positions in {} stretches, from {} to {}",
                    grouped(positions),
                    grouped(stretches),
                    place(first),
                    place(last)
                ),
            };
            (None, format!("`{text}` holds {where_}."))
        }
    };
    if undecided > 0 {
        let at = if undecided == 1 { "one position".to_owned() } else { format!("{} positions", grouped(undecided)) };
        sentence.push_str(&format!(
            " It could not be decided at {at}: there the tape holds less than the value, or the label is withheld."
        ));
    }
    let window = query.rows.limited(MAX_ROWS).clamp(hits.holds.len());
    let rows = hits.holds.get(window).unwrap_or_default();
    AskedHits {
        sentence,
        target,
        holds_here: match hits.at(query.pos.0) {
            Truth::True => Some(true),
            Truth::Unknown => None,
            Truth::False | Truth::Absent => Some(false),
        },
        positions: positions as u32,
        stretches: hits.holds.len() as u32,
        undecided: undecided as u32,
        first_undecided: hits.undecided.first().map(|stretch| Pos(stretch.first)),
        bounds,
        previous: Hits::near(&hits.holds, query.pos.0, true).map(Pos),
        next: Hits::near(&hits.holds, query.pos.0, false).map(Pos),
        rows: rows.iter().map(|stretch| (Pos(stretch.first), Pos(stretch.last))).collect(),
        marks: thin(hits.holds.len(), tape.positions(), query.marks, |i| {
            hits.holds.get(i).map_or((0, 0), |stretch| (stretch.first, stretch.last))
        }),
    }
}

fn asked_inputs(tape: &Tape, found: &[u32], undecided: u32, query: &AskQuery) -> AskedInputs {
    let all = tape.ix.input_offsets.len() as u64;
    let mut sentence = format!("{} of {} inputs.", grouped(found.len() as u64), grouped(all));
    if undecided > 0 {
        sentence.push_str(&format!(
            " {} could not be decided: truncated values, and containers compared with something.",
            grouped(undecided.into())
        ));
    }
    let window = query.rows.limited(MAX_ROWS).clamp(found.len());
    let rows = found.get(window).unwrap_or_default();
    AskedInputs {
        sentence,
        total: found.len() as u32,
        undecided,
        rows: rows.iter().filter_map(|i| tape.input_row(*i as usize)).collect(),
        marks: thin(found.len(), tape.positions(), query.marks, |i| {
            let input = found.get(i).map_or(0, |input| *input as usize);
            let pos = tape.ix.input_positions.get(input).copied().unwrap_or(0);
            (pos, pos)
        }),
    }
}

/// Ticks for the minimap: of `total` sorted ranges of positions, those that begin in the same of at most `marks` equal parts
/// become one. Costs by the parts, not by the ranges.
pub(crate) fn thin(total: usize, positions: u32, marks: u32, range: impl Fn(usize) -> (u32, u32)) -> Vec<(Pos, Pos)> {
    let marks = marks.min(MAX_MARKS);
    let mut thinned = Vec::new();
    if marks == 0 {
        return thinned;
    }
    let width = positions.div_ceil(marks).max(1);
    let mut i = 0;
    while i < total {
        let (first, _) = range(i);
        let edge = (u64::from(first / width) + 1) * u64::from(width);
        // Galloping, then halving: the first range that begins past the part.
        let is_inside = |i: usize| u64::from(range(i).0) < edge;
        let (mut low, mut step) = (i + 1, 1);
        while low + step <= total && is_inside(low + step - 1) {
            low += step;
            step *= 2;
        }
        let mut high = (low + step - 1).min(total);
        while low < high {
            let mid = low.midpoint(high);
            if is_inside(mid) {
                low = mid + 1;
            } else {
                high = mid;
            }
        }
        thinned.push((Pos(first), Pos(range(low - 1).1)));
        i = low;
    }
    thinned
}
