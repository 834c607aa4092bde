//! Small pictures for what is too dense to be drawn rectangle by rectangle.
//!
//! A canvas takes thousands of rectangles in about ten milliseconds (measured: 6,000 of them 14 ms in Chromium without a
//! graphics card), and a picture of the same pixels in a fifth of one.
//!
//! Invariant: a rectangle in a picture looks exactly as the same rectangle drawn on the canvas: its edges are whole pixels.

use super::paint::{Ink, Point, Rect};

/// A picture whose pixels are inks, each with an opacity.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bitmap {
    width: usize,
    /// One more than the ink's index in the low byte, the opacity in the high one; 0 where nothing is drawn.
    pixels: Vec<u16>,
}

impl Bitmap {
    /// Makes it empty and gives it a size.
    pub fn reset(&mut self, width: usize, height: usize) {
        self.width = width;
        self.pixels.clear();
        self.pixels.resize(width * height, 0);
    }

    /// Pixels a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows.
    pub fn height(&self) -> usize {
        self.pixels.len().checked_div(self.width).unwrap_or(0)
    }

    /// The pixels from the upper left one on: the ink's index and its opacity (0 to 255), or `None` where nothing is drawn.
    pub fn pixels(&self) -> impl Iterator<Item = Option<(usize, u8)>> + '_ {
        self.pixels.iter().map(|&pixel| usize::from(pixel & 0xff).checked_sub(1).map(|ink| (ink, (pixel >> 8) as u8)))
    }

    /// Fills a rectangle; what lies outside is cut.
    pub fn fill(&mut self, ink: Ink, opacity: f64, rect: Rect) {
        let pixel = pixel(ink, (opacity * 255.0).round() as u8);
        // `as` saturates: what lies left or above begins at 0.
        let (left, right) = (rect.x as usize, ((rect.x + rect.width).max(0.0) as usize).min(self.width));
        let (top, bottom) = (rect.y as usize, (rect.y + rect.height).max(0.0) as usize);
        if left >= right {
            return;
        }
        for row in self.pixels.chunks_exact_mut(self.width).take(bottom).skip(top) {
            if let Some(pixels) = row.get_mut(left..right) {
                pixels.fill(pixel);
            }
        }
    }

    /// Puts a stamp down with its middle at a place; what lies outside is cut.
    pub fn stamp(&mut self, ink: Ink, stamp: &Stamp, x: f64, y: f64) {
        let (left, top) = (x.round() as i64 - stamp.half, y.round() as i64 - stamp.half);
        let side = 2 * stamp.half as usize + 1;
        for (row, cover) in (top..).zip(stamp.cover.chunks_exact(side)) {
            let Some(pixels) = usize::try_from(row).ok().and_then(|row| {
                let start = row.checked_mul(self.width)?;
                self.pixels.get_mut(start..start + self.width)
            }) else {
                continue;
            };
            for (column, &cover) in (left..).zip(cover) {
                let Some(under) = usize::try_from(column).ok().and_then(|column| pixels.get_mut(column)) else {
                    continue;
                };
                // Edges are partly covered: there the stamp beneath stays when it covers more.
                if u16::from(cover) >= *under >> 8 && cover > 0 {
                    *under = pixel(ink, cover);
                }
            }
        }
    }
}

fn pixel(ink: Ink, opacity: u8) -> u16 {
    (u16::from(opacity) << 8) | (ink.index() as u16 + 1)
}

/// A small shape with smooth edges, drawn once and put down many times.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    /// Pixels from the middle one to the edge.
    half: i64,
    /// How much of each pixel is covered, 0 to 255, row by row.
    cover: Vec<u8>,
}

impl Stamp {
    /// The stamp of an outline about the middle of a pixel.
    pub fn new(outline: &[Point]) -> Self {
        /// Samples a pixel, in each direction.
        const SAMPLES: u32 = 4;
        let reach = outline.iter().map(|point| point.x.abs().max(point.y.abs())).fold(0.0, f64::max);
        let half = reach.ceil().min(64.0) as i64;
        let mut cover = Vec::new();
        for row in -half..=half {
            for column in -half..=half {
                let mut inside = 0;
                for sample in 0..SAMPLES * SAMPLES {
                    let place = |idx: u32| (f64::from(idx) + 0.5) / f64::from(SAMPLES) - 0.5;
                    let x = column as f64 + place(sample % SAMPLES);
                    let y = row as f64 + place(sample / SAMPLES);
                    inside += u32::from(is_inside(outline, x, y));
                }
                cover.push((inside * 255 / (SAMPLES * SAMPLES)) as u8);
            }
        }
        Self { half, cover }
    }
}

/// Whether a place is inside of an outline: a ray from it crosses the outline an odd number of times.
fn is_inside(outline: &[Point], x: f64, y: f64) -> bool {
    let next = outline.iter().cycle().skip(1);
    let crossings = outline
        .iter()
        .zip(next)
        .filter(|(a, b)| (a.y > y) != (b.y > y) && x < a.x + (y - a.y) / (b.y - a.y) * (b.x - a.x));
    crossings.count() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn drawn(bitmap: &Bitmap) -> Vec<String> {
        let pixels: Vec<_> = bitmap.pixels().collect();
        pixels
            .chunks(bitmap.width())
            .map(|row| {
                row.iter()
                    .map(|pixel| pixel.map_or('.', |(_, opacity)| if opacity > 127 { '#' } else { '+' }))
                    .collect()
            })
            .collect()
    }

    #[test]
    fn rectangles_are_cut_at_the_edges() {
        let mut bitmap = Bitmap::default();
        bitmap.reset(6, 3);
        bitmap.fill(Ink::Head, 1.0, Rect { x: -2.0, y: -1.0, width: 4.0, height: 2.0 });
        bitmap.fill(Ink::Issue, 0.25, Rect { x: 4.0, y: 2.0, width: 9.0, height: 9.0 });
        bitmap.fill(Ink::Issue, 1.0, Rect { x: 9.0, y: 0.0, width: 9.0, height: 9.0 });
        bitmap.fill(Ink::Issue, 1.0, Rect { x: -9.0, y: 0.0, width: 9.0, height: 9.0 });
        assert_eq!(drawn(&bitmap), ["##....", "......", "....++"]);
        assert_eq!(bitmap.pixels().next().flatten(), Some((Ink::Head.index(), 255)));
        assert_eq!((bitmap.width(), bitmap.height()), (6, 3));
    }

    #[test]
    fn a_stamp_has_the_outline_s_shape() {
        let point = |x: f64, y: f64| Point { x, y };
        let triangle = Stamp::new(&[point(0.0, -3.0), point(3.0, 3.0), point(-3.0, 3.0)]);
        let mut bitmap = Bitmap::default();
        bitmap.reset(7, 7);
        bitmap.stamp(Ink::Issue, &triangle, 3.0, 3.0);
        let expected = [".......", "...#...", "...#...", "..###..", "..###..", ".#####.", "+++++++"];
        let found = drawn(&bitmap);
        assert_eq!(found.iter().map(|row| row.replace('+', ".")).take(5).collect::<Vec<_>>(), expected[..5].to_vec());
        assert!(found.iter().all(|row| row.chars().eq(row.chars().rev())), "{found:?}");
    }

    proptest! {
        #[test]
        fn anything_can_be_drawn_anywhere(
            width in 0_usize..40, height in 0_usize..20, x in -1e12_f64..1e12, y in -50.0_f64..50.0, size in 0.0_f64..100.0,
        ) {
            let mut bitmap = Bitmap::default();
            bitmap.reset(width, height);
            bitmap.fill(Ink::Head, 1.0, Rect { x, y, width: size, height: size });
            bitmap.fill(Ink::Head, 1.0, Rect { x: x / 1e11, y, width: size, height: size });
            let stamp = Stamp::new(&[Point { x: -size, y: 0.0 }, Point { x: size, y: size }, Point { x: size, y: -size }]);
            bitmap.stamp(Ink::Issue, &stamp, x, y);
            bitmap.stamp(Ink::Issue, &stamp, x / 1e11, y);
            prop_assert_eq!(bitmap.pixels().count(), width * height);
        }
    }
}
