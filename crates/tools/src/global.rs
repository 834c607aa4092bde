//! The tools that draw from the step's generators and leave them moved.
//!
//! Invariant: a tool that fails after drawing leaves the draws spent.

use num_bigint::BigInt;
use tapedeck_core::trace::repr::{repr_float, str_of};
use tapedeck_core::trace::rng_state::NumpyState;
use tapedeck_core::trace::{Value, compare_numbers};

use crate::draws::{numpy_gauss, python_gauss};
use crate::error::ToolError;
use crate::mt;
use crate::registry::Call;
use crate::seeded::{numpy_integer, times};

/// NumPy takes any position from a state and then reads beside its words: such a draw is nothing to reproduce.
fn ready(state: &NumpyState) -> Result<(), ToolError> {
    if mt::is_sound(&state.mt) {
        return Ok(());
    }
    let position = state.mt.position;
    Err(ToolError::Refused(format!("its NumPy state stands at position {position}, outside the 624 words")))
}

pub(crate) fn global_uniform(call: &mut Call<'_>) -> Result<Value, ToolError> {
    let n = times(call.arg(0))?;
    let mt = &mut call.rng.python.mt;
    Ok(Value::array((0..n).map(|_| Value::float(mt::next_double(mt))).collect()))
}

pub(crate) fn global_gauss(call: &mut Call<'_>) -> Result<Value, ToolError> {
    let n = times(call.arg(0))?;
    let mut drawn = Vec::with_capacity(n);
    for _ in 0..n {
        drawn.push(python_gauss(&mut call.rng.python, call.libm)?);
    }
    Ok(Value::array(drawn))
}

pub(crate) fn coin(call: &mut Call<'_>) -> Result<Value, ToolError> {
    let n = times(call.arg(0))?;
    let mt = &mut call.rng.python.mt;
    Ok(Value::array((0..n).map(|_| Value::int(mt::next_bits(mt, 1) as i64)).collect()))
}

pub(crate) fn global_normal(call: &mut Call<'_>) -> Result<Value, ToolError> {
    let n = times(call.arg(0))?;
    ready(&call.rng.numpy)?;
    let mut drawn = Vec::with_capacity(n);
    for _ in 0..n {
        drawn.push(Value::float(numpy_gauss(&mut call.rng.numpy, call.libm)));
    }
    Ok(Value::array(drawn))
}

pub(crate) fn global_dice(call: &mut Call<'_>) -> Result<Value, ToolError> {
    let n = times(call.arg(0))?;
    ready(&call.rng.numpy)?;
    let (low, high) = (BigInt::from(1), BigInt::from(7));
    let mt = &mut call.rng.numpy.mt;
    Ok(Value::array((0..n).map(|_| numpy_integer(mt, &low, &high)).collect::<Result<_, _>>()?))
}

pub(crate) fn flaky_draw(call: &mut Call<'_>) -> Result<Value, ToolError> {
    let n = times(call.arg(0))?;
    let mut last = 0.0;
    for _ in 0..n {
        last = mt::next_double(&mut call.rng.python.mt);
    }
    let limit = call.arg(1);
    if !matches!(limit, Value::Int(_) | Value::Bool(_) | Value::Float(_)) {
        let message = format!("'>=' not supported between instances of 'float' and '{}'", limit.type_name());
        return Err(ToolError::raised("TypeError", message));
    }
    if compare_numbers(&Value::float(last), limit).is_some_and(std::cmp::Ordering::is_ge) {
        let message = format!("flaky: {} >= {}", repr_float(last), str_of(limit));
        return Err(ToolError::raised("ValueError", message));
    }
    Ok(Value::float(last))
}
