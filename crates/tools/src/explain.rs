//! Proving that a difference is another machine's libm: by reaching the recorded bits, never by a tolerance.
//!
//! Only the gaussians use `log`, `sin` and `cos`. Each pair of them takes one log (and, in Python, one cosine and one sine), so the
//! search goes pair by pair over the moves -1, 0, +1 of each result; the tool is then run once more with the moves that were found,
//! and only if its whole step is the recorded one, canonical text for canonical text, is the cause proven.
//!
//! Invariant: no answer without that last run.

use tapedeck_core::trace::diff::same_step;
use tapedeck_core::trace::replay::{Cause, Outcome};
use tapedeck_core::trace::rng_state::{MtState, RngState};
use tapedeck_core::trace::{TraceStep, Value};

use crate::draws::{numpy_pair, python_pair};
use crate::libm::{Libm, Ours, nudge};
use crate::registry::{Tool, run};
use crate::seeded::{numpy_seeded, python_seeded, times};

/// Which gaussians a tool draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generator {
    /// Python's: log, cos and sin for each pair, in this order.
    Python,
    /// NumPy's: one log for each pair.
    Numpy,
}

impl Generator {
    fn calls(self) -> usize {
        match self {
            Generator::Python => 3,
            Generator::Numpy => 1,
        }
    }

    fn pair(self, mt: &mut MtState, libm: &mut dyn Libm) -> (f64, f64) {
        match self {
            Generator::Python => python_pair(mt, libm),
            Generator::Numpy => numpy_pair(mt, libm),
        }
    }
}

/// A libm whose results are moved by given steps, in the order of the calls.
struct Moved<'a> {
    moves: &'a [i8],
    at: usize,
}

impl Moved<'_> {
    fn moved(&mut self, x: f64) -> f64 {
        let step = self.moves.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        nudge(x, i64::from(step))
    }
}

impl Libm for Moved<'_> {
    fn log(&mut self, x: f64) -> f64 {
        let y = Ours.log(x);
        self.moved(y)
    }

    fn sin(&mut self, x: f64) -> f64 {
        let y = Ours.sin(x);
        self.moved(y)
    }

    fn cos(&mut self, x: f64) -> f64 {
        let y = Ours.cos(x);
        self.moved(y)
    }
}

/// The moves that lead to the wanted gaussians, fewest first for each pair; `None` when none do.
///
/// `wanted` are the draws in their order, from a generator that has nothing cached; where their number is odd, `cached` is the
/// second of the last pair, if it is known.
pub fn find_moves(generator: Generator, mt: &mut MtState, wanted: &[f64], cached: Option<f64>) -> Option<Vec<i8>> {
    let calls = generator.calls();
    let mut candidates: Vec<Vec<i8>> = vec![Vec::new()];
    for _ in 0..calls {
        candidates = candidates.into_iter().flat_map(|c| [0_i8, -1, 1].map(|m| [&c[..], &[m]].concat())).collect();
    }
    candidates.sort_by_key(|c| c.iter().filter(|m| **m != 0).count());
    let mut moves = Vec::with_capacity(wanted.len().div_ceil(2) * calls);
    for pair in wanted.chunks(2) {
        let first = pair.first()?;
        let second = pair.get(1).copied().or(cached);
        let start = mt.clone();
        let found = candidates.iter().find(|candidate| {
            *mt = start.clone();
            let (a, b) = generator.pair(mt, &mut Moved { moves: candidate, at: 0 });
            a.to_bits() == first.to_bits() && second.is_none_or(|s| s.to_bits() == b.to_bits())
        })?;
        moves.extend_from_slice(found);
    }
    Some(moves)
}

/// Proves that a step differs from its replay by the libm alone.
pub(crate) fn prove_libm(tool: &Tool, recorded: &TraceStep, replayed: &TraceStep) -> Option<Cause> {
    let arg = |name: &str| match (&recorded.seed, name) {
        (seed, "seed") if !seed.is_null() => Some(seed.clone()),
        _ => recorded.args.get(name).cloned(),
    };
    let entry = RngState::restore(&recorded.rng_state_before).ok()?;
    let exit = RngState::restore(&recorded.rng_state_after).ok();
    let mut wanted: Vec<f64> = Vec::new();
    for item in recorded.result.as_array()?.iter() {
        match &*item {
            Value::Float(float) => wanted.push(float.get()),
            _ => return None,
        }
    }
    if times(&arg("n")?).ok()? != wanted.len() {
        return None;
    }
    // The first draw may be the one that the entry state had cached: it needs no libm.
    let (generator, mut mt, skip, cached) = match tool.name {
        "py_gauss" => (Generator::Python, python_seeded(&arg("seed")?).ok()?.mt, 0, None),
        "draw_normal" => (Generator::Numpy, numpy_seeded(&arg("seed")?).ok()?.mt, 0, None),
        "global_gauss" => {
            let cached = match exit.as_ref().map(|e| &e.python.gauss_next) {
                Some(Value::Float(float)) => Some(float.get()),
                _ => None,
            };
            (Generator::Python, entry.python.mt.clone(), usize::from(!entry.python.gauss_next.is_null()), cached)
        }
        "global_normal" => {
            let cached = exit.as_ref().filter(|e| e.numpy.has_gauss != 0).map(|e| e.numpy.cached_gaussian);
            (Generator::Numpy, entry.numpy.mt.clone(), usize::from(entry.numpy.has_gauss != 0), cached)
        }
        _ => return None,
    };
    let moves = find_moves(generator, &mut mt, wanted.get(skip..)?, cached)?;
    let moved = moves.iter().filter(|m| **m != 0).count();
    if moved == 0 {
        return None;
    }
    let mut rng = entry;
    let mut args = recorded.args.clone();
    let seed = (!recorded.seed.is_null()).then_some(&recorded.seed);
    let Outcome::Returned(result) = run(tool, &mut args, seed, &mut rng, &mut Moved { moves: &moves, at: 0 }) else {
        return None;
    };
    let again = TraceStep { result, args, rng_state_after: rng.capture(), ..replayed.clone() };
    same_step(recorded, &again).ok()?.then_some(Cause::Libm { moved, calls: moves.len() })
}
