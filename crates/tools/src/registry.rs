//! The registry: which tools there are, and Python's rules for calling them.
//!
//! Invariant: a call error is the `TypeError` that Python raises, found in Python's order: unexpected arguments in their order,
//! then missing ones in the order of the signature.

use std::collections::BTreeSet;

use tapedeck_core::trace::replay::{Cause, Outcome, ToolBox};
use tapedeck_core::trace::rng_state::RngState;
use tapedeck_core::trace::{Key, Object, PyError, Text, TextBuf, TraceStep, Value};

use crate::error::ToolError;
use crate::libm::{Libm, Ours};
use crate::{explain, global, numbers, seeded, text};

/// One tool that ships.
#[derive(Clone, Copy)]
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// Its arguments in the order of its signature, all required; a seed is one of them.
    pub params: &'static [&'static str],
    /// True for a tool that takes any named arguments.
    pub takes_any: bool,
    /// What it does, in one sentence.
    pub about: &'static str,
    run: fn(&mut Call<'_>) -> Result<Value, ToolError>,
}

impl Tool {
    /// True when it takes an argument `seed`.
    pub fn accepts_seed(&self) -> bool {
        self.takes_any || self.params.contains(&"seed")
    }

    /// The signature: `draw_int(n, low, high, seed)`.
    pub fn signature(&self) -> String {
        let params = if self.takes_any { "…".to_string() } else { self.params.join(", ") };
        format!("{}({params})", self.name)
    }
}

impl std::fmt::Debug for Tool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.signature())
    }
}

const fn tool(
    name: &'static str,
    params: &'static [&'static str],
    about: &'static str,
    run: fn(&mut Call<'_>) -> Result<Value, ToolError>,
) -> Tool {
    Tool { name, params, takes_any: false, about, run }
}

/// All tools that ship, by family.
#[rustfmt::skip]
pub const TOOLS: &[Tool] = &[
    tool("uppercase", &["text"], "The text in upper case (Unicode 14).", text::uppercase),
    tool("slugify", &["text"], "The text in lower case, every run of other characters as one hyphen.", text::slugify),
    tool("word_count", &["text"], "How many words, characters and distinct words the text has.", text::word_count),
    tool("length_histogram", &["text"], "How many words there are of each length.", text::length_histogram),
    tool("sha256_hex", &["text"], "SHA-256 of the text's UTF-8, in hex.", text::sha256_hex),
    tool("levenshtein", &["a", "b"], "The edit distance of two texts.", text::levenshtein),
    tool("json_sort", &["value"], "The value as compact JSON with sorted keys.", text::json_sort),
    Tool { name: "echo", params: &[], takes_any: true, about: "Its named arguments as an object.", run: text::echo },
    tool("sum_list", &["numbers"], "The sum, from left to right.", numbers::sum_list),
    tool("polynomial", &["coeffs", "x"], "The polynomial at x, the highest coefficient first.", numbers::polynomial),
    tool("matmul", &["a", "b"], "The product of two matrices.", numbers::matmul),
    tool("divide", &["a", "b"], "The quotient as a float.", numbers::divide),
    tool("parse_int", &["text"], "The integer that the text spells.", numbers::parse_int),
    tool("lookup", &["key"], "One of five fixed values.", numbers::lookup),
    tool("always_fails", &["message"], "Raises RuntimeError with the message.", numbers::always_fails),
    tool("pop_first", &["items"], "Takes the first item out of its own argument (not pure).", numbers::pop_first),
    tool("draw_normal", &["n", "seed"], "n normals of a fresh NumPy RandomState.", seeded::draw_normal),
    tool("draw_uniform", &["n", "seed"], "n uniforms of a fresh NumPy RandomState.", seeded::draw_uniform),
    tool("draw_int", &["n", "low", "high", "seed"], "n integers from low up to below high, NumPy.", seeded::draw_int),
    tool("py_gauss", &["n", "seed"], "n gaussians of a fresh Python Random.", seeded::py_gauss),
    tool("py_random", &["n", "seed"], "n uniforms of a fresh Python Random.", seeded::py_random),
    tool("py_shuffle", &["items", "seed"], "The items in another order.", seeded::py_shuffle),
    tool("py_sample", &["items", "k", "seed"], "k of the items, each at most once.", seeded::py_sample),
    tool("py_choice", &["items", "n", "seed"], "n times one of the items.", seeded::py_choice),
    tool("global_uniform", &["n"], "n uniforms of Python's global generator.", global::global_uniform),
    tool("global_gauss", &["n"], "n gaussians of Python's global generator.", global::global_gauss),
    tool("coin", &["n"], "n bits of Python's global generator.", global::coin),
    tool("global_normal", &["n"], "n normals of NumPy's global generator.", global::global_normal),
    tool("global_dice", &["n"], "n throws of a die, NumPy's global generator.", global::global_dice),
    tool("flaky_draw", &["n", "limit"], "Draws n uniforms and fails when the last reaches the limit.", global::flaky_draw),
];

/// The shipped tool of a name.
pub fn find(name: &str) -> Option<&'static Tool> {
    TOOLS.iter().find(|t| t.name == name)
}

/// A call that passed Python's rules.
pub struct Call<'a> {
    /// The arguments in the order of the signature.
    bound: Vec<Value>,
    /// All arguments as they were given, for a tool that takes any.
    given: Object,
    /// Arguments that the tool edited in place.
    edited: Vec<(usize, Value)>,
    /// The generators of the step.
    pub rng: &'a mut RngState,
    /// Where log, sin and cos come from.
    pub libm: &'a mut dyn Libm,
}

impl Call<'_> {
    /// The argument at a place of the signature; null where the signature has none.
    pub fn arg(&self, index: usize) -> &Value {
        self.bound.get(index).unwrap_or(&Value::Null)
    }

    /// All arguments by name.
    pub fn all(&self) -> Object {
        self.given.clone()
    }

    /// Notes that the tool edited an argument in place.
    pub fn edit(&mut self, index: usize, value: Value) {
        self.edited.push((index, value));
    }
}

/// Runs a shipped tool with the given libm.
pub fn run(tool: &Tool, args: &mut Object, seed: Option<&Value>, rng: &mut RngState, libm: &mut dyn Libm) -> Outcome {
    let mut given = args.clone();
    if let Some(seed) = seed {
        given.insert(Key::from("seed"), seed.clone());
    }
    let bound = match bind(tool, &given) {
        Ok(bound) => bound,
        Err(error) => return Outcome::Raised(error),
    };
    let mut call = Call { bound, given, edited: Vec::new(), rng, libm };
    let result = (tool.run)(&mut call);
    for (index, value) in std::mem::take(&mut call.edited) {
        if let Some(name) = tool.params.get(index)
            && (seed.is_none() || *name != "seed")
        {
            args.insert(Key::from(*name), value);
        }
    }
    match result {
        Ok(value) => Outcome::Returned(value),
        Err(ToolError::Raised(error)) => Outcome::Raised(error),
        Err(ToolError::Refused(reason)) => Outcome::Refused(reason),
    }
}

/// The arguments in the order of the signature.
fn bind(tool: &Tool, given: &Object) -> Result<Vec<Value>, PyError> {
    if tool.takes_any {
        return Ok(Vec::new());
    }
    for (key, _) in given.iter() {
        let known = key.as_text().is_some_and(|k| tool.params.iter().any(|p| k == p));
        if !known {
            let mut message = TextBuf::default();
            message.push_str(&format!("{}() got an unexpected keyword argument '", tool.name));
            message.push_text(key.as_text().unwrap_or(&Text::default()));
            message.push_str("'");
            return Err(PyError::new("TypeError", message.finish()));
        }
    }
    let missing: Vec<String> =
        tool.params.iter().filter(|p| given.get(p).is_none()).map(|p| format!("'{p}'")).collect();
    let names = match missing.as_slice() {
        [] => return Ok(tool.params.iter().filter_map(|p| given.get(p).cloned()).collect()),
        [one] => one.clone(),
        [one, two] => format!("{one} and {two}"),
        [most @ .., last] => format!("{}, and {last}", most.join(", ")),
    };
    let n = missing.len();
    let arguments = if n == 1 { "argument" } else { "arguments" };
    Err(PyError::new("TypeError", format!("{}() missing {n} required positional {arguments}: {names}", tool.name)))
}

/// The tool box of the tools that ship.
#[derive(Clone, Debug, Default)]
pub struct Shipped {
    absent: BTreeSet<String>,
}

impl Shipped {
    /// All tools.
    pub fn new() -> Shipped {
        Shipped::default()
    }

    /// All tools but these: for asking what a replay says without them.
    pub fn without(absent: impl IntoIterator<Item = String>) -> Shipped {
        Shipped { absent: absent.into_iter().collect() }
    }

    fn find(&self, name: &str) -> Option<&'static Tool> {
        if self.absent.contains(name) { None } else { find(name) }
    }
}

impl ToolBox for Shipped {
    fn accepts_seed(&self, tool: &str) -> Option<bool> {
        self.find(tool).map(Tool::accepts_seed)
    }

    fn call(&mut self, tool: &str, args: &mut Object, seed: Option<&Value>, rng: &mut RngState) -> Outcome {
        match self.find(tool) {
            Some(tool) => run(tool, args, seed, rng, &mut Ours),
            None => Outcome::Refused(format!("there is no tool '{tool}'")),
        }
    }

    fn prove_cause(&mut self, recorded: &TraceStep, replayed: &TraceStep) -> Option<Cause> {
        let tool = self.find(recorded.tool.as_str()?)?;
        explain::prove_libm(tool, recorded, replayed)
    }
}
