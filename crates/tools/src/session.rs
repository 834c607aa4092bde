//! Recording: a session that runs tools one after the other and makes a trace which mixle replays.
//!
//! Invariant: the exit state of a step is the entry state of the next; a step is appended only as mixle's `record_step` would.

use num_bigint::BigInt;
use tapedeck_core::trace::replay::{NotRecorded, ToolBox, record_step};
use tapedeck_core::trace::rng_state::RngState;
use tapedeck_core::trace::{ExecutionTrace, Object, TraceStep, Value};

use crate::draws::{fresh_numpy, fresh_python};
use crate::mt;

/// Both generators as `random.seed(seed)` and `numpy.random.seed(seed)` leave them.
pub fn seeded_state(seed: u32) -> RngState {
    RngState {
        python: fresh_python(mt::seeded_by_size(BigInt::from(seed).magnitude())),
        numpy: fresh_numpy(mt::seeded(seed)),
    }
}

/// A recording session.
#[derive(Clone, Debug)]
pub struct Session {
    seed: u32,
    rng: RngState,
    trace: ExecutionTrace,
}

impl Session {
    /// A session without steps, its generators seeded with `seed`.
    pub fn new(request: &str, seed: u32) -> Session {
        Session { seed, rng: seeded_state(seed), trace: ExecutionTrace::new(Value::text(request)) }
    }

    /// The seed that it began with.
    pub fn seed(&self) -> u32 {
        self.seed
    }

    /// What was recorded so far.
    pub fn trace(&self) -> &ExecutionTrace {
        &self.trace
    }

    /// Names the request.
    pub fn set_request(&mut self, request: &str) {
        self.trace.request = std::sync::Arc::new(Value::text(request));
    }

    /// Runs a tool on a copy of the generators, without recording it.
    ///
    /// # Errors
    /// As [`record_step`].
    pub fn try_out(
        &self,
        tools: &mut dyn ToolBox,
        tool: &str,
        args: Object,
        seed: Value,
    ) -> Result<TraceStep, NotRecorded> {
        record_step(tools, &Value::text(tool), args, seed, &mut self.rng.clone())
    }

    /// Runs a tool and appends the step.
    ///
    /// # Errors
    /// As [`record_step`]; nothing is appended then, and the generators stay where the failing tool left them, as in Python.
    pub fn record(
        &mut self,
        tools: &mut dyn ToolBox,
        tool: &str,
        args: Object,
        seed: Value,
    ) -> Result<&TraceStep, NotRecorded> {
        let step = record_step(tools, &Value::text(tool), args, seed, &mut self.rng)?;
        self.trace.steps.push(step);
        self.trace.steps.last().ok_or_else(|| NotRecorded::Refused("nothing was recorded".into()))
    }
}
