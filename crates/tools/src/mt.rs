//! The Mersenne Twister, MT19937, as Python's `random` and NumPy's `RandomState` seed it and draw from it.
//!
//! Invariant: the state is the 624 words and the position of `tapedeck_core::trace::rng_state`; nothing else is kept, so a state
//! that was restored goes on exactly where it stood.

use std::sync::Arc;

use num_bigint::BigUint;
use tapedeck_core::trace::rng_state::{MT_WORDS, MtState};

const SHIFT: usize = 397;
const UPPER: u32 = 0x8000_0000;
const LOWER: u32 = 0x7FFF_FFFF;
const MATRIX: u32 = 0x9908_B0DF;

/// `init_genrand(seed)`: how NumPy's `RandomState(seed)` starts.
pub fn seeded(seed: u32) -> MtState {
    MtState { words: genrand(seed).into(), position: MT_WORDS as i32 }
}

fn genrand(seed: u32) -> Vec<u32> {
    let mut words = Vec::with_capacity(MT_WORDS);
    let mut last = seed;
    words.push(last);
    for i in 1..MT_WORDS as u32 {
        last = 1_812_433_253_u32.wrapping_mul(last ^ (last >> 30)).wrapping_add(i);
        words.push(last);
    }
    words
}

/// `init_by_array(key)`; an empty key is taken as one zero.
pub fn seeded_by_array(key: &[u32]) -> MtState {
    let key = if key.is_empty() { &[0] } else { key };
    let mut words = genrand(19_650_218);
    let at = |words: &[u32], i: usize| words.get(i).copied().unwrap_or(0);
    let (mut i, mut j) = (1, 0);
    for round in 0..MT_WORDS.max(key.len()) + MT_WORDS - 1 {
        let first_part = round < MT_WORDS.max(key.len());
        let before = at(&words, i - 1);
        let mixed = before ^ (before >> 30);
        let value = if first_part {
            (at(&words, i) ^ mixed.wrapping_mul(1_664_525)).wrapping_add(at(key, j)).wrapping_add(j as u32)
        } else {
            (at(&words, i) ^ mixed.wrapping_mul(1_566_083_941)).wrapping_sub(i as u32)
        };
        if let Some(slot) = words.get_mut(i) {
            *slot = value;
        }
        i += 1;
        if i >= MT_WORDS {
            let last = at(&words, MT_WORDS - 1);
            if let Some(slot) = words.first_mut() {
                *slot = last;
            }
            i = 1;
        }
        j = (j + 1) % key.len();
    }
    if let Some(slot) = words.first_mut() {
        *slot = UPPER;
    }
    MtState { words: words.into(), position: MT_WORDS as i32 }
}

/// The state of `random.Random(n)` for an integer of the size |n|: its words, little end first, through `init_by_array`.
pub fn seeded_by_size(size: &BigUint) -> MtState {
    seeded_by_array(&size.to_u32_digits())
}

/// The next word of 32 bits.
///
/// The position must be one that [`is_sound`] accepts; any other reads as 624.
pub fn next_word(state: &mut MtState) -> u32 {
    let at = usize::try_from(state.position).unwrap_or(MT_WORDS);
    let at = if at >= MT_WORDS {
        regenerate(Arc::make_mut(&mut state.words));
        0
    } else {
        at
    };
    state.position = at as i32 + 1;
    let mut y = state.words.get(at).copied().unwrap_or(0);
    y ^= y >> 11;
    y ^= (y << 7) & 0x9D2C_5680;
    y ^= (y << 15) & 0xEFC6_0000;
    y ^ (y >> 18)
}

fn regenerate(words: &mut [u32]) {
    for i in 0..words.len() {
        let at = |i: usize| words.get(i % MT_WORDS).copied().unwrap_or(0);
        let y = (at(i) & UPPER) | (at(i + 1) & LOWER);
        let value = at(i + SHIFT) ^ (y >> 1) ^ if y & 1 == 1 { MATRIX } else { 0 };
        if let Some(slot) = words.get_mut(i) {
            *slot = value;
        }
    }
}

/// True when the position is one from which a word can be drawn. Python checks it; NumPy reads outside its words instead.
pub fn is_sound(state: &MtState) -> bool {
    (0..=MT_WORDS as i32).contains(&state.position)
}

/// A double of [0, 1) with 53 bits, from two words: `random()` and `random_sample()`.
pub fn next_double(state: &mut MtState) -> f64 {
    let (a, b) = (next_word(state) >> 5, next_word(state) >> 6);
    (f64::from(a) * 67_108_864.0 + f64::from(b)) / 9_007_199_254_740_992.0
}

/// Python's `getrandbits(k)` for up to 64 bits.
pub fn next_bits(state: &mut MtState, k: u32) -> u64 {
    match k {
        0 => 0,
        1..=32 => u64::from(next_word(state) >> (32 - k)),
        _ => {
            let low = u64::from(next_word(state));
            low | (u64::from(next_word(state) >> (64 - k.min(64))) << 32)
        }
    }
}

/// Python's `getrandbits(k)` for any number of bits.
pub fn next_big_bits(state: &mut MtState, k: u32) -> BigUint {
    let mut words = Vec::with_capacity(k.div_ceil(32) as usize);
    let mut wanted = k;
    while wanted > 0 {
        let take = wanted.min(32);
        words.push(next_word(state) >> (32 - take));
        wanted -= take;
    }
    BigUint::new(words)
}

/// Python's `_randbelow(n)` for n > 0, by rejection.
pub fn next_below(state: &mut MtState, n: u64) -> u64 {
    let bits = u64::BITS - n.leading_zeros();
    loop {
        let drawn = next_bits(state, bits);
        if drawn < n || n == 0 {
            return drawn;
        }
    }
}

/// NumPy's legacy `randint` within `0..=range`, by masked rejection.
pub fn next_masked(state: &mut MtState, range: u64) -> u64 {
    let wide = |state: &mut MtState| (u64::from(next_word(state)) << 32) | u64::from(next_word(state));
    match range {
        0 => 0,
        0xFFFF_FFFF => u64::from(next_word(state)),
        u64::MAX => wide(state),
        _ => {
            let mask = u64::MAX >> range.leading_zeros();
            loop {
                let word = if range < 0xFFFF_FFFF { u64::from(next_word(state)) } else { wide(state) };
                if word & mask <= range {
                    return word & mask;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reference_stream() {
        // The first outputs of mt19937ar.c: init_by_array of these four words.
        let mut state = seeded_by_array(&[0x123, 0x234, 0x345, 0x456]);
        let drawn: Vec<u32> = (0..5).map(|_| next_word(&mut state)).collect();
        assert_eq!(drawn, [1_067_595_299, 955_945_823, 477_289_528, 4_107_218_783, 4_228_976_476]);
        // And of init_genrand(5489), the ten thousandth.
        let mut state = seeded(5489);
        let last = (0..10_000).map(|_| next_word(&mut state)).last();
        assert_eq!(last, Some(4_123_659_995));
    }

    #[test]
    fn a_key_longer_than_the_state_is_used_whole() {
        let key: Vec<u32> = (0..700).collect();
        assert_ne!(seeded_by_array(&key), seeded_by_array(&key[..699]));
    }
}
