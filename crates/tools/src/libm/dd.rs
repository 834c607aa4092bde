//! Sums and products in two or three doubles, without FMA (which is slow in wasm) and exact all the same.
//!
//! Invariant: `two_sum` and `two_product` give the rounded result and the exact rest of it.

/// A number as the unevaluated sum of two doubles, about 106 bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dd {
    pub(super) hi: f64,
    pub(super) lo: f64,
}

/// a + b as the rounded sum and the rest (Knuth).
pub(super) fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    (sum, (a - (sum - b_part)) + (b - b_part))
}

/// a + b for |a| >= |b| (Dekker).
pub(super) fn quick_two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    (sum, b - (sum - a))
}

/// a * b as the rounded product and the rest (Dekker, with Veltkamp's splitting); far from overflow only.
pub(super) fn two_product(a: f64, b: f64) -> (f64, f64) {
    let split = |x: f64| {
        let scaled = 134217729.0 * x; // 2^27 + 1
        let high = scaled - (scaled - x);
        (high, x - high)
    };
    let product = a * b;
    let ((a_hi, a_lo), (b_hi, b_lo)) = (split(a), split(b));
    (product, ((a_hi * b_hi - product) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo)
}

impl Dd {
    pub(super) fn new(hi: f64, lo: f64) -> Dd {
        let (hi, lo) = quick_two_sum(hi, lo);
        Dd { hi, lo }
    }

    pub(super) fn add(self, other: Dd) -> Dd {
        let (s, e) = two_sum(self.hi, other.hi);
        let (t, f) = two_sum(self.lo, other.lo);
        let (s, e) = quick_two_sum(s, e + t);
        Dd::new(s, e + f)
    }

    pub(super) fn mul(self, other: Dd) -> Dd {
        let (p, e) = two_product(self.hi, other.hi);
        Dd::new(p, e + (self.hi * other.lo + self.lo * other.hi))
    }

    pub(super) fn negated(self) -> Dd {
        Dd { hi: -self.hi, lo: -self.lo }
    }
}
