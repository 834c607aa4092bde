//! Trajectory labels of numeric bindings, as the observer of EigenScript 0.40.0 gives them.
//!
//! Only the newest 11 numbers matter, so a label costs the same at any position of any history.
//! Every operation is one rounded double operation in the order of the real classifier; conditions that forbid are tested
//! in the forbidding sense, so that a NaN lets them pass.

// The tests are written as the specification has them, "not (a <= b)", because NaN makes that differ from "a > b".
#![allow(clippy::neg_cmp_op_on_partial_ord, clippy::nonminimal_bool)]

use crate::model::protocol::Label;

/// The runtime whose observer this is.
pub const OBSERVED_RUNTIME: &[u8] = b"0.40.0";

/// How many of the newest numbers decide a label.
pub const NUMBERS_THAT_MATTER: usize = WINDOW + 1;

const WINDOW: usize = 10;
const ZERO: f64 = 0.001;
const SMALL: f64 = 0.01;
const SATURATION: f64 = 1e308;
const FLIPS: usize = 4;

/// The label after the newest number. `newest_first` holds the newest numbers of one stream, the newest at index 0, at
/// most [`NUMBERS_THAT_MATTER`] of them (all of them when the stream has fewer). `None` when there is no number.
pub fn label(newest_first: &[f64]) -> Option<Label> {
    let last = *newest_first.first()?;
    let mut raw_buffer = [0.0; WINDOW];
    let mut rel_buffer = [0.0; WINDOW];
    let mut n = 0;
    for (pair, (raw, rel)) in newest_first.windows(2).zip(raw_buffer.iter_mut().zip(&mut rel_buffer)) {
        if let [newer, older] = pair {
            *raw = newer - older;
            *rel = *raw / (1.0 + newer.abs());
            n += 1;
        }
    }
    if n == 0 {
        return Some(Label::Equilibrium);
    }
    let (raw, rel) = (raw_buffer.get(..n)?, rel_buffer.get(..n)?);
    let steps = Steps { raw, rel, saturated: last.abs() >= SATURATION, floor: 4.0 * f64::EPSILON * (1.0 + last.abs()) };
    Some(steps.label())
}

/// The newest steps of a stream, the newest at index 0.
struct Steps<'a> {
    raw: &'a [f64],
    rel: &'a [f64],
    saturated: bool,
    floor: f64,
}

impl Steps<'_> {
    fn label(&self) -> Label {
        if self.rel_oscillating() || self.raw_oscillating() || self.is_folding() {
            return Label::Oscillating;
        }
        if self.saturated || self.raw_diverging() {
            return Label::Diverging;
        }
        if self.is_improving() {
            return Label::Improving;
        }
        if self.n() < WINDOW {
            return if self.all_small() { Label::Stable } else { Label::Moving };
        }
        // The rest bands: what saturates, diverges or oscillates has returned already.
        if self.all_zero() {
            return Label::Converged;
        }
        if self.is_equilibrium() {
            return Label::Equilibrium;
        }
        if self.is_stable() {
            return Label::Stable;
        }
        Label::Moving
    }

    fn n(&self) -> usize {
        self.raw.len()
    }

    /// Means of |raw| over the recent half and the older rest.
    fn halves(&self) -> (f64, f64) {
        let (recent, older) = self.raw.split_at(self.n() / 2);
        (mean_of(recent.iter().map(|step| step.abs())), mean_of(older.iter().map(|step| step.abs())))
    }

    fn all_zero(&self) -> bool {
        !self.rel.iter().any(|step| step.abs() >= ZERO)
    }

    fn all_small(&self) -> bool {
        !self.rel.iter().any(|step| step.abs() >= SMALL)
    }

    fn is_nonvanishing(&self) -> bool {
        let (recent, older) = self.halves();
        self.n() >= 4 && !(older <= self.floor) && !(recent <= self.floor) && recent >= older * (1.0 - 1e-9)
    }

    /// Whether no step runs against the newest one.
    fn is_one_way(&self) -> bool {
        let Some((newest, others)) = self.raw.split_first() else { return true };
        !others.iter().any(|step| step * newest <= 0.0)
    }

    fn raw_diverging(&self) -> bool {
        self.is_nonvanishing() && self.is_one_way()
    }

    fn raw_oscillating(&self) -> bool {
        self.is_nonvanishing() && flips(self.raw, self.floor) >= FLIPS
    }

    fn rel_oscillating(&self) -> bool {
        self.n() >= 3 && flips(self.rel, ZERO) >= FLIPS
    }

    fn is_folding(&self) -> bool {
        if self.n() != WINDOW || self.all_zero() {
            return false;
        }
        let net: f64 = self.raw.iter().fold(0.0, |sum, step| sum + step);
        let path: f64 = self.raw.iter().fold(0.0, |sum, step| sum + step.abs());
        let mut reversals = 0;
        let mut previous: Option<f64> = None;
        for &step in self.raw.iter().filter(|step| step.abs() > self.floor) {
            if previous.is_some_and(|previous| previous * step < 0.0) {
                reversals += 1;
            }
            previous = Some(step);
        }
        !(path <= self.floor) && reversals >= 2 && net.abs() <= 0.3 * path
    }

    fn is_improving(&self) -> bool {
        if self.n() < 4 || self.all_zero() || !self.is_one_way() {
            return false;
        }
        let (recent, older) = self.halves();
        let (recent_steps, older_steps) = self.raw.split_at(self.n() / 2);
        !(older <= self.floor)
            && !(recent <= self.floor)
            && recent <= 0.7 * older
            && largest(recent_steps) <= 0.7 * largest(older_steps)
    }

    fn is_equilibrium(&self) -> bool {
        let mean = mean_of(self.rel.iter().copied());
        !(mean.abs() >= ZERO) && mean_of(self.rel.iter().map(|step| (step - mean) * (step - mean))) < ZERO * ZERO
    }

    fn is_stable(&self) -> bool {
        self.all_small() && flips(self.rel, ZERO) == 0
    }
}

/// Neighbours of opposite sign that are both larger than `floor`.
fn flips(steps: &[f64], floor: f64) -> usize {
    steps.windows(2).filter(|pair| matches!(pair, [a, b] if a * b < 0.0 && a.abs() > floor && b.abs() > floor)).count()
}

fn mean_of(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = values.len() as f64;
    values.fold(0.0, |sum, value| sum + value) / n
}

fn largest(steps: &[f64]) -> f64 {
    steps.iter().fold(0.0, |max, step| if step.abs() > max { step.abs() } else { max })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label_of(oldest_first: &[f64]) -> Option<Label> {
        let newest_first: Vec<f64> = oldest_first.iter().rev().copied().take(NUMBERS_THAT_MATTER).collect();
        label(&newest_first)
    }

    #[test]
    fn a_few_plain_curves() {
        assert_eq!(label_of(&[]), None);
        assert_eq!(label_of(&[3.0]), Some(Label::Equilibrium));
        assert_eq!(label_of(&[1.0, 1.0]), Some(Label::Stable));
        assert_eq!(label_of(&[1.0, 2.0]), Some(Label::Moving));
        assert_eq!(label_of(&[5.0; 11]), Some(Label::Converged));
        let doubling: Vec<f64> = (0..12).map(|i| f64::from(1 << i)).collect();
        assert_eq!(label_of(&doubling), Some(Label::Diverging));
        let flipping: Vec<f64> = (0..12).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
        assert_eq!(label_of(&flipping), Some(Label::Oscillating));
    }
}
