//! Interning of names that stand in the tape: a number for each distinct byte string, with no copy of its bytes.

/// Where a name first stands in the tape.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NameRange {
    start: u32,
    len: u32,
}

impl NameRange {
    pub(crate) fn of(self, tape: &[u8]) -> &[u8] {
        tape.get(self.start as usize..(self.start + self.len) as usize).unwrap_or_default()
    }
}

/// Distinct names of one kind, numbered in order of first appearance.
#[derive(Debug, Default)]
pub(crate) struct Interner {
    names: Vec<NameRange>,
    /// Open addressing with linear probing: a name's number plus one, 0 for a free slot. A power of two, at most half full.
    slots: Vec<u32>,
}

impl Interner {
    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    pub(crate) fn get(&self, id: u32) -> Option<NameRange> {
        self.names.get(id as usize).copied()
    }

    pub(crate) fn bytes<'a>(&self, tape: &'a [u8], id: u32) -> &'a [u8] {
        self.get(id).map(|name| name.of(tape)).unwrap_or_default()
    }

    /// The number of the name at `start..start + len` of the tape, a new one if it was not seen before.
    pub(crate) fn intern(&mut self, tape: &[u8], start: usize, len: usize) -> u32 {
        if (self.names.len() + 1) * 2 > self.slots.len() {
            self.grow(tape);
        }
        let name = tape.get(start..start + len).unwrap_or_default();
        let mask = self.slots.len().wrapping_sub(1);
        let mut at = hash_bytes(name) as usize & mask;
        loop {
            let Some(slot) = self.slots.get_mut(at) else { return 0 };
            if *slot == 0 {
                let id = self.names.len() as u32;
                *slot = id + 1;
                self.names.push(NameRange { start: start as u32, len: len as u32 });
                return id;
            }
            let id = *slot - 1;
            if self.names.get(id as usize).is_some_and(|seen| seen.len as usize == len && seen.of(tape) == name) {
                return id;
            }
            at = (at + 1) & mask;
        }
    }

    /// The number of a name, when the tape has it.
    pub(crate) fn find(&self, tape: &[u8], name: &[u8]) -> Option<u32> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut at = hash_bytes(name) as usize & mask;
        loop {
            let id = self.slots.get(at)?.checked_sub(1)?;
            if self.bytes(tape, id) == name {
                return Some(id);
            }
            at = (at + 1) & mask;
        }
    }

    fn grow(&mut self, tape: &[u8]) {
        let size = (self.slots.len() * 2).max(64);
        let mut slots = vec![0_u32; size];
        for (id, name) in self.names.iter().enumerate() {
            let mut at = hash_bytes(name.of(tape)) as usize & (size - 1);
            while slots.get(at).is_some_and(|slot| *slot != 0) {
                at = (at + 1) & (size - 1);
            }
            if let Some(slot) = slots.get_mut(at) {
                *slot = id as u32 + 1;
            }
        }
        self.slots = slots;
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.names.capacity() * size_of::<NameRange>() + self.slots.capacity() * 4
    }

    pub(crate) fn shrink(&mut self) {
        self.names.shrink_to_fit();
    }
}

const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

/// A quick hash: names are short, and a recording that provokes collisions slows down only its own opening.
fn hash_bytes(bytes: &[u8]) -> u32 {
    let mut hash = bytes.len() as u64;
    let (chunks, rest) = bytes.as_chunks::<8>();
    for chunk in chunks {
        hash = mix(hash ^ u64::from_le_bytes(*chunk));
    }
    let mut last = 0_u64;
    for &byte in rest {
        last = last << 8 | u64::from(byte);
    }
    (mix(hash ^ last) >> 32) as u32
}

/// Hashes a pair of numbers.
pub(crate) fn hash_pair(a: u32, b: u32) -> u32 {
    (mix(u64::from(a) << 32 | u64::from(b)) >> 32) as u32
}

fn mix(value: u64) -> u64 {
    let value = value.wrapping_mul(MULTIPLIER);
    (value ^ value >> 29).wrapping_mul(MULTIPLIER)
}
