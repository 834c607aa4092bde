//! Python's arithmetic on values: exact integers, doubles, and what it says of everything else.
//!
//! Invariant: an integer meets a float as the nearest double, ties to even, and overflows with Python's error; products and sums
//! of doubles are rounded once each, never fused.

use std::borrow::Cow;

use num_bigint::BigInt;
use num_traits::{Signed as _, ToPrimitive as _, Zero as _};
use tapedeck_core::trace::{Int, Value};

use crate::error::ToolError;

/// Bits that an integer may grow to: more than any sensible trace needs, and still quick to multiply.
const MAX_BITS: u64 = 1 << 22;

/// Items that a repeated list or text may have.
const MAX_REPEATED: u64 = 1 << 22;

/// A number in the middle of a calculation; integers stay binary between steps.
#[derive(Clone, Debug)]
pub enum Num {
    /// An integer.
    Int(BigInt),
    /// A bool, which counts as 0 or 1 and keeps its name in messages.
    Bool(bool),
    /// A float.
    Float(f64),
    /// No number.
    Other(Value),
}

impl Num {
    /// Takes a value.
    pub fn of(value: &Value) -> Num {
        match value {
            Value::Float(float) => Num::Float(float.get()),
            Value::Bool(value) => Num::Bool(*value),
            other => match other.as_integer() {
                Some(int) => Num::Int(int.to_big()),
                None => Num::Other(other.clone()),
            },
        }
    }

    /// Integer zero, where every sum starts.
    pub fn zero() -> Num {
        Num::Int(BigInt::ZERO)
    }

    /// The value.
    pub fn into_value(self) -> Value {
        match self {
            Num::Int(int) => Value::Int(Int::from(int)),
            Num::Bool(value) => Value::Bool(value),
            Num::Float(float) => Value::float(float),
            Num::Other(value) => value,
        }
    }

    /// The same number, a bool as the integer that it counts as.
    fn counted(&self) -> Cow<'_, Num> {
        match self {
            Num::Bool(value) => Cow::Owned(Num::Int(BigInt::from(u8::from(*value)))),
            other => Cow::Borrowed(other),
        }
    }

    fn type_name(&self) -> &'static str {
        match self {
            Num::Int(_) => "int",
            Num::Bool(_) => "bool",
            Num::Float(_) => "float",
            Num::Other(value) => value.type_name(),
        }
    }

    /// `self + other`.
    ///
    /// # Errors
    /// Python's `TypeError` or `OverflowError`.
    pub fn plus(&self, other: &Num) -> Result<Num, ToolError> {
        Ok(match (&*self.counted(), &*other.counted()) {
            (Num::Int(a), Num::Int(b)) => Num::Int(a + b),
            (Num::Float(a), Num::Float(b)) => Num::Float(a + b),
            (Num::Float(a), Num::Int(b)) => Num::Float(a + to_double(b)?),
            (Num::Int(a), Num::Float(b)) => Num::Float(to_double(a)? + b),
            (Num::Other(Value::Text(a)), Num::Other(Value::Text(b))) => {
                Num::Other(Value::Text(a.code_points().chain(b.code_points()).collect()))
            }
            (Num::Other(Value::Array(a)), Num::Other(Value::Array(b))) => {
                Num::Other(Value::array(a.to_vec().into_iter().chain(b.to_vec()).collect()))
            }
            (Num::Other(a @ (Value::Text(_) | Value::Array(_))), _) => {
                let (a, b) = (a.type_name(), other.type_name());
                return Err(ToolError::raised("TypeError", format!("can only concatenate {a} (not \"{b}\") to {a}")));
            }
            _ => return Err(unsupported('+', self.type_name(), other.type_name())),
        })
    }

    /// `self * other`.
    ///
    /// # Errors
    /// Python's `TypeError` or `OverflowError`; a refusal when the product would be too large to hold.
    pub fn times(&self, other: &Num) -> Result<Num, ToolError> {
        Ok(match (&*self.counted(), &*other.counted()) {
            (Num::Int(a), Num::Int(b)) => {
                if a.bits() + b.bits() > MAX_BITS {
                    return Err(ToolError::Refused(format!(
                        "an integer grows beyond {MAX_BITS} bits, more than is calculated here"
                    )));
                }
                Num::Int(a * b)
            }
            (Num::Float(a), Num::Float(b)) => Num::Float(a * b),
            (Num::Float(a), Num::Int(b)) => Num::Float(a * to_double(b)?),
            (Num::Int(a), Num::Float(b)) => Num::Float(to_double(a)? * b),
            (Num::Int(n), Num::Other(sequence @ (Value::Text(_) | Value::Array(_))))
            | (Num::Other(sequence @ (Value::Text(_) | Value::Array(_))), Num::Int(n)) => {
                Num::Other(repeated(sequence, n)?)
            }
            (Num::Other(Value::Text(_) | Value::Array(_)), _) => return Err(no_repeat(other.type_name())),
            (_, Num::Other(Value::Text(_) | Value::Array(_))) => return Err(no_repeat(self.type_name())),
            _ => return Err(unsupported('*', self.type_name(), other.type_name())),
        })
    }
}

fn no_repeat(kind: &str) -> ToolError {
    ToolError::raised("TypeError", format!("can't multiply sequence by non-int of type '{kind}'"))
}

fn unsupported(operator: char, left: &str, right: &str) -> ToolError {
    ToolError::raised("TypeError", format!("unsupported operand type(s) for {operator}: '{left}' and '{right}'"))
}

fn repeated(sequence: &Value, n: &BigInt) -> Result<Value, ToolError> {
    let times = if n.is_negative() { 0 } else { n.to_u64().unwrap_or(u64::MAX) };
    let too_long = || ToolError::Refused(format!("a repeated sequence has more than {MAX_REPEATED} items"));
    let check = |len: usize| match times.checked_mul(len as u64) {
        Some(total) if total <= MAX_REPEATED => Ok(times as usize),
        _ if len == 0 => Ok(0),
        _ => Err(too_long()),
    };
    Ok(match sequence {
        Value::Text(text) => {
            let times = check(text.code_point_count())?;
            Value::Text((0..times).flat_map(|_| text.code_points()).collect())
        }
        Value::Array(array) => {
            let times = check(array.len())?;
            Value::array((0..times).flat_map(|_| array.to_vec()).collect())
        }
        other => other.clone(),
    })
}

/// The nearest double of an integer, ties to even.
///
/// # Errors
/// Python's `OverflowError` when it rounds beyond the largest double.
pub fn to_double(int: &BigInt) -> Result<f64, ToolError> {
    let near = Int::from(int.clone()).to_f64();
    if near.is_finite() {
        Ok(near)
    } else {
        Err(ToolError::raised("OverflowError", "int too large to convert to float"))
    }
}

/// `a + b`.
///
/// # Errors
/// As [`Num::plus`].
pub fn add(a: &Value, b: &Value) -> Result<Value, ToolError> {
    Ok(Num::of(a).plus(&Num::of(b))?.into_value())
}

/// `a * b`.
///
/// # Errors
/// As [`Num::times`].
pub fn mul(a: &Value, b: &Value) -> Result<Value, ToolError> {
    Ok(Num::of(a).times(&Num::of(b))?.into_value())
}

/// `a / b`.
///
/// # Errors
/// Python's `ZeroDivisionError`, `OverflowError` or `TypeError`.
pub fn divide(a: &Value, b: &Value) -> Result<Value, ToolError> {
    let zero = |message: &str| ToolError::raised("ZeroDivisionError", message);
    let (a, b) = match (&*Num::of(a).counted(), &*Num::of(b).counted()) {
        (Num::Int(a), Num::Int(b)) => {
            if b.is_zero() {
                return Err(zero("division by zero"));
            }
            return Ok(Value::float(quotient(a, b)?));
        }
        (Num::Float(a), Num::Float(b)) => (*a, *b),
        (Num::Float(a), Num::Int(b)) => (*a, to_double(b)?),
        (Num::Int(a), Num::Float(b)) => (to_double(a)?, *b),
        _ => return Err(unsupported('/', a.type_name(), b.type_name())),
    };
    if b == 0.0 {
        return Err(zero("float division by zero"));
    }
    Ok(Value::float(a / b))
}

/// The exact quotient rounded once, ties to even; negative when exactly one operand is below zero, also for 0.
fn quotient(a: &BigInt, b: &BigInt) -> Result<f64, ToolError> {
    let too_large = || ToolError::raised("OverflowError", "integer division result too large for a float");
    let negative = a.is_negative() != b.is_negative();
    let sign = |x: f64| if negative { -x } else { x };
    let (n, d) = (a.magnitude(), b.magnitude());
    if n.is_zero() {
        return Ok(sign(0.0));
    }
    // The quotient lies in [2^(e-1), 2^(e+1)).
    let e = i64::try_from(n.bits()).unwrap_or(i64::MAX) - i64::try_from(d.bits()).unwrap_or(i64::MAX);
    if e > 1025 {
        return Err(too_large());
    }
    if e < -1100 {
        return Ok(sign(0.0));
    }
    // At least 54 bits of quotient above the last place of the result: of a subnormal that place is 2^-1074.
    let shift = (55 - e).min(1076);
    let (n, d) =
        if shift >= 0 { (n << shift.unsigned_abs(), d.clone()) } else { (n.clone(), d << shift.unsigned_abs()) };
    let whole = &n / &d;
    let sticky = u64::from(!(&n % &d).is_zero());
    // At most 57 bits; the last one, which lies below the rounding place, also says whether anything was cut off.
    let bits = whole.to_u64().unwrap_or(u64::MAX);
    let result = rounded(bits, sticky == 1, -shift);
    if result.is_infinite() { Err(too_large()) } else { Ok(sign(result)) }
}

/// The nearest double of (bits + something below 1 if `sticky`) * 2^exponent, ties to even.
fn rounded(bits: u64, sticky: bool, exponent: i64) -> f64 {
    let length = i64::from(u64::BITS - bits.leading_zeros());
    // The last place of the result: 53 bits, or the last place of a subnormal.
    let drop = (length - 53).max(-1074 - exponent).max(0) as u32;
    let kept = bits.checked_shr(drop).unwrap_or(0);
    let rest = bits & (1_u64.checked_shl(drop).unwrap_or(0).wrapping_sub(1));
    let half = if drop == 0 { 0 } else { 1_u64.checked_shl(drop - 1).unwrap_or(0) };
    let up = drop > 0 && (rest > half || (rest == half && (sticky || kept & 1 == 1)));
    let kept = kept + u64::from(up);
    // 2^-1074 cannot be a factor in one step with a normal number above it; two exact powers can.
    let power = exponent + i64::from(drop);
    let scale = |p: i64| f64::from_bits(((p + 1023) as u64) << 52);
    let value = kept as f64;
    if power < -1022 {
        value * scale(power + 60) * scale(-60)
    } else if power > 1023 {
        value * scale(1023) * scale(power - 1023)
    } else {
        value * scale(power)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn int(text: &str) -> Value {
        Value::Int(Int::from_digits(text).unwrap())
    }

    fn power(n: u32) -> BigInt {
        BigInt::from(1) << n
    }

    fn quotient_of(a: &str, b: &str) -> f64 {
        match divide(&int(a), &int(b)).unwrap() {
            Value::Float(f) => f.get(),
            _ => f64::NAN,
        }
    }

    #[test]
    fn integers_divide_with_one_rounding() {
        assert_eq!(quotient_of("1", "3"), 1.0 / 3.0);
        assert_eq!(quotient_of("0", "-5").to_bits(), (-0.0_f64).to_bits());
        assert_eq!(quotient_of("9007199254740993", "1"), 9007199254740992.0);
        assert_eq!(quotient_of("9007199254740995", "1"), 9007199254740996.0);
        let big = |n: usize| format!("1{}", "0".repeat(n));
        assert_eq!(quotient_of(&big(400), &big(399)), 10.0);
        // The smallest subnormal, its half (to even: 0), and a little more than its half.
        assert_eq!(quotient_of("1", &big(400)), 0.0);
        let two_1075 = power(1075).to_string();
        let two_1074 = power(1074).to_string();
        assert_eq!(quotient_of("1", &two_1074), 5e-324);
        assert_eq!(quotient_of("1", &two_1075), 0.0);
        assert_eq!(quotient_of("3", &two_1075), 1e-323);
        let more: BigInt = power(80) + 1;
        let below = power(1155).to_string();
        assert_eq!(quotient_of(&more.to_string(), &below), 5e-324);
        assert!(divide(&int(&big(400)), &int("3")).is_err());
        assert_eq!(quotient_of(&power(1024).to_string(), "2"), 2.0_f64.powi(1023));
    }

    #[test]
    fn others_say_what_python_says() {
        let message = |r: Result<Value, ToolError>| match r {
            Err(ToolError::Raised(e)) => e.message.to_string(),
            other => format!("{other:?}"),
        };
        let (text, list) = (Value::text("a"), Value::array(vec![]));
        assert_eq!(message(add(&Value::int(0), &text)), "unsupported operand type(s) for +: 'int' and 'str'");
        assert_eq!(message(add(&text, &Value::int(0))), "can only concatenate str (not \"int\") to str");
        assert_eq!(message(mul(&Value::float(1.0), &text)), "can't multiply sequence by non-int of type 'float'");
        assert_eq!(
            message(mul(&Value::Null, &Value::int(1))),
            "unsupported operand type(s) for *: 'NoneType' and 'int'"
        );
        assert_eq!(message(divide(&text, &list)), "unsupported operand type(s) for /: 'str' and 'list'");
        assert_eq!(mul(&Value::Bool(true), &text).unwrap().as_str(), Some("a"));
    }
}
