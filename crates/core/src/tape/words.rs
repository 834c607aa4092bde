//! Eight bytes of a tape at once, as one number: digits are found and read without a step for each.
//!
//! Invariant: byte 0 of a word is its lowest, so that "the first byte that is no digit" is the lowest set mark.

/// A word in which every byte is 1.
const ONES: u64 = 0x0101_0101_0101_0101;

/// The eight bytes from `at` on; `None` when fewer are left.
pub(crate) fn word(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|chunk| u64::from_le_bytes(*chunk))
}

/// How many of the word's bytes, from the first on, are digits.
pub(crate) fn leading_digits(word: u64) -> usize {
    // A digit becomes 0..=9, everything else more. What a byte of more than 0x89 carries over meets only bytes behind the first other.
    let value = word ^ (ONES * 0x30);
    let others = (value.wrapping_add(ONES * 0x76) | value) & (ONES * 0x80);
    others.trailing_zeros() as usize / 8
}

/// The number that the first `digits` (1 to 8) bytes of a word spell, which must be digits.
pub(crate) fn number_of(word: u64, digits: usize) -> u32 {
    // The digits move to the end; what moves in before them reads as zeros.
    let value = (word << (64 - 8 * digits)) & (ONES * 0x0f);
    // Neighbours are joined: to two digits, to four, to eight.
    let value = (value.wrapping_mul(10 << 8 | 1) >> 8) & 0x00ff_00ff_00ff_00ff;
    let value = (value.wrapping_mul(100 << 16 | 1) >> 16) & 0x0000_ffff_0000_ffff;
    (value.wrapping_mul(10_000 << 32 | 1) >> 32) as u32
}

/// The byte after the digits from `at` on; `None` when fewer than eight bytes follow the digits, and so nothing is said.
pub(crate) fn after_digits(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        let digits = leading_digits(word(bytes, at)?);
        at += digits;
        if digits < 8 {
            return Some(at);
        }
    }
}

/// A mask for the first `len` bytes of a word, at most all eight.
pub(crate) fn mask(len: usize) -> u64 {
    if len >= 8 { u64::MAX } else { (1 << (8 * len)) - 1 }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn digits_end_where_another_byte_stands() {
        let digits = |text: &[u8]| leading_digits(word(text, 0).unwrap());
        assert_eq!(digits(b"12345678"), 8);
        assert_eq!(digits(b"1234567\n"), 7);
        assert_eq!(digits(b"0:345678"), 1);
        assert_eq!(digits(b"0/345678"), 1);
        assert_eq!(digits(b"\xff2345678"), 0);
        assert_eq!(after_digits(b"12345678901234567890.5678901", 0), Some(20));
        assert_eq!(after_digits(b"12345678", 0), None);
        assert_eq!((word(b"1234567", 0), word(b"12345678", 9)), (None, None));
    }

    proptest! {
        #[test]
        fn a_word_agrees_with_its_bytes(bytes in any::<[u8; 8]>(), digits in "[0-9]{1,8}") {
            let expected = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
            prop_assert_eq!(leading_digits(u64::from_le_bytes(bytes)), expected);
            let mut start = bytes;
            start[..digits.len()].copy_from_slice(digits.as_bytes());
            prop_assert!(leading_digits(u64::from_le_bytes(start)) >= digits.len());
            prop_assert_eq!(number_of(u64::from_le_bytes(start), digits.len()), digits.parse::<u32>().unwrap());
            for (i, byte) in (u64::from_le_bytes(bytes) & mask(digits.len())).to_le_bytes().into_iter().enumerate() {
                prop_assert_eq!(byte, if i < digits.len() { bytes[i] } else { 0 });
            }
        }
    }
}
