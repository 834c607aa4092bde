//! The tools that seed a generator of their own: the global ones do not move.
//!
//! Invariant: a seed that takes entropy from the machine (null) is refused; such a result is not reproducible anywhere.

use num_bigint::{BigInt, BigUint};
use num_traits::{Signed as _, ToPrimitive as _};
use sha2::Digest as _;
use tapedeck_core::trace::repr::repr;
use tapedeck_core::trace::rng_state::{MtState, NumpyState, PythonState, python_int};
use tapedeck_core::trace::{Value, compare_numbers};

use crate::draws::{fresh_numpy, fresh_python, numpy_gauss, python_gauss};
use crate::error::ToolError;
use crate::mt;
use crate::numbers::iterated;
use crate::registry::Call;
use crate::text::utf8;

/// Draws of one call: more than any trace holds, and less than would exhaust a page's memory.
pub(crate) const MAX_DRAWS: usize = 5_000_000;

/// `operator.index(value)`.
fn index(value: &Value) -> Result<BigInt, ToolError> {
    value.as_integer().map(|int| int.to_big()).ok_or_else(|| {
        let message = format!("'{}' object cannot be interpreted as an integer", value.type_name());
        ToolError::raised("TypeError", message)
    })
}

/// How often a loop over `range(n)` runs.
pub(crate) fn times(value: &Value) -> Result<usize, ToolError> {
    let n = index(value)?;
    if n.is_negative() {
        return Ok(0);
    }
    n.to_usize()
        .filter(|n| *n <= MAX_DRAWS)
        .ok_or_else(|| ToolError::Refused(format!("it asks for {n} draws; at most {MAX_DRAWS} are made in one step")))
}

/// The length of a NumPy array, which is not negative.
fn size(value: &Value) -> Result<usize, ToolError> {
    if index(value)?.is_negative() {
        return Err(ToolError::raised("ValueError", "negative dimensions are not allowed"));
    }
    times(value)
}

fn no_entropy() -> ToolError {
    ToolError::Refused("its seed is null, so it takes entropy from the machine and nothing can reproduce it".into())
}

/// `numpy.random.RandomState(seed)`.
pub(crate) fn numpy_seeded(seed: &Value) -> Result<NumpyState, ToolError> {
    let out_of_range = || ToolError::raised("ValueError", "Seed must be between 0 and 2**32 - 1");
    let unsafe_cast = |kind: &str| {
        let message =
            format!("Cannot cast array data from dtype('{kind}') to dtype('int64') according to the rule 'safe'");
        ToolError::raised("TypeError", message)
    };
    let mt: MtState = match seed {
        Value::Null => return Err(no_entropy()),
        Value::Float(_) => return Err(unsafe_cast("float64")),
        Value::Text(text) => return Err(unsafe_cast(&format!("<U{}", text.code_point_count().max(1)))),
        Value::Object(_) => return Err(unsafe_cast("O")),
        Value::Array(items) => {
            if items.is_empty() {
                return Err(ToolError::raised("ValueError", "Seed must be non-empty"));
            }
            let word = |v: &Value| -> Result<u32, ToolError> {
                let int = v.as_integer().ok_or_else(|| unsafe_cast("float64"))?;
                int.as_i64().and_then(|i| u32::try_from(i).ok()).ok_or_else(out_of_range)
            };
            mt::seeded_by_array(&items.iter().map(|v| word(&v)).collect::<Result<Vec<u32>, _>>()?)
        }
        other => mt::seeded(index(other)?.to_u32().ok_or_else(out_of_range)?),
    };
    Ok(fresh_numpy(mt))
}

/// `random.Random(seed)`.
pub(crate) fn python_seeded(seed: &Value) -> Result<PythonState, ToolError> {
    let size = match seed {
        Value::Null => return Err(no_entropy()),
        Value::Float(float) => BigUint::from(hash_of(float.get())?),
        Value::Text(text) => {
            let bytes = utf8(text)?;
            let digest = sha2::Sha512::digest(bytes);
            BigUint::from_bytes_be(&[bytes, &digest].concat())
        }
        Value::Array(_) | Value::Object(_) => {
            let message = "The only supported seed types are: None,\nint, float, str, bytes, and bytearray.";
            return Err(ToolError::raised("TypeError", message));
        }
        other => index(other)?.magnitude().clone(),
    };
    Ok(fresh_python(mt::seeded_by_size(&size)))
}

/// CPython's `hash(float)` as 64 bits without sign.
fn hash_of(value: f64) -> Result<u64, ToolError> {
    const MODULUS: u64 = (1 << 61) - 1;
    if value.is_nan() {
        return Err(ToolError::Refused("its seed is NaN, whose hash is an address in memory".into()));
    }
    if value.is_infinite() {
        return Ok(if value > 0.0 { 314_159 } else { 314_159_u64.wrapping_neg() });
    }
    if value == 0.0 {
        return Ok(0);
    }
    // value = m * 2^e, an integer times a power of two, both reduced modulo 2^61 - 1.
    let bits = value.abs().to_bits();
    let (m, e) = match bits >> 52 {
        0 => (bits, -1074),
        biased => ((bits & ((1 << 52) - 1)) | (1 << 52), biased as i64 - 1075),
    };
    let turn = e.rem_euclid(61) as u32;
    let wide = (u128::from(m % MODULUS) << turn) % u128::from(MODULUS);
    let hash = wide as u64;
    let hash = if value < 0.0 { hash.wrapping_neg() } else { hash };
    Ok(if hash == u64::MAX { u64::MAX - 1 } else { hash })
}

pub(crate) fn draw_normal(call: &mut Call<'_>) -> Result<Value, ToolError> {
    let mut state = numpy_seeded(call.arg(1))?;
    let n = size(call.arg(0))?;
    Ok(Value::array((0..n).map(|_| Value::float(numpy_gauss(&mut state, call.libm))).collect()))
}

pub(crate) fn draw_uniform(call: &mut Call<'_>) -> Result<Value, ToolError> {
    let mut state = numpy_seeded(call.arg(1))?;
    let n = size(call.arg(0))?;
    Ok(Value::array((0..n).map(|_| Value::float(mt::next_double(&mut state.mt))).collect()))
}

/// One integer of NumPy's legacy `randint(low, high)`.
pub(crate) fn numpy_integer(mt: &mut MtState, low: &BigInt, high: &BigInt) -> Result<Value, ToolError> {
    let refuse = |message: &str| Err(ToolError::raised("ValueError", message));
    let last = high - 1_u32;
    let Some(low) = low.to_i64() else {
        return refuse(if low.is_negative() {
            "low is out of bounds for int64"
        } else {
            "high is out of bounds for int64"
        });
    };
    let Some(last) = last.to_i64() else {
        return refuse(if last.is_negative() { "low >= high" } else { "high is out of bounds for int64" });
    };
    if low > last {
        return refuse("low >= high");
    }
    // Two's complement: the difference of two i64 fits a u64.
    let range = last.wrapping_sub(low) as u64;
    Ok(Value::int(low.wrapping_add(mt::next_masked(mt, range) as i64)))
}

pub(crate) fn draw_int(call: &mut Call<'_>) -> Result<Value, ToolError> {
    let mut state = numpy_seeded(call.arg(3))?;
    let n = times(call.arg(0))?;
    if n == 0 {
        return Ok(Value::array(Vec::new()));
    }
    let (low, high) = (python_int(call.arg(1))?.to_big(), python_int(call.arg(2))?.to_big());
    Ok(Value::array((0..n).map(|_| numpy_integer(&mut state.mt, &low, &high)).collect::<Result<_, _>>()?))
}

pub(crate) fn py_gauss(call: &mut Call<'_>) -> Result<Value, ToolError> {
    let mut state = python_seeded(call.arg(1))?;
    let n = times(call.arg(0))?;
    Ok(Value::array((0..n).map(|_| python_gauss(&mut state, call.libm)).collect::<Result<_, _>>()?))
}

pub(crate) fn py_random(call: &mut Call<'_>) -> Result<Value, ToolError> {
    let mut state = python_seeded(call.arg(1))?;
    let n = times(call.arg(0))?;
    Ok(Value::array((0..n).map(|_| Value::float(mt::next_double(&mut state.mt))).collect()))
}

pub(crate) fn py_shuffle(call: &mut Call<'_>) -> Result<Value, ToolError> {
    let mut items = iterated(call.arg(0))?;
    let mut state = python_seeded(call.arg(1))?;
    for i in (1..items.len()).rev() {
        let j = mt::next_below(&mut state.mt, i as u64 + 1) as usize;
        items.swap(i, j);
    }
    Ok(Value::array(items))
}

pub(crate) fn py_sample(call: &mut Call<'_>) -> Result<Value, ToolError> {
    let mut state = python_seeded(call.arg(2))?;
    let (population, k) = (call.arg(0), call.arg(1));
    let mut pool = match population {
        Value::Array(_) | Value::Text(_) => iterated(population)?,
        _ => {
            let message = "Population must be a sequence.  For dicts or sets, use sorted(d).";
            return Err(ToolError::raised("TypeError", message));
        }
    };
    let n = pool.len();
    let (zero, count) = (Value::int(0), Value::int(n as i64));
    if !matches!(k, Value::Int(_) | Value::Bool(_) | Value::Float(_)) {
        let message = format!("'<=' not supported between instances of 'int' and '{}'", k.type_name());
        return Err(ToolError::raised("TypeError", message));
    }
    let within = |a, b| compare_numbers(a, b).is_some_and(std::cmp::Ordering::is_le);
    if !within(&zero, k) || !within(k, &count) {
        return Err(ToolError::raised("ValueError", "Sample larger than population or is negative"));
    }
    let Some(k) = k.as_integer().and_then(|k| k.to_big().to_usize()) else {
        return Err(ToolError::raised("TypeError", "can't multiply sequence by non-int of type 'float'"));
    };
    // 4 ** ceil(log(3k, 4)): the smallest power of 4 that is at least 3k.
    let mut table = 1_usize;
    while table < k.saturating_mul(3) {
        table = table.saturating_mul(4);
    }
    let table = if k > 5 { 21 + table } else { 21 };
    let mut drawn = Vec::with_capacity(k);
    if n <= table {
        for i in 0..k {
            let j = mt::next_below(&mut state.mt, (n - i) as u64) as usize;
            let last = pool.get(n - i - 1).cloned().unwrap_or(Value::Null);
            if let Some(slot) = pool.get_mut(j) {
                drawn.push(std::mem::replace(slot, last));
            }
        }
    } else {
        let mut taken = std::collections::BTreeSet::new();
        while taken.len() < k {
            let j = mt::next_below(&mut state.mt, n as u64) as usize;
            if taken.insert(j) {
                drawn.extend(pool.get(j).cloned());
            }
        }
    }
    Ok(Value::array(drawn))
}

pub(crate) fn py_choice(call: &mut Call<'_>) -> Result<Value, ToolError> {
    let mut state = python_seeded(call.arg(2))?;
    let n = times(call.arg(1))?;
    let items = match call.arg(0) {
        sequence @ (Value::Array(_) | Value::Text(_)) => iterated(sequence)?,
        _ if n == 0 => Vec::new(),
        Value::Object(object) if !object.is_empty() => {
            // `seq[j]` of a dict is a look-up by number.
            let j = mt::next_below(&mut state.mt, object.len() as u64);
            return Err(ToolError::raised("KeyError", repr(&Value::int(j as i64))));
        }
        Value::Object(_) => Vec::new(),
        other => {
            let message = format!("object of type '{}' has no len()", other.type_name());
            return Err(ToolError::raised("TypeError", message));
        }
    };
    if n > 0 && items.is_empty() {
        return Err(ToolError::raised("IndexError", "Cannot choose from an empty sequence"));
    }
    let mut chosen = Vec::with_capacity(n);
    for _ in 0..n {
        let j = mt::next_below(&mut state.mt, items.len() as u64) as usize;
        chosen.extend(items.get(j).cloned());
    }
    Ok(Value::array(chosen))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn floats_hash_as_in_cpython() {
        for (value, hash) in [
            (0.5, 1152921504606846976_i64),
            (1.5, 1152921504606846977),
            (-1.0, -2),
            (1e300, 1224995262755759164),
            (5e-324, 16777216),
            (-2.25, -576460752303423490),
            (f64::NEG_INFINITY, -314159),
        ] {
            assert_eq!(hash_of(value).unwrap() as i64, hash, "{value}");
        }
    }

    #[test]
    fn entropy_is_refused() {
        assert!(matches!(python_seeded(&Value::Null), Err(ToolError::Refused(_))));
        assert!(matches!(numpy_seeded(&Value::Null), Err(ToolError::Refused(_))));
        assert!(matches!(times(&Value::int(1 << 40)), Err(ToolError::Refused(_))));
    }
}
