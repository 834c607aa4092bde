//! Numbers as C's `atoi`, `strtol`, `strtoul` and `strtod` read them, which is how the real readers read a tape.
//!
//! Invariant: `strtod` gives the nearest double, ties to even, for decimal and hexadecimal forms alike.

/// White space of C's `isspace` in the C locale.
pub(crate) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | 0x0b | 0x0c | b'\r')
}

fn skip_space(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|&&byte| is_space(byte)).count()
}

/// `strtol` base 10: the value (saturating) and how many bytes were read; 0 bytes when there is no integer.
pub(crate) fn strtol(bytes: &[u8]) -> (i64, usize) {
    let mut at = skip_space(bytes);
    let negative = match bytes.get(at) {
        Some(b'-') => true,
        Some(b'+') => false,
        _ => {
            return digits_from(bytes, at, false).unwrap_or((0, 0));
        }
    };
    at += 1;
    digits_from(bytes, at, negative).unwrap_or((0, 0))
}

fn digits_from(bytes: &[u8], start: usize, negative: bool) -> Option<(i64, usize)> {
    let mut at = start;
    let mut value: i64 = 0;
    while let Some(digit) = bytes.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
        let digit = i64::from(digit);
        value = value.saturating_mul(10);
        value = if negative { value.saturating_sub(digit) } else { value.saturating_add(digit) };
        at += 1;
    }
    (at > start).then_some((value, at))
}

/// `atoi` as glibc has it: `strtol`, cut to 32 bits. No digits give 0.
pub(crate) fn atoi(bytes: &[u8]) -> i32 {
    strtol(bytes).0 as i32
}

/// `strtoul` base 10, wrapped to 32 bits. No digits give 0.
pub(crate) fn strtoul32(bytes: &[u8]) -> u32 {
    let mut at = skip_space(bytes);
    let negative = bytes.get(at) == Some(&b'-');
    if negative || bytes.get(at) == Some(&b'+') {
        at += 1;
    }
    let mut value: Option<u64> = Some(0);
    while let Some(digit) = bytes.get(at).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
        value = value.and_then(|value| value.checked_mul(10)).and_then(|value| value.checked_add(u64::from(digit)));
        at += 1;
    }
    // Out of range is ULONG_MAX whatever the sign.
    let value = value.map_or(u64::MAX, |value| if negative { value.wrapping_neg() } else { value });
    value as u32
}

/// Whether `strtod` reads the whole of `bytes` (and `bytes` is not empty): what makes an `A` value numeric.
pub(crate) fn is_number(bytes: &[u8]) -> bool {
    // The recorder writes `%.17g`: this loop settles nearly every value without a conversion.
    let unsigned = bytes.strip_prefix(b"-").unwrap_or(bytes);
    let whole = unsigned.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if whole > 0 {
        let Some(rest) = unsigned.get(whole..) else { return false };
        match rest {
            [] => return true,
            [b'.', fraction @ ..] if fraction.iter().all(u8::is_ascii_digit) => return true,
            _ => {}
        }
    } else if matches!(bytes.first(), None | Some(b'"' | b'<' | b'[' | b'{')) {
        return false;
    }
    strtod(bytes).is_some_and(|(_, read)| read == bytes.len())
}

/// The double that `strtod` reads from the start of `bytes`, and how many bytes it read; `None` when it reads none.
pub(crate) fn strtod(bytes: &[u8]) -> Option<(f64, usize)> {
    let start = skip_space(bytes);
    let mut at = start;
    let negative = bytes.get(at) == Some(&b'-');
    if negative || bytes.get(at) == Some(&b'+') {
        at += 1;
    }
    let sign = |value: f64| if negative { -value } else { value };
    let rest = bytes.get(at..)?;
    if starts_with_ignoring_case(rest, b"infinity") {
        return Some((sign(f64::INFINITY), at + 8));
    }
    if starts_with_ignoring_case(rest, b"inf") {
        return Some((sign(f64::INFINITY), at + 3));
    }
    if starts_with_ignoring_case(rest, b"nan") {
        let tail = rest.get(3..).unwrap_or_default();
        let inside = tail.iter().skip(1).take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        let has_tag = tail.first() == Some(&b'(') && tail.get(inside + 1) == Some(&b')');
        return Some((sign(f64::NAN), at + 3 + if has_tag { inside + 2 } else { 0 }));
    }
    if let [b'0', b'x' | b'X', hex @ ..] = rest
        && let Some((value, read)) = hex_float(hex)
    {
        return Some((sign(value), at + 2 + read));
    }
    let whole = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut len = whole;
    let mut digits = whole;
    if rest.get(len) == Some(&b'.') {
        let fraction = rest.iter().skip(len + 1).take_while(|byte| byte.is_ascii_digit()).count();
        digits += fraction;
        if digits > 0 {
            len += 1 + fraction;
        }
    }
    if digits == 0 {
        return None;
    }
    if matches!(rest.get(len), Some(b'e' | b'E')) {
        let signed = usize::from(matches!(rest.get(len + 1), Some(b'+' | b'-')));
        let exponent = rest.iter().skip(len + 1 + signed).take_while(|byte| byte.is_ascii_digit()).count();
        if exponent > 0 {
            len += 1 + signed + exponent;
        }
    }
    let text = core::str::from_utf8(rest.get(..len)?).ok()?;
    let value: f64 = text.parse().ok()?;
    Some((sign(value), at + len))
}

fn starts_with_ignoring_case(bytes: &[u8], word: &[u8]) -> bool {
    bytes.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
}

/// What follows `0x`: hex digits with an optional point, and an optional binary exponent.
fn hex_float(bytes: &[u8]) -> Option<(f64, usize)> {
    let mut mantissa: u64 = 0; // the first 60 bits that matter
    let mut sticky = false;
    let mut exponent: i64 = 0; // of two
    let mut digits = 0_usize;
    let mut seen_point = false;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte == b'.' && !seen_point {
            seen_point = true;
            at += 1;
            continue;
        }
        let Some(digit) = (byte as char).to_digit(16) else { break };
        digits += 1;
        if mantissa >> 56 == 0 {
            mantissa = mantissa << 4 | u64::from(digit);
            exponent -= if seen_point { 4 } else { 0 };
        } else {
            sticky |= digit != 0;
            exponent += if seen_point { 0 } else { 4 };
        }
        at += 1;
    }
    if digits == 0 {
        return None;
    }
    if matches!(bytes.get(at), Some(b'p' | b'P')) {
        let signed = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let count = bytes.iter().skip(at + 1 + signed).take_while(|byte| byte.is_ascii_digit()).count();
        if count > 0 {
            let end = at + 1 + signed + count;
            let (written, _) = strtol(bytes.get(at + 1..end)?);
            exponent = exponent.saturating_add(written);
            at = end;
        }
    }
    Some((scale(mantissa, sticky, exponent), at))
}

/// `mantissa * 2^exponent`, rounded once, ties to even; `sticky` says that non-zero digits were left out below.
fn scale(mantissa: u64, sticky: bool, exponent: i64) -> f64 {
    if mantissa == 0 {
        return 0.0;
    }
    // The value lies in 2^top .. 2^(top+1).
    let top = exponent.saturating_add(63 - i64::from(mantissa.leading_zeros()));
    if top > 1023 {
        return f64::INFINITY;
    }
    // The lowest bit that a double of this size can hold.
    let lowest = (top - 52).max(-1074);
    let shift = lowest.saturating_sub(exponent);
    let kept = if shift <= 0 {
        mantissa << (-shift).min(63)
    } else if shift > 64 {
        0
    } else {
        let (quotient, remainder, half) = if shift == 64 {
            (0, u128::from(mantissa), 1_u128 << 63)
        } else {
            (mantissa >> shift, u128::from(mantissa) & ((1 << shift) - 1), 1_u128 << (shift - 1))
        };
        let up = remainder > half || (remainder == half && (sticky || quotient & 1 == 1));
        quotient + u64::from(up)
    };
    // `kept` is at most 2^53, so both factors and their product are exact (the first power brings subnormals down in one step).
    kept as f64 * power_of_two(lowest)
}

fn power_of_two(exponent: i64) -> f64 {
    if exponent >= -1022 {
        f64::from_bits(((exponent + 1023) as u64) << 52)
    } else {
        f64::from_bits(1 << (exponent + 1074))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_read_as_c_reads_them() {
        assert_eq!(atoi(b"12xyz"), 12);
        assert_eq!(atoi(b" \t-4"), -4);
        assert_eq!(atoi(b"abc"), 0);
        assert_eq!(atoi(b"4294967297"), 1);
        assert_eq!(strtol(b"99999999999999999999").0, i64::MAX);
        assert_eq!(strtol(b"+"), (0, 0));
        assert_eq!(strtoul32(b"4294967298"), 2);
        assert_eq!(strtoul32(b"-1"), u32::MAX);
        assert_eq!(strtoul32(b"99999999999999999999999"), u32::MAX);
    }

    #[test]
    fn doubles_are_read_as_c_reads_them() {
        let whole =
            |text: &str| strtod(text.as_bytes()).filter(|(_, read)| *read == text.len()).map(|(value, _)| value);
        assert_eq!(whole("0.10000000000000001"), Some(0.1));
        assert_eq!(whole("+5"), Some(5.0));
        assert_eq!(whole(".5"), Some(0.5));
        assert_eq!(whole("5."), Some(5.0));
        assert_eq!(whole("007"), Some(7.0));
        assert_eq!(whole("0x1F"), Some(31.0));
        assert_eq!(whole("0x1.8p3"), Some(12.0));
        assert_eq!(whole("0x1p-1074"), Some(f64::from_bits(1)));
        assert_eq!(whole("0x1p-1075"), Some(0.0));
        assert_eq!(whole("0x1.8p-1075"), Some(f64::from_bits(1)));
        assert_eq!(whole("0x1.fffffffffffff7p1023"), Some(f64::MAX));
        assert_eq!(whole("0x1.fffffffffffff8p1023"), Some(f64::INFINITY));
        assert_eq!(whole("0x1.00000000000008p0"), Some(1.0));
        assert_eq!(whole("0x1.000000000000080000001p0"), Some(1.0 + f64::EPSILON));
        assert_eq!(whole("Infinity"), Some(f64::INFINITY));
        assert!(whole("nan(0x1)").unwrap().is_nan());
        assert_eq!(whole("1_000"), None);
        assert_eq!(whole("."), None);
        assert_eq!(whole("1e"), None);
        assert_eq!(strtod(b"0xg"), Some((0.0, 1)));
        assert_eq!(whole("-0").map(f64::to_bits), Some((-0.0_f64).to_bits()));
        assert!(is_number(b"  5") && is_number(b"1E5") && is_number(b"-2.5e-07"));
        assert!(
            !is_number(b"") && !is_number(b"5 ") && !is_number(b"null") && !is_number(b"\"1\"") && !is_number(b"-")
        );
    }
}
