//! Aligning two sequences in linear space: equal ends, unique anchors, small tables, and Myers' algorithm with a bound.
//!
//! Each element has two keys: its shape (line and frame), by which alone elements may be paired, and its content (what happened
//! there too), which finds anchors and settles ties. Invariant: pairs are in order on both sides, and both of a pair have one
//! shape. Where more than [`Bounds::edits`] edits would be needed, nothing is paired, and that is said.

use core::ops::{ControlFlow, Range};

use crate::bytes::Watch;

/// How much work an alignment may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// A part of at most so many cells (length by length) is solved exactly, by a table.
    pub cells: usize,
    /// Neighbouring elements that make an anchor together: so many that chance makes none.
    pub gram: usize,
    /// Edits of one part that has no anchors, at the most.
    pub edits: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        // A table of 2^18 cells is a megabyte; 16,384 edits take about a fifth of a second.
        Self { cells: 1 << 18, gram: 8, edits: 1 << 14 }
    }
}

/// A sequence by its two keys.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sequence<'a> {
    pub(super) shapes: &'a [u64],
    pub(super) contents: &'a [u64],
}

impl Sequence<'_> {
    fn shape(&self, i: usize) -> u64 {
        self.shapes.get(i).copied().unwrap_or(0)
    }

    fn content(&self, i: usize) -> u64 {
        self.contents.get(i).copied().unwrap_or(0)
    }
}

/// `len` neighbouring pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) left: usize,
    pub(super) right: usize,
    pub(super) len: usize,
}

/// A part of both sequences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) left: Range<usize>,
    pub(super) right: Range<usize>,
}

/// The pairs, and the parts that were too different.
#[derive(Debug, Default)]
pub(super) struct Alignment {
    pub(super) runs: Vec<Run>,
    pub(super) unaligned: Vec<Part>,
}

impl Alignment {
    fn pair(&mut self, left: usize, right: usize, len: usize) {
        if len == 0 {
            return;
        }
        match self.runs.last_mut() {
            Some(run) if run.left + run.len == left && run.right + run.len == right => run.len += len,
            _ => self.runs.push(Run { left, right, len }),
        }
    }
}

/// Aligns two sequences; `None` when the watcher cancels.
pub(super) fn align(left: Sequence, right: Sequence, bounds: Bounds, watch: &mut dyn Watch) -> Option<Alignment> {
    let mut aligner = Aligner { left, right, bounds, watch, is_cancelled: false, out: Alignment::default() };
    aligner.solve(Part { left: 0..left.shapes.len(), right: 0..right.shapes.len() }, 0);
    (!aligner.is_cancelled).then_some(aligner.out)
}

/// How often parts between anchors look for anchors of their own.
const MAX_DEPTH: usize = 3;

struct Aligner<'a> {
    left: Sequence<'a>,
    right: Sequence<'a>,
    bounds: Bounds,
    watch: &'a mut dyn Watch,
    is_cancelled: bool,
    out: Alignment,
}

impl Aligner<'_> {
    fn is_same(&self, left: usize, right: usize) -> bool {
        self.left.content(left) == self.right.content(right) && self.left.shape(left) == self.right.shape(right)
    }

    /// Parts come in order, so that the pairs do.
    fn solve(&mut self, part: Part, depth: usize) {
        let total = self.left.shapes.len() as u64;
        if self.is_cancelled || self.watch.advance(part.left.start as u64, total) == ControlFlow::Break(()) {
            self.is_cancelled = true;
            return;
        }
        let (mut left, mut right) = (part.left, part.right);
        let lead = left.clone().zip(right.clone()).take_while(|(i, j)| self.is_same(*i, *j)).count();
        self.out.pair(left.start, right.start, lead);
        left.start += lead;
        right.start += lead;
        let tail = left.clone().rev().zip(right.clone().rev()).take_while(|(i, j)| self.is_same(*i, *j)).count();
        left.end -= tail;
        right.end -= tail;
        if !left.is_empty() && !right.is_empty() {
            let part = Part { left: left.clone(), right: right.clone() };
            if left.len().saturating_mul(right.len()) <= self.bounds.cells {
                self.table(&part);
            } else if depth >= MAX_DEPTH || !self.by_anchors(&part, depth) {
                let budget = self.bounds.edits;
                self.myers(part, budget);
            }
        }
        self.out.pair(left.end, right.end, tail);
    }

    /// Cuts a part at its anchors and solves what lies between; false when it has none.
    fn by_anchors(&mut self, part: &Part, depth: usize) -> bool {
        let grams = |sequence: &Sequence, range: &Range<usize>| {
            let contents = sequence.contents.get(range.clone()).unwrap_or_default();
            unique_grams(contents, range.start, self.bounds.gram)
        };
        let (left, right) = (grams(&self.left, &part.left), grams(&self.right, &part.right));
        let anchors = increasing(&common(&left, &right));
        drop((left, right));
        if anchors.is_empty() {
            return false;
        }
        let (mut i, mut j) = (part.left.start, part.right.start);
        for (left, right) in anchors {
            if left < i || right < j || !self.is_same(left, right) {
                continue;
            }
            self.solve(Part { left: i..left, right: j..right }, depth + 1);
            let run = (left..part.left.end).zip(right..part.right.end);
            let len = run.take_while(|(i, j)| self.is_same(*i, *j)).count();
            self.out.pair(left, right, len);
            (i, j) = (left + len, right + len);
        }
        self.solve(Part { left: i..part.left.end, right: j..part.right.end }, depth + 1);
        true
    }

    /// The most pairs of one shape, and among those alignments the one with the most pairs of one content.
    fn table(&mut self, part: &Part) {
        let (n, m) = (part.left.len(), part.right.len());
        let pair = n.min(m) as u64 + 1;
        let width = m + 1;
        let mut scores: Vec<u64> = vec![0; (n + 1) * width];
        let gain = |aligner: &Self, i: usize, j: usize| {
            let (left, right) = (part.left.start + i, part.right.start + j);
            if aligner.left.shape(left) != aligner.right.shape(right) {
                return None;
            }
            Some(pair + u64::from(aligner.left.content(left) == aligner.right.content(right)))
        };
        let at = |scores: &[u64], i: usize, j: usize| scores.get(i * width + j).copied().unwrap_or(0);
        for i in (0..n).rev() {
            for j in (0..m).rev() {
                let mut best = at(&scores, i + 1, j).max(at(&scores, i, j + 1));
                if let Some(gain) = gain(self, i, j) {
                    best = best.max(gain + at(&scores, i + 1, j + 1));
                }
                if let Some(cell) = scores.get_mut(i * width + j) {
                    *cell = best;
                }
            }
        }
        let (mut i, mut j) = (0, 0);
        while i < n && j < m {
            let best = at(&scores, i, j);
            if gain(self, i, j).is_some_and(|gain| gain + at(&scores, i + 1, j + 1) == best) {
                self.out.pair(part.left.start + i, part.right.start + j, 1);
                (i, j) = (i + 1, j + 1);
            } else if at(&scores, i + 1, j) == best {
                i += 1;
            } else {
                j += 1;
            }
        }
    }

    /// Myers' divide and conquer over shapes alone. Recursion halves the edits: it is no deeper than their logarithm.
    fn myers(&mut self, part: Part, budget: usize) {
        let Part { mut left, mut right } = part;
        if self.is_cancelled {
            return;
        }
        let is_one = |aligner: &Self, i: usize, j: usize| aligner.left.shape(i) == aligner.right.shape(j);
        let lead = left.clone().zip(right.clone()).take_while(|(i, j)| is_one(self, *i, *j)).count();
        self.out.pair(left.start, right.start, lead);
        left.start += lead;
        right.start += lead;
        let tail = left.clone().rev().zip(right.clone().rev()).take_while(|(i, j)| is_one(self, *i, *j)).count();
        left.end -= tail;
        right.end -= tail;
        if !left.is_empty() && !right.is_empty() {
            let part = Part { left: left.clone(), right: right.clone() };
            match self.middle(&part, budget) {
                Some((x, y, edits)) if (x, y) != (left.start, right.start) && (x, y) != (left.end, right.end) => {
                    let half = edits.div_ceil(2) + 1;
                    self.myers(Part { left: left.start..x, right: right.start..y }, half);
                    self.myers(Part { left: x..left.end, right: y..right.end }, half);
                }
                _ => self.out.unaligned.push(part),
            }
        }
        self.out.pair(left.end, right.end, tail);
    }

    /// A place on a shortest path, where the search from both ends meets, and the length of the path in edits; `None` when
    /// that is more than `budget`.
    fn middle(&mut self, part: &Part, budget: usize) -> Option<(usize, usize, usize)> {
        let left = self.left.shapes.get(part.left.clone())?;
        let right = self.right.shapes.get(part.right.clone())?;
        let (n, m) = (left.len() as isize, right.len() as isize);
        let delta = n - m;
        let is_odd = delta & 1 != 0;
        let most = (left.len() + right.len()).min(budget).div_ceil(2) as isize + 1;
        let size = 2 * most as usize + 3;
        // Furthest places by diagonal, from the start and from the end.
        let (mut forward, mut backward) = (vec![0_isize; size], vec![0_isize; size]);
        let slot = |k: isize| (k + most + 1) as usize;
        let get = |places: &[isize], k: isize| places.get(slot(k)).copied().unwrap_or(0);
        for d in 0..=most {
            if d % 64 == 0
                && self.watch.advance(part.left.start as u64, self.left.shapes.len() as u64) == ControlFlow::Break(())
            {
                self.is_cancelled = true;
                return None;
            }
            // Diagonals that leave the rectangle are not followed.
            let (low, high) = (-(d - 2 * (d - m).max(0)), d - 2 * (d - n).max(0));
            let mut k = low;
            while k <= high {
                let down = k == -d || (k != d && get(&forward, k - 1) < get(&forward, k + 1));
                let mut x = if down { get(&forward, k + 1) } else { get(&forward, k - 1) + 1 };
                let (x0, y0) = (x, x - k);
                x += equal_run(left, right, x, x - k);
                if let Some(place) = forward.get_mut(slot(k)) {
                    *place = x;
                }
                if is_odd
                    && (k - delta).abs() < d
                    && x + get(&backward, delta - k) >= n
                    && y0 >= 0
                    && x0 <= n
                    && y0 <= m
                {
                    return Some((part.left.start + x0 as usize, part.right.start + y0 as usize, 2 * d as usize - 1));
                }
                k += 2;
            }
            let mut k = low;
            while k <= high {
                let down = k == -d || (k != d && get(&backward, k - 1) < get(&backward, k + 1));
                let mut x = if down { get(&backward, k + 1) } else { get(&backward, k - 1) + 1 };
                x += equal_run_back(left, right, x, x - k);
                if let Some(place) = backward.get_mut(slot(k)) {
                    *place = x;
                }
                let y = x - k;
                if !is_odd
                    && (k - delta).abs() <= d
                    && x + get(&forward, delta - k) >= n
                    && (0..=n).contains(&x)
                    && (0..=m).contains(&y)
                {
                    let (x, y) = ((n - x) as usize, (m - y) as usize);
                    return Some((part.left.start + x, part.right.start + y, 2 * d as usize));
                }
                k += 2;
            }
        }
        None
    }
}

/// How many neighbours are equal from a place on.
fn equal_run(left: &[u64], right: &[u64], x: isize, y: isize) -> isize {
    let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else { return 0 };
    let (Some(left), Some(right)) = (left.get(x..), right.get(y..)) else { return 0 };
    left.iter().zip(right).take_while(|(a, b)| a == b).count() as isize
}

/// The same from the ends.
fn equal_run_back(left: &[u64], right: &[u64], x: isize, y: isize) -> isize {
    let (Ok(x), Ok(y)) = (usize::try_from(x), usize::try_from(y)) else { return 0 };
    let ends = (left.len().checked_sub(x), right.len().checked_sub(y));
    let (Some(left), Some(right)) = (ends.0.and_then(|end| left.get(..end)), ends.1.and_then(|end| right.get(..end)))
    else {
        return 0;
    };
    left.iter().rev().zip(right.iter().rev()).take_while(|(a, b)| a == b).count() as isize
}

/// The grams (`gram` neighbours, hashed) that occur once, sorted, and where each starts.
fn unique_grams(contents: &[u64], start: usize, gram: usize) -> Vec<(u64, u32)> {
    const BASE: u64 = 0x9e37_79b9_7f4a_7c15;
    let gram = gram.max(1);
    let out_weight = (0..gram).fold(1_u64, |weight, _| weight.wrapping_mul(BASE));
    let mut grams: Vec<(u64, u32)> = Vec::with_capacity(contents.len());
    let mut hash = 0_u64;
    for (i, content) in contents.iter().enumerate() {
        hash = hash.wrapping_mul(BASE).wrapping_add(*content);
        if i >= gram {
            let leaving = contents.get(i - gram).copied().unwrap_or(0);
            hash = hash.wrapping_sub(leaving.wrapping_mul(out_weight));
        }
        if i + 1 >= gram {
            grams.push((hash, (start + i + 1 - gram) as u32));
        }
    }
    grams.sort_unstable();
    let mut unique = 0;
    let mut i = 0;
    while let Some(&(hash, at)) = grams.get(i) {
        let run = grams.get(i..).unwrap_or_default().iter().take_while(|gram| gram.0 == hash).count();
        if run == 1 {
            if let Some(slot) = grams.get_mut(unique) {
                *slot = (hash, at);
            }
            unique += 1;
        }
        i += run;
    }
    grams.truncate(unique);
    grams
}

/// The places of what both have, by the left place.
fn common(left: &[(u64, u32)], right: &[(u64, u32)]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let (mut i, mut j) = (0, 0);
    while let (Some(a), Some(b)) = (left.get(i), right.get(j)) {
        match a.0.cmp(&b.0) {
            core::cmp::Ordering::Less => i += 1,
            core::cmp::Ordering::Greater => j += 1,
            core::cmp::Ordering::Equal => {
                pairs.push((a.1 as usize, b.1 as usize));
                (i, j) = (i + 1, j + 1);
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

/// The longest part of the pairs that goes forward on the right too.
fn increasing(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // For each length, the pair with the smallest end; for each pair, the one before it.
    let mut ends: Vec<u32> = Vec::new();
    let mut before: Vec<u32> = Vec::with_capacity(pairs.len());
    let right_of = |i: u32| pairs.get(i as usize).map_or(0, |pair| pair.1);
    for (i, pair) in pairs.iter().enumerate() {
        let len = ends.partition_point(|end| right_of(*end) < pair.1);
        before.push(len.checked_sub(1).and_then(|len| ends.get(len)).copied().unwrap_or(u32::MAX));
        match ends.get_mut(len) {
            Some(end) => *end = i as u32,
            None => ends.push(i as u32),
        }
    }
    let mut chosen = Vec::with_capacity(ends.len());
    let mut next = ends.last().copied();
    while let Some(i) = next {
        if let Some(pair) = pairs.get(i as usize) {
            chosen.push(*pair);
        }
        next = before.get(i as usize).copied().filter(|i| *i != u32::MAX);
    }
    chosen.reverse();
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::Unwatched;

    fn pairs(left: &[u64], right: &[u64], bounds: Bounds) -> usize {
        let sequence = |shapes| Sequence { shapes, contents: shapes };
        let found = align(sequence(left), sequence(right), bounds, &mut Unwatched).unwrap_or_default();
        let mut last = (0, 0);
        for run in &found.runs {
            assert!(run.left >= last.0 && run.right >= last.1, "in order");
            last = (run.left + run.len, run.right + run.len);
            for t in 0..run.len {
                assert_eq!(left.get(run.left + t), right.get(run.right + t), "of one shape");
            }
        }
        found.runs.iter().map(|run| run.len).sum()
    }

    /// Numbers below `below`, the same on every machine.
    fn numbers(seed: u64, len: usize, below: u64) -> Vec<u64> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        (0..len).map(|_| next()).collect()
    }

    #[test]
    fn the_table_and_myers_find_as_many_pairs() {
        for seed in 0..300 {
            let left = numbers(seed, (seed % 41) as usize, 4);
            let right = numbers(seed + 1000, (seed % 37) as usize, 4);
            let by_table = pairs(&left, &right, Bounds::default());
            let by_myers = pairs(&left, &right, Bounds { cells: 0, gram: 1_000_000, edits: 1 << 14 });
            assert_eq!(by_table, by_myers, "seed {seed}");
        }
    }

    #[test]
    fn what_is_too_different_is_not_paired() {
        let left = numbers(1, 3000, 1_000_000);
        let right = numbers(2, 3000, 1_000_000);
        let sequence = |shapes| Sequence { shapes, contents: shapes };
        let bounds = Bounds { cells: 0, gram: 8, edits: 100 };
        let found = align(sequence(&left), sequence(&right), bounds, &mut Unwatched).unwrap_or_default();
        assert_eq!(found.unaligned, [Part { left: 0..3000, right: 0..3000 }]);
    }
}
