//! From arguments to Rust types, and back to a result.

use tapedeck_core::trace::{Int, Object, Text, Value};

use crate::{Call, Failure};

/// A type that an argument's value can become.
pub trait FromValue: Sized {
    /// What Python calls it, for messages.
    const NAME: &'static str;
    /// True for a type that stands for a missing argument too.
    const IS_OPTIONAL: bool = false;

    /// Takes the value, if it fits.
    fn from_value(value: &Value) -> Option<Self>;
}

/// A type that a tool's argument can have: anything [`FromValue`], or [`crate::Rng`].
pub trait FromArgument: Sized {
    /// True for the step's generators.
    const IS_RNG: bool;
    /// True when the call may leave it out.
    const IS_OPTIONAL: bool;

    /// Takes the argument out of a call.
    ///
    /// # Errors
    /// A `TypeError` when the value does not fit.
    fn from_argument(call: &Call, name: &str) -> Result<Self, Failure>;
}

impl<T: FromValue> FromArgument for T {
    const IS_RNG: bool = false;
    const IS_OPTIONAL: bool = T::IS_OPTIONAL;

    fn from_argument(call: &Call, name: &str) -> Result<T, Failure> {
        let value = call.arg(name).unwrap_or(&Value::Null);
        T::from_value(value).ok_or_else(|| {
            let message = format!("argument '{name}' must be {}, not {}", T::NAME, value.type_name());
            Failure::new("TypeError", message)
        })
    }
}

impl FromValue for Value {
    const NAME: &'static str = "a value";

    fn from_value(value: &Value) -> Option<Value> {
        Some(value.clone())
    }
}

impl FromValue for f64 {
    const NAME: &'static str = "a number";

    fn from_value(value: &Value) -> Option<f64> {
        match value {
            Value::Float(float) => Some(float.get()),
            other => other.as_integer().map(|int| int.to_f64()).filter(|near| near.is_finite()),
        }
    }
}

impl FromValue for Int {
    const NAME: &'static str = "an integer";

    fn from_value(value: &Value) -> Option<Int> {
        value.as_integer().map(std::borrow::Cow::into_owned)
    }
}

macro_rules! machine_integers {
    ($($kind:ty),*) => {$(
        impl FromValue for $kind {
            const NAME: &'static str = concat!("an integer that fits ", stringify!($kind));

            fn from_value(value: &Value) -> Option<$kind> {
                value.as_integer().and_then(|int| int.as_i64()).and_then(|int| <$kind>::try_from(int).ok())
            }
        }

        impl IntoValue for $kind {
            fn into_value(self) -> Value {
                Int::from_digits(&self.to_string()).map_or(Value::Null, Value::Int)
            }
        }
    )*};
}

machine_integers!(u8, u16, u32, u64, usize, i32, i64);

impl FromValue for bool {
    const NAME: &'static str = "a bool";

    fn from_value(value: &Value) -> Option<bool> {
        value.as_bool()
    }
}

impl FromValue for Text {
    const NAME: &'static str = "a str";

    fn from_value(value: &Value) -> Option<Text> {
        value.as_text().cloned()
    }
}

impl FromValue for String {
    const NAME: &'static str = "a str without lone surrogates";

    fn from_value(value: &Value) -> Option<String> {
        value.as_str().map(str::to_owned)
    }
}

impl FromValue for Object {
    const NAME: &'static str = "a dict";

    fn from_value(value: &Value) -> Option<Object> {
        value.as_object().cloned()
    }
}

impl<T: FromValue> FromValue for Vec<T> {
    const NAME: &'static str = "a list of fitting items";

    fn from_value(value: &Value) -> Option<Vec<T>> {
        value.as_array()?.iter().map(|item| T::from_value(&item)).collect()
    }
}

impl<T: FromValue> FromValue for Option<T> {
    const NAME: &'static str = T::NAME;
    const IS_OPTIONAL: bool = true;

    fn from_value(value: &Value) -> Option<Option<T>> {
        if value.is_null() { Some(None) } else { T::from_value(value).map(Some) }
    }
}

/// A type that becomes a value.
pub trait IntoValue {
    /// The value.
    fn into_value(self) -> Value;
}

impl IntoValue for Value {
    fn into_value(self) -> Value {
        self
    }
}

impl IntoValue for f64 {
    fn into_value(self) -> Value {
        Value::float(self)
    }
}

impl IntoValue for Int {
    fn into_value(self) -> Value {
        Value::Int(self)
    }
}

impl IntoValue for bool {
    fn into_value(self) -> Value {
        Value::Bool(self)
    }
}

impl IntoValue for Text {
    fn into_value(self) -> Value {
        Value::Text(self)
    }
}

impl IntoValue for String {
    fn into_value(self) -> Value {
        Value::text(self)
    }
}

impl IntoValue for &str {
    fn into_value(self) -> Value {
        Value::text(self)
    }
}

impl IntoValue for Object {
    fn into_value(self) -> Value {
        Value::from(self)
    }
}

impl IntoValue for () {
    fn into_value(self) -> Value {
        Value::Null
    }
}

impl<T: IntoValue> IntoValue for Vec<T> {
    fn into_value(self) -> Value {
        Value::array(self.into_iter().map(IntoValue::into_value).collect())
    }
}

impl<T: IntoValue> IntoValue for Option<T> {
    fn into_value(self) -> Value {
        self.map_or(Value::Null, IntoValue::into_value)
    }
}

/// What a tool's function may return: a value, or a value or a [`Failure`].
pub trait IntoAnswer {
    /// The result of the call.
    ///
    /// # Errors
    /// The tool's own failure.
    fn into_answer(self) -> Result<Value, Failure>;
}

impl<T: IntoValue> IntoAnswer for T {
    fn into_answer(self) -> Result<Value, Failure> {
        Ok(self.into_value())
    }
}

impl<T: IntoValue> IntoAnswer for Result<T, Failure> {
    fn into_answer(self) -> Result<Value, Failure> {
        self.map(IntoValue::into_value)
    }
}
