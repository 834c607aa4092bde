//! The tools that calculate, and the small ones that fail on purpose.
//!
//! Invariant: sums run left to right from integer 0, without compensation.

use tapedeck_core::trace::repr::{repr_key, str_of};
use tapedeck_core::trace::rng_state::python_int;
use tapedeck_core::trace::{Key, Value};

use crate::error::ToolError;
use crate::num::{self, Num};
use crate::registry::Call;

/// The items that a `for` loop of Python meets.
pub(crate) fn iterated(value: &Value) -> Result<Vec<Value>, ToolError> {
    match value {
        Value::Array(array) => Ok(array.to_vec()),
        Value::Text(text) => Ok(text.code_points().map(|c| Value::Text([c].into_iter().collect())).collect()),
        Value::Object(object) => Ok(object.iter().map(|(k, _)| k.to_value()).collect()),
        other => Err(ToolError::raised("TypeError", format!("'{}' object is not iterable", other.type_name()))),
    }
}

pub(crate) fn sum_list(call: &mut Call<'_>) -> Result<Value, ToolError> {
    let mut sum = Num::zero();
    for item in iterated(call.arg(0))? {
        sum = sum.plus(&Num::of(&item))?;
    }
    Ok(sum.into_value())
}

pub(crate) fn polynomial(call: &mut Call<'_>) -> Result<Value, ToolError> {
    let x = Num::of(call.arg(1));
    let mut acc = Num::zero();
    for coefficient in iterated(call.arg(0))? {
        acc = acc.times(&x)?.plus(&Num::of(&coefficient))?;
    }
    Ok(acc.into_value())
}

fn length(value: &Value) -> Result<usize, ToolError> {
    match value {
        Value::Array(array) => Ok(array.len()),
        Value::Text(text) => Ok(text.code_point_count()),
        Value::Object(object) => Ok(object.len()),
        other => {
            let message = format!("object of type '{}' has no len()", other.type_name());
            Err(ToolError::raised("TypeError", message))
        }
    }
}

fn item(value: &Value, index: usize) -> Result<Value, ToolError> {
    let out_of_range = |kind: &str| ToolError::raised("IndexError", format!("{kind} index out of range"));
    match value {
        Value::Array(array) => array.get(index).map(std::borrow::Cow::into_owned).ok_or_else(|| out_of_range("list")),
        Value::Text(text) => text
            .code_points()
            .nth(index)
            .map(|c| Value::Text([c].into_iter().collect()))
            .ok_or_else(|| out_of_range("string")),
        Value::Object(_) => Err(ToolError::raised("KeyError", index.to_string())),
        other => Err(ToolError::raised("TypeError", format!("'{}' object is not subscriptable", other.type_name()))),
    }
}

pub(crate) fn matmul(call: &mut Call<'_>) -> Result<Value, ToolError> {
    let (a, b) = (call.arg(0), call.arg(1));
    let width = |rows: &Value, count: usize| if count > 0 { length(&item(rows, 0)?) } else { Ok(0) };
    let (rows, q) = (length(a)?, length(b)?);
    let (p, columns) = (width(a, rows)?, width(b, q)?);
    if p != q {
        return Err(ToolError::raised("ValueError", format!("shape mismatch: {rows}x{p} and {q}x{columns}")));
    }
    let mut product = Vec::with_capacity(rows);
    for i in 0..rows {
        let row = item(a, i)?;
        let mut line = Vec::with_capacity(columns);
        for j in 0..columns {
            let mut acc = Num::zero();
            for k in 0..p {
                let (left, right) = (item(&row, k)?, item(&item(b, k)?, j)?);
                acc = acc.plus(&Num::of(&left).times(&Num::of(&right))?)?;
            }
            line.push(acc.into_value());
        }
        product.push(Value::array(line));
    }
    Ok(Value::array(product))
}

pub(crate) fn divide(call: &mut Call<'_>) -> Result<Value, ToolError> {
    num::divide(call.arg(0), call.arg(1))
}

pub(crate) fn parse_int(call: &mut Call<'_>) -> Result<Value, ToolError> {
    Ok(Value::Int(python_int(call.arg(0))?))
}

pub(crate) fn lookup(call: &mut Call<'_>) -> Result<Value, ToolError> {
    let key = Key::from_value(call.arg(0))
        .map_err(|kind| ToolError::raised("TypeError", format!("unhashable type: '{kind}'")))?;
    let found = match key.as_text().and_then(|t| t.as_str()) {
        Some("alpha") => Value::int(1),
        Some("beta") => Value::array(vec![Value::int(2), Value::int(3)]),
        Some("gamma") => Value::object([("deep", Value::Bool(true))]),
        Some("π") => Value::float(std::f64::consts::PI),
        Some("nil") => Value::Null,
        _ => return Err(ToolError::raised("KeyError", repr_key(&key))),
    };
    Ok(found)
}

pub(crate) fn always_fails(call: &mut Call<'_>) -> Result<Value, ToolError> {
    Err(ToolError::raised("RuntimeError", str_of(call.arg(0))))
}

pub(crate) fn pop_first(call: &mut Call<'_>) -> Result<Value, ToolError> {
    let Value::Array(items) = call.arg(0) else {
        let kind = call.arg(0).type_name();
        return Err(ToolError::raised("AttributeError", format!("'{kind}' object has no attribute 'pop'")));
    };
    let mut items = items.to_vec();
    if items.is_empty() {
        return Err(ToolError::raised("IndexError", "pop from empty list"));
    }
    let first = items.remove(0);
    call.edit(0, Value::array(items));
    Ok(first)
}
