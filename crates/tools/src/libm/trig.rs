//! Sine and cosine, correctly rounded, for the arguments of the gaussians: 0 <= x < 2π.
//!
//! The argument is reduced by the nearest multiple of π/2, held in four doubles; the rest goes through the Taylor series in double
//! doubles, with an error below 2^-98 of the result. That decides the rounding but for one argument in 2^40 or so.
//!
//! Invariant: only sums, differences and products of doubles, so every platform gives the same bits.

use super::dd::{Dd, quick_two_sum, two_product, two_sum};

/// π/2 as the sum of four doubles.
const HALF_PI: [u64; 4] = [0x3ff9_21fb_5444_2d18, 0x3c91_a626_3314_5c07, 0xb91f_1976_b7ed_8fbc, 0x35b4_cf98_e804_177d];

/// 2/π, for choosing the multiple.
const TWO_OVER_PI: f64 = std::f64::consts::FRAC_2_PI;

/// The coefficients of x^3, x^5, … of the sine: (-1)^k / (2k+1)! in two doubles each.
#[rustfmt::skip]
const SIN: [(u64, u64); 13] = [
    (0xbfc5_5555_5555_5555, 0xbc65_5555_5555_5555),
    (0x3f81_1111_1111_1111, 0x3c01_1111_1111_1111),
    (0xbf2a_01a0_1a01_a01a, 0xbb6a_01a0_1a01_a01a),
    (0x3ec7_1de3_a556_c734, 0xbb6c_154f_8ddc_6c00),
    (0xbe5a_e645_67f5_44e4, 0x3afc_062e_06d1_f209),
    (0x3de6_1246_13a8_6d09, 0x3a8f_28e0_cc74_8ebe),
    (0xbd6a_e7f3_e733_b81f, 0xb9e1_d865_6b0e_e8cb),
    (0x3ce9_52c7_7030_ad4a, 0x398a_c981_465d_dc6c),
    (0xbc62_f49b_4681_4157, 0xb8f2_650f_61db_dcb4),
    (0x3bd7_1b8e_f6dc_f572, 0xb87d_043a_e40c_4647),
    (0xbb47_61b4_1316_381a, 0x37d3_423c_7d91_404f),
    (0x3ab3_f3cc_dd16_5fa9, 0xb745_8dda_df34_4487),
    (0xba1d_1ab1_c2dc_cea3, 0xb6a0_54d0_c78a_ea14),
];

/// The coefficients of x^2, x^4, … of the cosine: (-1)^k / (2k)!.
#[rustfmt::skip]
const COS: [(u64, u64); 14] = [
    (0xbfe0_0000_0000_0000, 0x0000_0000_0000_0000),
    (0x3fa5_5555_5555_5555, 0x3c45_5555_5555_5555),
    (0xbf56_c16c_16c1_6c17, 0x3bef_49f4_9f49_f49f),
    (0x3efa_01a0_1a01_a01a, 0x3b3a_01a0_1a01_a01a),
    (0xbe92_7e4f_b778_9f5c, 0xbb3c_bbc0_5b4f_a99a),
    (0x3e21_eed8_eff8_d898, 0xbac2_aec9_59e1_4c06),
    (0xbda9_3974_a8c0_7c9d, 0xba30_5d6f_8a2e_fd1f),
    (0x3d2a_e7f3_e733_b81f, 0x39a1_d865_6b0e_e8cb),
    (0xbca6_8278_63b9_7d97, 0xb94e_ec01_221a_8b0b),
    (0x3c1e_542b_a402_0225, 0x387e_a72b_4afe_3c2f),
    (0xbb90_ce39_6db7_f853, 0x383a_ebcd_bd20_331c),
    (0x3aff_2cf0_1972_f578, 0xb789_ada5_fcc1_ab14),
    (0xba68_8e85_fc6a_4e5a, 0x3707_1c37_ebd1_6540),
    (0x39d0_a18a_2635_085d, 0x366b_9e2e_28e1_aa54),
];

/// The sine of 0 <= x < 2π, correctly rounded.
pub fn sin(x: f64) -> f64 {
    sin_parts(x).0
}

/// The cosine of 0 <= x < 2π, correctly rounded.
pub fn cos(x: f64) -> f64 {
    cos_parts(x).0
}

/// The sine, correctly rounded, and what the rounding cut off: the nearer that is to half a unit in the last place, the sooner
/// another libm rounds the other way.
pub fn sin_parts(x: f64) -> (f64, f64) {
    if x == 0.0 {
        return (x, 0.0);
    }
    let (quadrant, rest) = reduced(x);
    value(quadrant, rest)
}

/// The cosine, correctly rounded, and what the rounding cut off; see [`sin_parts`].
pub fn cos_parts(x: f64) -> (f64, f64) {
    let (quadrant, rest) = reduced(x);
    value(quadrant + 1, rest)
}

/// The quadrant n and x - n·π/2, at most about π/4 in size.
fn reduced(x: f64) -> (u32, Dd) {
    let n = (x * TWO_OVER_PI).round();
    let [a, b, c, d] = HALF_PI.map(f64::from_bits);
    // n <= 4, so each product is exact in two doubles, and n·a is exact: a's multiples of up to 4 round up by at most two bits.
    let (a_hi, a_lo) = two_product(n, a);
    let (b_hi, b_lo) = two_product(n, b);
    let (c_hi, c_lo) = two_product(n, c);
    // x and n·a agree to within π/4, so where they cancel the difference is exact.
    let mut sum = [0.0; 4];
    for term in [x, -a_hi, -a_lo, -b_hi, -b_lo, -c_hi, -c_lo, -n * d] {
        let mut carry = term;
        for slot in &mut sum {
            (*slot, carry) = two_sum(*slot, carry);
        }
    }
    let [s0, s1, s2, s3] = sum;
    let (hi, rest) = two_sum(s0, s1);
    let (mid, low) = two_sum(rest, s2);
    let (hi, mid) = quick_two_sum(hi, mid);
    // At least 0 and at most 4: no sign to lose.
    (n as u32, Dd::new(hi, mid + (low + s3)))
}

fn value(quadrant: u32, rest: Dd) -> (f64, f64) {
    let square = rest.mul(rest);
    let result = if quadrant.is_multiple_of(2) {
        // rest + rest·(rest²·(…)): the sum ends with the largest term.
        rest.add(rest.mul(series(&SIN, square)))
    } else {
        Dd { hi: 1.0, lo: 0.0 }.add(series(&COS, square))
    };
    let result = if quadrant % 4 >= 2 { result.negated() } else { result };
    // `hi` is the sum rounded to the nearest double.
    quick_two_sum(result.hi, result.lo)
}

/// square·(c1 + square·(c2 + …)).
fn series(coefficients: &[(u64, u64)], square: Dd) -> Dd {
    let mut sum = Dd { hi: 0.0, lo: 0.0 };
    for (hi, lo) in coefficients.iter().rev() {
        sum = sum.add(Dd { hi: f64::from_bits(*hi), lo: f64::from_bits(*lo) }).mul(square);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quarters_of_the_circle() {
        assert_eq!(sin(0.0), 0.0);
        assert_eq!(cos(0.0), 1.0);
        assert_eq!(sin(std::f64::consts::FRAC_PI_2), 1.0);
        assert_eq!(cos(std::f64::consts::PI), -1.0);
        // The rest of π beyond its double, known to more digits than a double has.
        assert_eq!(sin(std::f64::consts::PI).to_bits(), 0x3CA1_A626_3314_5C07);
        assert_eq!(cos(std::f64::consts::FRAC_PI_2).to_bits(), 0x3C91_A626_3314_5C07);
    }

    #[test]
    fn they_are_near_the_platforms() {
        for i in 0..100_000 {
            let x = f64::from(i) * (std::f64::consts::TAU / 100_000.0);
            for (ours, theirs) in [(sin(x), x.sin()), (cos(x), x.cos())] {
                assert!((ours - theirs).abs() <= 2.3e-16 * theirs.abs(), "{x:e} {ours:e} {theirs:e}");
            }
        }
    }
}
