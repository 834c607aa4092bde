//! `TraceStep` and `ExecutionTrace`, with mixle's leniency when they are read and its exact text when they are written.
//!
//! Invariant: each of a step's ten fields is kept as it came, whatever its type; a trace that mixle accepts is accepted here,
//! and one it refuses is refused with mixle's own exception.

use std::sync::Arc;

use super::error::PyError;
use super::json::{self, Layout};
use super::text::Text;
use super::value::{Key, Object, Value};

/// One recorded step. Absent fields are `null`; `tool` is text in any sound trace, but mixle does not insist.
#[derive(Clone, Debug)]
pub struct TraceStep {
    /// The tool's name.
    pub tool: Value,
    /// The named arguments. Keys are text, unless `args` was spelled as a list of pairs.
    pub args: Object,
    /// The seed, or null.
    pub seed: Value,
    /// What the tool returned, or `{"error": {"type", "message"}}`.
    pub result: Value,
    /// What the executor meant to do; carried, never computed.
    pub action: Value,
    /// The world before; carried, never computed.
    pub state_before: Value,
    /// The world after; carried, never computed.
    pub state_after: Value,
    /// The generators before the call, or null.
    pub rng_state_before: Value,
    /// The generators after the call, or null.
    pub rng_state_after: Value,
    /// True or false as the call ended; null from a recorder that predates the field.
    pub succeeded: Value,
}

/// The name of one of a step's ten fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "each is the field of `TraceStep` with that name")]
pub enum Field {
    Action,
    Args,
    Result,
    RngStateAfter,
    RngStateBefore,
    Seed,
    StateAfter,
    StateBefore,
    Succeeded,
    Tool,
}

impl Field {
    /// All ten, in the order in which they are written.
    pub const ALL: [Field; 10] = [
        Field::Action,
        Field::Args,
        Field::Result,
        Field::RngStateAfter,
        Field::RngStateBefore,
        Field::Seed,
        Field::StateAfter,
        Field::StateBefore,
        Field::Succeeded,
        Field::Tool,
    ];

    /// The field's name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Field::Action => "action",
            Field::Args => "args",
            Field::Result => "result",
            Field::RngStateAfter => "rng_state_after",
            Field::RngStateBefore => "rng_state_before",
            Field::Seed => "seed",
            Field::StateAfter => "state_after",
            Field::StateBefore => "state_before",
            Field::Succeeded => "succeeded",
            Field::Tool => "tool",
        }
    }
}

impl TraceStep {
    /// A step of a tool, all other fields absent.
    pub fn new(tool: Value, args: Object) -> TraceStep {
        TraceStep {
            tool,
            args,
            seed: Value::Null,
            result: Value::Null,
            action: Value::Null,
            state_before: Value::Null,
            state_after: Value::Null,
            rng_state_before: Value::Null,
            rng_state_after: Value::Null,
            succeeded: Value::Null,
        }
    }

    /// The tool's name to show.
    pub fn tool_name(&self) -> String {
        match &self.tool {
            Value::Text(name) => name.to_string(),
            other => super::repr::repr(other).to_string(),
        }
    }

    /// `TraceStep.from_json(value)`.
    ///
    /// # Errors
    /// The exception that mixle raises: no `tool`, not an object, `args` that make no `dict`.
    pub fn from_json(value: Value) -> Result<TraceStep, PyError> {
        let mut object = subscriptable(value)?;
        let tool = object.remove("tool").ok_or_else(|| PyError::new("KeyError", "'tool'"))?;
        let mut take = |field: Field| object.remove(field.name()).unwrap_or(Value::Null);
        Ok(TraceStep {
            tool,
            args: dict_of(take(Field::Args))?,
            seed: take(Field::Seed),
            result: take(Field::Result),
            action: take(Field::Action),
            state_before: take(Field::StateBefore),
            state_after: take(Field::StateAfter),
            rng_state_before: take(Field::RngStateBefore),
            rng_state_after: take(Field::RngStateAfter),
            succeeded: take(Field::Succeeded),
        })
    }

    /// `to_json()`: an object with all ten keys.
    pub fn to_json(&self) -> Value {
        Value::object(Field::ALL.map(|field| (field.name(), self.field(field).into_value())))
    }

    /// One field, by reference.
    pub fn field(&self, field: Field) -> FieldRef<'_> {
        FieldRef::Value(match field {
            Field::Args => return FieldRef::Object(&self.args),
            Field::Action => &self.action,
            Field::Result => &self.result,
            Field::RngStateAfter => &self.rng_state_after,
            Field::RngStateBefore => &self.rng_state_before,
            Field::Seed => &self.seed,
            Field::StateAfter => &self.state_after,
            Field::StateBefore => &self.state_before,
            Field::Succeeded => &self.succeeded,
            Field::Tool => &self.tool,
        })
    }

    fn write(&self, out: &mut String, layout: Layout) -> Result<(), PyError> {
        let (comma, colon) = if layout == Layout::Dumps { (", ", ": ") } else { (",", ":") };
        for (i, field) in Field::ALL.into_iter().enumerate() {
            out.push_str(if i == 0 { "{" } else { comma });
            out.push('"');
            out.push_str(field.name());
            out.push('"');
            out.push_str(colon);
            self.field(field).write(out, layout)?;
        }
        out.push('}');
        Ok(())
    }

    /// The text by which `diff` compares steps.
    ///
    /// # Errors
    /// `ValueError: replay identity must be canonical JSON data` for NaN, an infinity, or what JSON cannot write.
    pub fn canonical(&self) -> Result<String, PyError> {
        let mut out = String::new();
        self.write(&mut out, Layout::Canonical).map_err(|_| not_canonical())?;
        Ok(out)
    }
}

/// One of a step's fields.
#[derive(Clone, Copy, Debug)]
pub enum FieldRef<'a> {
    /// `args`.
    Object(&'a Object),
    /// Any other.
    Value(&'a Value),
}

impl FieldRef<'_> {
    /// A copy as a value.
    pub fn into_value(self) -> Value {
        match self {
            FieldRef::Object(object) => Value::from(object.clone()),
            FieldRef::Value(value) => value.clone(),
        }
    }

    /// Appends the field's JSON.
    ///
    /// # Errors
    /// As [`json::to_json`].
    pub fn write(self, out: &mut String, layout: Layout) -> Result<(), PyError> {
        match self {
            FieldRef::Object(object) => json::write_object(out, object, layout),
            FieldRef::Value(value) => json::write_value(out, value, layout),
        }
    }
}

/// The exception of mixle's canonical text.
pub fn not_canonical() -> PyError {
    PyError::new("ValueError", "replay identity must be canonical JSON data")
}

/// `canonical(value)` of any value; see [`TraceStep::canonical`].
///
/// # Errors
/// `ValueError: replay identity must be canonical JSON data`.
pub fn canonical(value: &Value) -> Result<String, PyError> {
    json::to_json(value, Layout::Canonical).map_err(|_| not_canonical())
}

/// A recorded execution: the request and the steps in order.
#[derive(Clone, Debug)]
pub struct ExecutionTrace {
    /// What was asked for; text in any sound trace. Shared with the replayed trace, as in mixle, where `diff` then compares
    /// the request with itself.
    pub request: Arc<Value>,
    /// The steps.
    pub steps: Vec<TraceStep>,
}

/// Why a value is no trace: mixle's exception, and the step it was met in (0-based).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FromJsonError {
    /// The exception that mixle raises.
    pub raised: PyError,
    /// The step, if the fault is in one.
    pub step: Option<usize>,
}

impl std::fmt::Display for FromJsonError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(step) = self.step {
            write!(f, "step {}: ", step + 1)?;
        }
        write!(f, "mixle raises {}", self.raised)
    }
}

impl std::error::Error for FromJsonError {}

impl ExecutionTrace {
    /// A trace without steps.
    pub fn new(request: Value) -> ExecutionTrace {
        ExecutionTrace { request: Arc::new(request), steps: Vec::new() }
    }

    /// `ExecutionTrace.from_json(value)`. Unknown keys are dropped, `steps` null or missing is none.
    ///
    /// # Errors
    /// The exception that mixle raises, and the step it was met in.
    pub fn from_json(value: Value) -> Result<ExecutionTrace, FromJsonError> {
        let at_top = |raised| FromJsonError { raised, step: None };
        let mut object = subscriptable(value).map_err(at_top)?;
        let request = object.remove("request").ok_or_else(|| at_top(PyError::new("KeyError", "'request'")))?;
        let steps = match object.remove("steps").unwrap_or(Value::Null) {
            falsy if is_falsy(&falsy) => Vec::new(),
            Value::Array(items) => items.into_vec(),
            // Iterating a text or an object gives texts, none of which is a step.
            Value::Text(text) => text_items(&text),
            Value::Object(object) => object.iter().map(|(k, _)| k.to_value()).collect(),
            other => return Err(at_top(not_iterable(&other))),
        };
        let steps = steps
            .into_iter()
            .enumerate()
            .map(|(i, step)| TraceStep::from_json(step).map_err(|raised| FromJsonError { raised, step: Some(i) }))
            .collect::<Result<_, _>>()?;
        Ok(ExecutionTrace { request: Arc::new(request), steps })
    }

    /// `to_json()`.
    pub fn to_json(&self) -> Value {
        let steps = self.steps.iter().map(TraceStep::to_json).collect();
        Value::object([("request", (*self.request).clone()), ("steps", Value::array(steps))])
    }

    /// `dumps()`: the stable text that mixle stores.
    ///
    /// # Errors
    /// What `json.dumps` raises; see [`json::to_json`].
    pub fn dumps(&self) -> Result<String, PyError> {
        let mut out = String::from("{\"request\": ");
        json::write_value(&mut out, &self.request, Layout::Dumps)?;
        out.push_str(", \"steps\": [");
        for (i, step) in self.steps.iter().enumerate() {
            if i > 0 {
                out.push_str(", ");
            }
            step.write(&mut out, Layout::Dumps)?;
        }
        out.push_str("]}");
        Ok(out)
    }
}

/// The object in which a key can be looked up, or what Python says of `value`.
fn subscriptable(value: Value) -> Result<Object, PyError> {
    Err(PyError::new(
        "TypeError",
        match value {
            Value::Object(object) => return Ok(*object),
            Value::Array(_) => "list indices must be integers or slices, not str".to_string(),
            Value::Text(_) => "string indices must be integers, not 'str'".to_string(),
            other => format!("'{}' object is not subscriptable", other.type_name()),
        },
    ))
}

fn not_iterable(value: &Value) -> PyError {
    PyError::new("TypeError", format!("'{}' object is not iterable", value.type_name()))
}

/// What Python's `or` passes over.
fn is_falsy(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Bool(true) => false,
        Value::Int(int) => int.as_i64() == Some(0),
        Value::Float(float) => float.get() == 0.0,
        Value::Text(text) => text.is_empty(),
        Value::Array(array) => array.is_empty(),
        Value::Object(object) => object.is_empty(),
    }
}

/// `dict(value or {})`: an object, or a sequence of pairs.
fn dict_of(value: Value) -> Result<Object, PyError> {
    if is_falsy(&value) {
        return Ok(Object::new());
    }
    let items = match value {
        Value::Object(object) => return Ok(*object),
        Value::Array(items) => items.into_vec(),
        Value::Text(text) => text_items(&text),
        other => return Err(not_iterable(&other)),
    };
    let mut object = Object::new();
    for (i, item) in items.into_iter().enumerate() {
        let pair = match item {
            Value::Array(pair) => pair.into_vec(),
            Value::Text(text) => text_items(&text),
            Value::Object(pair) => pair.iter().map(|(k, _)| k.to_value()).collect(),
            _ => {
                let message = format!("cannot convert dictionary update sequence element #{i} to a sequence");
                return Err(PyError::new("TypeError", message));
            }
        };
        let len = pair.len();
        let Ok([key, value]) = <[Value; 2]>::try_from(pair) else {
            let message = format!("dictionary update sequence element #{i} has length {len}; 2 is required");
            return Err(PyError::new("ValueError", message));
        };
        let key =
            Key::from_value(&key).map_err(|kind| PyError::new("TypeError", format!("unhashable type: '{kind}'")))?;
        object.insert(key, value);
    }
    Ok(object)
}

fn text_items(text: &Text) -> Vec<Value> {
    text.code_points().map(|c| Value::Text([c].into_iter().collect())).collect()
}
