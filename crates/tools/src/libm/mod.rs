//! `log`, `sin` and `cos` for the gaussians, as near to the recording machines as can be had, the same bits on every platform.
//!
//! Traces are recorded with glibc on x86-64 with FMA. Its log is the one of musl and of Arm's optimized-routines (MIT), which
//! [`log`] carries out in the order in which gcc contracts it: no difference is known. Its sin and cos are another algorithm
//! that may not be copied here; [`sin`] and [`cos`] are correctly rounded, which differs from glibc on about one result in
//! seven hundred, always by one unit in the last place. [`Libm`] lets a caller move results, to prove that nothing else differs.
//!
//! Invariant: no function of the platform is used but `sqrt` and `mul_add`, which IEEE 754 defines to the last bit.

mod dd;
mod log;
mod log_data;
mod trig;

pub use log::log;
pub use trig::{cos, cos_parts, sin, sin_parts};

/// A source of `log`, `sin` and `cos`.
pub trait Libm {
    /// The natural logarithm.
    fn log(&mut self, x: f64) -> f64;
    /// The sine, for 0 <= x < 2π.
    fn sin(&mut self, x: f64) -> f64;
    /// The cosine, for 0 <= x < 2π.
    fn cos(&mut self, x: f64) -> f64;
}

/// This module's functions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ours;

impl Libm for Ours {
    fn log(&mut self, x: f64) -> f64 {
        log(x)
    }

    fn sin(&mut self, x: f64) -> f64 {
        sin(x)
    }

    fn cos(&mut self, x: f64) -> f64 {
        cos(x)
    }
}

/// The double `steps` units in the last place away, towards larger values for positive `steps`.
pub fn nudge(x: f64, steps: i64) -> f64 {
    let mut x = x;
    for _ in 0..steps.unsigned_abs() {
        x = if steps > 0 { x.next_up() } else { x.next_down() };
    }
    x
}
