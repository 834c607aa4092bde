//! What the tools draw: gaussians of Python and NumPy, over one libm or another.
//!
//! Invariant: which words are consumed never depends on the libm, so a result that is moved by an ULP leaves the stream in place.

use tapedeck_core::trace::Value;
use tapedeck_core::trace::rng_state::{MtState, NumpyState, PythonState};

use crate::error::ToolError;
use crate::libm::Libm;
use crate::{mt, num};

/// Two gaussians of Python's `random.gauss`: the one that is returned, and the one that is kept.
pub fn python_pair(mt: &mut MtState, libm: &mut dyn Libm) -> (f64, f64) {
    let x = mt::next_double(mt) * std::f64::consts::TAU;
    let g = (-2.0 * libm.log(1.0 - mt::next_double(mt))).sqrt();
    (libm.cos(x) * g, libm.sin(x) * g)
}

/// `random.gauss(0, 1)`.
///
/// # Errors
/// What Python raises when a state brought something into `gauss_next` that is no number.
pub fn python_gauss(state: &mut PythonState, libm: &mut dyn Libm) -> Result<Value, ToolError> {
    let kept = std::mem::replace(&mut state.gauss_next, Value::Null);
    match kept {
        Value::Null => {
            let (value, kept) = python_pair(&mut state.mt, libm);
            state.gauss_next = Value::float(kept);
            Ok(Value::float(value))
        }
        Value::Float(float) => Ok(Value::float(float.get())),
        // `mu + z * sigma` with integers, whatever a state brought.
        other => num::add(&Value::int(0), &num::mul(&other, &Value::int(1))?),
    }
}

/// Two gaussians of NumPy's legacy polar method: the one that is returned, and the one that is cached.
pub fn numpy_pair(mt: &mut MtState, libm: &mut dyn Libm) -> (f64, f64) {
    loop {
        let x1 = 2.0 * mt::next_double(mt) - 1.0;
        let x2 = 2.0 * mt::next_double(mt) - 1.0;
        // Two products and a sum, each rounded: the recording machines do not fuse them.
        let r = x1 * x1 + x2 * x2;
        if r < 1.0 && r != 0.0 {
            let f = (-2.0 * libm.log(r) / r).sqrt();
            return (f * x2, f * x1);
        }
    }
}

/// `standard_normal()` of a legacy `RandomState`.
pub fn numpy_gauss(state: &mut NumpyState, libm: &mut dyn Libm) -> f64 {
    if state.has_gauss != 0 {
        state.has_gauss = 0;
        return std::mem::replace(&mut state.cached_gaussian, 0.0);
    }
    let (value, cached) = numpy_pair(&mut state.mt, libm);
    state.cached_gaussian = cached;
    state.has_gauss = 1;
    value
}

/// A Python generator that has drawn nothing yet.
pub fn fresh_python(mt: MtState) -> PythonState {
    PythonState { mt, gauss_next: Value::Null }
}

/// A NumPy generator that has drawn nothing yet.
pub fn fresh_numpy(mt: MtState) -> NumpyState {
    NumpyState { mt, has_gauss: 0, cached_gaussian: 0.0 }
}
