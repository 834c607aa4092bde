//! The natural logarithm of glibc, musl and Arm's optimized-routines, contracted as gcc does with FMA.
//!
//! Copyright (c) 2018, Arm Limited. SPDX-License-Identifier: MIT
//!
//! Ported from the algorithm of `log.c`. glibc picks its FMA build on the x86-64 machines that record traces, and there gcc fuses
//! these products; without the fusing one result in eight thousand differs in the last bit.
//!
//! Invariant: every operation is one IEEE 754 operation in a fixed order; nothing here may be regrouped.

use super::log_data::{A, B, LN2, TABLE};

/// Where an interval begins: the smallest mantissa of the table, 0.6875.
const OFFSET: u64 = 0x3FE6_0000_0000_0000;

/// Bounds of the arguments that are "near 1": 1 - 2^-4 up to 1 + 0x1.09p-4, the upper one not reached.
const NEAR_FROM: f64 = 0.9375;
const NEAR_TO: f64 = 1.064697265625;

/// The natural logarithm, bit for bit as the recording machines have it.
pub fn log(x: f64) -> f64 {
    let mut bits = x.to_bits();
    if (NEAR_FROM..NEAR_TO).contains(&x) {
        return if x == 1.0 { 0.0 } else { near_one(x) };
    }
    if x == 0.0 {
        return f64::NEG_INFINITY;
    }
    if x.is_nan() || x < 0.0 {
        return f64::NAN;
    }
    if x == f64::INFINITY {
        return x;
    }
    if x < f64::MIN_POSITIVE {
        // A subnormal is scaled by 2^52 first.
        bits = (x * 4503599627370496.0).to_bits().wrapping_sub(52 << 52);
    }
    let shifted = bits.wrapping_sub(OFFSET);
    let interval = (shifted >> 45) as usize & 127;
    let exponent = (shifted as i64) >> 52;
    let z = f64::from_bits(bits.wrapping_sub(shifted & (0xFFF << 52)));
    let (inverse, log_c) = TABLE.get(interval).map_or((0.0, 0.0), |(i, l)| (f64::from_bits(*i), f64::from_bits(*l)));
    let [ln2_hi, ln2_lo] = LN2.map(f64::from_bits);
    let [a0, a1, a2, a3, a4] = A.map(f64::from_bits);
    // |exponent| < 1100: exact.
    let k = exponent as f64;
    let r = z.mul_add(inverse, -1.0);
    let w = k.mul_add(ln2_hi, log_c);
    let hi = w + r;
    let lo = k.mul_add(ln2_lo, (w - hi) + r);
    let r2 = r * r;
    let lo = r2.mul_add(a0, lo);
    r.mul_add(a4, a3).mul_add(r2, r.mul_add(a2, a1)).mul_add(r * r2, lo) + hi
}

fn near_one(x: f64) -> f64 {
    let [b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, b10] = B.map(f64::from_bits);
    let r = x - 1.0;
    let r2 = r * r;
    let r3 = r * r2;
    let p1 = r2.mul_add(b3, r.mul_add(b2, b1));
    let p2 = r2.mul_add(b6, r.mul_add(b5, b4));
    let p3 = r3.mul_add(b10, r2.mul_add(b9, r.mul_add(b8, b7)));
    let p = p3.mul_add(r3, p2).mul_add(r3, p1);
    // r in two parts, so that the square of the first is exact.
    let split = 134217728.0; // 2^27
    let s = r.mul_add(split, r);
    let h = (-split).mul_add(r, s);
    let q = h * h;
    let hi = q.mul_add(b0, r);
    let lo = q.mul_add(b0, r - hi);
    let lo = (b0 * (r - h)).mul_add(h + r, lo);
    hi + p.mul_add(r3, lo)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_of_the_domain() {
        assert_eq!(log(1.0).to_bits(), 0);
        assert_eq!(log(0.0), f64::NEG_INFINITY);
        assert!(log(-1.0).is_nan() && log(f64::NAN).is_nan());
        assert_eq!(log(f64::INFINITY), f64::INFINITY);
    }

    #[test]
    fn it_is_near_the_platforms() {
        let mut x = 5e-324_f64;
        while x < 1e300 {
            let (ours, theirs) = (log(x), x.ln());
            assert!((ours - theirs).abs() <= theirs.abs() * 1e-15, "{x:e} {ours:e} {theirs:e}");
            x *= 1.37 + x.fract().abs() * 0.1 + if x < 1e-300 { 1.0 } else { 0.0 };
        }
    }
}
