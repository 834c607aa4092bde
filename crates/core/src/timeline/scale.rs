//! Positions to pixels and back: the visible range, zoom, pan, and the ruler's ticks.
//!
//! Invariant: a [`Range`] made by this module lies inside the recording and is at least [`MIN_SPAN`] positions wide (or the
//! whole recording, when that is less).

use crate::model::Pos;

/// The narrowest visible range, in positions: closer in, nothing more is to be seen.
pub const MIN_SPAN: f64 = 4.0;

/// By which factor one key press zooms in.
pub const KEY_ZOOM: f64 = 0.5;

/// By which part of the visible range one key press pans.
pub const KEY_PAN: f64 = 0.25;

/// The visible part of a recording, in positions: `first` is the left edge, `last` the right one (exclusive).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The left edge.
    pub first: f64,
    /// The right edge.
    pub last: f64,
}

impl Range {
    /// The whole of a recording; one position wide when there is none, so that a scale can always be made.
    pub fn whole(positions: u32) -> Self {
        Self { first: 0.0, last: f64::from(positions.max(1)) }
    }

    /// Width in positions.
    pub fn span(self) -> f64 {
        self.last - self.first
    }

    /// Whether this is the whole recording.
    pub fn is_whole(self, positions: u32) -> bool {
        self == Self::whole(positions)
    }

    /// The nearest range that lies inside the recording and is neither empty nor too narrow. Anything may be given, also
    /// edges in the wrong order or edges that are no numbers (the whole recording then): links bring such things.
    pub fn clamped(self, positions: u32) -> Self {
        let whole = Self::whole(positions);
        if !self.first.is_finite() || !self.last.is_finite() {
            return whole;
        }
        let (first, last) = (self.first.min(self.last), self.first.max(self.last));
        let span = (last - first).max(MIN_SPAN);
        if span >= whole.last {
            return whole;
        }
        // Widened about the middle when too narrow, then moved inside.
        let first = ((first + last - span) / 2.0).clamp(0.0, whole.last - span);
        Self { first, last: first + span }
    }

    /// Zoomed so that `anchor` keeps its place on the screen. A factor below 1 zooms in.
    pub fn zoomed(self, anchor: f64, factor: f64, positions: u32) -> Self {
        let max = Self::whole(positions).span();
        let span = (self.span() * factor).clamp(MIN_SPAN.min(max), max);
        // Zooming out as far as one has zoomed in arrives at the whole, whatever rounding has left.
        if span >= max * (1.0 - 1e-6) {
            return Self::whole(positions);
        }
        let place = (anchor - self.first) / self.span();
        let first = (anchor - place * span).clamp(0.0, max - span);
        Self { first, last: first + span }
    }

    /// Moved by `by` positions, stopping at the ends of the recording.
    pub fn panned(self, by: f64, positions: u32) -> Self {
        let whole = Self::whole(positions);
        let first = (self.first + by).clamp(0.0, (whole.last - self.span()).max(0.0));
        Self { first, last: first + self.span() }
    }

    /// Of the same width, with `pos` in the middle as far as the ends allow.
    pub fn centred(self, pos: f64, positions: u32) -> Self {
        self.panned(pos - (self.first + self.last) / 2.0, positions)
    }

    /// With another left edge; the right one stays.
    pub fn with_first(self, first: f64, positions: u32) -> Self {
        let whole = Self::whole(positions);
        let least = MIN_SPAN.min(whole.last);
        Self { first: first.clamp(0.0, (self.last - least).max(0.0)), last: self.last }
    }

    /// With another right edge; the left one stays.
    pub fn with_last(self, last: f64, positions: u32) -> Self {
        let whole = Self::whole(positions);
        let least = MIN_SPAN.min(whole.last);
        Self { first: self.first, last: last.clamp((self.first + least).min(whole.last), whole.last) }
    }

    /// Whether the position is to be seen whole.
    pub fn shows(self, pos: Pos) -> bool {
        let pos = f64::from(pos.0);
        self.first <= pos + 0.5 && pos + 0.5 <= self.last
    }

    /// Moved so that the position is seen; unchanged when it is seen already. To a near one it moves just so far that a tenth
    /// of the range lies between it and the edge, so that scrubbing past the edge does not jump; a far one comes to the middle.
    pub fn revealing(self, pos: Pos, positions: u32) -> Self {
        if self.shows(pos) {
            return self;
        }
        let pos = f64::from(pos.0) + 0.5;
        let margin = self.span() * 0.1;
        if pos < self.first - self.span() || pos > self.last + self.span() {
            self.centred(pos, positions)
        } else if pos < self.first {
            self.panned(pos - margin - self.first, positions)
        } else {
            self.panned(pos + margin - self.last, positions)
        }
    }

    /// What the zoom keys do: zoomed about the cursor when it is to be seen, else about the middle.
    pub fn zoomed_about(self, cursor: Pos, factor: f64, positions: u32) -> Self {
        let anchor = if self.shows(cursor) { f64::from(cursor.0) + 0.5 } else { f64::midpoint(self.first, self.last) };
        self.zoomed(anchor, factor, positions)
    }

    /// What the pan keys do: moved by so many times its own width.
    pub fn paged(self, parts: f64, positions: u32) -> Self {
        self.panned(self.span() * parts, positions)
    }
}

/// Where positions lie on the screen: a range on `width` pixels from `left` on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// The visible range.
    pub range: Range,
    /// Where the plot begins, in pixels.
    pub left: f64,
    /// How wide it is, in pixels; above 0.
    pub width: f64,
}

impl Scale {
    /// A scale; a width below one pixel counts as one.
    pub fn new(range: Range, left: f64, width: f64) -> Self {
        Self { range, left, width: width.max(1.0) }
    }

    /// Pixels a position.
    pub fn px_per_pos(self) -> f64 {
        self.width / self.range.span()
    }

    /// The left edge of a position's cell.
    pub fn x_from_pos(self, pos: f64) -> f64 {
        self.left + (pos - self.range.first) * self.px_per_pos()
    }

    /// The middle of a position's cell: where the cursor and marks are.
    pub fn x_mid(self, pos: u32) -> f64 {
        self.x_from_pos(f64::from(pos) + 0.5)
    }

    /// The place under a pixel, in positions; it may lie outside the range.
    pub fn pos_from_x(self, x: f64) -> f64 {
        self.range.first + (x - self.left) / self.px_per_pos()
    }

    /// The position under a pixel, kept inside the recording. 0 when there is none.
    pub fn pos_at(self, x: f64, positions: u32) -> Pos {
        let last = positions.saturating_sub(1);
        let pos = self.pos_from_x(x).floor();
        // `as` saturates, and takes NaN for 0.
        Pos((pos.max(0.0) as u32).min(last))
    }

    /// The right end of the plot.
    pub fn right(self) -> f64 {
        self.left + self.width
    }

    /// The same scale in other pixels: device pixels from CSS pixels.
    pub fn times(self, ratio: f64) -> Self {
        Self { range: self.range, left: self.left * ratio, width: self.width * ratio }
    }

    /// The ruler's ticks: 1-based position numbers at round distances, at least `min_gap` pixels apart. Position 1 stands in
    /// for 0, which is none.
    pub fn ticks(self, positions: u32, min_gap: f64) -> Vec<Tick> {
        if positions == 0 {
            return Vec::new();
        }
        let step = round_step(min_gap / self.px_per_pos());
        let first = (self.range.first.floor().max(0.0) as u64 + 1).div_ceil(step) * step;
        let mut ticks = Vec::new();
        if self.range.first < 0.5 && step > 1 && step as f64 * self.px_per_pos() >= min_gap {
            ticks.push(Tick { number: 1, x: self.x_mid(0) });
        }
        let mut number = first;
        // The width over the gap bounds the number of ticks, whatever the range.
        while number <= u64::from(positions) && (number as f64 - 1.0) < self.range.last {
            let x = self.x_from_pos(number as f64 - 0.5);
            if x > self.right() {
                break;
            }
            if x >= self.left {
                ticks.push(Tick { number, x });
            }
            number += step;
        }
        ticks
    }
}

/// A tick of the ruler.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tick {
    /// The position as people count it, from 1.
    pub number: u64,
    /// Where it is, in the scale's pixels.
    pub x: f64,
}

/// The smallest of 1, 2, 5, 10, 20, 50, … that is at least `least`.
fn round_step(least: f64) -> u64 {
    let mut power = 1_u64;
    loop {
        for factor in [1, 2, 5] {
            if (power * factor) as f64 >= least {
                return power * factor;
            }
        }
        // Positions fit u32, so that the search ends long before this could overflow; the bound keeps it so for any input.
        if power >= 1_000_000_000_000 {
            return power;
        }
        power *= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn is_valid(range: Range, positions: u32) -> bool {
        let whole = Range::whole(positions);
        let eps = 1e-6 * whole.last;
        range.first >= 0.0 && range.last <= whole.last + eps && range.span() >= MIN_SPAN.min(whole.last) - eps
    }

    #[test]
    fn the_page_zooms_about_the_pointer() {
        let range = Range { first: 100.0, last: 200.0 };
        let scale = Scale::new(range, 10.0, 1000.0);
        let zoomed = range.zoomed(130.0, 0.5, 1000);
        assert_eq!(zoomed, Range { first: 115.0, last: 165.0 });
        let after = Scale::new(zoomed, 10.0, 1000.0);
        assert!((scale.x_from_pos(130.0) - after.x_from_pos(130.0)).abs() < 1e-9);
    }

    #[test]
    fn zooming_out_stops_at_the_whole() {
        assert!(Range { first: 10.0, last: 20.0 }.zoomed(15.0, 1e9, 1083).is_whole(1083));
        assert!(Range::whole(2).zoomed(1.0, 0.01, 2).is_whole(2));
        let mut range = Range::whole(1083);
        for factor in [0.79, 0.61, 0.33].into_iter().chain([0.33, 0.61, 0.79].map(f64::recip)) {
            range = range.zoomed(700.3, factor, 1083);
        }
        assert!(range.is_whole(1083));
    }

    #[test]
    fn revealing_moves_as_little_as_is_needed() {
        let range = Range { first: 100.0, last: 200.0 };
        assert_eq!(range.revealing(Pos(150), 1000), range);
        assert_eq!(range.revealing(Pos(200), 1000), Range { first: 110.5, last: 210.5 });
        assert_eq!(range.revealing(Pos(99), 1000), Range { first: 89.5, last: 189.5 });
        assert_eq!(range.revealing(Pos(500), 1000), Range { first: 450.5, last: 550.5 });
        assert_eq!(range.revealing(Pos(0), 1000), Range { first: 0.0, last: 100.0 });
        assert_eq!(range.revealing(Pos(999), 1000), Range { first: 900.0, last: 1000.0 });
    }

    #[test]
    fn keys_zoom_about_the_cursor_when_it_is_seen() {
        let range = Range { first: 100.0, last: 200.0 };
        assert_eq!(range.zoomed_about(Pos(110), KEY_ZOOM, 1000), Range { first: 105.25, last: 155.25 });
        assert_eq!(range.zoomed_about(Pos(900), KEY_ZOOM, 1000), Range { first: 125.0, last: 175.0 });
        assert_eq!(range.paged(KEY_PAN, 1000), Range { first: 125.0, last: 225.0 });
        assert_eq!(range.paged(-9.0, 1000), Range { first: 0.0, last: 100.0 });
    }

    #[test]
    fn ticks_are_round_and_counted_from_one() {
        let numbers = |range, positions| {
            Scale::new(range, 0.0, 1000.0).ticks(positions, 80.0).iter().map(|tick| tick.number).collect::<Vec<_>>()
        };
        assert_eq!(numbers(Range::whole(1083), 1083), [1, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000]);
        assert_eq!(numbers(Range { first: 700.0, last: 1083.0 }, 1083), [750, 800, 850, 900, 950, 1000, 1050]);
        assert_eq!(numbers(Range { first: 0.0, last: 4.0 }, 100), [1, 2, 3, 4]);
        assert_eq!(numbers(Range::whole(1), 1), [1]);
        assert_eq!(numbers(Range::whole(0), 0), [] as [u64; 0]);
    }

    #[test]
    fn a_range_from_a_link_may_be_anything() {
        for (first, last) in [
            (f64::NAN, 3.0),
            (0.0, f64::INFINITY),
            (50.0, 10.0),
            (-1e300, 1e300),
            (7.0, 7.0),
            (2000.0, 3000.0),
            (-5.0, -1.0),
        ] {
            let range = Range { first, last }.clamped(1083);
            assert!(is_valid(range, 1083), "{first} {last} {range:?}");
        }
        assert_eq!(Range { first: 50.0, last: 10.0 }.clamped(1083), Range { first: 10.0, last: 50.0 });
    }

    proptest! {
        #[test]
        fn every_operation_keeps_the_range_inside(
            positions in prop_oneof![0_u32..10, 0_u32..2000, any::<u32>()],
            steps in prop::collection::vec((0_u8..8, -0.5_f64..1.5, 0.01_f64..20.0), 1..40),
        ) {
            let whole = Range::whole(positions);
            let mut range = whole;
            for (kind, place, factor) in steps {
                let pos = range.first + place * range.span();
                range = match kind {
                    0 => range.zoomed(pos, factor, positions),
                    1 => range.paged(place, positions),
                    2 => range.centred(place * whole.last, positions),
                    3 => range.with_first(pos, positions),
                    4 => range.with_last(pos, positions),
                    5 => range.revealing(Pos((place.max(0.0) * whole.last) as u32), positions),
                    6 => range.zoomed_about(Pos(pos.max(0.0) as u32), factor, positions),
                    _ => Range { first: pos, last: pos + factor }.clamped(positions),
                };
                prop_assert!(is_valid(range, positions), "{:?} of {} after {}", range, positions, kind);
            }
        }

        #[test]
        fn pixels_and_positions_are_each_other_s_inverse(
            first in 0.0_f64..1e9, span in 4.0_f64..1e9, left in 0.0_f64..100.0, width in 1.0_f64..5000.0, place in 0.0_f64..1.0,
        ) {
            let scale = Scale::new(Range { first, last: first + span }, left, width);
            let pos = first + place * span;
            let back = scale.pos_from_x(scale.x_from_pos(pos));
            prop_assert!((back - pos).abs() <= 1e-9 * (first + span));
        }

        #[test]
        fn a_position_s_middle_is_hit_as_that_position(
            positions in 1_u32..5000, pos in 0_u32..5000, first in 0.0_f64..5000.0, span in 4.0_f64..5000.0,
        ) {
            prop_assume!(pos < positions);
            let scale = Scale::new(Range { first, last: first + span }, 8.0, 1260.0);
            prop_assert_eq!(scale.pos_at(scale.x_mid(pos), positions), Pos(pos));
        }

        #[test]
        fn ticks_keep_their_distance(positions in 1_u32..=u32::MAX, place in 0.0_f64..1.0, zoom in 0.0_f64..1.0) {
            let whole = Range::whole(positions);
            let range = whole.zoomed(place * whole.last, (zoom * 20.0 - 20.0).exp2(), positions);
            let scale = Scale::new(range, 8.0, 1260.0);
            let ticks = scale.ticks(positions, 80.0);
            prop_assert!(ticks.len() <= 18);
            for pair in ticks.windows(2) {
                // The first gap, from 1 to the first round number, is one position short of the others.
                prop_assert!(pair[1].x - pair[0].x >= 80.0 - scale.px_per_pos() - 1e-6);
            }
            for tick in ticks {
                prop_assert!(tick.number >= 1 && tick.number <= u64::from(positions));
                prop_assert!(tick.x >= scale.left && tick.x <= scale.right());
            }
        }
    }
}
