//! The smallest and largest of any run of numbers, without looking at each: minima and maxima of blocks, of blocks of blocks, …
//!
//! Invariant: a query looks at no more than `2 * FANOUT` entries a level, and there are `log(len) / log(FANOUT)` levels.

use core::ops::Range;

/// How many entries of one level make one of the next. With 32 a pyramid takes half a byte beside each 8-byte number.
const FANOUT: usize = 32;

/// Minima and maxima over a list of numbers. Numbers that are not finite count as absent.
#[derive(Clone, Debug, Default)]
pub struct Pyramid {
    /// Level 0 is over blocks of [`FANOUT`] numbers, level 1 over blocks of level 0, …; the last has at most [`FANOUT`] entries.
    levels: Vec<Vec<Bounds>>,
}

/// Smallest and largest of a block; `EMPTY` when it has no finite number.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bounds {
    min: f64,
    max: f64,
}

impl Bounds {
    const EMPTY: Self = Self { min: f64::INFINITY, max: f64::NEG_INFINITY };

    fn with_number(self, number: f64) -> Self {
        if number.is_finite() { Self { min: self.min.min(number), max: self.max.max(number) } } else { self }
    }

    fn with_block(self, block: Self) -> Self {
        Self { min: self.min.min(block.min), max: self.max.max(block.max) }
    }
}

impl Pyramid {
    /// Builds the pyramid over `numbers`. The same numbers must be given to [`Pyramid::min_max`].
    pub fn new(numbers: &[f64]) -> Self {
        let mut levels = Vec::new();
        let mut level: Vec<Bounds> = numbers
            .chunks(FANOUT)
            .map(|chunk| chunk.iter().fold(Bounds::EMPTY, |bounds, &number| bounds.with_number(number)))
            .collect();
        while level.len() > FANOUT {
            let next = level
                .chunks(FANOUT)
                .map(|chunk| chunk.iter().fold(Bounds::EMPTY, |bounds, &block| bounds.with_block(block)))
                .collect();
            levels.push(core::mem::replace(&mut level, next));
        }
        levels.push(level);
        Self { levels }
    }

    /// The smallest and the largest finite number of `range`; `None` when it has none. A range past the end is cut.
    pub fn min_max(&self, numbers: &[f64], range: Range<usize>) -> Option<(f64, f64)> {
        let mut bounds = Bounds::EMPTY;
        // The ragged edges of the range are taken from this level, what lies between them from the next.
        let mut inner = take_edges(range.start..range.end.min(numbers.len()), |edge| {
            let edge = numbers.get(edge).unwrap_or_default();
            bounds = edge.iter().fold(bounds, |bounds, &number| bounds.with_number(number));
        });
        for (idx, level) in self.levels.iter().enumerate() {
            let Some(blocks) = inner else { break };
            let mut take = |edge: Range<usize>| {
                let edge = level.get(edge).unwrap_or_default();
                bounds = edge.iter().fold(bounds, |bounds, &block| bounds.with_block(block));
            };
            inner = if idx + 1 == self.levels.len() {
                // Nothing above: the top is short enough to be looked at whole.
                take(blocks);
                None
            } else {
                take_edges(blocks, take)
            };
        }
        (bounds.min <= bounds.max).then_some((bounds.min, bounds.max))
    }

    /// Bytes taken beside the numbers.
    pub fn bytes(&self) -> usize {
        self.levels.iter().map(|level| level.len() * size_of::<Bounds>()).sum()
    }
}

/// Gives the parts of `range` that fill no whole block to `take`; the range of whole blocks is returned, if there is any.
fn take_edges(range: Range<usize>, mut take: impl FnMut(Range<usize>)) -> Option<Range<usize>> {
    let blocks = range.start.div_ceil(FANOUT)..range.end / FANOUT;
    if blocks.is_empty() {
        take(range);
        return None;
    }
    take(range.start..blocks.start * FANOUT);
    take(blocks.end * FANOUT..range.end);
    Some(blocks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn naive(numbers: &[f64]) -> Option<(f64, f64)> {
        let finite = numbers.iter().copied().filter(|number| number.is_finite());
        finite.fold(None, |bounds, number| match bounds {
            None => Some((number, number)),
            Some((min, max)) => Some((f64::min(min, number), f64::max(max, number))),
        })
    }

    #[test]
    fn nothing_has_no_bounds() {
        assert_eq!(Pyramid::new(&[]).min_max(&[], 0..0), None);
        let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
        assert_eq!(Pyramid::new(&odd).min_max(&odd, 0..3), None);
        assert_eq!(Pyramid::new(&[1.0]).min_max(&[1.0], 5..9), None);
        #[allow(clippy::reversed_empty_ranges)]
        let reversed = 1..0;
        assert_eq!(Pyramid::new(&[1.0, 2.0]).min_max(&[1.0, 2.0], reversed), None);
    }

    #[test]
    fn it_takes_little_beside_the_numbers() {
        let numbers = vec![1.0; 100_000];
        assert!(Pyramid::new(&numbers).bytes() < 100_000 * 8 / 12);
    }

    proptest! {
        #[test]
        fn it_answers_as_a_scan_does(
            numbers in prop::collection::vec(
                prop_oneof![8 => -1e6_f64..1e6, 1 => Just(f64::NAN), 1 => Just(f64::INFINITY)],
                0..5000,
            ),
            ranges in prop::collection::vec((0.0_f64..1.0, 0.0_f64..1.1), 1..20),
        ) {
            let pyramid = Pyramid::new(&numbers);
            for (a, b) in ranges {
                let (a, b) = ((a * numbers.len() as f64) as usize, (b * numbers.len() as f64) as usize);
                let (first, last) = (a.min(b), a.max(b));
                let scan = naive(numbers.get(first..last.min(numbers.len())).unwrap_or_default());
                prop_assert_eq!(pyramid.min_max(&numbers, first..last), scan);
            }
            prop_assert_eq!(pyramid.min_max(&numbers, 0..numbers.len()), naive(&numbers));
        }
    }
}
