//! TraceRecord, the IC-5 envelope: a prompt, steps without generator states, an outcome, and where it came from.
//!
//! Invariant: a record can be shown and compared, never replayed: it carries no generator state. Validation answers with
//! mixle's own messages.

use super::diff::{StepDifferences, explain_values};
use super::error::PyError;
use super::model::{ExecutionTrace, Field};
use super::repr::repr;
use super::value::{Key, Object, Value};

/// Why a record is not replayed, to show beside it.
pub const NOT_REPLAYABLE: &str = "A TraceRecord carries no generator states: it can be read and compared, and nothing in it can be proven by a replay.";

const KEYS: [&str; 4] = ["prompt", "steps", "outcome", "provenance"];
const STEP_KEYS: [&str; 3] = ["tool", "args", "result"];
const STEP_EXTRAS: [&str; 2] = ["model", "verdict"];

/// A record that passed [`validate`].
#[derive(Clone, Debug)]
pub struct TraceRecord {
    /// The prompt.
    pub prompt: Value,
    /// The steps.
    pub steps: Vec<RecordStep>,
    /// The outcome, any value.
    pub outcome: Value,
    /// Where it came from.
    pub provenance: Object,
}

/// A step of a record.
#[derive(Clone, Debug)]
pub struct RecordStep {
    /// The tool's name.
    pub tool: Value,
    /// The named arguments.
    pub args: Object,
    /// The result.
    pub result: Value,
    /// The model that chose the step, or null.
    pub model: Value,
    /// The recorded verdict (the recorder's, not Tapedeck's), or null.
    pub recorded_verdict: Value,
    /// The seed, where `provenance.step_seeds` names one; null otherwise.
    pub seed: Value,
}

/// `validate_trace_record(record)`.
///
/// # Errors
/// `ValueError` with mixle's message for the first rule that is broken.
pub fn validate(record: &Value) -> Result<(), PyError> {
    let refuse = |message: String| Err(PyError::new("ValueError", message));
    let Some(object) = record.as_object() else {
        return refuse("trace record must be a dictionary".into());
    };
    let missing: Vec<Value> = KEYS.iter().filter(|k| object.get(k).is_none()).map(|k| Value::text(*k)).collect();
    if !missing.is_empty() {
        return refuse(format!("trace record missing frozen keys: {}", repr(&Value::array(missing))));
    }
    let unknown = unknown_keys(object, &[&KEYS]);
    if !unknown.is_empty() {
        return refuse(format!("trace record has unknown keys: {}", repr(&Value::array(unknown))));
    }
    if object.get("prompt").and_then(Value::as_text).is_none() {
        return refuse("trace record prompt must be a string".into());
    }
    let Some(steps) = object.get("steps").and_then(Value::as_array) else {
        return refuse("trace record steps must be a list".into());
    };
    if object.get("provenance").and_then(Value::as_object).is_none() {
        return refuse("trace record provenance must be a dictionary".into());
    }
    for (i, step) in steps.iter().enumerate() {
        validate_step(i, &step)?;
    }
    Ok(())
}

fn validate_step(i: usize, step: &Value) -> Result<(), PyError> {
    let refuse = |message: String| Err(PyError::new("ValueError", format!("step {i} {message}")));
    let Some(step) = step.as_object() else {
        return refuse("must be a dictionary".into());
    };
    if let Some(missing) = STEP_KEYS.iter().find(|k| step.get(k).is_none()) {
        return refuse(format!("missing frozen key '{missing}'"));
    }
    let unknown = unknown_keys(step, &[&STEP_KEYS, &STEP_EXTRAS]);
    if !unknown.is_empty() {
        return refuse(format!("has unknown keys: {}", repr(&Value::array(unknown))));
    }
    if step.get("tool").and_then(Value::as_text).is_none_or(super::text::Text::is_empty) {
        return refuse("tool must be a non-empty string".into());
    }
    if step.get("args").and_then(Value::as_object).is_none() {
        return refuse("args must be a dictionary".into());
    }
    if !matches!(step.get("model"), None | Some(Value::Null | Value::Text(_))) {
        return refuse("model must be a string or None".into());
    }
    if !matches!(step.get("verdict"), None | Some(Value::Null | Value::Object(_))) {
        return refuse("verdict must be a dictionary or None".into());
    }
    Ok(())
}

/// The keys that none of the lists names, sorted.
fn unknown_keys(object: &Object, known: &[&[&str]]) -> Vec<Value> {
    let is_known = |key: &Key| key.as_text().is_some_and(|t| known.iter().any(|list| list.iter().any(|k| t == k)));
    let mut unknown: Vec<(&Key, &Value)> = object.iter().filter(|(k, _)| !is_known(k)).collect();
    // Keys of a document are text and always compare.
    let _ = super::json::sort_keys(&mut unknown);
    unknown.into_iter().map(|(k, _)| k.to_value()).collect()
}

impl TraceRecord {
    /// Takes a record that passes [`validate`].
    ///
    /// # Errors
    /// As [`validate`].
    pub fn from_json(record: &Value) -> Result<TraceRecord, PyError> {
        validate(record)?;
        let get = |key: &str| record.get(key).cloned().unwrap_or(Value::Null);
        let provenance = record.get("provenance").and_then(Value::as_object).cloned().unwrap_or_default();
        let seeds = provenance.get("step_seeds").and_then(Value::as_array).cloned();
        let steps = record.get("steps").and_then(Value::as_array).map(super::value::Array::to_vec).unwrap_or_default();
        let steps = steps
            .iter()
            .enumerate()
            .map(|(i, step)| {
                let get = |key: &str| step.get(key).cloned().unwrap_or(Value::Null);
                let seed = seeds.as_ref().and_then(|s| s.get(i)).map(std::borrow::Cow::into_owned);
                RecordStep {
                    tool: get("tool"),
                    args: step.get("args").and_then(Value::as_object).cloned().unwrap_or_default(),
                    result: get("result"),
                    model: get("model"),
                    recorded_verdict: get("verdict"),
                    seed: seed.unwrap_or(Value::Null),
                }
            })
            .collect();
        Ok(TraceRecord { prompt: get("prompt"), steps, outcome: get("outcome"), provenance })
    }
}

/// `from_execution_trace(trace, outcome, provenance)`.
pub fn from_execution_trace(trace: &ExecutionTrace, outcome: Value, provenance: Option<&Object>) -> Value {
    let seeds = trace.steps.iter().map(|s| s.seed.clone()).collect();
    let mut origin: Object = [
        (Key::from("source_type"), Value::text("mixle.task.replay.ExecutionTrace")),
        (Key::from("step_seeds"), Value::array(seeds)),
    ]
    .into_iter()
    .collect();
    for (key, value) in provenance.into_iter().flat_map(Object::iter) {
        origin.insert(key.clone(), value.clone());
    }
    let steps = trace
        .steps
        .iter()
        .map(|step| {
            Value::object([
                ("tool", step.tool.clone()),
                ("args", Value::from(step.args.clone())),
                ("result", step.result.clone()),
                ("model", Value::Null),
                ("verdict", Value::Null),
            ])
        })
        .collect();
    Value::object([
        ("prompt", (*trace.request).clone()),
        ("steps", Value::array(steps)),
        ("outcome", outcome),
        ("provenance", Value::from(origin)),
    ])
}

/// How two records differ: the place of each differing value, with pointers into the whole record.
pub fn diff_records(a: &Value, b: &Value) -> StepDifferences {
    explain_values(a, b, Field::Result)
}
