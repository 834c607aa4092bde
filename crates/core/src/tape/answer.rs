//! Answers to the page's questions about a tape.
//!
//! Invariant: an answer's size is bounded by the rows asked for, never by the recording.

use crate::model::protocol::{
    Answer, BindingRow, Caution, Cut, Direction, EventRow, FrameRow, HistoryAnswer, HistoryQuery, HistoryRow, InputRow,
    InputsAnswer, IssueRow, IssuesAnswer, JumpAnswer, JumpQuery, JumpTarget, LinesAnswer, Pin, Question, SourceSummary,
    StateAnswer, StateQuery, StreamId, TapeSummary, Text, ValueAnswer, ValueText,
};
use crate::model::{ByteOffset, Issue, IssueKind, Pos, RowWindow};

use super::index::Tape;
use super::source::Source;
use super::{cnum, value};

/// How many assignments are looked at, newest first, for one that the source does not settle as another function's own.
const CAUTION_SCAN: usize = 4096;
/// How many rows one answer holds at the most, whatever was asked.
pub(crate) const MAX_ROWS: u32 = 10_000;

impl Tape {
    /// What the page is told when the tape is open.
    pub fn summary(&self) -> TapeSummary {
        let ix = &self.ix;
        TapeSummary {
            name: self.name.clone(),
            bytes: self.bytes.len() as u32,
            runtime: Text::from_bytes(ix.runtime.get(..80).unwrap_or(&ix.runtime)),
            has_labels: self.has_labels,
            positions: self.positions(),
            assigns: ix.assigns.len() as u32,
            bindings: ix.stream_names.len() as u32,
            nondet: ix.input_offsets.len() as u32,
            records: ix.records,
            frames: ix.frames.len() as u32 - 1,
            frame_rows: self.frame_rows(),
            sessions: ix.sessions,
            issues: ix.issues.counts(),
            index_bytes: ix.heap_bytes() as u32,
            notes: self.notes.clone(),
            suggested_pins: self.suggested_pins(),
        }
    }

    /// The two names of depth-0 scopes that were most often assigned numbers.
    fn suggested_pins(&self) -> Vec<Pin> {
        let mut streams: Vec<(usize, u32)> = (0..self.ix.frames.len() as u32)
            .take_while(|frame| *frame < 64)
            .filter(|frame| self.ix.frames.get(*frame as usize).is_some_and(|frame| frame.depth <= 0))
            .flat_map(|frame| self.streams_of(frame).take(1000))
            .filter(|stream| {
                let run = self.run(*stream);
                run.len() > 2
                    && self.is_numeric(run.end - 1)
                    && !is_hidden(self.name_bytes(self.name_of_stream(*stream)))
            })
            .map(|stream| (self.run(stream).len(), stream))
            .collect();
        // The most assigned first; among equals the one that came first.
        streams.sort_by_key(|(assigns, stream)| (core::cmp::Reverse(*assigns), *stream));
        let names = streams.iter().map(|(_, stream)| self.name_bytes(self.name_of_stream(*stream)));
        let mut pins: Vec<Pin> = Vec::new();
        for name in names.filter_map(|name| core::str::from_utf8(name).ok()) {
            let pin = Pin { function: None, name: name.to_owned() };
            if pins.len() < 2 && !pins.contains(&pin) {
                pins.push(pin);
            }
        }
        pins
    }

    /// Takes the source of the tape.
    pub fn set_source(&mut self, name: String, bytes: &[u8]) -> SourceSummary {
        let source = Source::new(name, bytes);
        let last_line = i32::try_from(source.lines.len()).unwrap_or(i32::MAX);
        self.ix.issues.clear(IssueKind::LinePastSource);
        let mut past_end = 0;
        for (pos, (&line, &byte)) in self.ix.lines.iter().zip(&self.ix.line_offsets).enumerate() {
            // A tape begins at the last line of its file or the one after it: that first position says nothing odd.
            let begins_there = pos == 0 && line == last_line.saturating_add(1);
            if line > last_line && !begins_there {
                past_end += 1;
                let (byte, pos) = (ByteOffset(byte), Pos(pos as u32));
                self.ix.issues.add(Issue { kind: IssueKind::LinePastSource, byte, pos });
            }
        }
        self.ix.issues.sort();
        let summary = SourceSummary {
            name: source.name.clone(),
            lines: source.lines.clone(),
            positions_past_end: past_end,
            cautions: source.cautions.clone(),
            issues: self.ix.issues.counts(),
        };
        self.source = Some(source);
        summary
    }

    /// Answers a question.
    pub fn answer(&mut self, question: &Question) -> Answer {
        match question {
            Question::State(query) => self.state(query).map_or_else(Answer::Unanswerable, Answer::State),
            Question::Timeline(_) | Question::Minimap { .. } => {
                Answer::Unanswerable("The timeline is not drawn yet.".into())
            }
            Question::History(query) => self.history(query).map_or_else(Answer::Unanswerable, Answer::History),
            Question::Issues { kind, rows } => Answer::Issues(self.issue_rows(*kind, *rows)),
            Question::Inputs { rows } => Answer::Inputs(self.inputs(*rows)),
            Question::Lines { rows } => Answer::Lines(self.lines(*rows)),
            Question::Value { byte } => self.value(*byte).map_or_else(Answer::Unanswerable, Answer::Value),
            Question::Jump(query) => Answer::Jump(self.jump(query)),
            Question::Ask(_) | Question::Search(_) | Question::Complete(_) => {
                Answer::Unanswerable("This is asked of `ask::Asker`.".into())
            }
            Question::Compare(_) | Question::ComparedBindings(_) => {
                Answer::Unanswerable("A comparison is asked of `compare`, with both recordings.".into())
            }
            Question::Trace(_) => Answer::Unanswerable("A tape is open, not a trace.".to_owned()),
            Question::Step(query) => self.step(query).map_or_else(Answer::Unanswerable, Answer::Step),
        }
    }

    /// What is true at a position.
    ///
    /// # Errors
    /// A sentence when there is no such position.
    pub fn state(&mut self, query: &StateQuery) -> Result<StateAnswer, String> {
        let pos = query.pos;
        if pos.0 >= self.positions() {
            return Err(format!("Position {} is past the end: the tape has {}.", pos.one_based(), self.positions()));
        }
        let scope = self.scope_at(pos);
        let (start, end) = (self.ix.line_offsets.get(pos.0 as usize).copied().unwrap_or(0), self.end_of(pos));
        let visible = self.visible_bindings(scope, end, query.filter.as_bytes());
        let bindings = query.bindings.limited(MAX_ROWS).clamp(visible.len());
        let bindings = visible
            .get(bindings)
            .unwrap_or_default()
            .iter()
            .map(|&(stream, assigns)| self.binding_row(stream, assigns as usize, scope, start, end))
            .collect();
        let (events_total, first_event) = self.events_at(pos, query.events.first);
        let events = self
            .events_in(first_event, end)
            .take(query.events.count.min(MAX_ROWS) as usize)
            .map(|byte| self.event_row(byte))
            .collect();
        let frames: Vec<u32> = self.chain(scope).filter(|frame| *frame != 0 || scope == 0).collect();
        let frames_total = frames.iter().filter(|frame| self.function_id(**frame) != u32::MAX).count() as u32;
        let frames = query.frames.limited(MAX_ROWS).clamp(frames_total as usize).filter_map(|i| {
            let frame = *frames.get(i)?;
            self.frame_row(frame, i, frames_total as usize, pos)
        });
        Ok(StateAnswer {
            pos,
            line: self.line_at(pos),
            function: (self.function_id(scope) != u32::MAX).then(|| Text::from_bytes(self.function_of(scope))),
            events_total,
            events,
            bindings_total: visible.len() as u32,
            bindings,
            frames_total,
            frames: frames.collect(),
        })
    }

    /// The bindings visible from a scope by records before `end`: (stream, assignments so far), innermost scope first and in
    /// order of first assignment within each. A name that was shown hides outer ones.
    pub(crate) fn visible_bindings(&mut self, scope: u32, end: u32, filter: &[u8]) -> Vec<(u32, u32)> {
        self.walk = self.walk.wrapping_add(1);
        if self.walk == 0 {
            self.seen_names.fill(0);
            self.walk = 1;
        }
        let walk = self.walk;
        let mut seen = core::mem::take(&mut self.seen_names);
        let mut visible = Vec::new();
        for frame in self.chain(scope) {
            for stream in self.streams_of(frame) {
                let assigns = self.assigns_before(stream, end);
                if assigns == 0 {
                    // Streams are in order of their first assignments: none of the rest has one yet.
                    break;
                }
                let name = self.name_of_stream(stream);
                let Some(seen) = seen.get_mut(name as usize) else { continue };
                if *seen == walk {
                    continue;
                }
                *seen = walk;
                let name = self.name_bytes(name);
                if !is_hidden(name) && contains_ignoring_case(name, filter) {
                    visible.push((stream, assigns as u32));
                }
            }
        }
        self.seen_names = seen;
        visible
    }

    /// The binding that a name means at a position: the innermost one that was assigned. Hidden names answer too.
    pub fn resolve(&self, pos: Pos, name: &[u8]) -> Option<StreamId> {
        let name = self.ix.names.find(&self.bytes, name)?;
        let end = self.end_of(pos);
        self.chain(self.scope_at(pos))
            .filter_map(|frame| self.find_stream(frame, name))
            .find(|stream| self.assigns_before(*stream, end) > 0)
            .map(StreamId)
    }

    fn binding_row(&self, stream: u32, assigns: usize, innermost: u32, start: u32, end: u32) -> BindingRow {
        let at = self.run(stream).start + assigns.saturating_sub(1);
        let byte = self.ix.assigns.get(at).copied().unwrap_or(0);
        let (name, text) = self.parts_of(byte);
        let frame = self.ix.stream_frames.get(stream as usize).copied().unwrap_or(0);
        let pos = self.pos_of(ByteOffset(byte));
        BindingRow {
            stream: StreamId(stream),
            name: Text::from_bytes(name),
            value: value::preview(text, value::cut_of_short(text)),
            byte: ByteOffset(byte),
            assigned_at: pos,
            label: self.label_after(stream, assigns),
            assigns: assigns as u32,
            function: self.inner_function(frame),
            serial: self.ix.frames.get(frame as usize).map_or(0, |frame| frame.serial),
            changed: byte >= start,
            cautions: self.cautions(stream, frame, innermost, byte, end),
        }
    }

    /// The function of a scope whose depth is above 0.
    fn inner_function(&self, frame: u32) -> Option<Text> {
        self.is_inner(frame).then(|| Text::from_bytes(self.function_of(frame)))
    }

    fn is_inner(&self, frame: u32) -> bool {
        self.ix.frames.get(frame as usize).is_some_and(|frame| frame.depth > 0)
    }

    /// Whether the source settles that a name assigned in a frame is that function's own.
    fn is_settled(&self, frame: u32, name: &[u8]) -> bool {
        self.source.as_ref().is_some_and(|source| source.is_own(self.function_of(frame), name))
    }

    /// What the tape cannot tell about the value assigned at `byte`, as seen from records before `end`.
    fn cautions(&self, stream: u32, frame: u32, innermost: u32, byte: u32, end: u32) -> Vec<Caution> {
        let mut cautions = Vec::new();
        let name = self.name_of_stream(stream);
        let all = self.by_name(name);
        let own = self.run(stream).len();
        if all.len() == own {
            return cautions;
        }
        let name = self.name_bytes(name);
        let (inner, settled) = (self.is_inner(frame), self.is_settled(frame, name));
        if !inner || frame != innermost {
            // Later assignments of the name are all of other scopes, since this one is the last of its own.
            let so_far = all.get(..all.partition_point(|offset| *offset < end)).unwrap_or_default();
            let later = so_far.get(so_far.partition_point(|offset| *offset <= byte)..).unwrap_or_default();
            let open = later.iter().rev().take(CAUTION_SCAN).find(|offset| {
                let scope = self.scope_of_record(**offset);
                !self.is_settled(scope, name)
            });
            let open = open.or_else(|| later.last().filter(|_| later.len() > CAUTION_SCAN));
            if let Some(&offset) = open {
                let pos = self.pos_of(ByteOffset(offset));
                let text = self.parts_of(offset).1;
                cautions.push(Caution::AssignedLaterElsewhere {
                    function: Text::from_bytes(self.function_of(self.scope_of_record(offset))),
                    line: self.line_at(pos),
                    pos,
                    value: value::preview(text, value::cut_of_short(text)),
                });
            }
        }
        if inner && !settled {
            cautions.push(Caution::MayBeOuter);
        }
        cautions
    }

    fn event_row(&self, byte: u32) -> EventRow {
        let line = self.record_at(byte);
        let (name, text) = self.parts_of(byte);
        let is_input = line.first() == Some(&b'N');
        EventRow {
            byte: ByteOffset(byte),
            input: is_input.then(|| super::build::category_of(name)),
            name: Text::from_bytes(name),
            value: value::preview(text, if is_input { value::cut_of_full(text) } else { value::cut_of_short(text) }),
            stream: if is_input { None } else { self.stream_of_record(byte) },
        }
    }

    /// The `i`-th frame of a stack of `total`, innermost first, as it stood at a position.
    fn frame_row(&self, frame: u32, i: usize, total: usize, pos: Pos) -> Option<FrameRow> {
        let info = self.ix.frames.get(frame as usize)?;
        // The stay that covers the position stands in the row that the frame has on the stack; a frame that came back under
        // another parent may stand elsewhere, then its first entry is told.
        let row = self.spans((total - 1 - i) as u32);
        let near = row.partition_point(|span| span.first <= pos.0);
        let span =
            row.get(near.saturating_sub(2)..near).unwrap_or_default().iter().rev().find(|span| span.frame == frame);
        Some(FrameRow {
            serial: info.serial,
            function: Text::from_bytes(self.function_of(frame)),
            depth: info.depth,
            entered: Pos(span.map_or(info.entered, |span| span.first)),
            left: Pos(span.map_or(info.entered, |span| span.last)),
        })
    }

    /// The history of a binding.
    ///
    /// # Errors
    /// A sentence when there is no such binding.
    pub fn history(&self, query: &HistoryQuery) -> Result<HistoryAnswer, String> {
        let stream = query.stream.0;
        let run = self.run(stream);
        if run.is_empty() {
            return Err("This binding is not on the tape that is open.".to_owned());
        }
        let frame = self.ix.stream_frames.get(stream as usize).copied().unwrap_or(0);
        let rows = query.rows.limited(MAX_ROWS).clamp(run.len());
        Ok(HistoryAnswer {
            stream: query.stream,
            name: Text::from_bytes(self.name_bytes(self.name_of_stream(stream))),
            function: self.inner_function(frame),
            serial: self.ix.frames.get(frame as usize).map_or(0, |frame| frame.serial),
            total: run.len() as u32,
            so_far: self.assigns_before(stream, self.end_of(query.pos)) as u32,
            first: rows.start as u32,
            sparkline: self.sparkline(run.clone(), query.sparkline as usize),
            rows: rows.map(|i| self.history_row(stream, run.start, i)).collect(),
        })
    }

    fn history_row(&self, stream: u32, start: usize, i: usize) -> HistoryRow {
        let byte = self.ix.assigns.get(start + i).copied().unwrap_or(0);
        let pos = self.pos_of(ByteOffset(byte));
        let text = self.parts_of(byte).1;
        HistoryRow {
            ordinal: i as u32 + 1,
            pos,
            line: self.line_at(pos),
            byte: ByteOffset(byte),
            value: value::preview(text, value::cut_of_short(text)),
            label: if self.is_numeric(start + i) { self.label_after(stream, i + 1) } else { None },
        }
    }

    /// Numbers of a run of assignments in at most `points` buckets: (position, smallest, largest).
    fn sparkline(&self, run: core::ops::Range<usize>, points: usize) -> Vec<(u32, f64, f64)> {
        let mut line: Vec<(u32, f64, f64)> = Vec::new();
        if points == 0 {
            return line;
        }
        let width = run.len().div_ceil(points);
        let mut i = run.start;
        while i < run.end {
            let end = run.end.min(i + width);
            let numbers = (i..end).filter(|i| self.is_numeric(*i)).filter_map(|i| {
                let offset = self.ix.assigns.get(i).copied()?;
                cnum::strtod(self.parts_of(offset).1).map(|(number, _)| number)
            });
            let bounds = numbers.fold(None, |bounds: Option<(f64, f64)>, number| {
                Some(bounds.map_or((number, number), |(low, high)| (low.min(number), high.max(number))))
            });
            if let Some((low, high)) = bounds {
                let byte = self.ix.assigns.get(i).copied().unwrap_or(0);
                line.push((self.pos_of(ByteOffset(byte)).0, low, high));
            }
            i = end;
        }
        line
    }

    fn issue_rows(&self, kind: Option<IssueKind>, rows: RowWindow) -> IssuesAnswer {
        let listed: Vec<Issue> =
            self.issues().iter().copied().filter(|issue| kind.is_none_or(|kind| kind == issue.kind)).collect();
        let row = |issue: &Issue| {
            let line = self.record_at(issue.byte.0);
            IssueRow {
                issue: *issue,
                file_line: self.file_line(issue.byte.0),
                text: Text::from_bytes(line.get(..160).unwrap_or(line)),
            }
        };
        IssuesAnswer {
            listed: listed.len() as u32,
            total: kind.map_or_else(|| self.ix.issues.total(), |kind| self.ix.issues.count(kind)),
            rows: listed.get(rows.limited(MAX_ROWS).clamp(listed.len())).unwrap_or_default().iter().map(row).collect(),
        }
    }

    pub(crate) fn inputs(&mut self, rows: RowWindow) -> InputsAnswer {
        let not_replayable = match self.unreplayable {
            Some(count) => count,
            None => {
                let values = self.ix.input_offsets.iter().map(|byte| self.parts_of(*byte).1);
                let count = values.filter(|text| why_not_replayable(text).is_some()).count() as u32;
                self.unreplayable = Some(count);
                count
            }
        };
        let total = self.ix.input_offsets.len();
        InputsAnswer {
            total: total as u32,
            not_replayable,
            rows: rows.limited(MAX_ROWS).clamp(total).filter_map(|i| self.input_row(i)).collect(),
        }
    }

    /// The `i`-th nondet record.
    pub(crate) fn input_row(&self, i: usize) -> Option<InputRow> {
        let byte = *self.ix.input_offsets.get(i)?;
        let (function, text) = self.parts_of(byte);
        Some(InputRow {
            ordinal: i as u32 + 1,
            pos: Pos(self.ix.input_positions.get(i).copied().unwrap_or(0)),
            byte: ByteOffset(byte),
            function: Text::from_bytes(function),
            category: self.category(i),
            value: value::preview(text, value::cut_of_full(text)),
            not_replayable: why_not_replayable(text),
        })
    }

    fn lines(&mut self, rows: RowWindow) -> LinesAnswer {
        let visits = self.line_visits.get_or_insert_with(|| {
            let mut lines = self.ix.lines.clone();
            lines.sort_unstable();
            lines.chunk_by(|a, b| a == b).filter_map(|run| Some((*run.first()?, run.len() as u32))).collect()
        });
        let window = rows.limited(MAX_ROWS).clamp(visits.len());
        LinesAnswer { total: visits.len() as u32, rows: visits.get(window).unwrap_or_default().to_vec() }
    }

    /// The whole value of the record at a byte.
    fn value(&self, byte: ByteOffset) -> Result<ValueAnswer, String> {
        let line = self.record_at(byte.0);
        if !matches!(line, [b'A' | b'N', _, ..]) {
            return Err(format!("No assignment and no input starts at byte {}.", byte.0));
        }
        let (name, text) = self.parts_of(byte.0);
        let cut = if line.first() == Some(&b'N') { value::cut_of_full(text) } else { value::cut_of_short(text) };
        let tree = if cut == Cut::Yes { None } else { value::read(text).ok() };
        Ok(ValueAnswer {
            byte,
            name: Text::from_bytes(name),
            raw: Text::from_bytes(text.get(..ValueAnswer::MAX_BYTES).unwrap_or(text)),
            tree: tree.and_then(|tokens| value::to_tree(text, &tokens)),
            cut,
            bytes: text.len() as u32,
        })
    }

    /// Where a movement leads.
    pub fn jump(&self, query: &JumpQuery) -> JumpAnswer {
        let from = query.from;
        let last = Pos(self.positions().saturating_sub(1));
        let back = query.direction == Direction::Back;
        let to = |pos: Option<u32>, message: &str| JumpAnswer {
            pos: pos.map(Pos),
            message: pos.is_none().then(|| message.to_owned()),
        };
        match &query.target {
            JumpTarget::Change(stream) => {
                let run = self.ix.assigns.get(self.run(stream.0)).unwrap_or_default();
                let found = if back {
                    // The last assignment before this position's own.
                    let start = self.ix.line_offsets.get(from.0 as usize).copied().unwrap_or(0);
                    run.partition_point(|offset| *offset < start).checked_sub(1)
                } else {
                    Some(run.partition_point(|offset| *offset < self.end_of(from)))
                };
                let pos = found.and_then(|i| run.get(i)).map(|offset| self.pos_of(ByteOffset(*offset)).0);
                let pos = pos.filter(|pos| if back { *pos < from.0 } else { *pos > from.0 });
                to(pos, if back { "No earlier change of this binding." } else { "No later change of this binding." })
            }
            JumpTarget::Line(line) => {
                let direction = if back { "earlier" } else { "later" };
                to(self.find_line(from, back, |at| at == *line), &format!("No {direction} visit of line {line}."))
            }
            JumpTarget::Breakpoint(lines) => {
                let mut lines = lines.clone();
                lines.sort_unstable();
                match self.find_line(from, back, |at| lines.binary_search(&at).is_ok()) {
                    Some(pos) => JumpAnswer { pos: Some(Pos(pos)), message: None },
                    // As `--step` does: go to the end and say so.
                    None => JumpAnswer {
                        pos: Some(if back { Pos(0) } else { last }),
                        message: Some(format!(
                            "No breakpoint hit: at the {} of the tape.",
                            if back { "start" } else { "end" }
                        )),
                    },
                }
            }
            JumpTarget::LabelChange(stream) => to(
                self.label_change(*stream, from, back),
                if back { "No earlier change of this label." } else { "No later change of this label." },
            ),
            JumpTarget::Over => to(
                self.leave_frames(from, back, 0),
                if back { "This is the start of the tape." } else { "This is the end of the tape." },
            ),
            JumpTarget::Out => to(
                self.leave_frames(from, back, -1),
                if back { "The tape starts inside this frame." } else { "The tape ends inside this frame." },
            ),
            JumpTarget::Condition(_) => to(None, "Conditions are asked of `ask::Asker`."),
            JumpTarget::Input => {
                let pos = neighbour(&self.ix.input_positions, from.0, back);
                to(pos, if back { "No earlier input." } else { "No later input." })
            }
            JumpTarget::Issue => {
                let positions: Vec<u32> = self.issues().iter().map(|issue| issue.pos.0).collect();
                to(neighbour(&positions, from.0, back), if back { "No earlier issue." } else { "No later issue." })
            }
        }
    }

    /// The nearest position on one side of `from` whose line is wanted.
    pub(crate) fn find_line(&self, from: Pos, back: bool, is_wanted: impl Fn(i32) -> bool) -> Option<u32> {
        let lines = &self.ix.lines;
        let found = if back {
            lines.get(..from.0 as usize)?.iter().rposition(|line| is_wanted(*line))
        } else {
            let rest = lines.get(from.0 as usize + 1..)?;
            rest.iter().position(|line| is_wanted(*line)).map(|i| i + from.0 as usize + 1)
        };
        found.map(|pos| pos as u32)
    }
}

/// The nearest of sorted positions on one side of `from`.
fn neighbour(positions: &[u32], from: u32, back: bool) -> Option<u32> {
    let at = if back {
        positions.partition_point(|pos| *pos < from).checked_sub(1)?
    } else {
        positions.partition_point(|pos| *pos <= from)
    };
    positions.get(at).copied()
}

/// Why replay cannot serve an `N` value; `None` when it can.
fn why_not_replayable(text: &[u8]) -> Option<String> {
    if value::cut_of_full(text) != Cut::No {
        return Some(
            "The value was truncated at the record's budget: the live source would run for this call.".to_owned(),
        );
    }
    // The recorder writes plain numbers most of the time; only the rest must be read in full.
    if cnum::is_number(text) {
        return None;
    }
    value::read(text)
        .err()
        .map(|why| format!("The value cannot be read back ({why}): the live source would run for this call."))
}

/// Names like `__x__` are hidden from lists, as `--step` hides them.
pub(crate) fn is_hidden(name: &[u8]) -> bool {
    name.len() > 4 && name.starts_with(b"__") && name.ends_with(b"__")
}

fn contains_ignoring_case(name: &[u8], filter: &[u8]) -> bool {
    filter.is_empty() || name.windows(filter.len()).any(|window| window.eq_ignore_ascii_case(filter))
}

impl ValueText {
    /// The beginning of a value of an `A` record, for a row.
    pub fn of_assignment(text: &[u8]) -> Self {
        value::preview(text, value::cut_of_short(text))
    }
}
