//! What the pointer does to the timeline: pointer and wheel events in, seeks and ranges out.
//!
//! | Where | Press and drag | Click | Wheel | Double click |
//! |---|---|---|---|---|
//! | minimap, inside the range | moves the range | | zooms | fits |
//! | minimap, at an edge of the range | moves the edge | | zooms | fits |
//! | minimap, elsewhere | centres the range there and moves it; draws a new range while everything is shown | | zooms | fits |
//! | ruler | scrubs | moves the cursor | zooms at the pointer | fits |
//! | lanes | pans; up and down scrolls frame rows | moves the cursor | zooms at the pointer | fits |
//!
//! Shift and wheel, or a horizontal wheel, pans; Alt and wheel scrolls frame rows. Two fingers zoom and pan anywhere. A pinch
//! on a trackpad comes as wheel and Ctrl and zooms at the same speed as the wheel.
//!
//! Invariant: an outcome depends on the inputs so far and on what is shown, on no clock and no browser.

use crate::model::Pos;
use crate::model::protocol::TimelineSlice;

use super::hit::{Spot, inputs_at, issues_at, minimap_scale, plot_scale, spot_at};
use super::layout::{Layout, ROW_HEIGHT};
use super::scale::Range;

/// A press that moves less than this, in CSS pixels, is a click. A finger is shakier than a mouse, but a drag must not begin
/// with a jump either.
const CLICK_SLOP: f64 = 4.0;

/// How much a pixel of wheel zooms, as an exponent of e: a notch of a mouse wheel (100 pixels) is a factor of 1.5.
const ZOOM_PER_PIXEL: f64 = 0.004;

/// One wheel event zooms at most as this many pixels do: some mice send a whole flick as one event.
const MAX_WHEEL_PIXELS: f64 = 240.0;

/// A pixel of wheel that scrolls so much of a frame row.
const ROWS_PER_PIXEL: f64 = 0.02;

/// What is shown while the input comes.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// The lanes.
    pub layout: &'a Layout,
    /// The visible range.
    pub range: Range,
    /// Positions of the recording.
    pub positions: u32,
    /// What is drawn.
    pub slice: Option<&'a TimelineSlice>,
}

/// A pointer or wheel event. Places are CSS pixels from the upper left corner of the drawing area.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Input {
    /// The main button or a finger went down.
    Down { id: i32, x: f64, y: f64 },
    /// It moved.
    Move { id: i32, x: f64, y: f64 },
    /// It went up.
    Up { id: i32, x: f64, y: f64 },
    /// The browser took the pointer for something else: nothing more is done, a click least of all.
    Cancel { id: i32 },
    /// The wheel turned by so many CSS pixels.
    Wheel { x: f64, y: f64, dx: f64, dy: f64, shift: bool, alt: bool },
    /// A double click.
    DoubleClick,
}

/// What an input leads to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// The cursor goes there.
    pub seek: Option<Pos>,
    /// The visible range becomes this.
    pub range: Option<Range>,
    /// The frame row at the top becomes this.
    pub first_row: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Pointer {
    id: i32,
    x: f64,
    y: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Drag {
    #[default]
    None,
    /// Pressed on a lane, and not moved yet: a click or the beginning of a pan.
    Pressed {
        spot: Spot,
        x: f64,
        y: f64,
    },
    Pan {
        rows: f64,
    },
    Scrub,
    /// `grab` is the distance from the range's left edge to the pointer, in positions.
    MoveRange {
        grab: f64,
    },
    MoveFirst,
    MoveLast,
    /// A new range from `anchor` (in positions) on, once the pointer has moved away from `x`.
    DrawRange {
        anchor: f64,
        x: f64,
        begun: bool,
    },
    Pinch,
}

/// The pointers that are down and what they are doing.
#[derive(Clone, Debug, Default)]
pub struct Gestures {
    pointers: Vec<Pointer>,
    drag: Drag,
    /// Parts of a row that the wheel has scrolled so far.
    wheel_rows: f64,
}

impl Gestures {
    /// Whether a pointer is down.
    pub fn is_dragging(&self) -> bool {
        self.drag != Drag::None
    }

    /// Whether the cursor follows the pointer: it must not lag behind then.
    pub fn is_scrubbing(&self) -> bool {
        self.drag == Drag::Scrub
    }

    /// Whether the range follows the pointer.
    pub fn is_panning(&self) -> bool {
        !matches!(self.drag, Drag::None | Drag::Scrub | Drag::Pressed { .. })
    }

    /// Takes an input.
    pub fn take(&mut self, shown: &Shown<'_>, input: Input) -> Outcome {
        match input {
            Input::Down { id, x, y } => self.down(shown, Pointer { id, x, y }),
            Input::Move { id, x, y } => self.moved(shown, Pointer { id, x, y }),
            Input::Up { id, x, y } => self.up(shown, Pointer { id, x, y }),
            Input::Cancel { id } => {
                self.pointers.retain(|pointer| pointer.id != id);
                self.drag = Drag::None;
                Outcome::default()
            }
            Input::Wheel { x, y, dx, dy, shift, alt } => self.wheel(shown, (x, y), (dx, dy), shift, alt),
            Input::DoubleClick => Outcome { range: Some(Range::whole(shown.positions)), ..Outcome::default() },
        }
    }

    fn down(&mut self, shown: &Shown<'_>, pointer: Pointer) -> Outcome {
        self.pointers.retain(|known| known.id != pointer.id);
        self.pointers.push(pointer);
        match self.pointers.len() {
            1 => {}
            2 => {
                self.drag = Drag::Pinch;
                return Outcome::default();
            }
            // A third finger changes nothing.
            _ => return Outcome::default(),
        }
        let Pointer { x, y, .. } = pointer;
        let spot = spot_at(shown.layout, shown.range, shown.positions, x, y);
        let mut outcome = Outcome::default();
        let minimap_pos = minimap_scale(shown.layout, shown.positions).pos_from_x(x);
        self.drag = match spot {
            Spot::MinimapFirst => Drag::MoveFirst,
            Spot::MinimapLast => Drag::MoveLast,
            Spot::MinimapRange => Drag::MoveRange { grab: minimap_pos - shown.range.first },
            Spot::Minimap if shown.range.is_whole(shown.positions) => {
                Drag::DrawRange { anchor: minimap_pos, x, begun: false }
            }
            Spot::Minimap => {
                let range = shown.range.centred(minimap_pos, shown.positions);
                outcome.range = Some(range);
                // At the ends the range cannot be centred: then it is taken where it is nearest.
                Drag::MoveRange { grab: (minimap_pos - range.first).clamp(0.0, range.span()) }
            }
            Spot::Ruler => {
                outcome.seek = self.seek(shown, x);
                Drag::Scrub
            }
            _ => Drag::Pressed { spot, x, y },
        };
        outcome
    }

    fn moved(&mut self, shown: &Shown<'_>, pointer: Pointer) -> Outcome {
        let mut outcome = Outcome::default();
        let Some(idx) = self.pointers.iter().position(|known| known.id == pointer.id) else {
            return outcome;
        };
        let Some(before) = self.pointers.get(idx).copied() else { return outcome };
        let Pointer { x, y, .. } = pointer;
        let scale = plot_scale(shown.layout, shown.range);
        let minimap_pos = minimap_scale(shown.layout, shown.positions).pos_from_x(x);
        match &mut self.drag {
            Drag::None => {}
            Drag::Pressed { spot, x: pressed_x, y: pressed_y } => {
                let (dx, dy) = (x - *pressed_x, y - *pressed_y);
                if dx.hypot(dy) < CLICK_SLOP {
                    // The pan will begin from where the pointer was pressed, so that it does not start with a jump.
                    return outcome;
                }
                let begun_in_frames = matches!(spot, Spot::Frames { .. });
                self.drag =
                    Drag::Pan { rows: if begun_in_frames { f64::from(shown.layout.first_row) } else { f64::NAN } };
                outcome.range = Some(shown.range.panned(-dx / scale.px_per_pos(), shown.positions));
            }
            Drag::Pan { rows } => {
                outcome.range = Some(shown.range.panned((before.x - x) / scale.px_per_pos(), shown.positions));
                // NaN when the drag began outside the frames: it stays NaN, and nothing is scrolled.
                *rows = (*rows + (before.y - y) / ROW_HEIGHT).clamp(0.0, f64::from(shown.layout.last_first_row()));
                outcome.first_row =
                    Some(rows.round() as u32).filter(|row| !rows.is_nan() && *row != shown.layout.first_row);
            }
            Drag::Scrub => outcome.seek = self.seek(shown, x),
            Drag::MoveRange { grab } => {
                let by = minimap_pos - *grab - shown.range.first;
                outcome.range = Some(shown.range.panned(by, shown.positions));
            }
            Drag::MoveFirst => outcome.range = Some(shown.range.with_first(minimap_pos, shown.positions)),
            Drag::MoveLast => outcome.range = Some(shown.range.with_last(minimap_pos, shown.positions)),
            Drag::DrawRange { anchor, x: pressed_x, begun } => {
                *begun |= (x - *pressed_x).abs() >= CLICK_SLOP;
                if *begun {
                    outcome.range = Some(Range { first: *anchor, last: minimap_pos }.clamped(shown.positions));
                }
            }
            Drag::Pinch => {
                if let Some(other) = self.pointers.iter().take(2).find(|known| known.id != pointer.id)
                    && idx < 2
                {
                    outcome.range = Some(pinched(shown, before, pointer, *other));
                }
            }
        }
        if let Some(known) = self.pointers.get_mut(idx) {
            *known = pointer;
        }
        outcome
    }

    fn up(&mut self, shown: &Shown<'_>, pointer: Pointer) -> Outcome {
        let was_down = self.pointers.iter().any(|known| known.id == pointer.id);
        self.pointers.retain(|known| known.id != pointer.id);
        let mut outcome = Outcome::default();
        if !was_down {
            return outcome;
        }
        match self.drag {
            Drag::Pressed { spot, x, .. } => outcome.seek = click(shown, spot, x),
            // The finger that is left goes on panning.
            Drag::Pinch if !self.pointers.is_empty() => {
                self.drag = if self.pointers.len() >= 2 { Drag::Pinch } else { Drag::Pan { rows: f64::NAN } };
                return outcome;
            }
            _ => {}
        }
        self.drag = Drag::None;
        outcome
    }

    fn wheel(&mut self, shown: &Shown<'_>, at: (f64, f64), by: (f64, f64), shift: bool, alt: bool) -> Outcome {
        let (dx, dy) = by;
        let mut outcome = Outcome::default();
        if !dx.is_finite() || !dy.is_finite() {
            return outcome;
        }
        let scale = plot_scale(shown.layout, shown.range);
        if alt {
            self.wheel_rows += dy * ROWS_PER_PIXEL;
            let rows = self.wheel_rows.trunc();
            self.wheel_rows -= rows;
            let last = f64::from(shown.layout.last_first_row());
            let first_row = (f64::from(shown.layout.first_row) + rows).clamp(0.0, last) as u32;
            outcome.first_row = Some(first_row).filter(|row| *row != shown.layout.first_row);
        } else if shift || dx.abs() > dy.abs() {
            // With Shift some browsers turn dy into dx, and some do not.
            let pixels = if shift && dx == 0.0 { dy } else { dx };
            outcome.range = Some(shown.range.panned(pixels / scale.px_per_pos(), shown.positions));
        } else if dy != 0.0 {
            let spot = spot_at(shown.layout, shown.range, shown.positions, at.0, at.1);
            let anchor = if spot.is_minimap() {
                minimap_scale(shown.layout, shown.positions).pos_from_x(at.0)
            } else {
                scale.pos_from_x(at.0)
            };
            let anchor = anchor.clamp(shown.range.first, shown.range.last);
            let factor = (dy.clamp(-MAX_WHEEL_PIXELS, MAX_WHEEL_PIXELS) * ZOOM_PER_PIXEL).exp();
            outcome.range = Some(shown.range.zoomed(anchor, factor, shown.positions));
        }
        outcome.range = outcome.range.filter(|range| *range != shown.range);
        outcome
    }

    fn seek(&self, shown: &Shown<'_>, x: f64) -> Option<Pos> {
        (shown.positions > 0).then(|| plot_scale(shown.layout, shown.range).pos_at(x, shown.positions))
    }
}

/// Where a click leads: to the mark within reach in a lane of marks, else to the position under the pointer.
fn click(shown: &Shown<'_>, spot: Spot, x: f64) -> Option<Pos> {
    if shown.positions == 0 {
        return None;
    }
    let scale = plot_scale(shown.layout, shown.range);
    let mark = match (spot, shown.slice) {
        (Spot::Inputs, Some(slice)) => inputs_at(slice, scale, x).first().map(|mark| mark.pos),
        (Spot::Marks, Some(slice)) => issues_at(slice, scale, x).first().map(|mark| mark.pos),
        _ => None,
    };
    Some(mark.map_or_else(|| scale.pos_at(x, shown.positions), |pos| Pos(pos.min(shown.positions - 1))))
}

/// The range after one of two fingers moved: what was between them stays between them.
fn pinched(shown: &Shown<'_>, before: Pointer, after: Pointer, other: Pointer) -> Range {
    // Fingers nearer than this say nothing about a ratio.
    const NEAREST: f64 = 12.0;
    let distance = |pointer: Pointer| (pointer.x - other.x).hypot(pointer.y - other.y).max(NEAREST);
    let middle = |pointer: Pointer| f64::midpoint(pointer.x, other.x);
    let scale = plot_scale(shown.layout, shown.range);
    let anchor = scale.pos_from_x(middle(before));
    let zoomed = shown.range.zoomed(anchor, distance(before) / distance(after), shown.positions);
    let px_per_pos = plot_scale(shown.layout, zoomed).px_per_pos();
    zoomed.panned((middle(before) - middle(after)) / px_per_pos, shown.positions)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::model::protocol::{InputCategory, InputMark};
    use crate::timeline::LayoutSpec;
    use proptest::prelude::*;

    const POSITIONS: u32 = 1000;

    struct Bench {
        layout: Layout,
        range: Range,
        slice: TimelineSlice,
        gestures: Gestures,
    }

    impl Bench {
        /// A plot of 1,000 pixels from x = 8 on.
        fn new(range: Range) -> Self {
            let spec = LayoutSpec {
                width: 1020.0,
                frame_rows: 40,
                first_frame_row: 0,
                has_inputs: true,
                tracks: 1,
                has_marks: false,
            };
            let inputs = vec![InputMark { pos: 300, category: InputCategory::Random, count: 1 }];
            let slice = TimelineSlice { first: 0.0, last: f64::from(POSITIONS), inputs, ..TimelineSlice::default() };
            Self { layout: Layout::new(spec), range, slice, gestures: Gestures::default() }
        }

        fn take(&mut self, input: Input) -> Outcome {
            let shown =
                Shown { layout: &self.layout, range: self.range, positions: POSITIONS, slice: Some(&self.slice) };
            let outcome = self.gestures.take(&shown, input);
            self.range = outcome.range.unwrap_or(self.range);
            if let Some(row) = outcome.first_row {
                self.layout.first_row = row;
            }
            outcome
        }

        fn drag(&mut self, from: (f64, f64), to: (f64, f64)) -> Outcome {
            let mut last = self.take(Input::Down { id: 1, x: from.0, y: from.1 });
            for step in 1..=10 {
                let part = f64::from(step) / 10.0;
                let (x, y) = (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part);
                last = self.take(Input::Move { id: 1, x, y });
            }
            assert_eq!(self.take(Input::Up { id: 1, x: to.0, y: to.1 }), Outcome::default());
            assert!(!self.gestures.is_dragging());
            last
        }
    }

    fn seek(pos: u32) -> Outcome {
        Outcome { seek: Some(Pos(pos)), ..Outcome::default() }
    }

    #[test]
    fn dragging_the_ruler_scrubs_and_leaves_the_range() {
        let whole = Range::whole(POSITIONS);
        let mut bench = Bench::new(whole);
        let y = bench.layout.ruler.top + 5.0;
        assert_eq!(bench.take(Input::Down { id: 1, x: 108.5, y }), seek(100));
        assert!(bench.gestures.is_scrubbing());
        assert_eq!(bench.take(Input::Move { id: 1, x: 508.5, y: 900.0 }), seek(500));
        assert_eq!(bench.take(Input::Move { id: 1, x: -70.0, y }), seek(0));
        assert_eq!(bench.take(Input::Move { id: 1, x: 9999.0, y }), seek(999));
        assert_eq!(bench.take(Input::Up { id: 1, x: 9999.0, y }), Outcome::default());
        assert_eq!(bench.take(Input::Move { id: 1, x: 500.0, y }), Outcome::default());
        assert_eq!(bench.range, whole);
    }

    #[test]
    fn a_click_on_a_lane_moves_the_cursor_and_a_drag_pans() {
        let mut bench = Bench::new(Range { first: 200.0, last: 400.0 });
        let y = bench.layout.tracks[0].top + 5.0;
        bench.take(Input::Down { id: 1, x: 508.0, y });
        assert_eq!(bench.take(Input::Move { id: 1, x: 510.0, y }), Outcome::default());
        assert_eq!(bench.take(Input::Up { id: 1, x: 510.0, y }), seek(300));
        bench.drag((508.0, y), (408.0, y));
        assert!((bench.range.first - 220.0).abs() < 1e-9, "{:?}", bench.range);
        assert!((bench.range.span() - 200.0).abs() < 1e-9);
        assert_eq!(bench.layout.first_row, 0);
    }

    #[test]
    fn a_click_near_a_mark_goes_to_it() {
        let mut bench = Bench::new(Range::whole(POSITIONS));
        let y = bench.layout.inputs.unwrap().top + 5.0;
        bench.take(Input::Down { id: 1, x: 304.0, y });
        assert_eq!(bench.take(Input::Up { id: 1, x: 304.0, y }), seek(300));
        bench.take(Input::Down { id: 1, x: 290.5, y });
        assert_eq!(bench.take(Input::Up { id: 1, x: 290.5, y }), seek(282));
    }

    #[test]
    fn a_cancelled_press_is_no_click() {
        let mut bench = Bench::new(Range::whole(POSITIONS));
        let y = bench.layout.frames.top + 5.0;
        bench.take(Input::Down { id: 1, x: 304.0, y });
        assert_eq!(bench.take(Input::Cancel { id: 1 }), Outcome::default());
        assert_eq!(bench.take(Input::Up { id: 1, x: 304.0, y }), Outcome::default());
    }

    #[test]
    fn dragging_frames_up_scrolls_to_deeper_rows() {
        let mut bench = Bench::new(Range::whole(POSITIONS));
        let y = bench.layout.frames.top + 100.0;
        bench.drag((508.0, y), (508.0, y - 3.0 * ROW_HEIGHT));
        assert_eq!(bench.layout.first_row, 3);
        bench.drag((508.0, y), (508.0, y - 500.0 * ROW_HEIGHT));
        assert_eq!(bench.layout.first_row, bench.layout.last_first_row());
        bench.drag((508.0, y), (508.0, y + 500.0 * ROW_HEIGHT));
        assert_eq!(bench.layout.first_row, 0);
        assert!(bench.range.is_whole(POSITIONS));
    }

    #[test]
    fn the_minimap_range_is_moved_resized_and_centred() {
        let mut bench = Bench::new(Range { first: 200.0, last: 400.0 });
        let y = bench.layout.minimap.top + 5.0;
        bench.drag((308.0, y), (358.0, y));
        assert_eq!(bench.range, Range { first: 250.0, last: 450.0 });
        bench.drag((258.0, y), (158.0, y));
        assert_eq!(bench.range, Range { first: 150.0, last: 450.0 });
        bench.drag((458.0, y), (558.0, y));
        assert_eq!(bench.range, Range { first: 150.0, last: 550.0 });
        // An edge does not pass the other one.
        bench.drag((558.0, y), (58.0, y));
        assert_eq!(bench.range, Range { first: 150.0, last: 154.0 });
        bench.range = Range { first: 200.0, last: 400.0 };
        bench.take(Input::Down { id: 1, x: 708.0, y });
        assert_eq!(bench.range, Range { first: 600.0, last: 800.0 });
        bench.take(Input::Move { id: 1, x: 718.0, y });
        assert_eq!(bench.range, Range { first: 610.0, last: 810.0 });
    }

    #[test]
    fn a_new_range_is_drawn_while_everything_is_shown() {
        let mut bench = Bench::new(Range::whole(POSITIONS));
        let y = bench.layout.minimap.top + 5.0;
        bench.take(Input::Down { id: 1, x: 308.0, y });
        bench.take(Input::Up { id: 1, x: 308.0, y });
        assert!(bench.range.is_whole(POSITIONS));
        bench.drag((308.0, y), (208.0, y));
        assert_eq!(bench.range, Range { first: 200.0, last: 300.0 });
    }

    #[test]
    fn the_wheel_zooms_at_the_pointer_and_pans_with_shift() {
        let mut bench = Bench::new(Range::whole(POSITIONS));
        let wheel = |dx: f64, dy: f64, shift: bool| Input::Wheel { x: 258.0, y: 100.0, dx, dy, shift, alt: false };
        for _ in 0..10 {
            bench.take(wheel(0.0, -100.0, false));
            let x = plot_scale(&bench.layout, bench.range).x_from_pos(250.0);
            assert!((x - 258.0).abs() < 1e-6);
        }
        assert!((bench.range.span() - 1000.0 * (-4.0_f64).exp()).abs() < 1e-6);
        let before = bench.range;
        bench.take(wheel(0.0, 100.0, true));
        assert!((bench.range.first - before.first - before.span() / 10.0).abs() < 1e-9);
        bench.take(wheel(-100.0, 1.0, false));
        assert!((bench.range.first - before.first).abs() < 1e-9);
        bench.take(Input::DoubleClick);
        assert!(bench.range.is_whole(POSITIONS));
        assert_eq!(bench.take(wheel(0.0, 100.0, false)), Outcome::default());
    }

    #[test]
    fn alt_and_wheel_scrolls_frame_rows() {
        let mut bench = Bench::new(Range::whole(POSITIONS));
        let wheel = |dy: f64| Input::Wheel { x: 258.0, y: 100.0, dx: 0.0, dy, shift: false, alt: true };
        bench.take(wheel(100.0));
        assert_eq!(bench.layout.first_row, 2);
        for _ in 0..10 {
            bench.take(wheel(10.0));
        }
        assert_eq!(bench.layout.first_row, 4);
        bench.take(wheel(-1e6));
        assert_eq!(bench.layout.first_row, 0);
    }

    #[test]
    fn two_fingers_keep_what_they_hold() {
        let mut bench = Bench::new(Range { first: 200.0, last: 400.0 });
        let y = bench.layout.frames.top + 5.0;
        let held = |bench: &Bench, x: f64| plot_scale(&bench.layout, bench.range).pos_from_x(x);
        let (a, b) = (held(&bench, 408.0), held(&bench, 608.0));
        bench.take(Input::Down { id: 1, x: 408.0, y });
        bench.take(Input::Down { id: 2, x: 608.0, y });
        for step in 1..=20 {
            let step = f64::from(step);
            bench.take(Input::Move { id: 1, x: 408.0 - 5.0 * step, y });
            bench.take(Input::Move { id: 2, x: 608.0 + 10.0 * step, y });
        }
        assert!((held(&bench, 308.0) - a).abs() < 1e-6 && (held(&bench, 808.0) - b).abs() < 1e-6, "{:?}", bench.range);
        // One finger leaves, the other one pans, and neither clicks.
        assert_eq!(bench.take(Input::Up { id: 1, x: 308.0, y }), Outcome::default());
        let c = held(&bench, 808.0);
        bench.take(Input::Move { id: 2, x: 758.0, y });
        assert!((held(&bench, 758.0) - c).abs() < 1e-6);
        assert_eq!(bench.take(Input::Up { id: 2, x: 758.0, y }), Outcome::default());
        assert!(!bench.gestures.is_dragging());
    }

    #[test]
    fn nothing_is_sought_without_positions() {
        let layout = Layout::new(LayoutSpec { width: 500.0, ..LayoutSpec::default() });
        let shown = Shown { layout: &layout, range: Range::whole(0), positions: 0, slice: None };
        let mut gestures = Gestures::default();
        for y in [layout.ruler.top, layout.minimap.top, layout.height] {
            for input in [Input::Down { id: 1, x: 100.0, y }, Input::Up { id: 1, x: 100.0, y }] {
                assert_eq!(gestures.take(&shown, input).seek, None);
            }
        }
    }

    proptest! {
        #[test]
        fn no_sequence_of_inputs_leaves_the_recording(
            inputs in prop::collection::vec(
                (0_u8..8, 0_i32..3, -100.0_f64..1200.0, -50.0_f64..500.0, -500.0_f64..500.0), 1..80,
            ),
        ) {
            let mut bench = Bench::new(Range::whole(POSITIONS));
            for (kind, id, x, y, delta) in inputs {
                let outcome = bench.take(match kind {
                    0 | 1 => Input::Down { id, x, y },
                    2..=4 => Input::Move { id, x, y },
                    5 => Input::Up { id, x, y },
                    6 => Input::Cancel { id },
                    _ => Input::Wheel { x, y, dx: delta / 3.0, dy: delta, shift: id == 1, alt: id == 2 },
                });
                let range = bench.range;
                prop_assert!(range.first >= 0.0 && range.last <= 1000.0 + 1e-6 && range.span() >= 4.0 - 1e-6, "{:?}", range);
                prop_assert!(outcome.seek.is_none_or(|pos| pos.0 < POSITIONS));
                prop_assert!(bench.layout.first_row <= bench.layout.last_first_row());
            }
        }
    }
}
