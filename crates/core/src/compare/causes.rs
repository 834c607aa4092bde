//! Inputs that differ between two runs, and whether the first of them can be what made the runs differ.

use crate::model::protocol::{Block, BlockKind};
use crate::tape::Tape;

use super::span;

/// Differing inputs that are kept; more are only counted.
const KEPT: usize = 10_000;

/// A record on either side, by its byte; `None` when that side has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) left: Option<u32>,
    pub(super) right: Option<u32>,
}

/// A place in the alignment, in the order in which the program got there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    block: usize,
    offset: u32,
    /// The number of the record among the position's own.
    record: usize,
}

/// What differs, and in which order.
#[derive(Debug, Default)]
pub(super) struct Causes {
    /// The differing inputs, by their numbers on either side.
    pub(super) inputs: Vec<Pair>,
    pub(super) inputs_total: u32,
    /// The first differing record of a pair of positions.
    pub(super) first_record: Option<Pair>,
    first_input: Option<Place>,
    /// The first assignment or line that differs.
    first_other: Option<Place>,
}

/// Finds what differs.
pub(super) fn find(left: &Tape, right: &Tape, blocks: &[Block]) -> Causes {
    let mut causes = Causes::default();
    for (number, block) in blocks.iter().enumerate() {
        match block.kind {
            BlockKind::Same => {}
            BlockKind::Values => {
                for offset in 0..block.left_len {
                    let (a, b) = (block.left + offset, block.right + offset);
                    causes.position(left, a, right, b, Place { block: number, offset, record: 0 });
                }
            }
            BlockKind::Lines | BlockKind::Unaligned => {
                let place = Place { block: number, offset: 0, record: 0 };
                causes.first_other.get_or_insert(place);
                let a = numbers_in(left, block.left, block.left_len);
                let b = numbers_in(right, block.right, block.right_len);
                if !(a.is_empty() && b.is_empty()) {
                    // Within such a stretch the lines differ first.
                    causes.first_input.get_or_insert(Place { record: 1, ..place });
                }
                for i in a {
                    causes.add(Pair { left: Some(i), right: None });
                }
                for i in b {
                    causes.add(Pair { left: None, right: Some(i) });
                }
            }
        }
    }
    causes
}

/// The numbers of the inputs that belong to some positions.
fn numbers_in(tape: &Tape, first: u32, len: u32) -> core::ops::Range<u32> {
    let positions = &tape.ix.input_positions;
    let start = positions.partition_point(|pos| *pos < first) as u32;
    let end = positions.partition_point(|pos| *pos < first.saturating_add(len)) as u32;
    start..end
}

/// The number of the input whose record starts at a byte.
fn number_of(tape: &Tape, byte: u32) -> Option<u32> {
    tape.ix.input_offsets.binary_search(&byte).ok().map(|i| i as u32)
}

impl Causes {
    /// Whether the first differing input comes before everything else that differs.
    pub(super) fn input_is_first(&self) -> bool {
        self.first_input.is_some_and(|input| self.first_other.is_none_or(|other| input < other))
    }

    fn add(&mut self, pair: Pair) {
        self.inputs_total += 1;
        if self.inputs.len() < KEPT {
            self.inputs.push(pair);
        }
    }

    /// Looks at a pair of positions whose records differ: inputs are compared with inputs, assignments with assignments.
    fn position(&mut self, left: &Tape, a: u32, right: &Tape, b: u32, place: Place) {
        let is_first = self.first_input.is_none() && self.first_other.is_none();
        let mut earliest: Option<(usize, Pair)> = None;
        for kind in [b'N', b'A'] {
            let of_kind = |tape: &Tape, pos: u32| -> Vec<(usize, u32)> {
                let (start, end) = span(tape, pos);
                let records = tape.events_in(start, end).enumerate();
                records.filter(|(_, byte)| tape.bytes.get(*byte as usize) == Some(&kind)).collect()
            };
            let (mine, yours) = (of_kind(left, a), of_kind(right, b));
            for i in 0..mine.len().max(yours.len()) {
                let (mine, yours) = (mine.get(i), yours.get(i));
                let is_same = match (mine, yours) {
                    (Some(mine), Some(yours)) => left.record_at(mine.1) == right.record_at(yours.1),
                    _ => false,
                };
                if is_same {
                    continue;
                }
                let record = mine.or(yours).map_or(0, |record| record.0);
                let pair = Pair { left: mine.map(|record| record.1), right: yours.map(|record| record.1) };
                if earliest.is_none_or(|(seen, _)| record < seen) {
                    earliest = Some((record, pair));
                }
                let here = Place { record, ..place };
                if kind == b'A' {
                    self.first_other.get_or_insert(here);
                    continue;
                }
                self.first_input.get_or_insert(here);
                self.add(Pair {
                    left: pair.left.and_then(|byte| number_of(left, byte)),
                    right: pair.right.and_then(|byte| number_of(right, byte)),
                });
            }
        }
        if is_first {
            self.first_record = earliest.map(|(_, pair)| pair);
        }
    }
}
