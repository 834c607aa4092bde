//! What the timeline shows of a range, taken from the index.
//!
//! Invariant: the cost is one search (galloping from the last hit) a pixel and lane, and the answer has at most a few entries
//! a pixel and lane; neither depends on how many records the range holds.
//!
//! Pixels are counted from position 0 and not from the range's left edge, so that what shares a pixel stays the same while
//! the range is panned: nothing flickers.

use std::collections::HashMap;
use std::rc::Rc;

use crate::model::protocol::{
    Answer, InputCategory, InputMark, IssueMark, Label, Minimap, Pin, Question, Span, TimelineQuery, TimelineSlice,
    Track, TrackPoint,
};
use crate::model::{Issue, Pos};
use crate::tape::{FrameSpan, PinHistory, Tape};

use super::pyramid::Pyramid;
use super::scale::Range;

/// Marks are wider than a pixel: those that lie within so many device pixels are one.
const MARK_PX: f64 = 8.0;

/// Equal parts of the recording, one a pixel (or a few pixels), counted from position 0.
#[derive(Clone, Copy, Debug)]
struct Parts {
    /// Width of a part in positions; above 0.
    width: f64,
}

impl Parts {
    /// One part for each `px_per_part` of the `px` pixels that show `range`.
    fn new(range: Range, px: u32, px_per_part: f64) -> Self {
        Self { width: (range.span() / f64::from(px.max(1)) * px_per_part).max(f64::MIN_POSITIVE) }
    }

    /// The right edge of the part in which `pos` lies; always above `pos`.
    fn end_after(self, pos: u32) -> f64 {
        let pos = f64::from(pos);
        let edge = ((pos / self.width).floor() + 1.0) * self.width;
        // Rounding may leave the edge at the position itself, a part too low.
        if edge > pos { edge } else { (edge + self.width).max(pos.next_up()) }
    }
}

/// The first index from `from` on for which `is_before` does not hold; it must hold up to there and not after (as for
/// `partition_point`). Costs by the distance and not by the length.
fn gallop(from: usize, len: usize, is_before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut step) = (from, 1);
    // Everything before `low` is before.
    while low + step <= len && is_before(low + step - 1) {
        low += step;
        step *= 2;
    }
    let mut high = (low + step - 1).min(len);
    while low < high {
        let mid = low.midpoint(high);
        if is_before(mid) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    low
}

/// A bar of a frame row before it has a name: spans `first_idx..end_idx` of the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bar {
    first_idx: usize,
    end_idx: usize,
}

/// The bars of a row of sorted, disjoint spans: one for each span that is at least a pixel wide, one for all narrower ones
/// that begin in the same pixel.
fn bars(spans: &[FrameSpan], range: Range, px: u32) -> Vec<Bar> {
    let parts = Parts::new(range, px, 1.0);
    let first_of = |idx: usize| spans.get(idx).map_or(f64::INFINITY, |span| f64::from(span.first));
    let end_of = |idx: usize| spans.get(idx).map_or(f64::INFINITY, |span| f64::from(span.last) + 1.0);
    let is_wide = |idx: usize| end_of(idx) - first_of(idx) >= parts.width;
    let mut out = Vec::new();
    let mut idx = spans.partition_point(|span| f64::from(span.last) + 1.0 <= range.first);
    while let Some(span) = spans.get(idx).filter(|span| f64::from(span.first) < range.last) {
        let mut end_idx = idx + 1;
        if !is_wide(idx) {
            let edge = parts.end_after(span.first).min(range.last);
            end_idx = gallop(end_idx, spans.len(), |idx| first_of(idx) < edge);
            // Only the last one can reach past the pixel; when it does, it is a bar of its own.
            if end_idx - idx > 1 && is_wide(end_idx - 1) {
                end_idx -= 1;
            }
        }
        out.push(Bar { first_idx: idx, end_idx });
        idx = end_idx;
    }
    out
}

/// Counts of nondet records by category, for any run of them.
#[derive(Clone, Debug, Default)]
pub struct CategoryCounts {
    /// For each block of [`BLOCK`] records, and for the end: how many of each category lie before it.
    before: Vec<[u32; CATEGORIES]>,
}

const CATEGORIES: usize = InputCategory::ALL.len();

/// Records a block: 36 bytes beside 1,024 records, and at most two blocks to be looked through for a pixel.
const BLOCK: usize = 1024;

impl CategoryCounts {
    /// Counts the categories, given as [`InputCategory::index`]; a number that is none counts as unknown.
    pub fn new(categories: &[u8]) -> Self {
        let mut before = Vec::with_capacity(categories.len() / BLOCK + 2);
        let mut sum = [0; CATEGORIES];
        before.push(sum);
        for block in categories.chunks(BLOCK) {
            for &category in block {
                if let Some(count) = sum.get_mut(category_idx(category)) {
                    *count += 1;
                }
            }
            before.push(sum);
        }
        Self { before }
    }

    /// Bytes taken beside the records.
    pub fn bytes(&self) -> usize {
        self.before.len() * size_of::<[u32; CATEGORIES]>()
    }

    /// For each category found in `first..last`: how many, and which is the first.
    fn tally(&self, categories: &[u8], first: usize, last: usize) -> [(u32, usize); CATEGORIES] {
        let mut tally = [(0, usize::MAX); CATEGORIES];
        let scan = |tally: &mut [(u32, usize); CATEGORIES], from: usize, to: usize| {
            for (offset, &category) in categories.get(from..to).unwrap_or_default().iter().enumerate() {
                if let Some((count, first)) = tally.get_mut(category_idx(category)) {
                    *count += 1;
                    *first = (*first).min(from + offset);
                }
            }
        };
        let (block_first, block_last) = (first.div_ceil(BLOCK), last / BLOCK);
        let (Some(low), Some(high)) = (self.before.get(block_first), self.before.get(block_last)) else {
            scan(&mut tally, first, last);
            return tally;
        };
        if block_first >= block_last {
            scan(&mut tally, first, last);
            return tally;
        }
        scan(&mut tally, first, block_first * BLOCK);
        for (category, entry) in tally.iter_mut().enumerate() {
            let of = |counts: &[u32; CATEGORIES]| counts.get(category).copied().unwrap_or(0);
            let inside = of(high) - of(low);
            if inside > 0 && entry.0 == 0 {
                let blocks = self.before.get(block_first + 1..=block_last).unwrap_or_default();
                let block = block_first + blocks.partition_point(|counts| of(counts) == of(low));
                let from = block * BLOCK;
                let found = categories
                    .get(from..)
                    .unwrap_or_default()
                    .iter()
                    .position(|&number| category_idx(number) == category);
                entry.1 = found.map_or(from, |offset| from + offset);
            }
            entry.0 += inside;
        }
        scan(&mut tally, block_last * BLOCK, last);
        tally
    }
}

fn category_idx(number: u8) -> usize {
    let idx = usize::from(number);
    if idx < CATEGORIES { idx } else { InputCategory::Unknown.index() }
}

/// The marks of nondet records: one for each category and few pixels.
fn input_marks(positions: &[u32], categories: &[u8], counts: &CategoryCounts, range: Range, px: u32) -> Vec<InputMark> {
    let parts = Parts::new(range, px, MARK_PX);
    let pos_at = |idx: usize| positions.get(idx).copied().unwrap_or(u32::MAX);
    let mut out = Vec::new();
    let mut idx = positions.partition_point(|&pos| f64::from(pos) + 1.0 <= range.first);
    while idx < positions.len() && f64::from(pos_at(idx)) < range.last {
        let edge = parts.end_after(pos_at(idx)).min(range.last);
        let end = gallop(idx + 1, positions.len(), |idx| f64::from(pos_at(idx)) < edge);
        let tally = counts.tally(categories, idx, end);
        let part_starts_at = out.len();
        for (category, (count, first)) in InputCategory::ALL.into_iter().zip(tally) {
            if count > 0 {
                out.push(InputMark { pos: pos_at(first), category, count });
            }
        }
        // Sorted by place, so that the one under the pointer can be searched for.
        out.get_mut(part_starts_at..).unwrap_or_default().sort_by_key(|mark| mark.pos);
        idx = end;
    }
    out
}

/// The marks of issues: one for each kind and part. Looks at every issue of the range: their list is bounded.
fn issue_marks(issues: &[Issue], range: Range, parts: Parts) -> Vec<IssueMark> {
    let mut out: Vec<IssueMark> = Vec::new();
    let mut part_starts_at = 0;
    let mut edge = f64::NEG_INFINITY;
    let first = issues.partition_point(|issue| f64::from(issue.pos.0) + 1.0 <= range.first);
    for issue in issues.get(first..).unwrap_or_default() {
        let pos = issue.pos.0;
        if f64::from(pos) >= range.last {
            break;
        }
        if f64::from(pos) >= edge {
            edge = parts.end_after(pos);
            part_starts_at = out.len();
        }
        // There are at most as many marks in a part as there are kinds.
        let in_part = out.get_mut(part_starts_at..).unwrap_or_default();
        match in_part.iter_mut().find(|mark| mark.kind == issue.kind) {
            Some(mark) => mark.count += 1,
            None => out.push(IssueMark { pos, kind: issue.kind, count: 1 }),
        }
    }
    out
}

/// The track of a pin. `label_at` gives the label after an assignment.
fn track(
    positions: &[u32],
    numbers: &[f64],
    pyramid: &Pyramid,
    label_at: impl Fn(usize) -> Option<Label>,
    range: Range,
    px: u32,
) -> Track {
    let parts = Parts::new(range, px, 1.0);
    let pos_at = |idx: usize| positions.get(idx).copied().unwrap_or(u32::MAX);
    let number_at = |idx: usize| numbers.get(idx).copied().unwrap_or(f64::NAN);
    let point = |first: usize, end: usize| {
        let last = end - 1;
        let (min, max) = pyramid.min_max(numbers, first..end).unwrap_or((f64::NAN, f64::NAN));
        TrackPoint {
            pos: pos_at(first),
            last_pos: pos_at(last),
            count: u32::try_from(end - first).unwrap_or(u32::MAX),
            min,
            max,
            value: number_at(last),
            label: label_at(last),
        }
    };
    let mut points = Vec::new();
    let mut idx = positions.partition_point(|&pos| f64::from(pos) < range.first);
    if idx > 0 {
        // What holds where the range begins.
        points.push(point(idx - 1, idx));
    }
    while idx < positions.len() && f64::from(pos_at(idx)) < range.last {
        let edge = parts.end_after(pos_at(idx)).min(range.last);
        let end = gallop(idx + 1, positions.len(), |idx| f64::from(pos_at(idx)) < edge);
        points.push(point(idx, end));
        idx = end;
    }
    Track {
        total: u32::try_from(positions.len()).unwrap_or(u32::MAX),
        bounds: pyramid.min_max(numbers, 0..numbers.len()),
        points,
    }
}

/// The function names of a slice, each once.
#[derive(Default)]
struct Names {
    numbers: HashMap<u32, u32>,
    names: Vec<String>,
}

impl Names {
    /// The number of a frame's function.
    fn of(&mut self, tape: &Tape, frame: u32) -> u32 {
        *self.numbers.entry(tape.function_id(frame)).or_insert_with(|| {
            let name = tape.function_of(frame);
            // Scope 0 is what comes before any `S`: it has no name.
            let name = if name.is_empty() { "(before any frame)".into() } else { String::from_utf8_lossy(name) };
            self.names.push(name.into_owned());
            self.names.len() as u32 - 1
        })
    }
}

/// The numbers of a pin and the pyramid over them.
struct PinTrack {
    pin: Pin,
    history: Rc<PinHistory>,
    pyramid: Pyramid,
}

/// Answers the timeline's questions about one tape. Keeps what they have in common: counts of inputs, pyramids of pins.
///
/// One belongs to one tape: for another tape another one is made.
#[derive(Default)]
pub struct Slicer {
    inputs: Option<CategoryCounts>,
    tracks: Vec<PinTrack>,
}

impl Slicer {
    /// No more pixels than this are answered, whoever asks: the width of any screen.
    pub const MAX_PX: u32 = 16_384;
    /// No more frame rows than this are answered at once.
    pub const MAX_ROWS: u32 = 64;
    /// A tape of more bytes is not read through for an exact minimap of fine parts; its parts are blocks of the index.
    const MAX_BYTES_TO_READ: usize = 256 << 20;

    /// A slicer for a tape.
    pub fn new() -> Self {
        Self::default()
    }

    /// Answers [`Question::Timeline`] and [`Question::Minimap`]; other questions are not its own.
    pub fn answer(&mut self, tape: &mut Tape, question: &Question) -> Option<Answer> {
        match question {
            Question::Timeline(query) => Some(Answer::Timeline(self.slice(tape, query))),
            Question::Minimap { buckets } => Some(Answer::Minimap(minimap(tape, *buckets))),
            _ => None,
        }
    }

    /// What the timeline shows of a range.
    pub fn slice(&mut self, tape: &mut Tape, query: &TimelineQuery) -> TimelineSlice {
        let range = Range { first: query.first, last: query.last }.clamped(tape.positions());
        let px = query.px.clamp(1, Self::MAX_PX);
        let mut slice = TimelineSlice {
            first: range.first,
            last: range.last,
            first_frame_row: query.first_frame_row.min(tape.frame_rows()),
            ..TimelineSlice::default()
        };
        if tape.positions() == 0 {
            slice.tracks = vec![Track::default(); query.pins.len()];
            return slice;
        }
        let mut names = Names::default();
        let end_row = slice.first_frame_row.saturating_add(query.frame_rows.min(Self::MAX_ROWS)).min(tape.frame_rows());
        for row in slice.first_frame_row..end_row {
            let spans = tape.spans(row);
            let bars = bars(spans, range, px);
            let named = bars.iter().filter_map(|bar| {
                let (first, last) = (spans.get(bar.first_idx)?, spans.get(bar.end_idx - 1)?);
                let count = (bar.end_idx - bar.first_idx) as u32;
                let name = if count == 1 { names.of(tape, first.frame) } else { 0 };
                Some(Span { first: first.first, last: last.last, name, count })
            });
            slice.rows.push(named.collect());
        }
        slice.names = names.names;
        let inputs = self.inputs.get_or_insert_with(|| CategoryCounts::new(tape.input_categories()));
        slice.inputs = input_marks(tape.input_positions(), tape.input_categories(), inputs, range, px);
        slice.marks = issue_marks(tape.issues(), range, Parts::new(range, px, MARK_PX));
        self.keep_tracks(tape, &query.pins);
        for pin in &query.pins {
            let kept = self.tracks.iter().find(|track| track.pin == *pin);
            slice.tracks.push(kept.map_or_else(Track::default, |kept| {
                let history = &kept.history;
                let label_at = |idx: usize| tape.pin_label(history, idx);
                track(&history.positions, &history.numbers, &kept.pyramid, label_at, range, px)
            }));
        }
        slice
    }

    /// Reads the pins that are new, and forgets those that are not asked for any more.
    fn keep_tracks(&mut self, tape: &mut Tape, pins: &[Pin]) {
        self.tracks.retain(|track| pins.contains(&track.pin));
        for pin in pins {
            if self.tracks.iter().all(|track| track.pin != *pin) {
                let history = tape.pin_history(pin);
                let pyramid = Pyramid::new(&history.numbers);
                self.tracks.push(PinTrack { pin: pin.clone(), history, pyramid });
            }
        }
    }

    /// Bytes kept beside the tape and its index.
    pub fn bytes(&self) -> usize {
        self.inputs.as_ref().map_or(0, CategoryCounts::bytes)
            + self.tracks.iter().map(|track| track.pyramid.bytes()).sum::<usize>()
    }
}

/// The density of a whole tape in at most `parts` parts. Every count is exact: where the index counts by blocks of positions,
/// a part is some of them; a short tape is read through once.
fn minimap(tape: &Tape, parts: u32) -> Minimap {
    let positions = tape.positions();
    if positions == 0 {
        return Minimap::default();
    }
    let block = Tape::POSITIONS_PER_BLOCK;
    let fine = positions.div_ceil(parts.clamp(1, Slicer::MAX_PX));
    let is_fine = fine < block && tape.bytes().len() <= Slicer::MAX_BYTES_TO_READ;
    let positions_per_part = if is_fine { fine } else { fine.next_multiple_of(block) };
    let ends =
        (1..=positions.div_ceil(positions_per_part)).map(|part| part.saturating_mul(positions_per_part).min(positions));
    let counts = if is_fine {
        let mut start = 0;
        ends.map(|end| {
            let from = core::mem::replace(&mut start, tape.end_of(Pos(end - 1)));
            tape.events_in(from, start).count() as u32
        })
        .collect()
    } else {
        let before = |pos: u32| {
            if pos >= positions { None } else { tape.event_blocks().get((pos / block) as usize).copied() }
        };
        let mut counted = 0;
        ends.map(|end| {
            let so_far = before(end).unwrap_or_else(|| tape.events());
            so_far - core::mem::replace(&mut counted, so_far)
        })
        .collect()
    };
    let whole = Range::whole(positions);
    let marks = issue_marks(tape.issues(), whole, Parts { width: f64::from(positions_per_part) });
    Minimap { positions_per_part, counts, marks }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::model::IssueKind;
    use crate::tape::TapeBuilder;
    use crate::tape::write::{TapeWriter, Value};
    use proptest::prelude::*;

    /// A tape of calls that go up and down at random, with assignments, inputs, seams and torn records on the way.
    fn tape(steps: &[(u8, i32)]) -> Tape {
        let mut writer = TapeWriter::new("0.40.0");
        let mut stack: Vec<(&[u8], i32, u32)> = vec![(b"<module>", 0, 1)];
        let mut serial = 1;
        let mut torn = Vec::new();
        for (idx, &(kind, number)) in steps.iter().enumerate() {
            writer.line(idx as i32 + 1);
            match kind {
                0..=2 => {
                    serial += 1;
                    let name: &[u8] = if number % 2 == 0 { b"even" } else { b"odd" };
                    let depth = stack.len() as i32;
                    stack.push((name, depth, serial));
                }
                3..=5 if stack.len() > 1 => {
                    stack.pop();
                }
                6 => writer.input(
                    [b"random".as_slice(), b"monotonic_ns", b"no_such"][number as usize % 3],
                    &Value::Number(1.0),
                ),
                7 if number % 16 == 0 => writer.session("0.40.0"),
                8 if number % 4 == 0 => torn.push(writer.len()),
                _ => {}
            }
            let value = if kind == 9 { Value::Str(b"text".to_vec()) } else { Value::Number(f64::from(number) / 8.0) };
            let frame = *stack.last().unwrap();
            writer.assign(frame, if kind % 2 == 0 { b"x" } else { b"y" }, &value);
        }
        let mut bytes = writer.into_bytes();
        for at in torn.into_iter().rev() {
            bytes.splice(at..at, *b"A torn\n");
        }
        opened(bytes)
    }

    fn opened(bytes: Vec<u8>) -> Tape {
        TapeBuilder::from_vec(bytes).unwrap().finish("test.tape".into(), Vec::new()).unwrap()
    }

    fn query(range: Range, px: u32) -> TimelineQuery {
        TimelineQuery {
            first: range.first,
            last: range.last,
            px,
            frame_rows: 64,
            first_frame_row: 0,
            pins: vec![
                Pin { function: None, name: "x".into() },
                Pin { function: Some("even".into()), name: "y".into() },
                Pin { function: None, name: "nowhere".into() },
            ],
        }
    }

    fn overlaps(first: u32, last: u32, range: Range) -> bool {
        f64::from(first) < range.last && f64::from(last) + 1.0 > range.first
    }

    #[test]
    fn galloping_finds_what_a_search_finds() {
        for len in 0..40 {
            for border in 0..=len {
                for from in 0..=border {
                    assert_eq!(gallop(from, len, |idx| idx < border), border, "{from} {len}");
                }
            }
        }
    }

    #[test]
    fn a_part_ends_after_each_of_its_positions() {
        for width in [0.1, 1.0 / 3.0, 1.0, 2.5, 7.1, 1e-9, 1e9] {
            let parts = Parts { width };
            for pos in [0, 1, 2, 3, 5, 7, 1000, 12_345, u32::MAX - 1, u32::MAX] {
                assert!(parts.end_after(pos) > f64::from(pos), "{width} {pos}");
            }
        }
    }

    #[test]
    fn a_tape_without_positions_has_an_empty_slice() {
        let mut tape = opened(b"V 2 0.40.0\n".to_vec());
        let mut slicer = Slicer::new();
        let slice = slicer.slice(&mut tape, &query(Range::whole(0), 100));
        assert!(slice.rows.iter().all(Vec::is_empty) && slice.inputs.is_empty());
        assert_eq!(slice.tracks.len(), 3);
        assert_eq!(
            slicer.answer(&mut tape, &Question::Minimap { buckets: 100 }),
            Some(Answer::Minimap(Minimap::default()))
        );
    }

    #[test]
    fn the_cost_and_the_answer_are_bounded_by_the_pixels() {
        let spans: Vec<_> =
            (0..1_000_000).map(|idx| FrameSpan { first: 3 * idx, last: 3 * idx + idx % 3, frame: idx }).collect();
        for px in [1, 7, 100, 1000] {
            let bars = bars(&spans, Range::whole(3_000_000), px);
            assert!(bars.len() <= 2 * px as usize + 2, "{px} {}", bars.len());
            assert_eq!(bars.iter().map(|bar| bar.end_idx - bar.first_idx).sum::<usize>(), spans.len());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn a_slice_says_what_a_scan_of_the_tape_says(
            steps in prop::collection::vec((0_u8..12, -100_i32..100), 1..600),
            place in 0.0_f64..1.0, zoom in 0.0_f64..9.0, px in 1_u32..400,
        ) {
            let mut tape = tape(&steps.iter().map(|&(kind, number)| (kind, number.abs())).collect::<Vec<_>>());
            let positions = tape.positions();
            let range = Range::whole(positions).zoomed(place * f64::from(positions), (-zoom).exp2(), positions);
            let query = query(range, px);
            let slice = Slicer::new().slice(&mut tape, &query);
            let part = range.span() / f64::from(px);
            let same_part = |a: u32, b: u32, parts: f64| f64::from(b) - f64::from(a) <= part * parts;

            // Frames: every call of the range is in exactly one bar, and a bar of one call names it.
            prop_assert_eq!(slice.rows.len() as u32, tape.frame_rows());
            for (row, bars) in (0..).zip(&slice.rows) {
                let mut calls = tape.spans(row).iter().filter(|span| overlaps(span.first, span.last, range));
                for bar in bars {
                    let members: Vec<_> = calls.by_ref().take(bar.count as usize).collect();
                    prop_assert_eq!(members.len(), bar.count as usize);
                    prop_assert_eq!((members[0].first, members[members.len() - 1].last), (bar.first, bar.last));
                    if bar.count == 1 {
                        let name = String::from_utf8_lossy(tape.function_of(members[0].frame)).into_owned();
                        prop_assert_eq!(&slice.names[bar.name as usize], &name);
                    } else {
                        prop_assert!(same_part(bar.first, members[members.len() - 1].first, 1.0));
                        prop_assert!(members.iter().all(|span| f64::from(span.last - span.first) + 1.0 < part));
                    }
                }
                prop_assert_eq!(calls.count(), 0);
                prop_assert!(bars.len() <= 2 * px as usize + 3);
            }

            // Inputs: every record of the range is counted once, in its category.
            let in_range = |pos: u32| f64::from(pos) + 1.0 > range.first && f64::from(pos) < range.last;
            let records: Vec<_> = tape
                .input_positions()
                .iter()
                .zip(tape.input_categories())
                .filter(|(pos, _)| in_range(**pos))
                .map(|(pos, category)| (*pos, InputCategory::ALL[usize::from(*category)]))
                .collect();
            for category in InputCategory::ALL {
                let own: Vec<_> = records.iter().filter(|record| record.1 == category).map(|record| record.0).collect();
                let mut rest = own.as_slice();
                for mark in slice.inputs.iter().filter(|mark| mark.category == category) {
                    let (members, others) = rest.split_at(mark.count as usize);
                    prop_assert_eq!(members[0], mark.pos);
                    prop_assert!(same_part(mark.pos, members[members.len() - 1], MARK_PX));
                    rest = others;
                }
                prop_assert!(rest.is_empty());
            }
            prop_assert!(slice.inputs.is_sorted_by_key(|mark| mark.pos));

            // Issues and seams: likewise.
            for kind in IssueKind::ALL {
                let own = tape.issues().iter().filter(|issue| issue.kind == kind && in_range(issue.pos.0)).count();
                let marked = slice.marks.iter().filter(|mark| mark.kind == kind).map(|mark| mark.count as usize).sum::<usize>();
                prop_assert_eq!(marked, own);
            }
            prop_assert!(slice.marks.is_sorted_by_key(|mark| mark.pos));

            // Tracks: the value from before the range, and then every assignment once.
            prop_assert_eq!(slice.tracks.len(), 3);
            for (pin, track) in query.pins.iter().zip(&slice.tracks) {
                let history = tape.pin_history(pin);
                prop_assert_eq!(track.total as usize, history.positions.len());
                let before = history.positions.iter().filter(|pos| f64::from(**pos) < range.first).count();
                let mut idx = before.saturating_sub(1);
                for point in &track.points {
                    let end = idx + point.count as usize;
                    let numbers = &history.numbers[idx..end];
                    let finite = || numbers.iter().copied().filter(|number| number.is_finite());
                    prop_assert_eq!((point.pos, point.last_pos), (history.positions[idx], history.positions[end - 1]));
                    prop_assert_eq!(point.min.to_bits(), finite().reduce(f64::min).unwrap_or(f64::NAN).to_bits());
                    prop_assert_eq!(point.max.to_bits(), finite().reduce(f64::max).unwrap_or(f64::NAN).to_bits());
                    prop_assert_eq!(point.value.to_bits(), numbers[numbers.len() - 1].to_bits());
                    prop_assert_eq!(point.label, tape.pin_label(&history, end - 1));
                    prop_assert!(same_part(point.pos, point.last_pos, 1.0));
                    idx = end;
                }
                let beyond = history.positions.get(idx).is_none_or(|pos| f64::from(*pos) >= range.last);
                prop_assert!(beyond);
            }
        }

        #[test]
        fn categories_are_counted_over_blocks_as_by_a_scan(
            runs in prop::collection::vec((0_u8..11, 1_usize..900), 1..20), a in 0.0_f64..1.0, b in 0.0_f64..1.0,
        ) {
            let categories: Vec<u8> =
                runs.iter().flat_map(|&(category, len)| core::iter::repeat_n(category, len)).collect();
            let place = |part: f64| (part * categories.len() as f64) as usize;
            let (first, last) = (place(a.min(b)), place(a.max(b)));
            let tally = CategoryCounts::new(&categories).tally(&categories, first, last);
            for (category, (count, found)) in tally.into_iter().enumerate() {
                let own = || (first..last).filter(|&idx| category_idx(categories[idx]) == category);
                prop_assert_eq!(count as usize, own().count());
                if count > 0 {
                    prop_assert_eq!(Some(found), own().next());
                }
            }
        }

        #[test]
        fn the_minimap_counts_every_record_once(
            steps in prop::collection::vec((0_u8..12, 0_i32..100), 1..1500), parts in 1_u32..300,
        ) {
            let mut tape = tape(&steps);
            let Some(Answer::Minimap(minimap)) = Slicer::new().answer(&mut tape, &Question::Minimap { buckets: parts }) else {
                return Err(TestCaseError::fail("no minimap"));
            };
            prop_assert!(minimap.counts.len() <= parts as usize);
            let width = minimap.positions_per_part;
            prop_assert_eq!(minimap.counts.len() as u32, tape.positions().div_ceil(width));
            for (part, count) in (0_u32..).zip(&minimap.counts) {
                let mut scan = 0;
                for pos in part * width..(part * width + width).min(tape.positions()) {
                    scan += tape.events_at(Pos(pos), 0).0;
                }
                prop_assert_eq!(scan, *count, "part {} of {}", part, width);
            }
            let marked = minimap.marks.iter().map(|mark| mark.count as usize).sum::<usize>();
            prop_assert_eq!(marked, tape.issues().len());
        }
    }
}
