//! Replay: each step run again by a tool box, from the recorded arguments, seed and entry state of the generators.
//!
//! The rules and their order are mixle's. Where mixle gives up the whole replay (no state, no such tool), the step here says so,
//! names what mixle would have raised, and the other steps are replayed all the same.
//!
//! Invariant: a verdict is never softened. "Identical" means that the canonical texts of all ten fields agree; a proven cause
//! (another machine's libm) is named beside "different" and does not change it.

use std::sync::Arc;

use super::diff::{Difference, StepDifferences, explain, same_step};
use super::error::PyError;
use super::model::{ExecutionTrace, TraceStep, not_canonical};
use super::repr::repr;
use super::rng_state::RngState;
use super::value::{Key, Object, Value};

/// How a call of a tool ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// It returned.
    Returned(Value),
    /// It raised, which is a recorded failure.
    Raised(PyError),
    /// It could not be run to its end here, for a reason that says nothing about the recording: a deadline, a trap, a limit.
    /// The sentence says what happened.
    Refused(String),
}

/// Where a tool comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolSource {
    /// It ships with Tapedeck.
    Shipped,
    /// A module that the user brought.
    Module {
        /// The module's name and version.
        name: String,
        /// SHA-256 of its bytes, lower-case hex.
        sha256: String,
    },
}

/// The tools that replay may call.
pub trait ToolBox {
    /// Whether the tool takes an argument `seed`; `None` when there is no such tool.
    fn accepts_seed(&self, tool: &str) -> Option<bool>;

    /// Runs a tool. `args` are its own copy; `seed` is passed as argument `seed`, in place of any other.
    ///
    /// The tool draws from `rng` and leaves it at its exit state, also when it raises. A tool that edits its arguments in
    /// place does so on `args`, as mixle records them after the call.
    fn call(&mut self, tool: &str, args: &mut Object, seed: Option<&Value>, rng: &mut RngState) -> Outcome;

    /// A proof of why the replayed step differs from the recorded one, if this tool box has one.
    fn prove_cause(&mut self, _recorded: &TraceStep, _replayed: &TraceStep) -> Option<Cause> {
        None
    }

    /// Where the tool comes from.
    fn source(&self, _tool: &str) -> ToolSource {
        ToolSource::Shipped
    }
}

/// A proven reason for a difference. It is beside the verdict "different", never instead of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Another libm: with these results of `log`, `sin` and `cos` moved by one unit in the last place, the tool reaches exactly
    /// the recorded bits, result and exit state.
    Libm {
        /// How many results had to be moved.
        moved: usize,
        /// How many there were.
        calls: usize,
    },
}

impl Cause {
    /// The cause in words, after "different: …, ".
    pub fn sentence(&self) -> String {
        match self {
            Cause::Libm { moved, calls } => {
                let results = if *calls == 1 { "result" } else { "results" };
                format!(
                    "explained by libm: moving {moved} of {calls} {results} of log, sin and cos by one ULP gives the recorded bits"
                )
            }
        }
    }
}

/// Why a step was not replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotReplayed {
    /// The recorder kept no generator state.
    NoState,
    /// No tool of this name is known; the name as Python's `repr`.
    UnknownTool(String),
    /// The tool's name is a list or an object, which Python cannot look up.
    Unhashable(&'static str),
    /// A seed is recorded and the tool takes none; the name as Python's `repr`.
    SeedRefused(String),
    /// The recorded state cannot be restored.
    BadState(PyError),
    /// The tool could not be run to its end here.
    Refused(String),
    /// The replay was stopped before this step.
    Stopped,
}

impl NotReplayed {
    /// What mixle would have raised, ending the whole replay; `None` when mixle has no part in it.
    pub fn mixle_raises(&self) -> Option<PyError> {
        Some(match self {
            NotReplayed::NoState => PyError::new("ValueError", "trace step has no captured RNG state"),
            NotReplayed::UnknownTool(name) => PyError::new("KeyError", name.as_str()),
            NotReplayed::Unhashable(kind) => PyError::new("TypeError", format!("unhashable type: '{kind}'")),
            NotReplayed::SeedRefused(name) => {
                PyError::new("ValueError", format!("tool {name} does not accept a seed argument"))
            }
            NotReplayed::BadState(error) => error.clone(),
            NotReplayed::Refused(_) | NotReplayed::Stopped => return None,
        })
    }

    /// The reason in words: `no tool 'fetch'; mixle would raise KeyError`.
    pub fn sentence(&self) -> String {
        let reason = match self {
            NotReplayed::NoState => "it has no captured RNG state".to_string(),
            NotReplayed::UnknownTool(name) => format!("there is no tool {name}"),
            NotReplayed::Unhashable(kind) => format!("the tool's name is a {kind}"),
            NotReplayed::SeedRefused(name) => format!("it records a seed and the tool {name} takes none"),
            NotReplayed::BadState(error) => format!("its RNG state cannot be restored ({})", error.message),
            NotReplayed::Refused(reason) => reason.clone(),
            NotReplayed::Stopped => "the replay was stopped".to_string(),
        };
        match self.mixle_raises() {
            Some(error) => format!("{reason}; mixle would raise {}", error.kind),
            None => reason,
        }
    }
}

/// What replay says of one step.
#[derive(Clone, Debug)]
pub enum StepVerdict {
    /// All ten fields agree to the last digit.
    Identical,
    /// Something differs.
    Different {
        /// The step as it was replayed.
        replayed: Box<TraceStep>,
        /// What differs.
        differences: StepDifferences,
        /// Why, where it could be proven.
        cause: Option<Cause>,
    },
    /// The two steps hold a NaN or an infinity, so mixle's `diff` raises instead of comparing.
    NotComparable {
        /// The step as it was replayed.
        replayed: Box<TraceStep>,
        /// What differs besides, NaN counting as NaN.
        differences: StepDifferences,
    },
    /// It was not replayed.
    NotReplayed(NotReplayed),
}

impl StepVerdict {
    /// The word for it.
    pub fn word(&self) -> &'static str {
        match self {
            StepVerdict::Identical => "identical",
            StepVerdict::Different { .. } => "different",
            StepVerdict::NotComparable { .. } => "not comparable",
            StepVerdict::NotReplayed(_) => "not replayed",
        }
    }

    /// What differs or why it was not replayed, in words; empty when identical.
    pub fn detail(&self) -> String {
        match self {
            StepVerdict::Identical => String::new(),
            StepVerdict::Different { differences, cause, .. } => {
                let mut detail = differences.listed.first().map(Difference::place).unwrap_or_default();
                if differences.total > 1 {
                    detail.push_str(&format!(" and {} more", differences.total - 1));
                }
                if let Some(cause) = cause {
                    detail.push_str(", ");
                    detail.push_str(&cause.sentence());
                }
                detail
            }
            StepVerdict::NotComparable { .. } => {
                "it holds a NaN or an infinity, which cannot be compared; mixle would raise ValueError".to_string()
            }
            StepVerdict::NotReplayed(reason) => reason.sentence(),
        }
    }

    /// The replayed step, of which a recorded step that is identical is the same.
    pub fn replayed<'a>(&'a self, recorded: &'a TraceStep) -> Option<&'a TraceStep> {
        match self {
            StepVerdict::Identical => Some(recorded),
            StepVerdict::Different { replayed, .. } | StepVerdict::NotComparable { replayed, .. } => Some(replayed),
            StepVerdict::NotReplayed(_) => None,
        }
    }
}

/// Replays one step and compares it.
pub fn replay_step(recorded: &TraceStep, tools: &mut dyn ToolBox) -> StepVerdict {
    let replayed = match run_step(recorded, tools) {
        Ok(step) => step,
        Err(reason) => return StepVerdict::NotReplayed(reason),
    };
    compare_step(recorded, replayed, tools)
}

/// Compares a replayed step with the recorded one, and asks the tool box for the cause of a difference.
pub fn compare_step(recorded: &TraceStep, replayed: TraceStep, tools: &mut dyn ToolBox) -> StepVerdict {
    match same_step(recorded, &replayed) {
        Ok(true) => StepVerdict::Identical,
        Ok(false) => {
            let differences = explain(recorded, &replayed);
            let cause = tools.prove_cause(recorded, &replayed);
            StepVerdict::Different { replayed: Box::new(replayed), differences, cause }
        }
        Err(_) => {
            let differences = explain(recorded, &replayed);
            StepVerdict::NotComparable { replayed: Box::new(replayed), differences }
        }
    }
}

/// Runs one step again, without comparing.
///
/// # Errors
/// Why it could not be run, in mixle's order: no state, no tool, seed refused, state broken; then what the tool box refused.
pub fn run_step(recorded: &TraceStep, tools: &mut dyn ToolBox) -> Result<TraceStep, NotReplayed> {
    if recorded.rng_state_before.is_null() {
        return Err(NotReplayed::NoState);
    }
    let seed = (!recorded.seed.is_null()).then_some(&recorded.seed);
    let tool = look_up(&recorded.tool, seed.is_some(), tools)?;
    let mut rng = RngState::restore(&recorded.rng_state_before).map_err(NotReplayed::BadState)?;
    // The state is read again after it was restored: 12.9 is 12 by then, and the step will differ.
    let rng_state_before = rng.capture();
    let mut args = recorded.args.clone();
    let (result, succeeded) = match call(&tool, &mut args, seed, &mut rng, tools) {
        Outcome::Returned(value) => (value, true),
        Outcome::Raised(error) => (error.failure_result(), false),
        Outcome::Refused(reason) => return Err(NotReplayed::Refused(reason)),
    };
    Ok(TraceStep {
        tool: recorded.tool.clone(),
        args,
        seed: recorded.seed.clone(),
        result,
        action: recorded.action.clone(),
        state_before: recorded.state_before.clone(),
        state_after: recorded.state_after.clone(),
        rng_state_before,
        rng_state_after: rng.capture(),
        succeeded: Value::Bool(succeeded),
    })
}

/// The tool's name, once it is known to be there and to take a seed when there is one.
fn look_up(tool: &Value, has_seed: bool, tools: &dyn ToolBox) -> Result<String, NotReplayed> {
    if let Err(kind) = Key::from_value(tool) {
        return Err(NotReplayed::Unhashable(kind));
    }
    let quoted = || repr(tool).to_string();
    let name = tool.as_str().ok_or_else(|| NotReplayed::UnknownTool(quoted()))?;
    match tools.accepts_seed(name) {
        None => Err(NotReplayed::UnknownTool(quoted())),
        Some(false) if has_seed => Err(NotReplayed::SeedRefused(quoted())),
        Some(_) => Ok(name.to_string()),
    }
}

fn call(tool: &str, args: &mut Object, seed: Option<&Value>, rng: &mut RngState, tools: &mut dyn ToolBox) -> Outcome {
    if args.iter().any(|(key, _)| key.as_text().is_none()) {
        return Outcome::Raised(PyError::new("TypeError", "keywords must be strings"));
    }
    tools.call(tool, args, seed, rng)
}

/// mixle's `replay(trace, tools)`: all steps, or the exception of the first that could not be replayed.
///
/// # Errors
/// Why, and which step (0-based).
pub fn replay(trace: &ExecutionTrace, tools: &mut dyn ToolBox) -> Result<ExecutionTrace, (usize, NotReplayed)> {
    let steps = trace
        .steps
        .iter()
        .enumerate()
        .map(|(i, step)| run_step(step, tools).map_err(|reason| (i, reason)))
        .collect::<Result<_, _>>()?;
    Ok(ExecutionTrace { request: Arc::clone(&trace.request), steps })
}

/// mixle's `record_step(tools, tool, args, seed=seed)`: runs a tool and makes the step. `rng` moves on to the exit state.
///
/// # Errors
/// What mixle raises; a tool's own exception escapes too, and no step is made. A refusal of the tool box comes as the sentence.
pub fn record_step(
    tools: &mut dyn ToolBox,
    tool: &Value,
    args: Object,
    seed: Value,
    rng: &mut RngState,
) -> Result<TraceStep, NotRecorded> {
    let raised = |reason: NotReplayed| match reason.mixle_raises() {
        Some(error) => NotRecorded::Raised(error),
        None => NotRecorded::Refused(reason.sentence()),
    };
    let given = (!seed.is_null()).then_some(&seed);
    let name = look_up(tool, given.is_some(), tools).map_err(raised)?;
    let rng_state_before = rng.capture();
    let mut args = args;
    let result = match call(&name, &mut args, given, rng, tools) {
        Outcome::Returned(value) => value,
        Outcome::Raised(error) => return Err(NotRecorded::Raised(error)),
        Outcome::Refused(reason) => return Err(NotRecorded::Refused(reason)),
    };
    let mut step = TraceStep::new(tool.clone(), args);
    step.seed = seed;
    step.result = result;
    step.rng_state_before = rng_state_before;
    step.rng_state_after = rng.capture();
    step.succeeded = Value::Bool(true);
    Ok(step)
}

/// Why no step was recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotRecorded {
    /// mixle raises this.
    Raised(PyError),
    /// The tool could not be run to its end here.
    Refused(String),
}

impl std::fmt::Display for NotRecorded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NotRecorded::Raised(error) => write!(f, "{error}"),
            NotRecorded::Refused(reason) => f.write_str(reason),
        }
    }
}

/// What replay says of a whole trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceVerdict {
    /// Every step is identical, and there is at least one.
    Identical,
    /// At least one step differs.
    Different,
    /// Nothing differs, but something could not be replayed or compared, or there are no steps.
    NotProven,
}

/// The verdicts of a replay, and the sentence that it ends in.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The verdict.
    pub verdict: TraceVerdict,
    /// How many steps are identical.
    pub identical: usize,
    /// How many differ.
    pub different: usize,
    /// How many were not replayed or could not be compared.
    pub not_proven: usize,
    /// One sentence: `identical: 30 of 30 steps`, `different: step 4 draw_normal, result[2], 1 ULP, …`.
    pub sentence: String,
}

/// Sums up the verdicts of a trace's steps, in their order.
pub fn summarize(trace: &ExecutionTrace, verdicts: &[StepVerdict]) -> Summary {
    let count = |wanted: fn(&StepVerdict) -> bool| verdicts.iter().filter(|v| wanted(v)).count();
    let identical = count(|v| matches!(v, StepVerdict::Identical));
    let different = count(|v| matches!(v, StepVerdict::Different { .. }));
    let total = trace.steps.len();
    let not_proven = total.saturating_sub(identical + different);
    let name = |i: usize| trace.steps.get(i).map(TraceStep::tool_name).unwrap_or_default();
    let first = |wanted: fn(&StepVerdict) -> bool| verdicts.iter().enumerate().find(|(_, v)| wanted(v));
    let nan_in_request = super::diff::diff(
        &ExecutionTrace { request: Arc::clone(&trace.request), steps: Vec::new() },
        &ExecutionTrace { request: Arc::clone(&trace.request), steps: Vec::new() },
    )
    .is_ok_and(|rows| rows.first().is_some_and(|row| row.index == -1));
    let more = |n: usize| if n > 1 { format!(" (and {} more)", n - 1) } else { String::new() };
    let (verdict, sentence) = if let Some((i, verdict)) = first(|v| matches!(v, StepVerdict::Different { .. })) {
        let detail = verdict.detail();
        (TraceVerdict::Different, format!("different: step {} {}, {detail}{}", i + 1, name(i), more(different)))
    } else if nan_in_request {
        (TraceVerdict::Different, "different: the request is NaN, which is unequal to itself".to_string())
    } else if let Some((i, verdict)) =
        first(|v| matches!(v, StepVerdict::NotReplayed(_) | StepVerdict::NotComparable { .. }))
    {
        let detail = verdict.detail();
        (TraceVerdict::NotProven, format!("not proven: step {} {}: {detail}{}", i + 1, name(i), more(not_proven)))
    } else if total == 0 {
        (TraceVerdict::NotProven, "not proven: the trace has no steps".to_string())
    } else if identical < total {
        (TraceVerdict::NotProven, format!("not proven: {identical} of {total} steps replayed"))
    } else {
        (
            TraceVerdict::Identical,
            format!("identical: {identical} of {total} step{}", if total == 1 { "" } else { "s" }),
        )
    };
    Summary { verdict, identical, different, not_proven, sentence }
}

/// The replayed trace to save: every step as it was replayed.
///
/// # Errors
/// The first step (0-based) that was not replayed.
pub fn replayed_trace(trace: &ExecutionTrace, verdicts: &[StepVerdict]) -> Result<ExecutionTrace, usize> {
    let steps = trace
        .steps
        .iter()
        .enumerate()
        .map(|(i, step)| verdicts.get(i).and_then(|v| v.replayed(step)).cloned().ok_or(i))
        .collect::<Result<_, _>>()?;
    Ok(ExecutionTrace { request: Arc::clone(&trace.request), steps })
}

/// mixle's `is_bit_identical_replay(trace, tools)`.
///
/// # Errors
/// What mixle raises, from the replay or from `diff`; a refusal of the tool box as its sentence.
pub fn is_bit_identical_replay(trace: &ExecutionTrace, tools: &mut dyn ToolBox) -> Result<bool, NotRecorded> {
    let replayed = replay(trace, tools).map_err(|(_, reason)| match reason.mixle_raises() {
        Some(error) => NotRecorded::Raised(error),
        None => NotRecorded::Refused(reason.sentence()),
    })?;
    let rows = super::diff::diff(trace, &replayed).map_err(|_| NotRecorded::Raised(not_canonical()))?;
    Ok(rows.is_empty())
}
