//! Two tapes compared: aligned by the sequence of their lines and frames, to the first divergence and every stretch that differs.
//!
//! Positions are paired when their lines, functions and depths agree; among the best such alignments the one with the most equal
//! values is taken. Invariant: a pair is called equal only after its records were compared byte by byte; serials of frames and
//! what is no record do not count.

mod align;
mod causes;
mod report;

use std::collections::HashMap;
use std::ops::ControlFlow;

use crate::bytes::Watch;
use crate::model::Pos;
use crate::model::protocol::Side;
pub use crate::model::protocol::{Block, BlockKind};
use crate::tape::Tape;
use crate::tape::build::ZERO_SCOPE;

use align::{Part, Sequence};

pub use align::Bounds;
pub use report::bindings;

/// Positions between two calls of the watcher.
const STRIDE: usize = 1 << 16;

/// Two tapes, aligned.
#[derive(Debug)]
pub struct Comparison {
    /// The stretches in order; together they cover both tapes.
    pub blocks: Vec<Block>,
    /// The bound that was kept.
    pub bounds: Bounds,
    causes: causes::Causes,
}

/// Compares two tapes; `None` when the watcher cancels.
pub fn compare(left: &Tape, right: &Tape, bounds: Bounds, watch: &mut dyn Watch) -> Option<Comparison> {
    let mut shapes = Shapes::default();
    let left_shapes = shapes.of(left, watch)?;
    let right_shapes = shapes.of(right, watch)?;
    let left_contents = contents(left, &left_shapes, watch)?;
    let right_contents = contents(right, &right_shapes, watch)?;
    let sequence = |shapes, contents| Sequence { shapes, contents };
    let alignment =
        align::align(sequence(&left_shapes, &left_contents), sequence(&right_shapes, &right_contents), bounds, watch)?;
    drop((left_shapes, right_shapes, left_contents, right_contents));
    let (mut i, mut j) = (0, 0);
    let mut blocks = Blocks { blocks: Vec::new(), unaligned: alignment.unaligned };
    for run in alignment.runs {
        blocks.between(i..run.left, j..run.right);
        for t in 0..run.len {
            if t.is_multiple_of(STRIDE)
                && watch.advance((run.left + t) as u64, u64::from(left.positions())) == ControlFlow::Break(())
            {
                return None;
            }
            let (a, b) = ((run.left + t) as u32, (run.right + t) as u32);
            let kind = if is_equal(left, a, right, b) { BlockKind::Same } else { BlockKind::Values };
            blocks.pair(kind, a, b);
        }
        (i, j) = (run.left + run.len, run.right + run.len);
    }
    blocks.between(i..left.positions() as usize, j..right.positions() as usize);
    let blocks = blocks.blocks;
    let causes = causes::find(left, right, &blocks);
    Some(Comparison { blocks, bounds, causes })
}

impl Comparison {
    /// The stretch in which a position of one side lies, and where on the other side the reader stands then: its partner when
    /// it has one (`true`), else the last position before.
    pub fn partner(&self, side: Side, pos: Pos) -> (Pos, bool) {
        let near = self.blocks.partition_point(|block| match side {
            Side::Left => block.left <= pos.0,
            Side::Right => block.right <= pos.0,
        });
        // Stretches that are empty on this side hold no position of it.
        let blocks = self.blocks.get(..near).unwrap_or_default();
        let block = blocks.iter().rev().find(|block| match side {
            Side::Left => block.left_len > 0,
            Side::Right => block.right_len > 0,
        });
        let Some(block) = block else { return (Pos(0), false) };
        let (own, other, other_len) = match side {
            Side::Left => (block.left, block.right, block.right_len),
            Side::Right => (block.right, block.left, block.left_len),
        };
        if matches!(block.kind, BlockKind::Same | BlockKind::Values) {
            (Pos(other + (pos.0 - own)), true)
        } else {
            (Pos((other + other_len.min(pos.0 - own + 1)).saturating_sub(1)), false)
        }
    }

    /// Whether both tapes tell of the same run: the same positions with the same values.
    pub fn is_identical(&self) -> bool {
        self.blocks.iter().all(|block| block.kind == BlockKind::Same)
    }
}

/// Collects stretches.
struct Blocks {
    blocks: Vec<Block>,
    unaligned: Vec<Part>,
}

impl Blocks {
    fn pair(&mut self, kind: BlockKind, left: u32, right: u32) {
        match self.blocks.last_mut() {
            Some(block) if block.kind == kind => {
                block.left_len += 1;
                block.right_len += 1;
            }
            _ => self.blocks.push(Block { kind, left, left_len: 1, right, right_len: 1 }),
        }
    }

    fn between(&mut self, left: core::ops::Range<usize>, right: core::ops::Range<usize>) {
        if left.is_empty() && right.is_empty() {
            return;
        }
        let is_unaligned = self.unaligned.iter().any(|part| {
            part.left.start >= left.start
                && part.left.end <= left.end
                && part.right.start >= right.start
                && part.right.end <= right.end
                && !part.left.is_empty()
        });
        self.blocks.push(Block {
            kind: if is_unaligned { BlockKind::Unaligned } else { BlockKind::Lines },
            left: left.start as u32,
            left_len: left.len() as u32,
            right: right.start as u32,
            right_len: right.len() as u32,
        });
    }
}

/// Numbers for functions and for (function, depth), the same for both tapes.
#[derive(Default)]
struct Shapes {
    functions: HashMap<Vec<u8>, u32>,
    frames: HashMap<(u32, i32), u32>,
}

impl Shapes {
    /// The shape of each position: its line, and the function and depth of its frame.
    fn of(&mut self, tape: &Tape, watch: &mut dyn Watch) -> Option<Vec<u64>> {
        let ix = &tape.ix;
        let functions: Vec<u32> = (0..ix.functions.len() as u32)
            .map(|id| {
                let next = self.functions.len() as u32;
                *self.functions.entry(ix.functions.bytes(&tape.bytes, id).to_vec()).or_insert(next)
            })
            .collect();
        let mut shapes = Vec::with_capacity(ix.lines.len());
        let mut change = 0;
        let mut frame_id = u32::MAX;
        for (pos, line) in ix.lines.iter().enumerate() {
            if pos.is_multiple_of(STRIDE) && watch.advance(pos as u64, ix.lines.len() as u64) == ControlFlow::Break(())
            {
                return None;
            }
            let end = tape.end_of(Pos(pos as u32));
            let before = change;
            while ix.scope_starts.get(change).is_some_and(|start| *start < end) {
                change += 1;
            }
            if change != before || pos == 0 {
                let scope =
                    change.checked_sub(1).and_then(|i| ix.scope_frames.get(i)).map_or(0, |frame| frame & !ZERO_SCOPE);
                let frame = ix.frames.get(scope as usize);
                let function = frame.and_then(|frame| functions.get(frame.function as usize)).copied();
                let key = (function.unwrap_or(u32::MAX), frame.map_or(0, |frame| frame.depth));
                let next = self.frames.len() as u32;
                frame_id = *self.frames.entry(key).or_insert(next);
            }
            shapes.push(u64::from(line.cast_unsigned()) << 32 | u64::from(frame_id));
        }
        Some(shapes)
    }
}

/// A hash of each position's shape and of its events' bytes.
fn contents(tape: &Tape, shapes: &[u64], watch: &mut dyn Watch) -> Option<Vec<u64>> {
    let mut contents = Vec::with_capacity(shapes.len());
    for (pos, shape) in shapes.iter().enumerate() {
        if pos.is_multiple_of(STRIDE) && watch.advance(pos as u64, shapes.len() as u64) == ControlFlow::Break(()) {
            return None;
        }
        let (start, end) = span(tape, pos as u32);
        let mut hash = mix(*shape);
        for byte in tape.events_in(start, end) {
            hash = hash_bytes(hash, tape.record_at(byte));
        }
        contents.push(hash);
    }
    Some(contents)
}

/// The bytes that belong to a position: what stands before the first `L` belongs to position 0.
fn span(tape: &Tape, pos: u32) -> (u32, u32) {
    let start = if pos == 0 { 0 } else { tape.ix.line_offsets.get(pos as usize).copied().unwrap_or(0) };
    (start, tape.end_of(Pos(pos)))
}

/// Whether the events of two positions are the same bytes.
fn is_equal(left: &Tape, a: u32, right: &Tape, b: u32) -> bool {
    let ((start_a, end_a), (start_b, end_b)) = (span(left, a), span(right, b));
    if end_a - start_a == end_b - start_b
        && left.bytes.get(start_a as usize..end_a as usize) == right.bytes.get(start_b as usize..end_b as usize)
    {
        return true;
    }
    let mut events_a = left.events_in(start_a, end_a).map(|byte| left.record_at(byte));
    let mut events_b = right.events_in(start_b, end_b).map(|byte| right.record_at(byte));
    loop {
        match (events_a.next(), events_b.next()) {
            (None, None) => return true,
            (Some(a), Some(b)) if a == b => {}
            _ => return false,
        }
    }
}

fn mix(value: u64) -> u64 {
    let value = (value ^ value >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (value ^ value >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

fn hash_bytes(seed: u64, bytes: &[u8]) -> u64 {
    let mut hash = mix(seed ^ bytes.len() as u64);
    let (chunks, rest) = bytes.as_chunks::<8>();
    for chunk in chunks {
        hash = mix(hash ^ u64::from_le_bytes(*chunk));
    }
    let mut last = 0_u64;
    for &byte in rest {
        last = last << 8 | u64::from(byte);
    }
    mix(hash ^ last)
}
