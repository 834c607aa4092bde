//! Values as Python's `json` has them: integers of any size apart from floats and bools, text with lone surrogates,
//! objects in the order of the document.
//!
//! Invariant: a value that was read writes back exactly; nothing is rounded, and a float remembers a spelling that Python would
//! not have written (`1E2`, `1e400`).
//!
//! Long lists of 32-bit numbers (the 624 words of a generator) are stored as such and shared when they repeat: a trace of
//! 2,000 steps names the same states twice or more, and a general value for each word would cost six times the file.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::Arc;

use num_bigint::BigInt;

use super::text::Text;

/// Lists of at least this many numbers below 2^32 are stored compactly.
pub(crate) const COMPACT_MIN: usize = 16;

/// A value of a JSON document, or one that a tool gave.
#[derive(Clone, Debug)]
pub enum Value {
    /// `null`, Python's `None`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// An integer of any size.
    Int(Int),
    /// A double.
    Float(Float),
    /// Text.
    Text(Text),
    /// A list.
    Array(Array),
    /// An object, Python's `dict`.
    Object(Box<Object>),
}

impl Value {
    /// Text from a Rust string.
    pub fn text(text: impl Into<Text>) -> Value {
        Value::Text(text.into())
    }

    /// A float as Python would write it.
    pub fn float(value: f64) -> Value {
        Value::Float(Float::new(value))
    }

    /// An integer of machine size.
    pub fn int(value: i64) -> Value {
        Value::Int(Int::from(value))
    }

    /// A list.
    pub fn array(items: Vec<Value>) -> Value {
        Value::Array(Array::from(items))
    }

    /// An object with text keys.
    pub fn object<K: Into<Text>>(entries: impl IntoIterator<Item = (K, Value)>) -> Value {
        Value::Object(Box::new(entries.into_iter().map(|(k, v)| (Key::Text(k.into()), v)).collect()))
    }

    /// Python's name of the type: `int`, `float`, `bool`, `str`, `list`, `dict` or `NoneType`.
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::Null => "NoneType",
            Value::Bool(_) => "bool",
            Value::Int(_) => "int",
            Value::Float(_) => "float",
            Value::Text(_) => "str",
            Value::Array(_) => "list",
            Value::Object(_) => "dict",
        }
    }

    /// True for `null`.
    pub fn is_null(&self) -> bool {
        matches!(self, Value::Null)
    }

    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&Text> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The text as a Rust string, if it is one and holds no lone surrogate.
    pub fn as_str(&self) -> Option<&str> {
        self.as_text().and_then(Text::as_str)
    }

    /// The object, if it is one.
    pub fn as_object(&self) -> Option<&Object> {
        match self {
            Value::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The list, if it is one.
    pub fn as_array(&self) -> Option<&Array> {
        match self {
            Value::Array(array) => Some(array),
            _ => None,
        }
    }

    /// The bool, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The integer, or a bool as 0 or 1, as Python's arithmetic takes them.
    pub fn as_integer(&self) -> Option<Cow<'_, Int>> {
        match self {
            Value::Int(int) => Some(Cow::Borrowed(int)),
            Value::Bool(value) => Some(Cow::Owned(Int::from(i64::from(*value)))),
            _ => None,
        }
    }

    /// The value at `key` when this is an object with such a text key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.as_object().and_then(|o| o.get(key))
    }

    /// Python's `==` on two separately made values: `1 == 1.0 == True`, NaN is unequal to all, objects in any order.
    pub fn python_eq(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Null, Value::Null) => true,
            (Value::Text(a), Value::Text(b)) => a == b,
            (Value::Array(a), Value::Array(b)) => {
                a.len() == b.len() && (a.shares_storage(b) || a.iter().zip(b.iter()).all(|(a, b)| a.python_eq(&b)))
            }
            (Value::Object(a), Value::Object(b)) => {
                a.len() == b.len() && a.iter().all(|(k, v)| b.get_key(k).is_some_and(|w| v.python_eq(w)))
            }
            _ => match (Number::of(self), Number::of(other)) {
                (Some(a), Some(b)) => a.compare(&b) == Some(Ordering::Equal),
                _ => false,
            },
        }
    }

    /// True when a NaN or an infinity stands anywhere in the value.
    pub fn has_non_finite(&self) -> bool {
        let mut todo = vec![self];
        while let Some(value) = todo.pop() {
            match value {
                Value::Float(f) if !f.get().is_finite() => return true,
                Value::Array(a) => todo.extend(a.as_values().unwrap_or_default()),
                Value::Object(o) => {
                    for (k, v) in o.iter() {
                        if matches!(k, Key::Float(f) if !f.get().is_finite()) {
                            return true;
                        }
                        todo.push(v);
                    }
                }
                _ => {}
            }
        }
        false
    }
}

impl From<Int> for Value {
    fn from(int: Int) -> Value {
        Value::Int(int)
    }
}

/// An integer of any size, kept as a machine word or as its decimal digits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Int(IntRepr);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum IntRepr {
    Small(i64),
    /// Only for what does not fit an i64: an optional minus and digits without leading zero.
    Digits(Box<str>),
}

impl Int {
    /// From an optional minus and decimal digits, as JSON spells integers; `None` when it is anything else.
    ///
    /// The number of digits is not limited here: the reader has Python's limit of 4300.
    pub fn from_digits(text: &str) -> Option<Int> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        if let Ok(small) = text.parse::<i64>() {
            return Some(Int(IntRepr::Small(small)));
        }
        let trimmed = digits.trim_start_matches('0');
        if trimmed.len() == digits.len() {
            return Some(Int(IntRepr::Digits(text.into())));
        }
        Int::from_digits(&format!(
            "{}{}",
            if text.starts_with('-') { "-" } else { "" },
            if trimmed.is_empty() { "0" } else { trimmed }
        ))
    }

    /// The integer when it fits 64 bits with sign.
    pub fn as_i64(&self) -> Option<i64> {
        match &self.0 {
            IntRepr::Small(v) => Some(*v),
            IntRepr::Digits(_) => None,
        }
    }

    /// The integer for arithmetic.
    pub fn to_big(&self) -> BigInt {
        match &self.0 {
            IntRepr::Small(v) => BigInt::from(*v),
            // The digits were checked when the value was made.
            IntRepr::Digits(d) => d.parse().unwrap_or_default(),
        }
    }

    /// True when below zero.
    pub fn is_negative(&self) -> bool {
        match &self.0 {
            IntRepr::Small(v) => *v < 0,
            IntRepr::Digits(d) => d.starts_with('-'),
        }
    }

    /// How many decimal digits it has, the sign not counted.
    pub fn digit_count(&self) -> usize {
        match &self.0 {
            IntRepr::Small(v) => v.unsigned_abs().checked_ilog10().map_or(1, |n| n as usize + 1),
            IntRepr::Digits(d) => d.trim_start_matches('-').len(),
        }
    }

    /// The nearest double, ties to even; infinite when Python's `float()` would overflow.
    pub fn to_f64(&self) -> f64 {
        match &self.0 {
            // i64 to f64 rounds to nearest, ties to even.
            IntRepr::Small(v) => *v as f64,
            // Digits without a point parse to the nearest double.
            IntRepr::Digits(d) => d.parse().unwrap_or(f64::NAN),
        }
    }
}

impl std::fmt::Display for Int {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            IntRepr::Small(v) => write!(f, "{v}"),
            IntRepr::Digits(d) => f.write_str(d),
        }
    }
}

impl From<i64> for Int {
    fn from(value: i64) -> Int {
        Int(IntRepr::Small(value))
    }
}

impl From<BigInt> for Int {
    fn from(value: BigInt) -> Int {
        match i64::try_from(&value) {
            Ok(small) => Int(IntRepr::Small(small)),
            Err(_) => Int(IntRepr::Digits(value.to_string().into())),
        }
    }
}

/// A double, and how the document spelled it when Python would have spelled it otherwise.
#[derive(Clone, Debug)]
pub struct Float {
    value: f64,
    spelled: Option<Box<Box<str>>>,
}

impl Float {
    /// A float as Python would write it.
    pub fn new(value: f64) -> Float {
        Float { value, spelled: None }
    }

    /// A float with the spelling of its document, which is kept only where Python's differs.
    ///
    /// `scratch` is any string; documents hold many floats, and this saves an allocation for each.
    pub(crate) fn with_spelling(value: f64, spelled: &str, scratch: &mut String) -> Float {
        scratch.clear();
        super::json::push_float(scratch, value);
        Float { value, spelled: (scratch != spelled).then(|| Box::new(spelled.into())) }
    }

    /// The double.
    pub fn get(&self) -> f64 {
        self.value
    }

    /// The spelling of the document, where it is not the one Python writes (`1e400`, which Python reads as infinity).
    pub fn spelled(&self) -> Option<&str> {
        self.spelled.as_deref().map(|s| &**s)
    }
}

/// A list.
#[derive(Clone, Debug)]
pub struct Array(ArrayRepr);

#[derive(Clone, Debug)]
enum ArrayRepr {
    Values(Box<[Value]>),
    /// At least [`COMPACT_MIN`] integers below 2^32; shared between states that repeat.
    Words(Arc<[u32]>),
}

impl Array {
    /// A list of numbers below 2^32, stored compactly.
    pub fn from_words(words: Arc<[u32]>) -> Array {
        Array(ArrayRepr::Words(words))
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        match &self.0 {
            ArrayRepr::Values(v) => v.len(),
            ArrayRepr::Words(w) => w.len(),
        }
    }

    /// True when there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The item at `index` (0-based).
    pub fn get(&self, index: usize) -> Option<Cow<'_, Value>> {
        match &self.0 {
            ArrayRepr::Values(v) => v.get(index).map(Cow::Borrowed),
            ArrayRepr::Words(w) => w.get(index).map(|w| Cow::Owned(Value::int(i64::from(*w)))),
        }
    }

    /// The items in order. Items of a compact list are made as they are asked for.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Cow<'_, Value>> {
        (0..self.len()).map(|i| self.get(i).unwrap_or(Cow::Owned(Value::Null)))
    }

    /// The items, unless the list is stored compactly.
    pub fn as_values(&self) -> Option<&[Value]> {
        match &self.0 {
            ArrayRepr::Values(v) => Some(v),
            ArrayRepr::Words(_) => None,
        }
    }

    /// The numbers, when the list is stored compactly.
    pub fn as_words(&self) -> Option<&Arc<[u32]>> {
        match &self.0 {
            ArrayRepr::Values(_) => None,
            ArrayRepr::Words(w) => Some(w),
        }
    }

    /// The items as a vector to work on.
    pub fn to_vec(&self) -> Vec<Value> {
        self.iter().map(Cow::into_owned).collect()
    }

    /// The items, given away.
    pub fn into_vec(self) -> Vec<Value> {
        match self.0 {
            ArrayRepr::Values(values) => values.into_vec(),
            ArrayRepr::Words(words) => words.iter().map(|w| Value::int(i64::from(*w))).collect(),
        }
    }

    /// True when both are the same compact list in memory, which makes them equal without a look.
    pub fn shares_storage(&self, other: &Array) -> bool {
        matches!((&self.0, &other.0), (ArrayRepr::Words(a), ArrayRepr::Words(b)) if Arc::ptr_eq(a, b))
    }
}

impl From<Vec<Value>> for Array {
    fn from(items: Vec<Value>) -> Array {
        Array(ArrayRepr::Values(items.into_boxed_slice()))
    }
}

/// A key of an object: text, or what a live Python `dict` may have instead. JSON writes all of them as text.
#[derive(Clone, Debug)]
pub enum Key {
    /// Text, the only kind a JSON document has.
    Text(Text),
    /// An integer, as `length_histogram` gives.
    Int(Int),
    /// A float.
    Float(Float),
    /// A bool.
    Bool(bool),
    /// `None`.
    Null,
}

impl Key {
    /// The key as a value.
    pub fn to_value(&self) -> Value {
        match self {
            Key::Text(t) => Value::Text(t.clone()),
            Key::Int(i) => Value::Int(i.clone()),
            Key::Float(f) => Value::Float(f.clone()),
            Key::Bool(b) => Value::Bool(*b),
            Key::Null => Value::Null,
        }
    }

    /// The value as a key, or its type name when Python cannot hash it (a list, an object).
    pub fn from_value(value: &Value) -> Result<Key, &'static str> {
        Ok(match value {
            Value::Text(t) => Key::Text(t.clone()),
            Value::Int(i) => Key::Int(i.clone()),
            Value::Float(f) => Key::Float(f.clone()),
            Value::Bool(b) => Key::Bool(*b),
            Value::Null => Key::Null,
            Value::Array(_) | Value::Object(_) => return Err(value.type_name()),
        })
    }

    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&Text> {
        match self {
            Key::Text(t) => Some(t),
            _ => None,
        }
    }

    /// Python's `==` on keys (`1`, `1.0` and `True` are one key).
    pub fn python_eq(&self, other: &Key) -> bool {
        match (self, other) {
            (Key::Text(a), Key::Text(b)) => a == b,
            (Key::Null, Key::Null) => true,
            _ => self.to_value().python_eq(&other.to_value()),
        }
    }

    /// Python's `<`-order, or `None` where Python raises because the kinds do not compare.
    pub(crate) fn python_cmp(&self, other: &Key) -> Option<Ordering> {
        match (self, other) {
            (Key::Text(a), Key::Text(b)) => Some(a.cmp(b)),
            (Key::Null, _) | (_, Key::Null) | (Key::Text(_), _) | (_, Key::Text(_)) => None,
            _ => {
                let (a, b) = (self.to_value(), other.to_value());
                // NaN compares as neither less nor greater: it stays where it stands.
                Some(Number::of(&a)?.compare(&Number::of(&b)?).unwrap_or(Ordering::Equal))
            }
        }
    }
}

impl From<&str> for Key {
    fn from(text: &str) -> Key {
        Key::Text(text.into())
    }
}

/// An object: keys and values in the order they first came, each key once.
#[derive(Clone, Debug, Default)]
pub struct Object {
    entries: Vec<(Key, Value)>,
}

impl Object {
    /// An object without keys.
    pub fn new() -> Object {
        Object::default()
    }

    /// For the reader, which has resolved duplicate keys.
    pub(crate) fn from_unique(entries: Vec<(Key, Value)>) -> Object {
        Object { entries }
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True when there is none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Keys and values in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Key, &Value)> {
        self.entries.iter().map(|(k, v)| (k, v))
    }

    /// The value of a text key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.entries.iter().find(|(k, _)| matches!(k, Key::Text(t) if t == key)).map(|(_, v)| v)
    }

    /// The value of any key, by Python's equality.
    pub fn get_key(&self, key: &Key) -> Option<&Value> {
        self.entries.iter().find(|(k, _)| k.python_eq(key)).map(|(_, v)| v)
    }

    /// Sets a key: a new one goes to the end, a known one keeps its place and its first spelling, as in a Python `dict`.
    pub fn insert(&mut self, key: Key, value: Value) {
        match self.entries.iter_mut().find(|(k, _)| k.python_eq(&key)) {
            Some(entry) => entry.1 = value,
            None => self.entries.push((key, value)),
        }
    }

    /// Takes a text key out.
    pub fn remove(&mut self, key: &str) -> Option<Value> {
        let at = self.entries.iter().position(|(k, _)| matches!(k, Key::Text(t) if t == key))?;
        Some(self.entries.remove(at).1)
    }

    /// Keys and values, given away in order.
    pub fn into_entries(self) -> Vec<(Key, Value)> {
        self.entries
    }
}

impl FromIterator<(Key, Value)> for Object {
    fn from_iter<I: IntoIterator<Item = (Key, Value)>>(entries: I) -> Object {
        let mut object = Object::new();
        for (k, v) in entries {
            object.insert(k, v);
        }
        object
    }
}

impl From<Object> for Value {
    fn from(object: Object) -> Value {
        Value::Object(Box::new(object))
    }
}

/// A number for comparison, exact between integers and doubles as in Python.
enum Number<'a> {
    Int(Cow<'a, Int>),
    Float(f64),
}

impl Number<'_> {
    fn of(value: &Value) -> Option<Number<'_>> {
        match value {
            Value::Float(f) => Some(Number::Float(f.get())),
            other => other.as_integer().map(Number::Int),
        }
    }

    fn compare(&self, other: &Number<'_>) -> Option<Ordering> {
        match (self, other) {
            (Number::Float(a), Number::Float(b)) => a.partial_cmp(b),
            (Number::Int(a), Number::Int(b)) => Some(compare_ints(a, b)),
            (Number::Int(a), Number::Float(b)) => compare_int_float(a, *b),
            (Number::Float(a), Number::Int(b)) => compare_int_float(b, *a).map(Ordering::reverse),
        }
    }
}

fn compare_ints(a: &Int, b: &Int) -> Ordering {
    match (a.as_i64(), b.as_i64()) {
        (Some(a), Some(b)) => a.cmp(&b),
        _ => a.to_big().cmp(&b.to_big()),
    }
}

fn compare_int_float(a: &Int, b: f64) -> Option<Ordering> {
    use num_bigint::ToBigInt as _;
    if b.is_nan() {
        return None;
    }
    if b.is_infinite() {
        return Some(if b > 0.0 { Ordering::Less } else { Ordering::Greater });
    }
    let whole = b.trunc().to_bigint()?;
    Some(a.to_big().cmp(&whole).then_with(|| 0.0_f64.partial_cmp(&b.fract()).unwrap_or(Ordering::Equal)))
}

/// How two numbers of a trace compare, by Python's rules; `None` when either is no number or one is NaN.
pub fn compare_numbers(a: &Value, b: &Value) -> Option<Ordering> {
    Number::of(a)?.compare(&Number::of(b)?)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_value_stays_small() {
        assert!(size_of::<Value>() <= 24, "{}", size_of::<Value>());
        assert!(size_of::<Key>() <= 24, "{}", size_of::<Key>());
    }

    #[test]
    fn numbers_compare_exactly() {
        let big = Value::Int(Int::from_digits("9007199254740993").unwrap());
        assert!(!big.python_eq(&Value::float(9007199254740992.0)));
        assert!(Value::int(1).python_eq(&Value::float(1.0)) && Value::Bool(true).python_eq(&Value::int(1)));
        assert!(!Value::float(f64::NAN).python_eq(&Value::float(f64::NAN)));
        assert_eq!(compare_numbers(&Value::int(-1), &Value::float(-1.5)), Some(Ordering::Greater));
    }

    #[test]
    fn digits_are_normal() {
        assert_eq!(Int::from_digits("-0").unwrap().to_string(), "0");
        assert_eq!(Int::from_digits("00000000000000000000000000000000012").unwrap().to_string(), "12");
        assert_eq!(Int::from_digits("9223372036854775808").unwrap().to_string(), "9223372036854775808");
        assert_eq!(Int::from_digits("1.5"), None);
        assert_eq!(Int::from_digits("100000000000000000000").unwrap().digit_count(), 21);
    }
}
