//! What is under the pointer, and how it is said.
//!
//! Invariant: the words come from the slice that is drawn; where several records share a pixel they are counted, and no single
//! one is named for all of them.

use crate::model::Pos;
use crate::model::protocol::{InputMark, IssueMark, Minimap, Pin, Span, TimelineSlice, Track, TrackPoint};

use super::layout::{BAR_HEIGHT, Layout};
use super::scale::{Range, Scale};
use super::{grouped, number_text};

/// How near, in CSS pixels, the pointer must be to a mark or an edge.
pub const REACH: f64 = 6.0;

/// A place of the timeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    /// The left edge of the minimap's range.
    MinimapFirst,
    /// The right edge of the minimap's range.
    MinimapLast,
    /// Inside the minimap's range.
    MinimapRange,
    /// The minimap outside the range.
    Minimap,
    /// The ruler.
    Ruler,
    /// A frame row.
    Frames {
        /// The row's number, 0 for the outermost.
        row: u32,
    },
    /// The lane of nondet records.
    Inputs,
    /// The track of a pin.
    Track {
        /// The pin's index.
        idx: usize,
    },
    /// The lane of issues.
    Marks,
    /// Between the lanes.
    Gap,
}

impl Spot {
    /// Whether the place belongs to the minimap.
    pub fn is_minimap(self) -> bool {
        matches!(self, Self::MinimapFirst | Self::MinimapLast | Self::MinimapRange | Self::Minimap)
    }
}

/// The scale of the minimap: the whole recording on the plot's width.
pub fn minimap_scale(layout: &Layout, positions: u32) -> Scale {
    Scale::new(Range::whole(positions), layout.plot_left, layout.plot_width)
}

/// The scale of everything but the minimap.
pub fn plot_scale(layout: &Layout, range: Range) -> Scale {
    Scale::new(range, layout.plot_left, layout.plot_width)
}

/// What is at a pixel. The minimap and the ruler take the gaps around them, so that they are easy to hit.
pub fn spot_at(layout: &Layout, range: Range, positions: u32, x: f64, y: f64) -> Spot {
    if y < layout.ruler.top {
        let scale = minimap_scale(layout, positions);
        let (first, last) = (scale.x_from_pos(range.first), scale.x_from_pos(range.last));
        // Of a range too narrow to have an inside, half the reach on either side is left for moving it.
        let inner_reach = REACH.min((last - first) / 4.0);
        let is_whole = range.is_whole(positions);
        return if x >= first - REACH && x <= first + inner_reach {
            Spot::MinimapFirst
        } else if x >= last - inner_reach && x <= last + REACH {
            Spot::MinimapLast
        } else if x > first && x < last && !is_whole {
            Spot::MinimapRange
        } else {
            Spot::Minimap
        };
    }
    if y < layout.frames.top {
        return Spot::Ruler;
    }
    if let Some(row) = layout.row_at(y) {
        return Spot::Frames { row };
    }
    if layout.inputs.is_some_and(|lane| lane.holds(y)) {
        return Spot::Inputs;
    }
    if let Some(idx) = layout.tracks.iter().position(|lane| lane.holds(y)) {
        return Spot::Track { idx };
    }
    if layout.marks.is_some_and(|lane| lane.holds(y)) {
        return Spot::Marks;
    }
    Spot::Gap
}

/// The bar of a frame row under a pixel, the nearest one when bars are narrower than the pointer is exact.
pub fn span_at(layout: &Layout, scale: Scale, slice: &TimelineSlice, row: u32, x: f64, y: f64) -> Option<Span> {
    let top = layout.row_top(row)?;
    if y >= top + BAR_HEIGHT {
        return None;
    }
    let spans = slice.rows.get(row.checked_sub(slice.first_frame_row)? as usize)?;
    let pos = scale.pos_from_x(x);
    let next = spans.partition_point(|span| f64::from(span.last) + 1.0 <= pos);
    let distance = |span: &Span| {
        let (left, right) = (scale.x_from_pos(f64::from(span.first)), scale.x_from_pos(f64::from(span.last) + 1.0));
        (left - x).max(x - right).max(0.0)
    };
    // A bar is drawn at least one pixel wide: that much beside it still counts as it.
    let near = [next.checked_sub(1), Some(next)].into_iter().flatten().filter_map(|idx| spans.get(idx));
    near.map(|span| (distance(span), span))
        .filter(|(distance, _)| *distance <= 1.0)
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, span)| *span)
}

/// The marks that are within reach of a pixel and nearest to it: all of those that share the nearest place. Marks are sorted
/// by place.
fn nearest<M>(marks: &[M], scale: Scale, x: f64, pos_of: impl Fn(&M) -> u32) -> &[M] {
    let reach = REACH / scale.px_per_pos();
    let pos = scale.pos_from_x(x) - 0.5;
    let from = marks.partition_point(|mark| f64::from(pos_of(mark)) < pos - reach);
    let near = marks.get(from..).unwrap_or_default();
    let near = near.get(..near.partition_point(|mark| f64::from(pos_of(mark)) <= pos + reach)).unwrap_or_default();
    let distance = |place: u32| (f64::from(place) - pos).abs();
    let Some(best) = near.iter().map(&pos_of).min_by(|&a, &b| distance(a).total_cmp(&distance(b))) else {
        return &[];
    };
    let first = near.partition_point(|mark| pos_of(mark) < best);
    let end = near.partition_point(|mark| pos_of(mark) <= best);
    near.get(first..end).unwrap_or_default()
}

/// The nondet records within reach of a pixel.
pub fn inputs_at(slice: &TimelineSlice, scale: Scale, x: f64) -> &[InputMark] {
    nearest(&slice.inputs, scale, x, |mark| mark.pos)
}

/// The issues within reach of a pixel.
pub fn issues_at(slice: &TimelineSlice, scale: Scale, x: f64) -> &[IssueMark] {
    nearest(&slice.marks, scale, x, |mark| mark.pos)
}

/// What a track holds at a position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TrackReading<'a> {
    /// Nothing was assigned yet, or the position lies outside the slice.
    Nothing,
    /// This assignment is the last one at or before the position.
    Holds(&'a TrackPoint),
    /// The position lies among several assignments of one pixel: which of them holds is not known here.
    Among(&'a TrackPoint),
}

/// What a track of a slice of `range` holds at a position, as far as the slice can tell.
pub fn track_reading(range: Range, track: &Track, pos: Pos) -> TrackReading<'_> {
    let place = f64::from(pos.0);
    if place < range.first.floor() || place >= range.last {
        return TrackReading::Nothing;
    }
    let after = track.points.partition_point(|point| point.pos <= pos.0);
    match after.checked_sub(1).and_then(|idx| track.points.get(idx)) {
        None => TrackReading::Nothing,
        Some(point) if pos.0 >= point.last_pos => TrackReading::Holds(point),
        Some(point) => TrackReading::Among(point),
    }
}

/// The lines of the readout for what is under the pointer; empty when there is nothing to say.
pub fn readout(hover: &Hover<'_>, x: f64, y: f64) -> Vec<String> {
    let Hover { layout, range, positions, slice, minimap, pins } = *hover;
    if positions == 0 {
        return Vec::new();
    }
    let scale = plot_scale(layout, range);
    let pos = scale.pos_at(x, positions);
    let spot = spot_at(layout, range, positions, x, y);
    if spot.is_minimap() {
        return minimap_readout(layout, positions, minimap, x);
    }
    let mut lines = Vec::new();
    match (spot, slice) {
        (Spot::Frames { row }, Some(slice)) => {
            lines.extend(span_at(layout, scale, slice, row, x, y).map(|span| span_text(&span, slice)));
        }
        (Spot::Inputs, Some(slice)) => lines.extend(inputs_at(slice, scale, x).iter().map(input_text)),
        (Spot::Marks, Some(slice)) => lines.extend(issues_at(slice, scale, x).iter().map(issue_text)),
        (Spot::Track { idx }, Some(slice)) => {
            let slice_range = Range { first: slice.first, last: slice.last };
            if let (Some(track), Some(pin)) = (slice.tracks.get(idx), pins.get(idx)) {
                lines.extend(track_text(pin, track_reading(slice_range, track, pos)));
            }
        }
        _ => {}
    }
    if spot == Spot::Ruler || !lines.is_empty() {
        lines.push(format!("position {}", grouped(pos.one_based())));
    }
    lines
}

/// What a readout is made of.
#[derive(Clone, Copy, Debug)]
pub struct Hover<'a> {
    /// The lanes.
    pub layout: &'a Layout,
    /// The visible range.
    pub range: Range,
    /// Positions of the recording.
    pub positions: u32,
    /// What is drawn.
    pub slice: Option<&'a TimelineSlice>,
    /// The minimap that is drawn.
    pub minimap: Option<&'a Minimap>,
    /// The pins, in the order of the tracks.
    pub pins: &'a [Pin],
}

fn minimap_readout(layout: &Layout, positions: u32, minimap: Option<&Minimap>, x: f64) -> Vec<String> {
    let scale = minimap_scale(layout, positions);
    let mut lines = Vec::new();
    let Some(minimap) = minimap.filter(|minimap| !minimap.counts.is_empty()) else {
        return lines;
    };
    let width = minimap.positions_per_part.max(1);
    let part = scale.pos_at(x, positions).0 / width;
    let count = minimap.counts.get(part as usize).copied().unwrap_or(0);
    let first = part * width;
    let last = first.saturating_add(width - 1).min(positions - 1);
    lines.push(format!("{} at {}", counted(count, "record"), between(first, last)));
    lines.extend(nearest(&minimap.marks, scale, x, |mark| mark.pos).iter().map(issue_text));
    lines
}

fn counted(count: u32, noun: &str) -> String {
    format!("{} {noun}{}", grouped(u64::from(count)), if count == 1 { "" } else { "s" })
}

/// Positions as people count them: `position 870`, `positions 870 to 874`.
fn between(first: u32, last: u32) -> String {
    let (first, last) = (u64::from(first) + 1, u64::from(last) + 1);
    if first == last {
        format!("position {}", grouped(first))
    } else {
        format!("positions {} to {}", grouped(first), grouped(last))
    }
}

fn span_text(span: &Span, slice: &TimelineSlice) -> String {
    let place = between(span.first, span.last);
    match slice.names.get(span.name as usize).filter(|_| span.count == 1) {
        Some(name) => format!("{name}, {place}"),
        None => format!("{}, {place}", counted(span.count, "call")),
    }
}

fn input_text(mark: &InputMark) -> String {
    if mark.count == 1 {
        format!("{} input at {}", mark.category.title(), between(mark.pos, mark.pos))
    } else {
        format!(
            "{} {} inputs from {} on",
            grouped(u64::from(mark.count)),
            mark.category.title(),
            between(mark.pos, mark.pos)
        )
    }
}

fn issue_text(mark: &IssueMark) -> String {
    if mark.count == 1 {
        format!("{} at {}", mark.kind.title(), between(mark.pos, mark.pos))
    } else {
        format!("{} × {} from {} on", grouped(u64::from(mark.count)), mark.kind.title(), between(mark.pos, mark.pos))
    }
}

fn track_text(pin: &Pin, reading: TrackReading<'_>) -> Option<String> {
    let name = &pin.name;
    let point = match reading {
        TrackReading::Nothing => return None,
        TrackReading::Among(point) => {
            let numbers = if point.min.is_nan() {
                String::new()
            } else {
                format!(", numbers from {} to {}", number_text(point.min), number_text(point.max))
            };
            return Some(format!(
                "{name}: {} at {}{numbers}",
                counted(point.count, "assignment"),
                between(point.pos, point.last_pos)
            ));
        }
        TrackReading::Holds(point) => point,
    };
    let value =
        if point.value.is_nan() { "not a number".to_owned() } else { format!("= {}", number_text(point.value)) };
    let label = point.label.map_or_else(String::new, |label| format!(", {}", label.word()));
    Some(format!("{name} {value}{label}, set at {}", between(point.last_pos, point.last_pos)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::model::IssueKind;
    use crate::model::protocol::{InputCategory, Label};
    use crate::timeline::LayoutSpec;
    use proptest::prelude::*;

    fn layout() -> Layout {
        Layout::new(LayoutSpec {
            width: 1020.0,
            frame_rows: 2,
            first_frame_row: 0,
            has_inputs: true,
            tracks: 1,
            has_marks: true,
        })
    }

    fn point(pos: u32, last_pos: u32, count: u32, value: f64) -> TrackPoint {
        TrackPoint { pos, last_pos, count, min: value - 1.0, max: value, value, label: Some(Label::Stable) }
    }

    fn slice() -> TimelineSlice {
        TimelineSlice {
            first: 0.0,
            last: 100.0,
            names: vec!["<module>".into(), "read_sensor".into()],
            first_frame_row: 0,
            rows: vec![
                vec![Span { first: 0, last: 99, name: 0, count: 1 }],
                vec![Span { first: 10, last: 19, name: 1, count: 1 }, Span { first: 30, last: 30, name: 0, count: 7 }],
            ],
            inputs: vec![
                InputMark { pos: 40, category: InputCategory::Random, count: 1 },
                InputMark { pos: 40, category: InputCategory::Time, count: 3 },
                InputMark { pos: 60, category: InputCategory::Files, count: 1 },
            ],
            marks: vec![IssueMark { pos: 50, kind: IssueKind::Seam, count: 1 }],
            tracks: vec![Track {
                total: 9,
                bounds: Some((1.0, 9.0)),
                points: vec![point(5, 5, 1, 2.5), point(20, 24, 8, 9.0)],
            }],
        }
    }

    fn read(x_pos: f64, y: f64) -> Vec<String> {
        let (layout, slice) = (layout(), slice());
        let range = Range::whole(100);
        let x = plot_scale(&layout, range).x_from_pos(x_pos);
        let pins = [Pin { function: None, name: "temp".into() }];
        let minimap = Minimap {
            positions_per_part: 25,
            counts: vec![3, 1, 0, 5],
            marks: vec![IssueMark { pos: 50, kind: IssueKind::Seam, count: 1 }],
        };
        let hover =
            Hover { layout: &layout, range, positions: 100, slice: Some(&slice), minimap: Some(&minimap), pins: &pins };
        readout(&hover, x, y)
    }

    #[test]
    fn the_readout_names_what_is_under_the_pointer() {
        let layout = layout();
        let (row, inputs) = (layout.row_top(1).unwrap() + 4.0, layout.inputs.unwrap().top + 4.0);
        let (track, marks) = (layout.tracks[0].top + 4.0, layout.marks.unwrap().top + 4.0);
        assert_eq!(read(12.5, row), ["read_sensor, positions 11 to 20", "position 13"]);
        assert_eq!(read(30.5, row), ["7 calls, position 31", "position 31"]);
        assert_eq!(read(50.0, row), [] as [&str; 0]);
        assert_eq!(
            read(40.6, inputs),
            ["random input at position 41", "3 time inputs from position 41 on", "position 41"]
        );
        assert_eq!(read(50.5, marks), ["seam between sessions at position 51", "position 51"]);
        assert_eq!(read(10.5, track), ["temp = 2.5, stable, set at position 6", "position 11"]);
        assert_eq!(
            read(22.5, track),
            ["temp: 8 assignments at positions 21 to 25, numbers from 8 to 9", "position 23"]
        );
        assert_eq!(read(24.5, track), ["temp = 9, stable, set at position 25", "position 25"]);
        assert_eq!(read(2.5, track), [] as [&str; 0]);
        assert_eq!(read(2.5, layout.ruler.top + 1.0), ["position 3"]);
        assert_eq!(read(90.0, layout.minimap.top + 1.0), ["5 records at positions 76 to 100"]);
        assert_eq!(
            read(50.3, layout.minimap.top + 1.0),
            ["0 records at positions 51 to 75", "seam between sessions at position 51"]
        );
    }

    #[test]
    fn the_edges_of_the_minimap_range_are_handles() {
        let layout = layout();
        let range = Range { first: 20.0, last: 60.0 };
        let scale = minimap_scale(&layout, 100);
        let spot =
            |pos: f64, dx: f64| spot_at(&layout, range, 100, scale.x_from_pos(pos) + dx, layout.minimap.top + 2.0);
        assert_eq!(spot(20.0, -5.0), Spot::MinimapFirst);
        assert_eq!(spot(20.0, 5.0), Spot::MinimapFirst);
        assert_eq!(spot(60.0, -5.0), Spot::MinimapLast);
        assert_eq!(spot(60.0, 5.0), Spot::MinimapLast);
        assert_eq!(spot(40.0, 0.0), Spot::MinimapRange);
        assert_eq!(spot(80.0, 0.0), Spot::Minimap);
        // A range of a tenth of a pixel can still be taken at both ends.
        let range = Range { first: 50.0, last: 50.01 };
        let at = |dx: f64| spot_at(&layout, range, 100, scale.x_from_pos(50.0) + dx, layout.minimap.top);
        assert_eq!((at(-3.0), at(3.0)), (Spot::MinimapFirst, Spot::MinimapLast));
    }

    #[test]
    fn the_whole_range_can_be_narrowed_but_not_moved() {
        let layout = layout();
        let at = |x: f64| spot_at(&layout, Range::whole(100), 100, x, layout.minimap.top + 2.0);
        assert_eq!(at(layout.plot_left), Spot::MinimapFirst);
        assert_eq!(at(layout.plot_left + layout.plot_width), Spot::MinimapLast);
        assert_eq!(at(300.0), Spot::Minimap);
    }

    proptest! {
        #[test]
        fn every_place_has_a_readout_without_a_panic(
            x in -50.0_f64..1100.0, y in -50.0_f64..400.0, first in 0.0_f64..96.0, span in 4.0_f64..100.0,
        ) {
            let (layout, slice) = (layout(), slice());
            let range = Range { first, last: first + span }.clamped(100);
            let hover =
                Hover { layout: &layout, range, positions: 100, slice: Some(&slice), minimap: None, pins: &[] };
            for line in readout(&hover, x, y) {
                prop_assert!(!line.is_empty());
            }
        }

        #[test]
        fn the_nearest_mark_is_found_as_by_a_scan(
            mut places in prop::collection::vec(0_u32..1000, 0..60), x in 0.0_f64..1020.0,
        ) {
            places.sort_unstable();
            let scale = Scale::new(Range::whole(1000), 8.0, 1000.0);
            let distance = |place: u32| (scale.x_mid(place) - x).abs();
            let best = places.iter().copied().filter(|&place| distance(place) < REACH).map(distance).min_by(f64::total_cmp);
            let found = nearest(&places, scale, x, |&place| place);
            match best {
                None => prop_assert!(found.iter().all(|&place| distance(place) > REACH - 1e-6)),
                Some(best) => {
                    prop_assert!(!found.is_empty());
                    prop_assert!(found.iter().all(|&place| (distance(place) - best).abs() < 1e-6 && place == found[0]));
                    prop_assert_eq!(found.len(), places.iter().filter(|&&place| place == found[0]).count());
                }
            }
        }
    }
}
