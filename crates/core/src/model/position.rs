//! Positions and byte offsets as types of their own, so that one is never taken for the other.

use serde::{Deserialize, Serialize};

/// A position of a tape: the 0-based number of an `L` record. The page, links, command-line arguments and Ask show it 1-based.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Pos(pub u32);

impl Pos {
    /// The number as people see it, counted from 1.
    pub fn one_based(self) -> u64 {
        u64::from(self.0) + 1
    }

    /// The position that people call `number`, or `None` for 0.
    pub fn from_one_based(number: u64) -> Option<Self> {
        number.checked_sub(1).and_then(|pos| u32::try_from(pos).ok()).map(Self)
    }
}

/// A byte offset into the recording as it was opened (after unwrapping), counted from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ByteOffset(pub u32);

/// Which rows of a list that may have millions are wanted: `count` rows from row `first` on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowWindow {
    /// The first row wanted, counted from 0.
    pub first: u32,
    /// How many rows are wanted at the most.
    pub count: u32,
}

impl RowWindow {
    /// The window with at most `most` rows.
    pub fn limited(self, most: u32) -> Self {
        Self { first: self.first, count: self.count.min(most) }
    }

    /// The window as a range of indices that lies inside `0..total`.
    pub fn clamp(self, total: usize) -> core::ops::Range<usize> {
        let first = (self.first as usize).min(total);
        first..first.saturating_add(self.count as usize).min(total)
    }
}
