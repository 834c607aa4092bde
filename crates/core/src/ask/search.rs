//! One search over names, values, functions and inputs.
//!
//! The bytes are scanned for the text; records are looked at only around a hit. Invariant: a record counts once, and only for
//! what its reader sees: a name, a value, a function; never for its kind, numbers of lines or what follows a NUL.

use std::ops::ControlFlow;

use crate::bytes::Watch;
use crate::model::protocol::{SearchAnswer, SearchKind, SearchQuery, SearchRow, Text, ValueText};
use crate::model::{ByteOffset, IssueKind};
use crate::tape::answer::MAX_ROWS;
use crate::tape::{Tape, header, value};

use super::thin;

/// Bytes between two calls of the watcher.
const STRIDE: usize = 4 << 20;

/// What a scan found: where each record starts, and the kind of its hit.
#[derive(Debug, Default)]
pub(super) struct Found {
    records: Vec<u32>,
    kinds: Vec<u8>,
    is_cancelled: bool,
}

/// The text that is looked for.
struct Needle<'a> {
    text: &'a [u8],
    finder: memchr::memmem::Finder<'a>,
    /// Without case: the place of its rarest byte, in both cases.
    pivot: Option<(usize, u8, u8)>,
}

impl<'a> Needle<'a> {
    fn new(text: &'a [u8], with_case: bool) -> Self {
        let has_letters = text.iter().any(u8::is_ascii_alphabetic);
        let pivot = (!with_case && has_letters).then(|| {
            let rarest = text.iter().enumerate().min_by_key(|(_, byte)| frequency(**byte));
            rarest.map_or((0, 0, 0), |(i, byte)| (i, byte.to_ascii_lowercase(), byte.to_ascii_uppercase()))
        });
        Self { text, finder: memchr::memmem::Finder::new(text), pivot }
    }

    fn find(&self, bytes: &[u8]) -> Option<usize> {
        let Some((pivot, lower, upper)) = self.pivot else { return self.finder.find(bytes) };
        let mut at = pivot;
        loop {
            let rest = bytes.get(at..)?;
            at += if lower == upper { memchr::memchr(lower, rest)? } else { memchr::memchr2(lower, upper, rest)? };
            let start = at - pivot;
            if bytes.get(start..start + self.text.len())?.eq_ignore_ascii_case(self.text) {
                return Some(start);
            }
            at += 1;
        }
    }
}

/// How common a byte is in tapes, roughly: what is rare makes the scan fast.
fn frequency(byte: u8) -> u8 {
    match byte.to_ascii_lowercase() {
        b'0'..=b'9' | b' ' | b'=' | b'.' => 10,
        b'l' | b'a' | b'e' | b's' | b'n' => 9,
        b't' | b'r' | b'i' | b'o' | b'_' => 7,
        b'd' | b'u' | b'c' | b'm' | b'p' | b'v' => 5,
        b'a'..=b'z' => 3,
        _ => 2,
    }
}

/// Scans a tape for a text.
pub(super) fn scan(tape: &Tape, text: &str, with_case: bool, watch: &mut dyn Watch) -> Found {
    let mut found = Found::default();
    if text.is_empty() || text.contains('\n') {
        return found;
    }
    let needle = Needle::new(text.as_bytes(), with_case);
    let bytes = tape.bytes.as_slice();
    let has_nul = tape.ix.issues.count(IssueKind::NulByte) > 0;
    let (mut at, mut watched) = (0, 0);
    while at < bytes.len() {
        // A window a stride long, widened to the end of its last line, so that a watcher is called while nothing is found.
        let end = memchr::memchr(b'\n', bytes.get(at + STRIDE..).unwrap_or_default())
            .map_or(bytes.len(), |feed| at + STRIDE + feed + 1);
        if at >= watched {
            watched = at + STRIDE;
            if watch.advance(at as u64, bytes.len() as u64) == ControlFlow::Break(()) {
                found.is_cancelled = true;
                break;
            }
        }
        let window = bytes.get(at..end).unwrap_or_default();
        let mut from = 0;
        while let Some(hit) = needle.find(window.get(from..).unwrap_or_default()) {
            let hit = from + hit;
            let start = memchr::memrchr(b'\n', window.get(..hit).unwrap_or_default()).map_or(0, |feed| feed + 1);
            let rest = window.get(start..).unwrap_or_default();
            let len = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let line = rest.get(..len).unwrap_or_default();
            let line = if has_nul { header::up_to_nul(line) } else { line };
            match kind_of(line, hit - start, text.len()) {
                Some(kind) => {
                    found.records.push((at + start) as u32);
                    found.kinds.push(kind as u8);
                    from = start + len + 1;
                }
                // It may stand in the same line once more, where it counts.
                None => from = hit + 1,
            }
            if from >= window.len() {
                break;
            }
        }
        at = end;
    }
    found
}

/// What a hit at byte `at` of a line is a hit in.
fn kind_of(line: &[u8], at: usize, len: usize) -> Option<SearchKind> {
    if at < 2 || at + len > line.len() {
        return None;
    }
    let body = line.get(2..)?;
    match line.first()? {
        kind @ (b'A' | b'N') => {
            let eq = memchr::memchr(b'=', body)? + 2;
            Some(match (kind, at > eq) {
                (b'A', false) => SearchKind::Name,
                (b'A', true) => SearchKind::Value,
                (_, false) => SearchKind::Input,
                (_, true) => SearchKind::InputValue,
            })
        }
        b'S' => {
            let name = memchr::memchr(b' ', body)? + 2;
            (at + len <= name).then_some(SearchKind::Function)
        }
        _ => None,
    }
}

impl Found {
    /// The answer to a query of the text that was scanned for.
    pub(super) fn answer(&self, tape: &Tape, query: &SearchQuery) -> SearchAnswer {
        let mut counts = [0; SearchKind::ALL.len()];
        for kind in &self.kinds {
            if let Some(count) = counts.get_mut(usize::from(*kind)) {
                *count += 1;
            }
        }
        let chosen: Vec<u32>;
        let records = match query.kind {
            None => self.records.as_slice(),
            Some(kind) => {
                let pairs = self.records.iter().zip(&self.kinds);
                chosen = pairs.filter(|(_, of)| **of == kind as u8).map(|(record, _)| *record).collect();
                chosen.as_slice()
            }
        };
        let pos_of = |record: u32| tape.pos_of(ByteOffset(record));
        let start = tape.ix.line_offsets.get(query.pos.0 as usize).copied().unwrap_or(0);
        // What stands before the first `L` belongs to position 0 too.
        let start = if query.pos.0 == 0 { 0 } else { start };
        let before = records.partition_point(|record| *record < start);
        let after = records.partition_point(|record| *record < tape.end_of(query.pos));
        let hit = |i: usize| records.get(i).map(|record| (i as u32, pos_of(*record)));
        let rows = query.rows.limited(MAX_ROWS).clamp(records.len());
        let (source_lines, source_total) = source_lines(tape, query);
        SearchAnswer {
            total: records.len() as u32,
            counts,
            rows: records.get(rows).unwrap_or_default().iter().map(|record| self.row(tape, *record)).collect(),
            previous: before.checked_sub(1).and_then(hit),
            next: hit(after),
            marks: thin(records.len(), tape.positions(), query.marks, |i| {
                let pos = records.get(i).map_or(0, |record| pos_of(*record).0);
                (pos, pos)
            }),
            source_lines,
            source_total,
            is_cancelled: self.is_cancelled,
        }
    }

    fn row(&self, tape: &Tape, record: u32) -> SearchRow {
        let kind = self.records.binary_search(&record).ok().and_then(|i| self.kinds.get(i)).copied().unwrap_or(0);
        let kind = SearchKind::ALL.get(usize::from(kind)).copied().unwrap_or(SearchKind::Name);
        let pos = tape.pos_of(ByteOffset(record));
        let (name, text) = tape.parts_of(record);
        let (name, value) = match kind {
            SearchKind::Name | SearchKind::Value => (name, ValueText::of_assignment(text)),
            SearchKind::Input | SearchKind::InputValue => (name, value::preview(text, value::cut_of_full(text))),
            SearchKind::Function => {
                let body = tape.record_at(record).get(2..).unwrap_or_default();
                let name = body.split(|byte| *byte == b' ').next().unwrap_or_default();
                (name, ValueText::default())
            }
        };
        SearchRow { byte: ByteOffset(record), pos, line: tape.line_at(pos), kind, name: Text::from_bytes(name), value }
    }
}

/// The lines of the source that hold the text, counted from 1.
fn source_lines(tape: &Tape, query: &SearchQuery) -> (Vec<u32>, u32) {
    let (mut lines, mut total) = (Vec::new(), 0);
    let Some(source) = tape.source.as_ref().filter(|_| !query.text.is_empty()) else { return (lines, total) };
    let needle = Needle::new(query.text.as_bytes(), query.with_case);
    for (i, line) in source.lines.iter().enumerate() {
        if needle.find(line.as_bytes()).is_some() {
            total += 1;
            if lines.len() < SearchAnswer::MAX_SOURCE_LINES {
                lines.push(i as u32 + 1);
            }
        }
    }
    (lines, total)
}
