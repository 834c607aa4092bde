//! Where the lanes of the timeline are, in CSS pixels.
//!
//! Invariant: lanes do not overlap, and their places depend on the recording and its pins only, never on what is under the
//! cursor: nothing jumps while scrubbing.

/// Room at the left of the plot: half of the cursor's head stands out there.
pub const PLOT_INSET_LEFT: f64 = 8.0;
/// Room at the right of the plot.
pub const PLOT_INSET_RIGHT: f64 = 12.0;
/// Height of a frame row with the gap under it.
pub const ROW_HEIGHT: f64 = 20.0;
/// Height of a bar in its row.
pub const BAR_HEIGHT: f64 = 18.0;
/// How many frame rows are shown at once; deeper ones are scrolled to.
pub const MAX_ROWS: u32 = 8;
/// How many frame rows are shown at once where the page is narrow, and so probably short as well.
const MAX_ROWS_COMPACT: u32 = 5;
/// The page is narrow below this width.
const COMPACT_BELOW: f64 = 520.0;
/// With more pins than this, each track is lower.
const TALL_TRACKS: usize = 3;

/// What the layout depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LayoutSpec {
    /// Width of the drawing area, the insets included.
    pub width: f64,
    /// Frame rows of the whole recording.
    pub frame_rows: u32,
    /// The frame row that is wanted at the top; cut so that no room stays empty.
    pub first_frame_row: u32,
    /// Whether the recording has any nondet record.
    pub has_inputs: bool,
    /// How many pins there are.
    pub tracks: usize,
    /// Whether the recording has any issue.
    pub has_marks: bool,
}

/// A lane: a horizontal strip of the timeline.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lane {
    /// Its upper edge.
    pub top: f64,
    /// Its height.
    pub height: f64,
}

impl Lane {
    /// Its lower edge.
    pub fn bottom(self) -> f64 {
        self.top + self.height
    }

    /// Whether a height is in it.
    pub fn holds(self, y: f64) -> bool {
        self.top <= y && y < self.bottom()
    }
}

/// The lanes from top to bottom.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    /// Width of the drawing area.
    pub width: f64,
    /// Height of the drawing area.
    pub height: f64,
    /// Where the plot begins.
    pub plot_left: f64,
    /// Width of the plot.
    pub plot_width: f64,
    /// The whole recording at a glance; the marks of issues stand right above it.
    pub minimap: Lane,
    /// Position numbers; dragging here scrubs.
    pub ruler: Lane,
    /// Call frames by depth.
    pub frames: Lane,
    /// The frame row at the top of that lane.
    pub first_row: u32,
    /// How many rows that lane shows.
    pub rows: u32,
    /// Rows of the whole recording.
    pub rows_in_all: u32,
    /// Nondet records.
    pub inputs: Option<Lane>,
    /// One lane a pin.
    pub tracks: Vec<Lane>,
    /// Issues and seams.
    pub marks: Option<Lane>,
}

impl Layout {
    /// Lays the lanes out.
    pub fn new(spec: LayoutSpec) -> Self {
        let max_rows = if spec.width < COMPACT_BELOW { MAX_ROWS_COMPACT } else { MAX_ROWS };
        let rows = spec.frame_rows.min(max_rows);
        let mut top = 10.0;
        let mut lane = |height: f64, gap: f64| {
            let lane = Lane { top, height };
            top += height + gap;
            lane
        };
        let minimap = lane(28.0, 4.0);
        let ruler = lane(18.0, 2.0);
        let frames = lane(f64::from(rows) * ROW_HEIGHT, if rows > 0 { 4.0 } else { 0.0 });
        let inputs = spec.has_inputs.then(|| lane(18.0, 4.0));
        let track_height = if spec.tracks > TALL_TRACKS { 24.0 } else { 36.0 };
        let tracks = (0..spec.tracks).map(|_| lane(track_height, 4.0)).collect();
        let marks = spec.has_marks.then(|| lane(10.0, 0.0));
        Self {
            width: spec.width,
            height: top + 6.0,
            plot_left: PLOT_INSET_LEFT,
            plot_width: (spec.width - PLOT_INSET_LEFT - PLOT_INSET_RIGHT).max(1.0),
            minimap,
            ruler,
            frames,
            first_row: spec.first_frame_row.min(spec.frame_rows - rows),
            rows,
            rows_in_all: spec.frame_rows,
            inputs,
            tracks,
            marks,
        }
    }

    /// The upper edge of a frame row; `None` when it is scrolled out of sight.
    pub fn row_top(&self, row: u32) -> Option<f64> {
        let idx = row.checked_sub(self.first_row).filter(|&idx| idx < self.rows)?;
        Some(self.frames.top + f64::from(idx) * ROW_HEIGHT)
    }

    /// The frame row at a height; `None` outside the lane.
    pub fn row_at(&self, y: f64) -> Option<u32> {
        if !self.frames.holds(y) {
            return None;
        }
        Some(self.first_row + ((y - self.frames.top) / ROW_HEIGHT) as u32)
    }

    /// How many rows lie below the last one shown.
    pub fn deeper_rows(&self) -> u32 {
        self.rows_in_all - self.first_row - self.rows
    }

    /// The greatest number that the top row can have.
    pub fn last_first_row(&self) -> u32 {
        self.rows_in_all - self.rows
    }

    /// Where the lanes below the ruler end: how far down the cursor reaches.
    pub fn bottom(&self) -> f64 {
        self.height
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_sample_tape_fits_as_drawn() {
        let spec = LayoutSpec {
            width: 1200.0,
            frame_rows: 3,
            first_frame_row: 0,
            has_inputs: true,
            tracks: 2,
            has_marks: true,
        };
        let layout = Layout::new(spec);
        assert_eq!((layout.rows, layout.deeper_rows()), (3, 0));
        assert!(layout.height <= 260.0);
        assert_eq!(layout.row_at(layout.frames.top + 21.0), Some(1));
        assert_eq!(layout.row_at(layout.frames.bottom()), None);
    }

    #[test]
    fn a_deep_stack_is_bounded_and_scrolls_to_its_end() {
        let spec =
            LayoutSpec { width: 1200.0, frame_rows: 100_001, first_frame_row: u32::MAX, ..LayoutSpec::default() };
        let layout = Layout::new(spec);
        assert_eq!((layout.rows, layout.first_row, layout.deeper_rows()), (MAX_ROWS, 100_001 - MAX_ROWS, 0));
        assert_eq!(layout.row_top(100_000), Some(layout.frames.bottom() - ROW_HEIGHT));
        assert_eq!(layout.row_top(0), None);
    }

    proptest! {
        #[test]
        fn lanes_follow_one_another(
            width in 0.0_f64..4000.0, frame_rows in 0_u32..200_000, first_frame_row in any::<u32>(),
            has_inputs in any::<bool>(), tracks in 0_usize..12, has_marks in any::<bool>(),
        ) {
            let spec = LayoutSpec { width, frame_rows, first_frame_row, has_inputs, tracks, has_marks };
            let layout = Layout::new(spec);
            let mut lanes = vec![layout.minimap, layout.ruler, layout.frames];
            lanes.extend(layout.inputs);
            lanes.extend(&layout.tracks);
            lanes.extend(layout.marks);
            for pair in lanes.windows(2) {
                prop_assert!(pair[0].bottom() <= pair[1].top);
            }
            prop_assert!(lanes.iter().all(|lane| lane.bottom() <= layout.height));
            prop_assert!(layout.first_row + layout.rows + layout.deeper_rows() == frame_rows);
            for row in layout.first_row..layout.first_row + layout.rows {
                let top = layout.row_top(row);
                prop_assert_eq!(top.and_then(|top| layout.row_at(top + 1.0)), Some(row));
            }
        }
    }
}
