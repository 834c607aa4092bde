//! The arithmetic of long lists: which rows are visible, and how tall the blank space above and below them is.
//!
//! Browsers cap the height of an element (Firefox at about 17.8 million px, Chromium at 33.5), so beyond [`MAX_HEIGHT_PX`]
//! the scroll bar stands for the list on a smaller scale: a small movement (wheel, touch, keys) moves by real pixels, a large
//! one (the scroll bar dragged) goes to the same fraction of the list.
//!
//! Invariant: row 0 and the last row can always be reached, and the rows shown are at most what fits plus [`OVERSCAN`] on either side.

use tapedeck_core::model::RowWindow;

/// The tallest that a list is made, in CSS px: under every browser's cap, with room for the header.
pub const MAX_HEIGHT_PX: f64 = 8_000_000.0;

/// Rows rendered above and below the visible ones, so that a fast wheel does not show blanks.
pub const OVERSCAN: u32 = 6;

/// Windows asked of the worker begin at a multiple of this many rows, so that slow scrolling asks seldom.
const ALIGN: u32 = 32;

/// Where a long list is scrolled to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scroll {
    /// Rows in all.
    pub total: u32,
    /// Height of a row, in CSS px.
    pub row_px: f64,
    /// Height of the visible part, in CSS px.
    pub view_px: f64,
    /// How far the list is scrolled, in px of the real list (all rows at full height).
    at: f64,
    /// The element's `scrollTop` that belongs to `at`.
    bar: f64,
}

impl Scroll {
    /// A list scrolled to its top.
    pub fn new(total: u32, row_px: f64) -> Self {
        Self { total, row_px, view_px: 0.0, at: 0.0, bar: 0.0 }
    }

    fn real_px(&self) -> f64 {
        f64::from(self.total) * self.row_px
    }

    /// Height of the scrolled content, in CSS px.
    pub fn height_px(&self) -> f64 {
        self.real_px().min(MAX_HEIGHT_PX)
    }

    fn is_scaled(&self) -> bool {
        self.real_px() > MAX_HEIGHT_PX
    }

    fn max_at(&self) -> f64 {
        (self.real_px() - self.view_px).max(0.0)
    }

    fn max_bar(&self) -> f64 {
        (self.height_px() - self.view_px).max(0.0)
    }

    /// The list has another length or the view another height; the row at the top stays where it can.
    pub fn resize(&mut self, total: u32, view_px: f64) {
        let changed = total != self.total;
        self.total = total;
        self.view_px = view_px;
        self.at = self.at.min(self.max_at());
        if changed || self.bar > self.max_bar() {
            self.bar = self.bar_from_at();
        }
    }

    fn bar_from_at(&self) -> f64 {
        if self.is_scaled() && self.max_at() > 0.0 {
            self.at / self.max_at() * self.max_bar()
        } else {
            self.at.min(self.max_bar())
        }
    }

    /// The element reports this `scrollTop`.
    pub fn scrolled(&mut self, bar: f64) {
        let moved = bar - self.bar;
        self.bar = bar;
        if !self.is_scaled() {
            self.at = bar.clamp(0.0, self.max_at());
        } else if bar <= 0.0 {
            self.at = 0.0;
        } else if bar >= self.max_bar() - 1.0 {
            self.at = self.max_at();
        } else if moved.abs() <= self.view_px.max(self.row_px) * 2.0 {
            self.at = (self.at + moved).clamp(0.0, self.max_at());
        } else {
            self.at = (bar / self.max_bar() * self.max_at()).clamp(0.0, self.max_at());
        }
    }

    /// Brings a row into view when it is not, a third from the top; tells the `scrollTop` to set.
    pub fn reveal(&mut self, row: u32) -> Option<f64> {
        let top = f64::from(row.min(self.total.saturating_sub(1))) * self.row_px;
        if self.view_px <= 0.0 || (top >= self.at && top + self.row_px <= self.at + self.view_px) {
            return None;
        }
        self.at = (top - (self.view_px / 3.0)).clamp(0.0, self.max_at());
        self.bar = self.bar_from_at();
        Some(self.bar)
    }

    /// The rows to render: the visible ones and a few around them.
    pub fn visible(&self) -> RowWindow {
        let first = (self.at / self.row_px).floor().max(0.0) as u32;
        let fit = (self.view_px / self.row_px).ceil() as u32 + 1;
        let from = first.saturating_sub(OVERSCAN).min(self.total);
        RowWindow {
            first: from,
            count: (first.saturating_add(fit).saturating_add(OVERSCAN)).min(self.total).saturating_sub(from),
        }
    }

    /// The rows to ask the worker for: the visible ones with room on both sides, aligned.
    pub fn wanted(&self) -> RowWindow {
        let seen = self.visible();
        let first = seen.first.saturating_sub(ALIGN / 2) / ALIGN * ALIGN;
        let end = seen.first.saturating_add(seen.count).saturating_add(ALIGN);
        RowWindow { first, count: (end - first).div_ceil(ALIGN) * ALIGN }
    }

    /// Blank space above row `first`, in CSS px.
    pub fn above_px(&self, first: u32) -> f64 {
        (self.bar - (self.at - f64::from(first) * self.row_px)).clamp(0.0, self.height_px())
    }

    /// Blank space below, when `count` rows are rendered from `first` on, in CSS px.
    pub fn below_px(&self, first: u32, count: u32) -> f64 {
        (self.height_px() - self.above_px(first) - f64::from(count) * self.row_px).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    fn list(total: u32) -> Scroll {
        let mut scroll = Scroll::new(total, 24.0);
        scroll.resize(total, 480.0);
        scroll
    }

    #[test]
    fn a_short_list_scrolls_by_the_pixel() {
        let mut scroll = list(1000);
        assert_eq!(scroll.visible(), RowWindow { first: 0, count: 27 });
        scroll.scrolled(2400.0);
        assert_eq!(scroll.visible().first, 100 - OVERSCAN);
        assert_eq!(scroll.above_px(94), 94.0 * 24.0);
        assert_eq!(scroll.above_px(94) + 33.0 * 24.0 + scroll.below_px(94, 33), 24_000.0);
    }

    #[test]
    fn ten_million_rows_can_all_be_reached() {
        let mut scroll = list(10_000_000);
        assert_eq!(scroll.height_px(), MAX_HEIGHT_PX);
        scroll.scrolled(100.0);
        assert_eq!(scroll.visible().first, 0, "a wheel notch moves four rows, not eighty");
        assert_eq!(scroll.at, 100.0);
        scroll.scrolled(MAX_HEIGHT_PX / 2.0);
        let middle = scroll.visible().first;
        assert!((4_990_000..5_010_000).contains(&middle), "{middle}");
        scroll.scrolled(MAX_HEIGHT_PX - 480.0);
        let seen = scroll.visible();
        assert_eq!(seen.first + seen.count, 10_000_000);
        scroll.scrolled(0.0);
        assert_eq!(scroll.visible().first, 0);
    }

    #[test]
    fn the_rendered_rows_lie_where_the_bar_is() {
        let mut scroll = list(10_000_000);
        scroll.scrolled(4_000_000.0);
        let seen = scroll.visible();
        let top_of_first = scroll.above_px(seen.first);
        assert!(top_of_first <= 4_000_000.0 && top_of_first > 4_000_000.0 - 8.0 * 24.0);
    }

    #[test]
    fn reveal_moves_only_when_it_must() {
        let mut scroll = list(1000);
        assert_eq!(scroll.reveal(5), None);
        let bar = scroll.reveal(500).unwrap();
        let seen = scroll.visible();
        assert!(seen.first < 500 && 500 < seen.first + seen.count);
        assert_eq!(bar, 500.0 * 24.0 - 160.0);
        assert_eq!(scroll.reveal(501), None);
        let mut long = list(10_000_000);
        long.reveal(9_999_999);
        let seen = long.visible();
        assert_eq!(seen.first + seen.count, 10_000_000);
    }

    #[test]
    fn a_shrunk_list_shows_its_end() {
        let mut scroll = list(1000);
        scroll.scrolled(20_000.0);
        scroll.resize(10, 480.0);
        assert_eq!(scroll.visible(), RowWindow { first: 0, count: 10 });
        assert_eq!(scroll.above_px(0), 0.0);
    }

    #[test]
    fn what_is_asked_covers_what_is_seen() {
        let mut scroll = list(100_000);
        for bar in [0.0, 10.0, 777.0, 50_000.0, 2_399_520.0] {
            scroll.scrolled(bar);
            let (seen, asked) = (scroll.visible(), scroll.wanted());
            assert!(asked.first <= seen.first && seen.first + seen.count <= asked.first + asked.count);
            assert_eq!(asked.first % ALIGN, 0);
        }
    }
}
