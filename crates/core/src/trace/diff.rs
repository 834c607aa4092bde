//! Differences: mixle's own list, and beside it the why.
//!
//! Invariant: [`diff`] is mixle's answer and is never softened; everything else here only explains it.

use std::sync::Arc;

use super::error::PyError;
use super::json::{self, Layout};
use super::model::{ExecutionTrace, Field, FieldRef, TraceStep, canonical, not_canonical};
use super::value::{Key, Object, Value};

/// Differing values that are listed for one step; the rest are counted.
pub const MAX_LISTED: usize = 200;

/// A text of a value that is longer than this (in bytes) is cut in a [`Difference`].
const MAX_SHOWN: usize = 4096;

/// One row of mixle's `diff`: the index of a step, or -1 for the request, and a name.
#[derive(Clone, Debug)]
pub struct DiffRow {
    /// The step (0-based), -1 for `request_mismatch`, the shorter length for `length_mismatch`.
    pub index: i64,
    /// The tool of the left step, or mixle's word for what differs.
    pub name: Value,
}

/// mixle's `diff(a, b)`.
///
/// # Errors
/// `ValueError: replay identity must be canonical JSON data` when a step that is compared cannot be written canonically.
pub fn diff(a: &ExecutionTrace, b: &ExecutionTrace) -> Result<Vec<DiffRow>, PyError> {
    let mut rows = Vec::new();
    if !same_request(&a.request, &b.request) {
        rows.push(DiffRow { index: -1, name: Value::text("request_mismatch") });
    }
    if a.steps.is_empty() && b.steps.is_empty() {
        rows.push(DiffRow { index: 0, name: Value::text("empty_trace") });
    }
    for (i, (left, right)) in a.steps.iter().zip(&b.steps).enumerate() {
        if !same_step(left, right)? {
            rows.push(DiffRow { index: i as i64, name: left.tool.clone() });
        }
    }
    if a.steps.len() != b.steps.len() {
        let shorter = a.steps.len().min(b.steps.len());
        rows.push(DiffRow { index: shorter as i64, name: Value::text("length_mismatch") });
    }
    Ok(rows)
}

/// Python's `==` on requests; a value that both traces share is equal to itself even with NaN inside, as in Python.
fn same_request(a: &Arc<Value>, b: &Arc<Value>) -> bool {
    if Arc::ptr_eq(a, b) {
        return !matches!(&**a, Value::Float(f) if f.get().is_nan());
    }
    a.python_eq(b)
}

/// True when the canonical texts of two steps are the same.
///
/// # Errors
/// As [`diff`].
pub fn same_step(a: &TraceStep, b: &TraceStep) -> Result<bool, PyError> {
    let mut same = true;
    let (mut left, mut right) = (String::new(), String::new());
    // Field by field: JSON texts are never prefixes of one another, so the whole texts agree when the fields do.
    for field in Field::ALL {
        left.clear();
        right.clear();
        a.field(field).write(&mut left, Layout::Canonical).map_err(|_| not_canonical())?;
        b.field(field).write(&mut right, Layout::Canonical).map_err(|_| not_canonical())?;
        same &= left == right;
    }
    Ok(same)
}

/// How two values at one place differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DifferenceKind {
    /// The types differ (`1` and `1.0` are an int and a float).
    Type,
    /// Same type, other value.
    Value,
    /// Only the left side has it.
    OnlyLeft,
    /// Only the right side has it.
    OnlyRight,
    /// The keys are the same and written in another order: integer keys sort as numbers, text keys as text.
    KeyOrder,
    /// `succeeded` is null on the left, from a recorder that predates the field; a replay always says true or false.
    OutcomeNotRecorded,
    /// Long lists of numbers (generator states), of which `count` differ.
    Words {
        /// How many numbers differ.
        count: usize,
    },
}

/// One differing value of two steps.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The field of the step.
    pub field: Field,
    /// The JSON pointer (RFC 6901) of the value inside the step, such as `/result/2`.
    pub pointer: String,
    /// How they differ.
    pub kind: DifferenceKind,
    /// The left value as JSON, cut when it is very long; `None` when there is none.
    pub left: Option<String>,
    /// The right value as JSON.
    pub right: Option<String>,
    /// For two finite floats: how many doubles lie between them, plus one.
    pub ulps: Option<u64>,
}

impl Difference {
    /// What and where, in words: `result[2], 1 ULP`.
    pub fn place(&self) -> String {
        let mut place = String::new();
        for (i, part) in self.pointer.split('/').skip(1).enumerate() {
            let part = part.replace("~1", "/").replace("~0", "~");
            if i == 0 {
                place.push_str(&part);
            } else if !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()) {
                place.push_str(&format!("[{part}]"));
            } else {
                place.push_str(&format!("[{part:?}]"));
            }
        }
        match (self.kind, self.ulps) {
            (_, Some(ulps)) => place.push_str(&format!(", {ulps} ULP{}", if ulps == 1 { "" } else { "s" })),
            (DifferenceKind::Words { count }, _) => place.push_str(&format!(", {count} numbers")),
            (DifferenceKind::Type, _) => place.push_str(", another type"),
            (DifferenceKind::KeyOrder, _) => place.push_str(", order of keys"),
            (DifferenceKind::OutcomeNotRecorded, _) => place.push_str(", not recorded"),
            (DifferenceKind::OnlyLeft, _) => place.push_str(", only in the first"),
            (DifferenceKind::OnlyRight, _) => place.push_str(", only in the second"),
            (DifferenceKind::Value, _) => {}
        }
        place
    }
}

/// All differences of two steps.
#[derive(Clone, Debug, Default)]
pub struct StepDifferences {
    /// The first [`MAX_LISTED`] of them, in the order of the written step.
    pub listed: Vec<Difference>,
    /// How many there are in all.
    pub total: usize,
}

impl StepDifferences {
    /// The fields that differ, each once, in the order of the written step.
    pub fn fields(&self) -> Vec<Field> {
        let mut fields: Vec<Field> = self.listed.iter().map(|d| d.field).collect();
        fields.dedup();
        fields
    }
}

/// Why two steps differ: each differing value with its place. NaN counts as equal to NaN here; the text is what is compared.
pub fn explain(a: &TraceStep, b: &TraceStep) -> StepDifferences {
    let mut found = StepDifferences::default();
    for field in Field::ALL {
        let pointer = format!("/{}", field.name());
        let mut walk = Walk { field, found: &mut found, todo: Vec::new() };
        match (a.field(field), b.field(field)) {
            (FieldRef::Object(left), FieldRef::Object(right)) => walk.objects(left, right, &pointer),
            (FieldRef::Value(left), FieldRef::Value(right)) => {
                walk.todo.push((pointer, Some(left), Some(right)));
            }
            _ => {}
        }
        walk.run();
    }
    found
}

/// Why two values differ, with pointers that start at the values (for requests and records).
pub fn explain_values(a: &Value, b: &Value, field: Field) -> StepDifferences {
    let mut found = StepDifferences::default();
    let mut walk = Walk { field, found: &mut found, todo: vec![(String::new(), Some(a), Some(b))] };
    walk.run();
    found
}

/// A place that is still to be compared: its pointer and what each side has there.
type Pending<'a> = (String, Option<&'a Value>, Option<&'a Value>);

struct Walk<'a, 'f> {
    field: Field,
    found: &'f mut StepDifferences,
    /// In reverse, so that the next place is the last.
    todo: Vec<Pending<'a>>,
}

impl<'a> Walk<'a, '_> {
    fn run(&mut self) {
        while let Some((pointer, left, right)) = self.todo.pop() {
            match (left, right) {
                (Some(left), Some(right)) => self.values(left, right, &pointer),
                (left, right) => {
                    let kind = if left.is_some() { DifferenceKind::OnlyLeft } else { DifferenceKind::OnlyRight };
                    self.add(pointer, kind, left.map(shown), right.map(shown), None);
                }
            }
        }
    }

    fn add(
        &mut self,
        pointer: String,
        kind: DifferenceKind,
        left: Option<String>,
        right: Option<String>,
        ulps: Option<u64>,
    ) {
        self.found.total += 1;
        if self.found.listed.len() < MAX_LISTED {
            self.found.listed.push(Difference { field: self.field, pointer, kind, left, right, ulps });
        }
    }

    fn values(&mut self, left: &'a Value, right: &'a Value, pointer: &str) {
        match (left, right) {
            (Value::Object(a), Value::Object(b)) => self.objects(a, b, pointer),
            (Value::Array(a), Value::Array(b)) => match (a.as_values(), b.as_values()) {
                (Some(a), Some(b)) => {
                    let pairs = (0..a.len().max(b.len())).rev();
                    self.todo.extend(pairs.map(|i| (format!("{pointer}/{i}"), a.get(i), b.get(i))));
                }
                _ => self.words(left, right, pointer),
            },
            (Value::Float(a), Value::Float(b)) => {
                if text(left) != text(right) {
                    let ulps = ulp_distance(a.get(), b.get());
                    self.add(pointer.into(), DifferenceKind::Value, Some(shown(left)), Some(shown(right)), ulps);
                }
            }
            _ if left.type_name() != right.type_name() => {
                let kind = if pointer == "/succeeded" && left.is_null() {
                    DifferenceKind::OutcomeNotRecorded
                } else {
                    DifferenceKind::Type
                };
                self.add(pointer.into(), kind, Some(shown(left)), Some(shown(right)), None);
            }
            _ => {
                if text(left) != text(right) {
                    self.add(pointer.into(), DifferenceKind::Value, Some(shown(left)), Some(shown(right)), None);
                }
            }
        }
    }

    /// Two lists of which at least one is stored compactly: one row for all, or the few that differ.
    fn words(&mut self, left: &'a Value, right: &'a Value, pointer: &str) {
        let (Some(a), Some(b)) = (left.as_array(), right.as_array()) else { return };
        if a.shares_storage(b) {
            return;
        }
        let differing: Vec<usize> = (0..a.len().max(b.len()))
            .filter(|i| match (a.get(*i), b.get(*i)) {
                (Some(a), Some(b)) => text(&a) != text(&b),
                _ => true,
            })
            .collect();
        if differing.len() > 3 {
            let count = differing.len();
            self.add(pointer.into(), DifferenceKind::Words { count }, Some(shown(left)), Some(shown(right)), None);
            return;
        }
        for i in differing {
            let (a, b) = (a.get(i), b.get(i));
            let kind = match (&a, &b) {
                (Some(a), Some(b)) if a.type_name() != b.type_name() => DifferenceKind::Type,
                (Some(_), Some(_)) => DifferenceKind::Value,
                (Some(_), None) => DifferenceKind::OnlyLeft,
                _ => DifferenceKind::OnlyRight,
            };
            self.add(format!("{pointer}/{i}"), kind, a.map(|v| shown(&v)), b.map(|v| shown(&v)), None);
        }
    }

    fn objects(&mut self, a: &'a Object, b: &'a Object, pointer: &str) {
        let names = |o: &'a Object| -> Vec<(String, &'a Key, &'a Value)> {
            let mut entries: Vec<(&Key, &Value)> = o.iter().collect();
            // Keys that do not compare stay as they are; the texts then say the rest.
            let _ = json::sort_keys(&mut entries);
            entries.into_iter().map(|(k, v)| (key_name(k), k, v)).collect()
        };
        let (left, right) = (names(a), names(b));
        let mut places: Vec<Pending<'a>> = Vec::new();
        let mut matched = 0;
        // Both sides are looked up by the text of their keys, so that an int key meets its text.
        let mut by_name: Vec<(&str, &'a Value)> = right.iter().map(|(n, _, v)| (n.as_str(), *v)).collect();
        by_name.sort_by(|a, b| a.0.cmp(b.0));
        let find = |name: &str| {
            let at = by_name.binary_search_by(|(n, _)| (*n).cmp(name)).ok()?;
            by_name.get(at).map(|(_, v)| *v)
        };
        let mut left_names: Vec<&str> = Vec::with_capacity(left.len());
        for (name, _, value) in &left {
            let other = find(name);
            matched += usize::from(other.is_some());
            left_names.push(name);
            places.push((format!("{pointer}/{}", escaped(name)), Some(*value), other));
        }
        let in_order = left.iter().map(|(n, ..)| n).eq(right.iter().map(|(n, ..)| n));
        if matched == left.len() && matched == right.len() && !in_order {
            let (left, right) = (Value::from(a.clone()), Value::from(b.clone()));
            self.add(pointer.into(), DifferenceKind::KeyOrder, Some(shown(&left)), Some(shown(&right)), None);
        }
        left_names.sort_unstable();
        for (name, _, value) in &right {
            if left_names.binary_search(&name.as_str()).is_err() {
                places.push((format!("{pointer}/{}", escaped(name)), None, Some(*value)));
            }
        }
        self.todo.extend(places.into_iter().rev());
    }
}

/// A key as JSON writes it, without the quotes where it is text.
fn key_name(key: &Key) -> String {
    match key {
        Key::Text(text) => text.to_string(),
        other => text(&other.to_value()),
    }
}

/// A reference token of RFC 6901.
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn text(value: &Value) -> String {
    canonical(value)
        .or_else(|_| json::to_json(value, Layout::Compact))
        .or_else(|_| json::to_json(value, Layout::Verbatim))
        .unwrap_or_default()
}

fn shown(value: &Value) -> String {
    let mut text = text(value);
    if text.len() > MAX_SHOWN {
        // JSON text is ASCII: any byte is a boundary.
        text.truncate(MAX_SHOWN);
        text.push('…');
    }
    text
}

/// How many steps of one unit in the last place lead from one double to the other; `None` unless both are finite.
///
/// `0.0` and `-0.0` are no step apart, though their texts differ.
pub fn ulp_distance(a: f64, b: f64) -> Option<u64> {
    if !a.is_finite() || !b.is_finite() {
        return None;
    }
    let place = |x: f64| {
        let bits = x.abs().to_bits() as i64;
        if x.is_sign_negative() { -bits } else { bits }
    };
    Some(place(a).abs_diff(place(b)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::trace::json::loads;

    fn step(result: &str) -> TraceStep {
        let mut step = TraceStep::new(Value::text("t"), Object::new());
        step.result = loads(result.as_bytes()).unwrap().value;
        step
    }

    fn places(left: &str, right: &str) -> Vec<String> {
        explain(&step(left), &step(right)).listed.iter().map(Difference::place).collect()
    }

    #[test]
    fn the_why_names_the_place_and_the_distance() {
        assert_eq!(places("[0, 1, 0.1]", "[0, 1, 0.10000000000000002]"), ["result[2], 1 ULP"]);
        assert_eq!(
            places("{\"a\": 1, \"b/c\": {}}", "{\"a\": 1.0}"),
            ["result[\"a\"], another type", "result[\"b/c\"], only in the first"]
        );
        assert_eq!(places("[]", "[null]"), ["result[0], only in the second"]);
        assert_eq!(places("[NaN, -0.0]", "[NaN, 0.0]"), ["result[1], 0 ULPs"]);
        assert_eq!(places("{\"a\": [1, 2]}", "{\"a\": [1, 2]}"), [""; 0]);
    }

    #[test]
    fn long_lists_of_numbers_are_one_row() {
        let list = |add: u32| format!("{:?}", (0..624).map(|i| i + add).collect::<Vec<u32>>());
        assert_eq!(places(&list(0), &list(1)), ["result, 624 numbers"]);
        let other = list(0).replace("[0, 1,", "[7, 1,");
        assert_eq!(places(&list(0), &other), ["result[0]"]);
        assert_eq!(places(&list(0), "[]"), ["result, 624 numbers"]);
    }

    #[test]
    fn pointers_follow_rfc_6901() {
        let found = explain(&step("{\"a/b~c\": [1]}"), &step("{\"a/b~c\": [2]}"));
        assert_eq!(found.listed[0].pointer, "/result/a~1b~0c/0");
        assert_eq!((found.listed[0].left.as_deref(), found.listed[0].right.as_deref()), (Some("1"), Some("2")));
    }

    #[test]
    fn int_keys_of_a_live_value_differ_by_their_order() {
        let (left, mut right) = (step("{\"10\": 1, \"2\": 1}"), step("null"));
        let int = |n| Key::Int(crate::trace::Int::from(n));
        right.result = Value::from([(int(10), Value::int(1)), (int(2), Value::int(1))].into_iter().collect::<Object>());
        assert!(!same_step(&left, &right).unwrap());
        let found = explain(&left, &right);
        assert_eq!((found.total, found.listed[0].kind), (1, DifferenceKind::KeyOrder));
    }

    #[test]
    fn ulps_count_across_zero() {
        assert_eq!(ulp_distance(5e-324, -5e-324), Some(2));
        assert_eq!(ulp_distance(1.0, 1.0 + f64::EPSILON), Some(1));
        assert_eq!(ulp_distance(1.0, f64::INFINITY), None);
    }
}
