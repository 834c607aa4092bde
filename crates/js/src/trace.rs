//! Traces: reading, writing, comparing, replaying and recording.

use serde::Serialize;
use tapedeck_core::trace::diff::diff;
use tapedeck_core::trace::json::{Layout, loads, to_json};
use tapedeck_core::trace::replay::{StepVerdict, TraceVerdict, record_step, replay_step, replayed_trace, summarize};
use tapedeck_core::trace::rng_state::RngState;
use tapedeck_core::trace::{ExecutionTrace, PyError, Value};
use tapedeck_tools::{Shipped, seeded_state};
use wasm_bindgen::prelude::*;

use crate::error::{error, to_js};

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** One row of mixle's diff: the index of a step (-1 for the request) and a name, as JSON text. */
export interface DiffRow { index: number; name: string }
export interface StepVerdict { step: number; tool: string; verdict: "identical" | "different" | "not replayed" | string; detail: string }
export interface Replayed { verdict: "identical" | "different" | "not proven"; sentence: string; steps: StepVerdict[]; dumps: string | null }
"#;

#[wasm_bindgen]
extern "C" {
    /// `DiffRow[]` of the TypeScript types.
    #[wasm_bindgen(typescript_type = "DiffRow[]")]
    pub type DiffRows;
    /// `Replayed` of the TypeScript types.
    #[wasm_bindgen(typescript_type = "Replayed")]
    pub type ReplayedObject;
}

#[derive(Serialize)]
struct DiffRow {
    index: i32,
    name: String,
}

#[derive(Serialize)]
struct StepRow {
    step: u32,
    tool: String,
    verdict: &'static str,
    detail: String,
}

#[derive(Serialize)]
struct Replayed {
    verdict: &'static str,
    sentence: String,
    steps: Vec<StepRow>,
    dumps: Option<String>,
}

fn raised(problem: &PyError) -> JsValue {
    error(&problem.kind, &problem.to_string())
}

fn parse(text: &str) -> Result<Value, JsValue> {
    loads(text.as_bytes()).map(|parsed| parsed.value).map_err(|problem| error("json", &problem.to_string()))
}

/// A mixle ExecutionTrace.
#[wasm_bindgen]
pub struct Trace {
    trace: ExecutionTrace,
    /// Where both generators stand for the next recorded step.
    rng: RngState,
}

#[wasm_bindgen]
impl Trace {
    /// An empty trace to record into, its generators seeded as `random.seed(seed)` and `numpy.random.seed(seed)` do.
    #[wasm_bindgen(constructor)]
    pub fn new(request: &str, seed: u32) -> Trace {
        Trace { trace: ExecutionTrace::new(Value::text(request)), rng: seeded_state(seed) }
    }

    /// Reads a trace from the bytes of its JSON, as mixle's `from_json` takes it.
    ///
    /// # Errors
    /// Throws when it is no JSON (`kind` `json`, with line and column) or no trace.
    #[wasm_bindgen(js_name = fromJson)]
    pub fn from_json(bytes: &[u8]) -> Result<Trace, JsValue> {
        let parsed = loads(bytes).map_err(|problem| error("json", &problem.to_string()))?;
        let trace =
            ExecutionTrace::from_json(parsed.value).map_err(|problem| error("not-a-trace", &problem.to_string()))?;
        Ok(Trace { trace, rng: seeded_state(0) })
    }

    /// How many steps it has.
    #[wasm_bindgen(getter)]
    pub fn length(&self) -> u32 {
        self.trace.steps.len() as u32
    }

    /// mixle's `to_json()`, as JSON text in the trace's own key order.
    ///
    /// # Errors
    /// Throws what mixle raises.
    #[wasm_bindgen(js_name = toJson)]
    pub fn to_json(&self) -> Result<String, JsValue> {
        to_json(&self.trace.to_json(), Layout::Dumps).map_err(|problem| raised(&problem))
    }

    /// mixle's `dumps()`.
    ///
    /// # Errors
    /// Throws what mixle raises.
    pub fn dumps(&self) -> Result<String, JsValue> {
        self.trace.dumps().map_err(|problem| raised(&problem))
    }

    /// mixle's `diff(this, other)`; an empty list means bit-identical.
    ///
    /// # Errors
    /// Throws what mixle raises: NaN or an infinity in a compared step.
    pub fn diff(&self, other: &Trace) -> Result<DiffRows, JsValue> {
        let rows = diff(&self.trace, &other.trace).map_err(|problem| raised(&problem))?;
        let rows: Result<Vec<DiffRow>, PyError> = rows
            .into_iter()
            .map(|row| Ok(DiffRow { index: row.index as i32, name: to_json(&row.name, Layout::Dumps)? }))
            .collect();
        to_js(&rows.map_err(|problem| raised(&problem))?).map(JsCast::unchecked_into)
    }

    /// Runs every step again with the tools that ship, and compares to the last digit.
    ///
    /// # Errors
    /// Only when the page is out of memory; what cannot be replayed is a verdict on its step.
    pub fn replay(&self) -> Result<ReplayedObject, JsValue> {
        let mut tools = Shipped::new();
        let verdicts: Vec<StepVerdict> = self.trace.steps.iter().map(|step| replay_step(step, &mut tools)).collect();
        let summary = summarize(&self.trace, &verdicts);
        let rows = self.trace.steps.iter().zip(&verdicts).enumerate().map(|(i, (step, verdict))| StepRow {
            step: i as u32,
            tool: step.tool_name(),
            verdict: verdict.word(),
            detail: verdict.detail(),
        });
        let replayed = Replayed {
            verdict: match summary.verdict {
                TraceVerdict::Identical => "identical",
                TraceVerdict::Different => "different",
                TraceVerdict::NotProven => "not proven",
            },
            sentence: summary.sentence,
            steps: rows.collect(),
            dumps: replayed_trace(&self.trace, &verdicts).ok().and_then(|trace| trace.dumps().ok()),
        };
        to_js(&replayed).map(JsCast::unchecked_into)
    }

    /// mixle's `record_step`: runs a shipped tool with `args` (JSON text of an object) and a seed (JSON text, or nothing) and
    /// appends the step. The generators move on.
    ///
    /// # Errors
    /// Throws what the tool or mixle raises; then nothing is appended.
    #[wasm_bindgen(js_name = recordStep)]
    #[allow(clippy::needless_pass_by_value)] // an optional string crosses from JavaScript only by value
    pub fn record_step(&mut self, tool: &str, args: &str, seed: Option<String>) -> Result<String, JsValue> {
        let Value::Object(args) = parse(args)? else {
            return Err(error("usage", "The arguments must be a JSON object of named arguments."));
        };
        let seed = seed.as_deref().map(parse).transpose()?.unwrap_or(Value::Null);
        let mut tools = Shipped::new();
        let mut rng = self.rng.clone();
        let step = record_step(&mut tools, &Value::text(tool), *args, seed, &mut rng)
            .map_err(|reason| error("raised", &reason.to_string()))?;
        self.rng = rng;
        let result = to_json(&step.result, Layout::Dumps).map_err(|problem| raised(&problem))?;
        self.trace.steps.push(step);
        Ok(result)
    }
}
