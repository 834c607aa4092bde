//! An opened tape: its bytes and the index over them.
//!
//! The index is columns of 32-bit numbers; no object is kept for a record, and values are read from the bytes when they are
//! asked for. Invariant: state at a position is one binary search a visible binding, at the same cost everywhere; nothing is
//! ever replayed from the start.

use std::collections::HashMap;
use std::rc::Rc;

use crate::model::protocol::{InputCategory, Label, Pin, StreamId};
use crate::model::{ByteOffset, Issue, IssueKind, Pos};

use super::build::{EVENT_BLOCK, EVENT_MARK, ZERO_SCOPE};
use super::intern::Interner;
use super::observer::{self, NUMBERS_THAT_MATTER};
use super::source::Source;
use super::{cnum, header};

const NONE: u32 = u32::MAX;
/// How many issues of one kind are listed; more are only counted, so that a tape of nothing but oddities stays small.
const LISTED_ISSUES: u32 = 10_000;
/// How many pins keep their numbers.
const KEPT_PINS: usize = 32;

/// One call frame: a scope with its own streams. Frame 0 is scope 0, what comes before any `S` record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) serial: u32,
    pub(crate) depth: i32,
    /// The frame below it when it was first seen; 0 for none.
    pub(crate) parent: u32,
    pub(crate) function: u32,
    /// Where it stands on the stack while the tape is read; `u32::MAX` when it is not there.
    pub(crate) row: u32,
    /// The position of its first `S`.
    pub(crate) entered: u32,
}

/// A stay of a frame on the call stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameSpan {
    /// The position at which it was entered.
    pub first: u32,
    /// The last position before it was left (inclusive).
    pub last: u32,
    /// The frame, for [`Tape::function_of`].
    pub frame: u32,
}

/// A place inside a position that has very many events.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventMark {
    /// Its number among the events of its position, counted from 0.
    pub(crate) ordinal: u32,
    pub(crate) byte: u32,
}

/// Issues, listed up to a bound for each kind and counted beyond it.
#[derive(Debug, Default)]
pub(crate) struct IssueLog {
    pub(crate) listed: Vec<Issue>,
    counts: [u32; IssueKind::ALL.len()],
}

impl IssueLog {
    pub(crate) fn add(&mut self, issue: Issue) {
        if let Some(count) = self.counts.get_mut(issue.kind as usize) {
            *count += 1;
            if *count <= LISTED_ISSUES {
                self.listed.push(issue);
            }
        }
    }

    pub(crate) fn count(&self, kind: IssueKind) -> u32 {
        self.counts.get(kind as usize).copied().unwrap_or(0)
    }

    pub(crate) fn total(&self) -> u32 {
        self.counts.iter().sum()
    }

    pub(crate) fn counts(&self) -> Vec<(IssueKind, u32)> {
        IssueKind::ALL.into_iter().map(|kind| (kind, self.count(kind))).filter(|(_, count)| *count > 0).collect()
    }

    /// Issues come in order of their lines; only what is said of a whole position or of the end may stand out of order.
    pub(crate) fn sort(&mut self) {
        self.listed.sort_by_key(|issue| issue.byte);
        self.listed.shrink_to_fit();
    }

    /// Forgets a kind, before it is counted anew.
    pub(crate) fn clear(&mut self, kind: IssueKind) {
        self.listed.retain(|issue| issue.kind != kind);
        if let Some(count) = self.counts.get_mut(kind as usize) {
            *count = 0;
        }
    }
}

/// The columns. Offsets are byte offsets into the tape.
#[derive(Debug)]
pub(crate) struct Index {
    pub(crate) runtime: Vec<u8>,
    pub(crate) sessions: u32,
    pub(crate) records: u32,
    /// (byte, lines of the file before it), every so many lines.
    pub(crate) line_marks: Vec<(u32, u32)>,

    /// Per position: where its `L` starts, and the line it names.
    pub(crate) line_offsets: Vec<u32>,
    pub(crate) lines: Vec<i32>,
    /// Per block of positions: the events before it.
    pub(crate) event_blocks: Vec<u32>,
    pub(crate) event_marks: Vec<EventMark>,

    /// Where a record first carries another scope than the one before, and which frame that is.
    pub(crate) scope_starts: Vec<u32>,
    pub(crate) scope_frames: Vec<u32>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) rows: Vec<Vec<FrameSpan>>,
    pub(crate) functions: Interner,

    pub(crate) names: Interner,
    /// Streams, grouped by frame; `stream_starts` are their runs in `assigns`.
    pub(crate) stream_names: Vec<u32>,
    pub(crate) stream_frames: Vec<u32>,
    pub(crate) stream_starts: Vec<u32>,
    pub(crate) frame_streams: Vec<u32>,
    /// `A` records grouped by stream, in order of time within each, and whether each value is a number.
    pub(crate) assigns: Vec<u32>,
    pub(crate) numeric: Vec<u64>,
    /// `A` records grouped by name over all scopes, in order of time within each.
    pub(crate) name_starts: Vec<u32>,
    pub(crate) by_name: Vec<u32>,

    pub(crate) input_offsets: Vec<u32>,
    pub(crate) input_positions: Vec<u32>,
    pub(crate) input_categories: Vec<u8>,

    pub(crate) issues: IssueLog,
}

impl Index {
    /// Bytes of heap that the index holds at rest.
    pub(crate) fn heap_bytes(&self) -> usize {
        let columns = [
            &self.line_offsets,
            &self.event_blocks,
            &self.scope_starts,
            &self.scope_frames,
            &self.stream_names,
            &self.stream_frames,
            &self.stream_starts,
            &self.frame_streams,
            &self.assigns,
            &self.name_starts,
            &self.by_name,
            &self.input_offsets,
            &self.input_positions,
        ];
        columns.iter().map(|column| column.capacity() * 4).sum::<usize>()
            + self.lines.capacity() * 4
            + self.input_categories.capacity()
            + self.numeric.capacity() * 8
            + self.line_marks.capacity() * 8
            + self.event_marks.capacity() * size_of::<EventMark>()
            + self.frames.capacity() * size_of::<Frame>()
            + self.rows.iter().map(|row| row.capacity() * size_of::<FrameSpan>()).sum::<usize>()
            + self.rows.capacity() * size_of::<Vec<FrameSpan>>()
            + self.issues.listed.capacity() * size_of::<Issue>()
            + self.names.heap_bytes()
            + self.functions.heap_bytes()
    }
}

/// An opened tape.
#[derive(Debug)]
pub struct Tape {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) notes: Vec<String>,
    pub(crate) ix: Index,
    pub(crate) has_labels: bool,
    pub(crate) source: Option<Source>,
    pub(crate) line_visits: Option<Rc<[(i32, u32)]>>,
    pub(crate) unreplayable: Option<u32>,
    /// Scratch: which names were seen in the walk of a state, by the number of the walk.
    pub(crate) seen_names: Vec<u32>,
    pub(crate) walk: u32,
    pins: HashMap<Pin, Rc<PinHistory>>,
}

/// The assignments of a pin over all frames of its function, in tape order.
#[derive(Debug, Default)]
pub struct PinHistory {
    /// The position of each.
    pub positions: Vec<u32>,
    /// The number of each; NaN when the value is no number.
    pub numbers: Vec<f64>,
    /// Where each record starts.
    pub(crate) offsets: Vec<u32>,
    name: u32,
}

impl Tape {
    pub(super) fn new(name: String, bytes: Vec<u8>, notes: Vec<String>, ix: Index) -> Self {
        let has_labels = ix.runtime == observer::OBSERVED_RUNTIME;
        let seen_names = vec![0; ix.names.len()];
        Self {
            name,
            bytes,
            notes,
            ix,
            has_labels,
            source: None,
            line_visits: None,
            unreplayable: None,
            seen_names,
            walk: 0,
            pins: HashMap::new(),
        }
    }

    /// The tape's bytes, exactly as they were opened.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The runtime that the header names.
    pub fn runtime(&self) -> &[u8] {
        &self.ix.runtime
    }

    /// How many positions (`L` records) there are.
    pub fn positions(&self) -> u32 {
        self.ix.line_offsets.len() as u32
    }

    /// The line that the `L` of a position names; 0 past the end.
    pub fn line_at(&self, pos: Pos) -> i32 {
        self.ix.lines.get(pos.0 as usize).copied().unwrap_or(0)
    }

    /// The position to which the record at a byte belongs: the last `L` at or before it, or 0 before any.
    pub fn pos_of(&self, byte: ByteOffset) -> Pos {
        Pos(pos_of(&self.ix.line_offsets, byte.0))
    }

    /// Rows of the frame lanes: the deepest that the call stack gets.
    pub fn frame_rows(&self) -> u32 {
        self.ix.rows.len() as u32
    }

    /// The stays of one row, in order of time; neighbours share at most one position.
    pub fn spans(&self, row: u32) -> &[FrameSpan] {
        self.ix.rows.get(row as usize).map(Vec::as_slice).unwrap_or_default()
    }

    /// The function of a frame; empty for scope 0.
    pub fn function_of(&self, frame: u32) -> &[u8] {
        self.ix.frames.get(frame as usize).map_or(&[], |frame| self.ix.functions.bytes(&self.bytes, frame.function))
    }

    /// The function name's number, equal for frames of one function: cheaper to compare than names. `u32::MAX` for scope 0.
    pub fn function_id(&self, frame: u32) -> u32 {
        self.ix.frames.get(frame as usize).map_or(NONE, |frame| frame.function)
    }

    /// The position of each nondet record, in tape order.
    pub fn input_positions(&self) -> &[u32] {
        &self.ix.input_positions
    }

    /// The category of each nondet record, as [`InputCategory::index`].
    pub fn input_categories(&self) -> &[u8] {
        &self.ix.input_categories
    }

    /// The listed issues, by their bytes.
    pub fn issues(&self) -> &[Issue] {
        &self.ix.issues.listed
    }

    /// How many events lie before position `256 * i`, for each `i`.
    pub fn event_blocks(&self) -> &[u32] {
        &self.ix.event_blocks
    }

    /// How many `A` and `N` records there are.
    pub fn events(&self) -> u32 {
        (self.ix.assigns.len() + self.ix.input_offsets.len()) as u32
    }

    /// The number of [`Tape::event_blocks`]' block that holds a position.
    pub const POSITIONS_PER_BLOCK: u32 = EVENT_BLOCK;

    /// The byte after the last one that belongs to a position.
    pub(crate) fn end_of(&self, pos: Pos) -> u32 {
        self.ix.line_offsets.get(pos.0 as usize + 1).copied().unwrap_or(self.bytes.len() as u32)
    }

    /// The scope at a position: that of the last record before the next `L` that carries one other than 0.
    pub(crate) fn scope_at(&self, pos: Pos) -> u32 {
        let end = self.end_of(pos);
        let n = self.ix.scope_starts.partition_point(|start| *start < end);
        n.checked_sub(1).and_then(|i| self.ix.scope_frames.get(i)).map_or(0, |frame| frame & !ZERO_SCOPE)
    }

    /// The scope that the record at a byte carries.
    pub(crate) fn scope_of_record(&self, byte: u32) -> u32 {
        let n = self.ix.scope_starts.partition_point(|start| *start <= byte);
        let frame = n.checked_sub(1).and_then(|i| self.ix.scope_frames.get(i)).copied().unwrap_or(0);
        if frame & ZERO_SCOPE == 0 { frame } else { 0 }
    }

    /// The scopes visible from `scope`, innermost first; scope 0 is the last.
    pub(crate) fn chain(&self, scope: u32) -> impl Iterator<Item = u32> + '_ {
        let mut next = Some(scope);
        core::iter::from_fn(move || {
            let scope = next?;
            next = (scope != 0).then(|| self.ix.frames.get(scope as usize).map_or(0, |frame| frame.parent));
            Some(scope)
        })
    }

    /// The assignments of a stream.
    pub(crate) fn run(&self, stream: u32) -> core::ops::Range<usize> {
        let start = self.ix.stream_starts.get(stream as usize).copied().unwrap_or(0);
        let end = self.ix.stream_starts.get(stream as usize + 1).copied().unwrap_or(start);
        start as usize..end as usize
    }

    /// The streams of a scope, in order of their first assignments.
    pub(crate) fn streams_of(&self, frame: u32) -> core::ops::Range<u32> {
        let start = self.ix.frame_streams.get(frame as usize).copied().unwrap_or(0);
        let end = self.ix.frame_streams.get(frame as usize + 1).copied().unwrap_or(start);
        start..end
    }

    /// How many of a stream's assignments lie before a byte.
    pub(crate) fn assigns_before(&self, stream: u32, end: u32) -> usize {
        let run = self.ix.assigns.get(self.run(stream)).unwrap_or_default();
        run.partition_point(|offset| *offset < end)
    }

    /// The name of a stream, as a number.
    pub(crate) fn name_of_stream(&self, stream: u32) -> u32 {
        self.ix.stream_names.get(stream as usize).copied().unwrap_or(NONE)
    }

    /// The bytes of a name.
    pub(crate) fn name_bytes(&self, name: u32) -> &[u8] {
        self.ix.names.bytes(&self.bytes, name)
    }

    /// The assignments of a name over all scopes.
    pub(crate) fn by_name(&self, name: u32) -> &[u32] {
        let at = |i: u32| self.ix.name_starts.get(i as usize).copied().unwrap_or(0) as usize;
        self.ix.by_name.get(at(name)..at(name.saturating_add(1))).unwrap_or_default()
    }

    /// The line of the file at a byte, as its reader sees it: without its line feed, ending at a NUL.
    pub(crate) fn record_at(&self, byte: u32) -> &[u8] {
        let rest = self.bytes.get(byte as usize..).unwrap_or_default();
        let line = memchr::memchr(b'\n', rest).and_then(|end| rest.get(..end)).unwrap_or(rest);
        header::up_to_nul(line)
    }

    /// The name and value of the `A` or `N` record at a byte.
    pub(crate) fn parts_of(&self, byte: u32) -> (&[u8], &[u8]) {
        split_record(self.record_at(byte))
    }

    /// The newest numbers of a stream among its first `assigns` assignments, the newest first.
    pub(crate) fn newest_numbers(&self, stream: u32, assigns: usize) -> ([f64; NUMBERS_THAT_MATTER], usize) {
        let mut numbers = [0.0; NUMBERS_THAT_MATTER];
        let mut found = 0;
        let start = self.run(stream).start;
        let mut at = start + assigns;
        while at > start && found < NUMBERS_THAT_MATTER {
            at -= 1;
            // Strings may lie between by the million: words without a number are passed over whole.
            let word = self.ix.numeric.get(at / 64).copied().unwrap_or(0);
            let before = word << (63 - at % 64);
            if before == 0 {
                at -= at % 64;
                continue;
            }
            let gap = before.leading_zeros() as usize;
            if gap > at - start {
                break;
            }
            at -= gap;
            let offset = self.ix.assigns.get(at).copied().unwrap_or(0);
            if let (Some((number, _)), Some(slot)) = (cnum::strtod(self.parts_of(offset).1), numbers.get_mut(found)) {
                *slot = number;
                found += 1;
            }
        }
        (numbers, found)
    }

    /// The trajectory label of a stream after its first `assigns` assignments.
    pub(crate) fn label_after(&self, stream: u32, assigns: usize) -> Option<Label> {
        if !self.has_labels {
            return None;
        }
        let (numbers, found) = self.newest_numbers(stream, assigns);
        observer::label(numbers.get(..found)?)
    }

    /// Whether the `i`-th of all assignments (grouped by stream) is a number.
    pub(crate) fn is_numeric(&self, i: usize) -> bool {
        self.ix.numeric.get(i / 64).is_some_and(|word| word >> (i % 64) & 1 == 1)
    }

    /// How many events belong to a position, and the byte of the `n`-th of them (the end of the position when there are fewer).
    pub(crate) fn events_at(&self, pos: Pos, n: u32) -> (u32, u32) {
        let Some(&start) = self.ix.line_offsets.get(pos.0 as usize) else { return (0, self.bytes.len() as u32) };
        let end = self.end_of(pos);
        let marks = &self.ix.event_marks;
        let first = marks.partition_point(|mark| mark.byte < start);
        let marks = marks.get(first..marks.partition_point(|mark| mark.byte < end)).unwrap_or_default();
        let place = |mark: Option<&EventMark>| mark.map_or((0, start), |mark| (mark.ordinal, mark.byte));
        let near = place(marks.partition_point(|mark| mark.ordinal <= n).checked_sub(1).and_then(|i| marks.get(i)));
        let last = place(marks.last());
        let wanted = self.events_in(near.1, end).nth((n - near.0) as usize).unwrap_or(end);
        let total = last.0 + self.events_in(last.1, end).count() as u32;
        (total, wanted)
    }

    /// The bytes at which the `A` and `N` records between two bytes start.
    pub(crate) fn events_in(&self, start: u32, end: u32) -> impl Iterator<Item = u32> + '_ {
        let bytes = self.bytes.get(start as usize..end as usize).unwrap_or_default();
        let mut at = 0;
        core::iter::from_fn(move || {
            loop {
                let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
                let len = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                let line = header::up_to_nul(rest.get(..len)?);
                let byte = start + at as u32;
                at += len + 1;
                if matches!(line, [b'A' | b'N', _, value @ ..] if value.contains(&b'=')) {
                    return Some(byte);
                }
            }
        })
    }

    /// The line of the file (counted from 1) at which a byte lies.
    pub(crate) fn file_line(&self, byte: u32) -> u32 {
        let marks = &self.ix.line_marks;
        let near = marks.partition_point(|(start, _)| *start <= byte).checked_sub(1).and_then(|i| marks.get(i));
        let (start, before) = near.copied().unwrap_or((0, 0));
        let between = self.bytes.get(start as usize..byte as usize).unwrap_or_default();
        before + memchr::memchr_iter(b'\n', between).count() as u32 + 1
    }

    /// The stream of the assignment at a byte.
    pub(crate) fn stream_of_record(&self, byte: u32) -> Option<StreamId> {
        let (name, _) = self.parts_of(byte);
        let name = self.ix.names.find(&self.bytes, name)?;
        self.find_stream(self.scope_of_record(byte), name).map(StreamId)
    }

    /// The stream of a name in a scope.
    pub(crate) fn find_stream(&self, frame: u32, name: u32) -> Option<u32> {
        self.streams_of(frame).find(|stream| self.name_of_stream(*stream) == name)
    }

    /// The assignments of a pin: its numbers are read once and kept.
    pub fn pin_history(&mut self, pin: &Pin) -> Rc<PinHistory> {
        if let Some(kept) = self.pins.get(pin) {
            return Rc::clone(kept);
        }
        let history = Rc::new(self.read_pin(pin));
        if self.pins.len() >= KEPT_PINS {
            self.pins.clear();
        }
        self.pins.insert(pin.clone(), Rc::clone(&history));
        history
    }

    fn read_pin(&self, pin: &Pin) -> PinHistory {
        let Some(name) = self.ix.names.find(&self.bytes, pin.name.as_bytes()) else { return PinHistory::default() };
        let mut history = PinHistory { name, ..PinHistory::default() };
        // Assignments and scope changes are both in tape order: one merge, no search.
        let mut change = 0;
        let mut pos = 0;
        for &offset in self.by_name(name) {
            while self.ix.scope_starts.get(change).is_some_and(|start| *start <= offset) {
                change += 1;
            }
            let frame = change.checked_sub(1).and_then(|i| self.ix.scope_frames.get(i)).copied().unwrap_or(0);
            let frame = if frame & ZERO_SCOPE == 0 { frame } else { 0 };
            let inner = self.ix.frames.get(frame as usize).is_some_and(|frame| frame.depth > 0);
            let is_meant = match &pin.function {
                None => !inner,
                Some(function) => inner && self.function_of(frame) == function.as_bytes(),
            };
            while self.ix.line_offsets.get(pos + 1).is_some_and(|start| *start <= offset) {
                pos += 1;
            }
            if is_meant {
                let value = self.parts_of(offset).1;
                let number = if cnum::is_number(value) { cnum::strtod(value).map(|(number, _)| number) } else { None };
                history.positions.push(pos as u32);
                history.numbers.push(number.unwrap_or(f64::NAN));
                history.offsets.push(offset);
            }
        }
        history
    }

    /// The label after the `i`-th assignment of a pin, in the stream to which that assignment belongs.
    pub fn pin_label(&self, history: &PinHistory, i: usize) -> Option<Label> {
        let offset = *history.offsets.get(i)?;
        history.numbers.get(i).filter(|number| !number.is_nan())?;
        let stream = self.find_stream(self.scope_of_record(offset), history.name)?;
        self.label_after(stream, self.assigns_before(stream, offset + 1))
    }

    /// The category of the `i`-th nondet record.
    pub(crate) fn category(&self, i: usize) -> InputCategory {
        let index = self.ix.input_categories.get(i).copied().unwrap_or(u8::MAX);
        InputCategory::ALL.get(usize::from(index)).copied().unwrap_or(InputCategory::Unknown)
    }

    /// How many events make a remembered place within one position (for tests that must reach it).
    #[doc(hidden)]
    pub const EVENTS_PER_MARK: u32 = EVENT_MARK;
}

/// The number of the last position at or before a byte.
fn pos_of(line_offsets: &[u32], byte: u32) -> u32 {
    (line_offsets.partition_point(|start| *start <= byte) as u32).saturating_sub(1)
}

/// The name and value of an `A` or `N` line.
pub(crate) fn split_record(line: &[u8]) -> (&[u8], &[u8]) {
    let rest = line.get(2..).unwrap_or_default();
    match memchr::memchr(b'=', rest) {
        Some(at) => (rest.get(..at).unwrap_or_default(), rest.get(at + 1..).unwrap_or_default()),
        None => (rest, &[]),
    }
}
