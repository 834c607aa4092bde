//! Movements by frames and labels.
//!
//! Frames are what `S` records show: a call that assigns nothing is not on the tape, and is stepped into and over alike.

use crate::model::protocol::StreamId;
use crate::model::{ByteOffset, Pos};

use super::build::ZERO_SCOPE;
use super::index::Tape;

impl Tape {
    /// The nearest position on one side whose frame's depth is at most this one's plus `more`.
    pub(crate) fn leave_frames(&self, from: Pos, back: bool, more: i32) -> Option<u32> {
        let depth_of = |frame: u32| self.ix.frames.get((frame & !ZERO_SCOPE) as usize).map_or(0, |frame| frame.depth);
        let most = depth_of(self.scope_at(from)).saturating_add(more);
        let starts = &self.ix.scope_starts;
        // From change to change: in between the scope stays. Change `i` (counted from 1; 0 is scope 0 before any) holds from its
        // position up to the one before the next change's.
        let frame_after = |i: usize| i.checked_sub(1).and_then(|i| self.ix.scope_frames.get(i)).copied().unwrap_or(0);
        let first_of = |i: usize| match i.checked_sub(1).and_then(|i| starts.get(i)) {
            Some(start) => self.pos_of(ByteOffset(*start)).0,
            None => 0,
        };
        if back {
            let mut pos = from.0.checked_sub(1)?;
            let end = self.end_of(Pos(pos));
            let mut change = starts.partition_point(|start| *start < end);
            loop {
                let first = first_of(change);
                if depth_of(frame_after(change)) <= most && first <= pos {
                    return Some(pos);
                }
                // An earlier change holds up to the position before this one's.
                pos = pos.min(first.checked_sub(1)?);
                change = change.checked_sub(1)?;
            }
        }
        let mut pos = from.0 + 1;
        if pos >= self.positions() {
            return None;
        }
        let end = self.end_of(Pos(pos));
        let mut change = starts.partition_point(|start| *start < end);
        loop {
            let next = if change < starts.len() { first_of(change + 1) } else { self.positions() };
            if depth_of(frame_after(change)) <= most && next > pos {
                return Some(pos);
            }
            if change >= starts.len() {
                return None;
            }
            change += 1;
            pos = pos.max(next);
        }
    }

    /// The nearest assignment on one side after which a binding's label is another than before it.
    pub(crate) fn label_change(&self, stream: StreamId, from: Pos, back: bool) -> Option<u32> {
        let run = self.run(stream.0);
        let pos_of = |i: usize| self.ix.assigns.get(run.start + i).map_or(0, |byte| self.pos_of(ByteOffset(*byte)).0);
        let is_change = |i: &usize| self.label_after(stream.0, i + 1) != self.label_after(stream.0, *i);
        let here = self.ix.line_offsets.get(from.0 as usize).copied().unwrap_or(0);
        let here = if from.0 == 0 { 0 } else { here };
        if back {
            let before = self.assigns_before(stream.0, here);
            return (0..before).rev().find(is_change).map(pos_of);
        }
        let after = self.assigns_before(stream.0, self.end_of(from));
        (after..run.len()).find(is_change).map(pos_of)
    }
}
