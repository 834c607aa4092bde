//! The two generator states that a step carries, restored and captured as mixle does with `random` and `numpy.random`.
//!
//! Invariant: restoring refuses what CPython 3.11 and NumPy 2.4 refuse, with their exceptions, and coerces what they coerce
//! (a position of `12.9` becomes 12), so that the state that is captured again is the one mixle would capture.

use std::sync::Arc;

use num_traits::ToPrimitive as _;

use super::error::PyError;
use super::repr::{repr, str_of};
use super::text::Text;
use super::unicode14;
use super::value::{Array, Int, Key, Object, Value};

/// Words of a Mersenne Twister.
pub const MT_WORDS: usize = 624;

/// A Mersenne Twister's state: 624 words and the position of the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MtState {
    /// The words; shared with the trace until the generator moves on.
    pub words: Arc<[u32]>,
    /// The next word, 0 to 624; 624 means that the words are made anew first. NumPy takes any number here without a check.
    pub position: i32,
}

/// Python's `random`.
#[derive(Clone, Debug)]
pub struct PythonState {
    /// The generator.
    pub mt: MtState,
    /// The second gaussian of a pair, or null. Python keeps here whatever a state brought.
    pub gauss_next: Value,
}

/// NumPy's legacy `RandomState`.
#[derive(Clone, Debug)]
pub struct NumpyState {
    /// The generator.
    pub mt: MtState,
    /// Not 0 when a gaussian is cached.
    pub has_gauss: i64,
    /// The cached gaussian.
    pub cached_gaussian: f64,
}

/// Both generators.
#[derive(Clone, Debug)]
pub struct RngState {
    /// Python's.
    pub python: PythonState,
    /// NumPy's.
    pub numpy: NumpyState,
}

impl RngState {
    /// Restores a recorded state.
    ///
    /// # Errors
    /// The exception with which mixle's replay ends: a malformed state, or what `random.setstate` and `numpy.random.set_state`
    /// raise.
    pub fn restore(state: &Value) -> Result<RngState, PyError> {
        let malformed = || PyError::new("ValueError", "trace RNG state is malformed");
        let object = state.as_object().ok_or_else(malformed)?;
        let numpy = object.get("numpy").and_then(Value::as_object).ok_or_else(malformed)?;
        let python = object.get("python").ok_or_else(|| PyError::new("KeyError", "'python'"))?;
        Ok(RngState { python: PythonState::restore(python)?, numpy: NumpyState::restore(numpy)? })
    }

    /// The state as a step records it.
    pub fn capture(&self) -> Value {
        Value::object([("python", self.python.capture()), ("numpy", self.numpy.capture())])
    }
}

impl PythonState {
    /// `random.setstate(state)`, lists taken as tuples.
    ///
    /// # Errors
    /// What `setstate` raises.
    pub fn restore(state: &Value) -> Result<PythonState, PyError> {
        let unpack_error = |n: usize| {
            let message = if n < 3 {
                format!("not enough values to unpack (expected 3, got {n})")
            } else {
                "too many values to unpack (expected 3)".to_string()
            };
            PyError::new("ValueError", message)
        };
        let (version, parts) = match state {
            Value::Array(parts) => {
                let version = parts.get(0).ok_or_else(|| PyError::new("IndexError", "tuple index out of range"))?;
                (version.into_owned(), parts.to_vec())
            }
            Value::Text(text) => {
                let items: Vec<Value> = text.code_points().map(|c| Value::Text([c].into_iter().collect())).collect();
                let first = items.first().cloned();
                (first.ok_or_else(|| PyError::new("IndexError", "string index out of range"))?, items)
            }
            Value::Object(object) => {
                let zero = Key::Int(Int::from(0));
                let version = object.get_key(&zero).ok_or_else(|| PyError::new("KeyError", "0"))?;
                (version.clone(), object.iter().map(|(k, _)| k.to_value()).collect())
            }
            other => {
                let message = format!("'{}' object is not subscriptable", other.type_name());
                return Err(PyError::new("TypeError", message));
            }
        };
        let is = |n: i64| version.python_eq(&Value::int(n));
        if !is(3) && !is(2) {
            let shown = str_of(&version);
            let message = format!("state with version {shown} passed to Random.setstate() of version 3");
            return Err(PyError::new("ValueError", message));
        }
        let Ok([_, internal, gauss_next]) = <[Value; 3]>::try_from(parts) else {
            return Err(unpack_error(state.as_array().map_or(0, Array::len)));
        };
        let mt = python_mt(&internal, is(2))?;
        Ok(PythonState { mt, gauss_next })
    }

    /// `random.getstate()` as JSON.
    pub fn capture(&self) -> Value {
        let mut internal: Vec<u32> = self.mt.words.to_vec();
        internal.push(u32::try_from(self.mt.position).unwrap_or(0));
        Value::array(vec![Value::int(3), Value::Array(Array::from_words(internal.into())), self.gauss_next.clone()])
    }
}

fn python_mt(internal: &Value, version_2: bool) -> Result<MtState, PyError> {
    let Some(items) = internal.as_array() else {
        return Err(match internal {
            // `tuple(…)` is only made of a list; version 2 would iterate first.
            Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) if version_2 => {
                PyError::new("TypeError", format!("'{}' object is not iterable", internal.type_name()))
            }
            _ => PyError::new("TypeError", "state vector must be a tuple"),
        });
    };
    if items.len() != MT_WORDS + 1 {
        return Err(PyError::new("ValueError", "state vector is the wrong size"));
    }
    if let Some(all) = items.as_words() {
        let (words, last) = all.split_at(MT_WORDS);
        let position = last.first().copied().unwrap_or(u32::MAX);
        return python_position(i64::from(position)).map(|position| MtState { words: words.into(), position });
    }
    let mut words = Vec::with_capacity(MT_WORDS);
    let mut position = None;
    for (i, item) in items.iter().enumerate() {
        if i < MT_WORDS {
            words.push(python_word(&item, version_2)?);
        } else {
            let int = item.as_integer().ok_or_else(|| {
                let message = format!("'{}' object cannot be interpreted as an integer", item.type_name());
                PyError::new("TypeError", message)
            })?;
            position = Some(
                int.as_i64()
                    .ok_or_else(|| PyError::new("OverflowError", "Python int too large to convert to C long"))?,
            );
        }
    }
    let position = python_position(position.unwrap_or(-1))?;
    Ok(MtState { words: words.into(), position })
}

fn python_position(position: i64) -> Result<i32, PyError> {
    // CPython checks 0 <= index <= N.
    i32::try_from(position)
        .ok()
        .filter(|p| (0..=MT_WORDS as i32).contains(p))
        .ok_or_else(|| PyError::new("ValueError", "invalid state"))
}

fn python_word(item: &Value, version_2: bool) -> Result<u32, PyError> {
    let Some(int) = item.as_integer() else {
        return Err(PyError::new("TypeError", "an integer is required"));
    };
    let big = int.to_big();
    if version_2 {
        let modulus = num_bigint::BigInt::from(1_u64 << 32);
        let rest = ((big % &modulus) + &modulus) % &modulus;
        return Ok(rest.to_u32().unwrap_or(0));
    }
    if int.is_negative() {
        return Err(PyError::new("OverflowError", "can't convert negative value to unsigned int"));
    }
    // An unsigned long has 64 bits there, of which the generator keeps the low 32.
    match big.to_u64() {
        Some(word) => Ok((word & 0xFFFF_FFFF) as u32),
        None => Err(PyError::new("OverflowError", "Python int too large to convert to C unsigned long")),
    }
}

impl NumpyState {
    /// `numpy.random.set_state` of the five values.
    ///
    /// # Errors
    /// What NumPy raises, and `KeyError` for a missing key.
    pub fn restore(state: &Object) -> Result<NumpyState, PyError> {
        let field = |name: &str| state.get(name).ok_or_else(|| PyError::new("KeyError", format!("'{name}'")));
        let kind = field("kind")?;
        let words = numpy_keys(field("keys")?)?;
        let position = python_int(field("position")?)?;
        let has_gauss = python_int(field("has_gauss")?)?;
        let cached_gaussian = python_float_of(field("cached_gaussian")?)?;
        if *kind.as_text().unwrap_or(&Text::default()) != "MT19937" {
            let message = "set_state can only be used with legacy MT19937 state instances.";
            return Err(PyError::new("ValueError", message));
        }
        if words.len() < MT_WORDS {
            let n = words.len();
            let message = format!("index {n} is out of bounds for axis 0 with size {n}");
            return Err(PyError::new("IndexError", message));
        }
        let words = if words.len() == MT_WORDS { words } else { words.iter().copied().take(MT_WORDS).collect() };
        let small = |int: &Int| int.as_i64().and_then(|v| i32::try_from(v).ok());
        let too_large = || PyError::new("OverflowError", "value too large to convert to int");
        Ok(NumpyState {
            mt: MtState { words, position: small(&position).ok_or_else(too_large)? },
            has_gauss: i64::from(small(&has_gauss).ok_or_else(too_large)?),
            cached_gaussian,
        })
    }

    /// `numpy.random.get_state()` as mixle writes it.
    pub fn capture(&self) -> Value {
        Value::object([
            ("kind", Value::text("MT19937")),
            ("keys", Value::Array(Array::from_words(Arc::clone(&self.mt.words)))),
            ("position", Value::int(i64::from(self.mt.position))),
            ("has_gauss", Value::int(self.has_gauss)),
            ("cached_gaussian", Value::float(self.cached_gaussian)),
        ])
    }
}

/// `numpy.asarray(keys, dtype=uint32)`.
fn numpy_keys(keys: &Value) -> Result<Arc<[u32]>, PyError> {
    let Some(items) = keys.as_array() else {
        numpy_word(keys)?;
        let message = "too many indices for array: array is 0-dimensional, but 1 were indexed";
        return Err(PyError::new("IndexError", message));
    };
    if let Some(words) = items.as_words() {
        return Ok(Arc::clone(words));
    }
    items.iter().map(|item| numpy_word(&item)).collect()
}

fn numpy_word(item: &Value) -> Result<u32, PyError> {
    let out_of_bounds =
        |int: &Int| PyError::new("OverflowError", format!("Python integer {int} out of bounds for uint32"));
    match item {
        Value::Float(float) => {
            // The C conversion of a double; what lies outside is undefined there and taken as x86-64 does it, modulo 2^64.
            let whole = float.get().trunc();
            Ok(if whole.abs() < 9.2e18 { (whole as i64) as u32 } else { 0 })
        }
        Value::Array(_) => Err(PyError::new("ValueError", "setting an array element with a sequence.")),
        other => {
            let int = python_int(other)?;
            int.as_i64().and_then(|v| u32::try_from(v).ok()).ok_or_else(|| out_of_bounds(&int))
        }
    }
}

/// Python's `int(value)`.
///
/// # Errors
/// What `int` raises.
pub fn python_int(value: &Value) -> Result<Int, PyError> {
    match value {
        Value::Int(int) => Ok(int.clone()),
        Value::Bool(b) => Ok(Int::from(i64::from(*b))),
        Value::Float(float) => {
            use num_bigint::ToBigInt as _;
            let value = float.get();
            if value.is_nan() {
                return Err(PyError::new("ValueError", "cannot convert float NaN to integer"));
            }
            let whole = value.trunc().to_bigint();
            whole
                .map(Int::from)
                .ok_or_else(|| PyError::new("OverflowError", "cannot convert float infinity to integer"))
        }
        Value::Text(text) => int_of_text(text),
        other => {
            let message = format!(
                "int() argument must be a string, a bytes-like object or a real number, not '{}'",
                other.type_name()
            );
            Err(PyError::new("TypeError", message))
        }
    }
}

/// Text as `int()` and `float()` look at it: digits of any script as ASCII, whitespace as blanks and cut off at both ends,
/// anything else beyond ASCII as `?`.
fn numeric_text(text: &Text) -> String {
    let ascii: String = text
        .code_points()
        .map(|c| match unicode14::digit(c) {
            Some(digit) => char::from(b'0' + digit as u8),
            None if c >= 0x80 && unicode14::is_whitespace(c) => ' ',
            None if c < 0x80 => char::from(c as u8),
            None => '?',
        })
        .collect();
    ascii.trim_matches(|c| matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c')).to_string()
}

/// Python's `int(text)`.
///
/// # Errors
/// `ValueError`, for what is no decimal integer or has more than 4300 digits.
pub fn int_of_text(text: &Text) -> Result<Int, PyError> {
    let invalid = || {
        let quoted = repr(&Value::Text(text.clone()));
        let mut message = super::text::TextBuf::default();
        message.push_str("invalid literal for int() with base 10: ");
        quoted.code_points().take(200).for_each(|c| message.push(c));
        PyError::new("ValueError", message.finish())
    };
    let ascii = numeric_text(text);
    let (sign, body) = match ascii.as_bytes().first() {
        Some(b'-') => ("-", &ascii[1..]),
        Some(b'+') => ("", &ascii[1..]),
        _ => ("", &ascii[..]),
    };
    let run = body.len() - body.trim_start_matches(|c: char| c.is_ascii_digit() || c == '_').len();
    let (run, rest) = body.split_at(run);
    if run.is_empty() || run.starts_with('_') || run.ends_with('_') || run.contains("__") {
        return Err(invalid());
    }
    let digits: String = run.chars().filter(|c| *c != '_').collect();
    if digits.len() > super::json::MAX_INT_DIGITS {
        let message = format!(
            "Exceeds the limit (4300 digits) for integer string conversion: value has {} digits; \
             use sys.set_int_max_str_digits() to increase the limit",
            digits.len()
        );
        return Err(PyError::new("ValueError", message));
    }
    if !rest.is_empty() {
        return Err(invalid());
    }
    Int::from_digits(&format!("{sign}{digits}")).ok_or_else(invalid)
}

/// Python's `float(value)`.
///
/// # Errors
/// What `float` raises.
pub fn python_float_of(value: &Value) -> Result<f64, PyError> {
    match value {
        Value::Float(float) => Ok(float.get()),
        Value::Bool(b) => Ok(f64::from(u8::from(*b))),
        Value::Int(int) => {
            let near = int.to_f64();
            if near.is_finite() {
                Ok(near)
            } else {
                Err(PyError::new("OverflowError", "int too large to convert to float"))
            }
        }
        Value::Text(text) => {
            let ascii = numeric_text(text);
            let invalid = || {
                let mut message = super::text::TextBuf::default();
                message.push_str("could not convert string to float: ");
                message.push_text(&repr(&Value::Text(text.clone())));
                PyError::new("ValueError", message.finish())
            };
            let body = ascii.trim_start_matches(['+', '-']);
            let named = ["nan", "inf", "infinity"].iter().any(|name| body.eq_ignore_ascii_case(name));
            let single_sign = ascii.len() - body.len() <= 1;
            let underscores_between_digits = {
                let b = body.as_bytes();
                (0..b.len()).filter(|i| b.get(*i) == Some(&b'_')).all(|i| {
                    let digit = |j: Option<usize>| j.and_then(|j| b.get(j)).is_some_and(u8::is_ascii_digit);
                    digit(i.checked_sub(1)) && digit(Some(i + 1))
                })
            };
            let plain = body.bytes().all(|b| b.is_ascii_digit() || b".eE+-_".contains(&b));
            if !single_sign || !(named || (plain && underscores_between_digits)) {
                return Err(invalid());
            }
            ascii.replace('_', "").parse().map_err(|_| invalid())
        }
        other => {
            let message = format!("float() argument must be a string or a real number, not '{}'", other.type_name());
            Err(PyError::new("TypeError", message))
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_state_comes_back_as_it_was_recorded() {
        let words: Arc<[u32]> = (0..624_u32).map(|i| i.wrapping_mul(0x9E37_79B9)).collect();
        let state = RngState {
            python: PythonState {
                mt: MtState { words: Arc::clone(&words), position: 7 },
                gauss_next: Value::float(-0.5),
            },
            numpy: NumpyState { mt: MtState { words, position: 624 }, has_gauss: 1, cached_gaussian: 1.5 },
        };
        let captured = state.capture();
        let again = RngState::restore(&captured).unwrap().capture();
        let text = |v: &Value| crate::trace::json::to_json(v, crate::trace::json::Layout::Dumps).unwrap();
        assert_eq!(text(&captured), text(&again));
        assert!(
            text(&captured)
                .starts_with(r#"{"numpy": {"cached_gaussian": 1.5, "has_gauss": 1, "keys": [0, 2654435769, "#)
        );
    }

    #[test]
    fn text_is_taken_as_int_and_float_take_it() {
        let int = |t: &str| int_of_text(&t.into()).map(|i| i.to_string()).map_err(|e| e.message.to_string());
        assert_eq!(int(" +1_000\u{3000}"), Ok("1000".into()));
        assert_eq!(int("-\u{0663}"), Ok("-3".into()));
        for bad in ["", "_1", "1_", "1__0", "0x1", "1 2", "--1", "\u{1c}1"] {
            assert!(int(bad).is_err(), "{bad}");
        }
        let digits = format!("{}x", "9".repeat(4301));
        assert!(int(&digits).unwrap_err().starts_with("Exceeds the limit (4300 digits)"));
        let float = |t: &str| python_float_of(&Value::text(t)).ok();
        assert_eq!(float(" 1_0.5e1 "), Some(105.0));
        assert_eq!(float("-INF"), Some(f64::NEG_INFINITY));
        for bad in ["", "1__0", "e5", "0x1p3", "infin", "+-1", "1e"] {
            assert_eq!(float(bad), None, "{bad}");
        }
    }
}
