//! The checks of the mixle corpus, without any file or process: natively the runner brings the files, in a browser the test does.
//!
//! Invariant: no case is named here; a new recording in the folder is answered without a change.

// What is compared is made for the comparison and ends there.
#![allow(clippy::needless_pass_by_value)]

use base64::Engine as _;
use sha2::Digest as _;
use tapedeck_core::trace::diff::{diff, same_step};
use tapedeck_core::trace::json::{Layout, loads, text_loads, to_json};
use tapedeck_core::trace::record::{from_execution_trace, validate};
use tapedeck_core::trace::replay::{NotRecorded, ToolBox, is_bit_identical_replay, record_step, replay};
use tapedeck_core::trace::rng_state::{MtState, NumpyState, PythonState};
use tapedeck_core::trace::{ExecutionTrace, Int, Key, Object, PyError, Text, TextBuf, TraceStep, Value, canonical};
use tapedeck_tools::explain::{Generator, find_moves};
use tapedeck_tools::libm::{Ours, cos, cos_parts, log, nudge, sin, sin_parts};
use tapedeck_tools::{Shipped, fresh_numpy, fresh_python, mt, numpy_gauss, python_gauss, python_pair, seeded_state};

/// The files of a corpus.
pub trait Files {
    /// The names of the files in a folder, sorted; none when there is no such folder.
    fn names(&self, folder: &str) -> Vec<String>;
    /// A file, if it is there.
    fn read(&self, path: &str) -> Option<Vec<u8>>;
}

/// Where answers are counted.
pub trait Tally {
    /// Counts one answer.
    fn count(&mut self, kind: &str, agrees: bool, difference: &dyn Fn() -> String);
    /// A line about a kind that has a rule of its own, and whether the rule is met.
    fn remark(&mut self, line: String, is_met: bool);
}

/// The share of Python's gaussians that another libm may give otherwise.
const TOLERATED_SHARE: f64 = 0.002;

/// Draws of Python's gauss, and what became of those that differ.
#[derive(Default)]
struct Gaussians {
    drawn: u64,
    differing: u64,
    unexplained: Vec<String>,
}

/// Checks all kinds.
pub fn check(files: &dyn Files, tally: &mut dyn Tally) {
    let mut gaussians = Gaussians::default();
    for folder in ["traces", "orchestrated"] {
        for name in files.names(folder) {
            let answer = read_json(files, &format!("expected/{name}"));
            if let (Some(bytes), Some(answer)) = (files.read(&format!("{folder}/{name}")), answer) {
                let place = format!("{folder}/{name}");
                one(tally, &format!("mixle/{folder}"), &place, recorded_problems(files, &bytes, &answer));
                let problems = replay_problems(files, &place, &bytes, &answer, &mut gaussians);
                one(tally, "mixle/expected", &place, problems);
            }
        }
    }
    for case in list(files, "diffs.json") {
        one(tally, "mixle/diffs", &label(&case), diff_problems(&case));
    }
    for case in list(files, "json_text.json").into_iter().filter(|c| c.get("input").is_some()) {
        one(tally, "mixle/json_text", &label(&case), json_text_problems(&case));
    }
    for case in list(files, "malformed.json") {
        one(tally, "mixle/malformed", &label(&case), malformed_problems(&case));
    }
    gauss(files, tally, &mut gaussians);
    if let Some(rng) = read_json(files, "rng.json") {
        streams(&rng, tally, &mut gaussians);
    }
    if let Some(cases) = read_json(files, "libm_cases.json") {
        libm_cases(&cases, tally);
    }
    if let Some(states) = read_json(files, "replay_states.json") {
        replay_states(files, &states, tally);
    }
    for case in list(files, "records/index.json") {
        one(tally, "mixle/records", &label(&case), record_problems(files, &case));
    }
    for case in list(files, "records/broken.json") {
        let found = validate(case.get("record").unwrap_or(&Value::Null));
        let expected = case.get("raised").map(error_of);
        one(tally, "mixle/records", &label(&case), differ("validation", found.err(), expected));
    }
    if gaussians.drawn > 0 {
        let Gaussians { drawn, differing, unexplained } = &gaussians;
        let share = *differing as f64 / *drawn as f64;
        let explained =
            if unexplained.is_empty() { "each explained by libm".to_string() } else { unexplained.join("; ") };
        tally.remark(
            format!(
                "mixle/python gauss draws, and traces that hold them: {differing} differing of {drawn} ({:.3} %), {explained}",
                share * 100.0
            ),
            share <= TOLERATED_SHARE && unexplained.is_empty(),
        );
    }
}

fn one(tally: &mut dyn Tally, kind: &str, place: &str, problems: Vec<String>) {
    tally.count(kind, problems.is_empty(), &|| format!("{place}: {}", problems.join("; ")));
}

fn differ<T: PartialEq + std::fmt::Debug>(what: &str, found: T, expected: T) -> Vec<String> {
    if found == expected {
        return Vec::new();
    }
    vec![format!("{what}: found {:.400}, expected {:.400}", format!("{found:?}"), format!("{expected:?}"))]
}

fn read_json(files: &dyn Files, path: &str) -> Option<Value> {
    let bytes = files.read(path)?;
    Some(loads(&bytes).unwrap_or_else(|e| panic!("{path}: {e}")).value)
}

fn list(files: &dyn Files, path: &str) -> Vec<Value> {
    read_json(files, path).and_then(|v| v.as_array().map(tapedeck_core::trace::Array::to_vec)).unwrap_or_default()
}

/// A case's own name, or the beginning of it.
fn label(case: &Value) -> String {
    match case.get("id").and_then(Value::as_str) {
        Some(id) => id.to_string(),
        None => dumps(case).chars().take(120).collect(),
    }
}

fn dumps(value: &Value) -> String {
    to_json(value, Layout::Dumps).unwrap_or_else(|e| e.to_string())
}

fn text(value: Option<&Value>) -> Option<&str> {
    value.and_then(Value::as_str)
}

fn number(value: Option<&Value>) -> Option<i64> {
    value.and_then(Value::as_integer).and_then(|i| i.as_i64())
}

fn items(value: Option<&Value>) -> Vec<Value> {
    value.and_then(Value::as_array).map(tapedeck_core::trace::Array::to_vec).unwrap_or_default()
}

fn sha(bytes: &[u8]) -> String {
    sha2::Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

fn error_of(raised: &Value) -> PyError {
    let part = |key: &str| raised.get(key).and_then(Value::as_text).cloned().unwrap_or_default();
    PyError::new(part("type").to_string(), part("message"))
}

fn bits(value: Option<&Value>) -> Option<f64> {
    u64::from_str_radix(text(value)?, 16).ok().map(f64::from_bits)
}

fn hex(value: f64) -> String {
    format!("{:016x}", value.to_bits())
}

// ---- traces -----------------------------------------------------------------------------------------------------------------

fn trace_of(bytes: &[u8]) -> ExecutionTrace {
    let value = loads(bytes).unwrap_or_else(|e| panic!("{e}")).value;
    ExecutionTrace::from_json(value).unwrap_or_else(|e| panic!("{e}"))
}

/// What the generators of a recorded state come to, as the corpus sums them up.
fn state_summary(state: &Value) -> Value {
    let keys = |words: Vec<Value>| {
        let text = to_json(&Value::array(words), Layout::Compact).unwrap_or_default();
        Value::text(sha(text.as_bytes()))
    };
    let python = items(state.get("python"));
    let internal = items(python.get(1));
    let words = internal.get(..internal.len().saturating_sub(1)).unwrap_or_default().to_vec();
    let numpy = |key: &str| state.get("numpy").and_then(|n| n.get(key)).cloned().unwrap_or(Value::Null);
    // The corpus writes a NaN as text, its own files being strict JSON.
    let plain = |value: Value| match &value {
        Value::Float(f) if f.get().is_nan() => Value::text("nan"),
        _ => value,
    };
    Value::object([
        (
            "python",
            Value::object([
                ("index", internal.last().cloned().unwrap_or(Value::Null)),
                ("gauss_next", python.get(2).cloned().unwrap_or(Value::Null)),
                ("keys_sha256", keys(words)),
            ]),
        ),
        (
            "numpy",
            Value::object([
                ("position", numpy("position")),
                ("has_gauss", numpy("has_gauss")),
                ("cached_gaussian", plain(numpy("cached_gaussian"))),
                ("keys_sha256", keys(items(Some(&numpy("keys"))))),
            ]),
        ),
    ])
}

fn canonical_problems(place: &str, found: Result<String, PyError>, answer: &Value) -> Vec<String> {
    match (found, answer.get("canonical_raised")) {
        (Err(error), raised) => differ(&format!("{place} canonical"), Some(error), raised.map(error_of)),
        (Ok(text), None) => {
            let mut problems = differ(
                &format!("{place} canonical hash"),
                Some(sha(text.as_bytes()).as_str()),
                self::text(answer.get("canonical_sha256")),
            );
            problems.extend(differ(
                &format!("{place} canonical bytes"),
                Some(text.len() as i64),
                number(answer.get("canonical_bytes")),
            ));
            problems
        }
        (Ok(_), Some(raised)) => vec![format!("{place}: expected {}", error_of(raised))],
    }
}

fn step_problems(i: usize, step: &TraceStep, answer: &Value) -> Vec<String> {
    let place = format!("step {i}");
    let mut problems = canonical_problems(&place, step.canonical(), answer);
    for (name, found) in [("tool", &step.tool), ("seed", &step.seed), ("succeeded", &step.succeeded)] {
        problems.extend(differ(name, Some(dumps(found)), answer.get(name).map(dumps)));
    }
    for (name, state) in [("rng_before", &step.rng_state_before), ("rng_after", &step.rng_state_after)] {
        if let Some(expected) = answer.get(name) {
            let found = if state.is_null() { Value::Null } else { state_summary(state) };
            let expected_null = expected.is_null() || state.is_null();
            if !(expected_null && found.is_null()) {
                problems.extend(differ(&format!("{place} {name}"), dumps(&found), dumps(expected)));
            }
        }
    }
    problems
}

fn recorded_problems(files: &dyn Files, bytes: &[u8], answer: &Value) -> Vec<String> {
    let mut problems = differ("bytes", Some(bytes.len() as i64), number(answer.get("bytes")));
    problems.extend(differ("sha256", Some(sha(bytes).as_str()), text(answer.get("sha256"))));
    let trace = trace_of(bytes);
    let again = trace.dumps().unwrap_or_else(|e| e.to_string());
    let reload = answer.get("reload_dumps").unwrap_or(&Value::Null);
    problems.extend(differ("reload_dumps", Some(sha(again.as_bytes()).as_str()), text(reload.get("sha256"))));
    let same = reload.get("same_as_file").and_then(Value::as_bool);
    problems.extend(differ("same_as_file", Some(again.as_bytes() == bytes), same));
    let steps = items(answer.get("steps"));
    problems.extend(differ("number of steps", trace.steps.len(), steps.len()));
    for (i, (step, answer)) in trace.steps.iter().zip(&steps).enumerate() {
        problems.extend(step_problems(i, step, answer));
    }
    if let Some(path) = text(answer.get("step0_canonical_file")) {
        let found = trace.steps.first().and_then(|s| s.canonical().ok());
        let expected = files.read(path).map(|b| String::from_utf8_lossy(&b).into_owned());
        problems.extend(differ("step0_canonical_file", found, expected));
    }
    problems
}

/// True for a step whose tool draws Python's gaussians.
fn draws_python_gauss(step: &TraceStep) -> bool {
    matches!(step.tool.as_str(), Some("py_gauss" | "global_gauss"))
}

fn replay_problems(
    files: &dyn Files,
    place: &str,
    bytes: &[u8],
    answer: &Value,
    gaussians: &mut Gaussians,
) -> Vec<String> {
    let trace = trace_of(bytes);
    let absent =
        items(answer.get("tools_absent")).iter().filter_map(|v| v.as_str().map(str::to_string)).collect::<Vec<_>>();
    let mut tools = Shipped::without(absent);
    let expected = answer.get("replay").unwrap_or(&Value::Null);
    let replayed = match (replay(&trace, &mut tools), expected.get("raised")) {
        (Err((_, reason)), raised) => {
            let found = reason.mixle_raises();
            let mut problems = differ("replay raises", found.clone(), raised.map(error_of));
            let identical = is_bit_identical_replay(&trace, &mut tools);
            problems.extend(differ(
                "is_bit_identical_replay",
                identical.map_err(|e| e.to_string()),
                Err(found.map(|e| e.to_string()).unwrap_or_default()),
            ));
            problems.extend(differ(
                "not_reached",
                answer.get("diff").and_then(|d| d.get("not_reached")).is_some(),
                true,
            ));
            return problems;
        }
        (Ok(_), Some(raised)) => return vec![format!("expected {}", error_of(raised))],
        (Ok(replayed), None) => replayed,
    };
    // The recording machine's replay, where its libm and ours part: only a proven cause lets its step stand for ours.
    let theirs = match text(expected.get("dumps_file")).and_then(|path| files.read(path)) {
        Some(bytes) => trace_of(&bytes),
        None => trace.clone(),
    };
    let mut replayed = replayed;
    for (step, theirs) in replayed.steps.iter_mut().zip(&theirs.steps) {
        if !draws_python_gauss(step) {
            continue;
        }
        let drawn = items(Some(&step.result));
        gaussians.drawn += drawn.len() as u64;
        if same_step(step, theirs).unwrap_or(true) {
            continue;
        }
        let differing = drawn.iter().zip(items(Some(&theirs.result))).filter(|(a, b)| dumps(a) != dumps(b)).count();
        gaussians.differing += (differing as u64).max(1);
        match tools.prove_cause(theirs, step) {
            Some(_) => *step = theirs.clone(),
            None => gaussians.unexplained.push(format!("{place}: a step of {} is not explained", step.tool_name())),
        }
    }
    let found = replayed.dumps().unwrap_or_else(|e| e.to_string());
    let mut problems =
        differ("replayed dumps", Some(sha(found.as_bytes()).as_str()), text(expected.get("dumps_sha256")));
    problems.extend(differ("replayed bytes", Some(found.len() as i64), number(expected.get("dumps_bytes"))));
    let same = expected.get("same_as_trace_file").and_then(Value::as_bool);
    problems.extend(differ("same_as_trace_file", Some(found.as_bytes() == bytes), same));
    if let Some(path) = text(expected.get("dumps_file")) {
        let same = files.read(path).is_some_and(|b| b == found.as_bytes());
        problems.extend(differ("dumps_file", same, true));
    }
    let steps = items(expected.get("steps"));
    problems.extend(differ("number of replayed steps", replayed.steps.len(), steps.len()));
    for (i, (step, answer)) in replayed.steps.iter().zip(&steps).enumerate() {
        problems.extend(step_problems(i, step, answer));
    }
    problems.extend(diff_answer("diff", &trace, &replayed, answer.get("diff")));
    let identical = diff(&trace, &replayed).map(|rows| rows.is_empty());
    problems.extend(differ(
        "is_bit_identical_replay",
        outcome(identical, Value::Bool),
        expected_outcome(answer.get("is_bit_identical_replay")),
    ));
    problems
}

/// A value as its text, or an exception.
fn outcome<T>(result: Result<T, PyError>, into: impl Fn(T) -> Value) -> Result<String, PyError> {
    result.map(|v| dumps(&into(v)))
}

fn expected_outcome(answer: Option<&Value>) -> Result<String, PyError> {
    match answer.and_then(|a| a.get("raised")) {
        Some(raised) => Err(error_of(raised)),
        None => Ok(answer.and_then(|a| a.get("value")).map(dumps).unwrap_or_default()),
    }
}

fn diff_answer(what: &str, a: &ExecutionTrace, b: &ExecutionTrace, answer: Option<&Value>) -> Vec<String> {
    let rows = |rows: Vec<tapedeck_core::trace::diff::DiffRow>| {
        Value::array(rows.into_iter().map(|r| Value::array(vec![Value::int(r.index), r.name])).collect())
    };
    differ(what, outcome(diff(a, b), rows), expected_outcome(answer))
}

fn diff_problems(case: &Value) -> Vec<String> {
    let side = |key: &str| trace_of(text(case.get(key)).unwrap_or_default().as_bytes());
    let (a, b) = (side("a"), side("b"));
    let mut problems = diff_answer("diff_a_b", &a, &b, case.get("diff_a_b"));
    problems.extend(diff_answer("diff_b_a", &b, &a, case.get("diff_b_a")));
    problems
}

// ---- JSON -------------------------------------------------------------------------------------------------------------------

fn json_text_problems(case: &Value) -> Vec<String> {
    let input = case.get("input").and_then(Value::as_text).cloned().unwrap_or_default();
    let value = match text_loads(&input) {
        Ok(parsed) => parsed.value,
        Err(error) => return vec![format!("could not be read: {error}")],
    };
    let answer = |key: &str, raised: &str| match case.get(raised) {
        Some(raised) => Err(error_of(raised)),
        None => Ok(case.get(key).and_then(Value::as_text).map(ToString::to_string).unwrap_or_default()),
    };
    let mut problems = differ("dumps", to_json(&value, Layout::Dumps), answer("dumps", "dumps_raised"));
    problems.extend(differ("canonical", canonical(&value), answer("canonical", "canonical_raised")));
    problems
}

fn malformed_problems(case: &Value) -> Vec<String> {
    let parsed = if let Some(text) = case.get("text").and_then(Value::as_text) {
        text_loads(text)
    } else if let Some(encoded) = text(case.get("bytes_base64")) {
        let bytes = base64::engine::general_purpose::STANDARD.decode(encoded).unwrap_or_default();
        loads(&bytes)
    } else {
        let mut buf = TextBuf::default();
        for part in items(case.get("text_parts")) {
            let part = items(Some(&part));
            let times = number(part.first()).unwrap_or(0);
            for _ in 0..times {
                buf.push_text(part.get(1).and_then(Value::as_text).unwrap_or(&Text::default()));
            }
        }
        text_loads(&buf.finish())
    };
    let (stage, found) = match parsed {
        Err(error) => ("json.loads", Err(PyError::new(error.python_type(), error.python_message()))),
        Ok(parsed) => ("from_json", ExecutionTrace::from_json(parsed.value).map_err(|e| e.raised)),
    };
    match (found, case.get("raised")) {
        (Err(error), raised) => {
            let mut problems = differ("raised", Some(error), raised.map(error_of));
            problems.extend(differ("stage", Some(stage), text(case.get("stage"))));
            problems
        }
        (Ok(_), Some(raised)) => vec![format!("expected {}", error_of(raised))],
        (Ok(trace), None) => {
            let mut problems =
                differ("accepted_steps", Some(trace.steps.len() as i64), number(case.get("accepted_steps")));
            let found = trace.dumps();
            if let Some(raised) = case.get("dumps_raised") {
                problems.extend(differ("dumps", found, Err(error_of(raised))));
            } else if let Some(hash) = text(case.get("accepted_dumps_sha256")) {
                problems.extend(differ("dumps", found.map(|t| sha(t.as_bytes())), Ok(hash.to_string())));
            } else {
                let expected = text(case.get("accepted_dumps")).unwrap_or_default().to_string();
                problems.extend(differ("dumps", found, Ok(expected)));
            }
            problems
        }
    }
}

// ---- generators -------------------------------------------------------------------------------------------------------------

fn python_seeded(seed: &Value) -> PythonState {
    let size = seed.as_integer().map(|i| i.to_big()).unwrap_or_default();
    fresh_python(mt::seeded_by_size(size.magnitude()))
}

fn numpy_seeded(seed: &Value) -> NumpyState {
    fresh_numpy(mt::seeded(number(Some(seed)).and_then(|s| u32::try_from(s).ok()).unwrap_or(0)))
}

fn float_of(value: &Value) -> f64 {
    match value {
        Value::Float(float) => float.get(),
        _ => f64::NAN,
    }
}

/// Compares Python's gaussians with the recorded ones; what differs must be explained by the libm.
///
/// `kept` is the recorded second gaussian of an odd number of draws.
fn python_gaussians(place: &str, seed: &Value, wanted: &[f64], kept: Option<f64>, gaussians: &mut Gaussians) {
    let mut state = python_seeded(seed);
    let found: Vec<f64> =
        wanted.iter().filter_map(|_| python_gauss(&mut state, &mut Ours).ok()).map(|v| float_of(&v)).collect();
    let differing = found.iter().zip(wanted).filter(|(a, b)| a.to_bits() != b.to_bits()).count() as u64;
    let kept_differs = kept.is_some_and(|k| k.to_bits() != float_of(&state.gauss_next).to_bits());
    gaussians.drawn += wanted.len() as u64;
    gaussians.differing += differing + u64::from(kept_differs);
    if (differing > 0 || kept_differs)
        && find_moves(Generator::Python, &mut python_seeded(seed).mt, wanted, kept).is_none()
    {
        gaussians.unexplained.push(format!("{place}: the draws of seed {} are not explained", dumps(seed)));
    }
}

fn gauss(files: &dyn Files, tally: &mut dyn Tally, gaussians: &mut Gaussians) {
    for case in list(files, "gauss.json") {
        let seed = case.get("seed").cloned().unwrap_or(Value::Null);
        let place = format!("{} of seed {}", text(case.get("generator")).unwrap_or_default(), dumps(&seed));
        let wanted: Vec<f64> = items(case.get("bits")).iter().filter_map(|b| bits(Some(b))).collect();
        let mut problems = Vec::new();
        match text(case.get("generator")) {
            Some("python.gauss") => {
                python_gaussians(&place, &seed, &wanted, bits(case.get("gauss_next")), gaussians);
                continue;
            }
            Some("numpy.normal") => {
                let mut state = numpy_seeded(&seed);
                let found: Vec<String> = wanted.iter().map(|_| hex(numpy_gauss(&mut state, &mut Ours))).collect();
                let differing = found.iter().zip(&wanted).filter(|(a, b)| **a != hex(**b)).count();
                problems.extend(differ("differing draws", differing, 0));
                problems.extend(differ("has_gauss", Some(state.has_gauss), number(case.get("has_gauss"))));
                let cached = bits(case.get("cached_gaussian")).map(hex);
                problems.extend(differ("cached_gaussian", Some(hex(state.cached_gaussian)), cached));
            }
            other => problems.push(format!("no such generator: {other:?}")),
        }
        one(tally, "mixle/gauss", &place, problems);
    }
}

/// Either generator, as a stream of rng.json uses it.
enum Stream {
    Python(PythonState),
    Numpy(NumpyState),
}

impl Stream {
    fn mt(&mut self) -> &mut MtState {
        match self {
            Stream::Python(state) => &mut state.mt,
            Stream::Numpy(state) => &mut state.mt,
        }
    }

    /// The state as rng.json sums it up.
    fn summary(&self) -> Value {
        let keys = |mt: &MtState| {
            let words = mt.words.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
            Value::text(sha(format!("[{words}]").as_bytes()))
        };
        match self {
            Stream::Python(state) => Value::object([
                ("index", Value::int(i64::from(state.mt.position))),
                ("gauss_next", state.gauss_next.clone()),
                (
                    "gauss_next_bits",
                    match &state.gauss_next {
                        Value::Float(float) => Value::text(hex(float.get())),
                        _ => Value::Null,
                    },
                ),
                ("keys_sha256", keys(&state.mt)),
            ]),
            Stream::Numpy(state) => Value::object([
                ("position", Value::int(i64::from(state.mt.position))),
                ("has_gauss", Value::int(state.has_gauss)),
                ("cached_gaussian", Value::float(state.cached_gaussian)),
                ("cached_gaussian_bits", Value::text(hex(state.cached_gaussian))),
                ("keys_sha256", keys(&state.mt)),
            ]),
        }
    }
}

/// The numbers of a stream's name, such as `randint(0,2**40)`: the arguments in the brackets, floats as they stand.
fn arguments(name: &str) -> Vec<f64> {
    let inner = name.split_once('(').and_then(|(_, rest)| rest.rsplit_once(')')).map_or("", |(inner, _)| inner);
    inner
        .split([',', '(', ')'])
        .filter_map(|part| match part.split_once("**") {
            Some((base, power)) => Some(base.trim().parse::<f64>().ok()?.powi(power.trim().parse().ok()?)),
            None => part.trim().parse().ok(),
        })
        .collect()
}

/// The first `n` values of a named stream; `None` for a name that is not known.
fn drawn(name: &str, n: usize, stream: &mut Stream) -> Option<Vec<Value>> {
    let arguments = arguments(name);
    let arg = |i: usize| arguments.get(i).copied().unwrap_or(0.0);
    let kind = name.split(['(', ' ']).next().unwrap_or_default();
    let integer = |x: u64| Value::Int(Int::from_digits(&x.to_string()).unwrap_or(Int::from(0)));
    let shuffled = |mt: &mut MtState, len: usize, numpy: bool| {
        let mut all: Vec<usize> = (0..len).collect();
        for i in (1..len).rev() {
            let j = if numpy { mt::next_masked(mt, i as u64) } else { mt::next_below(mt, i as u64 + 1) };
            all.swap(i, j as usize);
        }
        all.into_iter().map(|i| integer(i as u64)).collect()
    };
    let mut values = Vec::new();
    match (kind, &mut *stream) {
        ("random" | "random_sample", stream) => {
            values.extend((0..n).map(|_| Value::float(mt::next_double(stream.mt()))));
        }
        ("getrandbits", Stream::Python(state)) => {
            for _ in 0..n {
                let drawn = mt::next_big_bits(&mut state.mt, arg(0) as u32);
                values.push(Value::Int(Int::from(num_bigint::BigInt::from(drawn))));
            }
        }
        ("randint", Stream::Python(state)) => {
            let width = (arg(1) - arg(0)) as u64 + 1;
            for _ in 0..n {
                values.push(Value::int(arg(0) as i64 + mt::next_below(&mut state.mt, width) as i64));
            }
        }
        ("randint", Stream::Numpy(state)) => {
            let range = (arg(1) - arg(0)) as u64 - 1;
            for _ in 0..n {
                values.push(Value::int(arg(0) as i64 + mt::next_masked(&mut state.mt, range) as i64));
            }
        }
        ("gauss", Stream::Python(state)) => {
            for _ in 0..n {
                values.push(python_gauss(state, &mut Ours).ok()?);
            }
        }
        ("normal" | "standard_normal", Stream::Numpy(state)) => {
            let (mean, scale) = if kind == "normal" && arguments.len() == 2 { (arg(0), arg(1)) } else { (0.0, 1.0) };
            for _ in 0..n {
                values.push(Value::float(mean + scale * numpy_gauss(state, &mut Ours)));
            }
        }
        ("uniform", stream) => {
            let (low, high) = (arg(0), arg(1));
            for _ in 0..n {
                values.push(Value::float(low + (high - low) * mt::next_double(stream.mt())));
            }
        }
        ("shuffle", Stream::Python(state)) => values = shuffled(&mut state.mt, arg(0) as usize, false),
        ("permutation", Stream::Numpy(state)) => values = shuffled(&mut state.mt, arg(0) as usize, true),
        ("sample", Stream::Python(state)) => {
            values = sample((0..arg(0) as u64).map(integer).collect(), arg(1) as usize, state)?;
        }
        ("choice", Stream::Python(state)) => {
            // `choice of 1 x10 then random`
            let numbers: Vec<u64> = name.split([' ', 'x']).filter_map(|word| word.parse().ok()).collect();
            let (&[len, times], true) = (numbers.as_slice(), name.ends_with("then random")) else { return None };
            values.extend((0..times).map(|_| integer(mt::next_below(&mut state.mt, len))));
            values.push(Value::float(mt::next_double(&mut state.mt)));
        }
        _ => return None,
    }
    Some(values)
}

/// `random.sample` on a given state: Python's own rule, on the words that the generator gives.
fn sample(mut pool: Vec<Value>, k: usize, state: &mut PythonState) -> Option<Vec<Value>> {
    let n = pool.len();
    let mut table = 21_usize;
    if k > 5 {
        table += 4_usize.pow(((k * 3) as f64).log(4.0).ceil() as u32);
    }
    let mut drawn = Vec::new();
    let mut taken = std::collections::BTreeSet::new();
    while drawn.len() < k {
        if n <= table {
            let left = n - drawn.len();
            let j = mt::next_below(&mut state.mt, left as u64) as usize;
            drawn.push(pool.get(j)?.clone());
            *pool.get_mut(j)? = pool.get(left - 1)?.clone();
        } else {
            let j = mt::next_below(&mut state.mt, n as u64) as usize;
            if taken.insert(j) {
                drawn.push(pool.get(j)?.clone());
            }
        }
    }
    Some(drawn)
}

/// The bits of a stream that is given by its hash.
fn joined_bits(values: &[f64]) -> String {
    values.iter().map(|v| hex(*v)).collect::<Vec<_>>().join(",")
}

fn streams(rng: &Value, tally: &mut dyn Tally, gaussians: &mut Gaussians) {
    for generator in ["python", "numpy"] {
        for case in items(rng.get(generator)) {
            let seed = case.get("seed").cloned().unwrap_or(Value::Null);
            let fresh = || match generator {
                "python" => Stream::Python(python_seeded(&seed)),
                _ => Stream::Numpy(numpy_seeded(&seed)),
            };
            let place = format!("{generator} seed {}", dumps(&seed));
            let start = case.get("state_start").map(dumps);
            one(tally, "mixle/rng", &place, differ("state_start", Some(dumps(&fresh().summary())), start));
            let named = case.get("streams").and_then(Value::as_object).cloned().unwrap_or_default();
            for (name, answer) in named.iter() {
                let name = name.as_text().map(ToString::to_string).unwrap_or_default();
                let place = format!("{place}, {name}");
                if generator == "python" && name.starts_with("gauss") {
                    python_stream(&place, &seed, answer, &name, tally, gaussians);
                } else {
                    one(tally, "mixle/rng", &place, stream_problems(&name, answer, fresh()));
                }
            }
        }
    }
}

/// How many draws a stream has: those that are listed, or what its name says (`x1000`).
fn length(name: &str, answer: &Value) -> usize {
    match answer.get("values") {
        Some(values) => items(Some(values)).len(),
        None => name.rsplit_once('x').and_then(|(_, n)| n.parse().ok()).unwrap_or(0),
    }
}

fn stream_problems(name: &str, answer: &Value, mut stream: Stream) -> Vec<String> {
    let Some(values) = drawn(name, length(name, answer), &mut stream) else {
        return vec!["a stream of this name is not known".to_string()];
    };
    let mut problems = Vec::new();
    let floats: Vec<f64> = values.iter().map(float_of).collect();
    if let Some(expected) = answer.get("values") {
        problems.extend(differ("values", dumps(&Value::array(values)), dumps(expected)));
    }
    if let Some(expected) = answer.get("bits") {
        let found = floats.iter().map(|f| Value::text(hex(*f))).collect();
        problems.extend(differ("bits", dumps(&Value::array(found)), dumps(expected)));
    }
    if let Some(expected) = text(answer.get("bits_sha256")) {
        problems.extend(differ("bits_sha256", sha(joined_bits(&floats).as_bytes()).as_str(), expected));
    }
    problems.extend(differ("state_after", Some(dumps(&stream.summary())), answer.get("state_after").map(dumps)));
    problems
}

/// A stream of Python's gaussians: it belongs to the kind that the libm may differ in; its words never may.
fn python_stream(
    place: &str,
    seed: &Value,
    answer: &Value,
    name: &str,
    tally: &mut dyn Tally,
    gaussians: &mut Gaussians,
) {
    let state_after = answer.get("state_after").unwrap_or(&Value::Null);
    let n = length(name, answer);
    let mut stream = Stream::Python(python_seeded(seed));
    let found: Vec<f64> = drawn(name, n, &mut stream).unwrap_or_default().iter().map(float_of).collect();
    let place_of = |key: &str| format!("{place} {key}");
    let summary = stream.summary();
    for key in ["index", "keys_sha256"] {
        let problems = differ(key, summary.get(key).map(dumps), state_after.get(key).map(dumps));
        one(tally, "mixle/rng", &place_of(key), problems);
    }
    let kept = bits(state_after.get("gauss_next_bits"));
    if let Some(expected) = answer.get("bits") {
        let wanted: Vec<f64> = items(Some(expected)).iter().filter_map(|b| bits(Some(b))).collect();
        python_gaussians(place, seed, &wanted, kept, gaussians);
        return;
    }
    let expected = text(answer.get("bits_sha256")).unwrap_or_default();
    gaussians.drawn += n as u64;
    if sha(joined_bits(&found).as_bytes()) == expected {
        return;
    }
    match moves_by_hash(seed, &found, expected) {
        Some(differing) => gaussians.differing += differing,
        None => gaussians.unexplained.push(format!("{place}: the hash is not reached")),
    }
}

/// Draws that are given by their hash alone: sines and cosines that lie near to a tie are moved by one unit in the last place, the
/// likeliest combinations first, until the hash is met. Answers how many draws were moved.
fn moves_by_hash(seed: &Value, found: &[f64], expected: &str) -> Option<u64> {
    /// Combinations that are tried: some ten seconds of hashing.
    const TRIES: usize = 400_000;
    /// How far from a tie, in units in the last place, the machine's results still fall to the other side, on average.
    const REACH: f64 = 0.004;
    let mut mt = python_seeded(seed).mt;
    // For each draw: what a move of it costs in likelihood, its index, and its bits after the move.
    let mut moves: Vec<(f64, usize, String)> = Vec::new();
    for pair in 0..found.len().div_ceil(2) {
        let mut again = mt.clone();
        python_pair(&mut mt, &mut Ours);
        let x = mt::next_double(&mut again) * std::f64::consts::TAU;
        let g = (-2.0 * log(1.0 - mt::next_double(&mut again))).sqrt();
        for (offset, (value, rest)) in [cos_parts(x), sin_parts(x)].into_iter().enumerate() {
            let other = nudge(value, if rest > 0.0 { 1 } else { -1 });
            let from_tie = 0.5 - (rest / (other - value)).abs();
            moves.push((1.0 + from_tie / REACH, 2 * pair + offset, hex(other * g)));
        }
    }
    moves.retain(|(_, i, other)| found.get(*i).is_some_and(|f| hex(*f) != *other));
    moves.sort_by(|a, b| a.0.total_cmp(&b.0));
    let joined = joined_bits(found).into_bytes();
    // Subsets in the order of their cost: from each, one with the next move added, and one with its last move replaced by the next.
    let cost = |i: usize| moves.get(i).map_or(f64::INFINITY, |m| m.0);
    let mut open = std::collections::BTreeMap::from([((cost(0).to_bits(), vec![0_usize]), cost(0))]);
    for _ in 0..TRIES {
        let ((_, subset), sum) = open.pop_first()?;
        let mut moved = joined.clone();
        for (_, draw, other) in subset.iter().filter_map(|i| moves.get(*i)) {
            // Sixteen digits and a comma for each draw.
            moved[draw * 17..draw * 17 + 16].copy_from_slice(other.as_bytes());
        }
        if sha(&moved) == expected {
            return Some(subset.len() as u64);
        }
        let last = *subset.last()?;
        if last + 1 < moves.len() {
            let added = sum + cost(last + 1);
            let replaced = added - cost(last);
            let mut with_next = subset.clone();
            with_next.push(last + 1);
            // Costs are positive, and positive doubles are ordered as their bits.
            open.insert((added.to_bits(), with_next), added);
            let mut instead = subset;
            instead.pop();
            instead.push(last + 1);
            open.insert((replaced.to_bits(), instead), replaced);
        }
    }
    None
}

/// Rows of argument, this machine's result, and the correctly rounded one. Our log is the machine's; our sine and cosine are the
/// correctly rounded ones, and the machine's lie at most one unit in the last place away.
fn libm_cases(cases: &Value, tally: &mut dyn Tally) {
    for (name, rows) in cases.as_object().cloned().unwrap_or_default().iter() {
        let name = name.as_text().map(ToString::to_string).unwrap_or_default();
        let function: fn(f64) -> f64 = match name.split('_').next() {
            Some("log") => log,
            Some("sin") => sin,
            Some("cos") => cos,
            _ => continue,
        };
        for row in items(Some(rows)) {
            let row: Vec<f64> = items(Some(&row)).iter().filter_map(|b| bits(Some(b))).collect();
            let &[x, machine, correct] = row.as_slice() else { continue };
            let ours = function(x);
            let mut problems = Vec::new();
            if name.starts_with("log") {
                problems.extend(differ("log", hex(ours), hex(machine)));
            } else {
                problems.extend(differ("correctly rounded", hex(ours), hex(correct)));
                let near = [-1, 0, 1].iter().any(|step| nudge(ours, *step).to_bits() == machine.to_bits());
                problems.extend(differ("within one unit of the machine's", near, true));
            }
            one(tally, "mixle/libm_cases", &format!("{name}({})", hex(x)), problems);
        }
    }
}

// ---- states and records -----------------------------------------------------------------------------------------------------

/// A copy of `value` with the place at `path` set, or taken out when there is nothing to set.
fn edited(value: &Value, path: &[Value], new: Option<&Value>) -> Value {
    let [first, rest @ ..] = path else { return new.cloned().unwrap_or(Value::Null) };
    let is_last = rest.is_empty();
    match (value, first) {
        (Value::Object(object), Value::Text(key)) => {
            let mut copy = Object::new();
            let mut met = false;
            for (k, v) in object.iter() {
                let here = k.as_text() == Some(key);
                met |= here;
                if here && is_last && new.is_none() {
                    continue;
                }
                copy.insert(k.clone(), if here { edited(v, rest, new) } else { v.clone() });
            }
            if !met && let Some(new) = new {
                copy.insert(Key::Text(key.clone()), edited(&Value::Null, rest, Some(new)));
            }
            Value::from(copy)
        }
        (Value::Array(array), index) => {
            let index = number(Some(index)).and_then(|i| usize::try_from(i).ok());
            let mut copy = Vec::new();
            for (i, item) in array.iter().enumerate() {
                match Some(i) == index {
                    true if is_last && new.is_none() => {}
                    true => copy.push(edited(&item, rest, new)),
                    false => copy.push(item.into_owned()),
                }
            }
            Value::array(copy)
        }
        (other, _) => other.clone(),
    }
}

fn replay_states(files: &dyn Files, states: &Value, tally: &mut dyn Tally) {
    let base = text(states.get("base")).and_then(|path| files.read(path));
    if let Some(base) = base {
        let base = loads(&base).unwrap_or_else(|e| panic!("{e}")).value;
        for case in items(states.get("cases")) {
            one(tally, "mixle/replay_states", &label(&case), state_problems(&base, &case));
        }
    }
    for case in items(states.get("record_step")) {
        let get = |key: &str| case.get(key).cloned().unwrap_or(Value::Null);
        let args = get("args").as_object().cloned().unwrap_or_default();
        let found = record_step(&mut Shipped::new(), &get("tool"), args, get("seed"), &mut seeded_state(0));
        let found = match found {
            Err(NotRecorded::Raised(error)) => Some(error),
            _ => None,
        };
        one(
            tally,
            "mixle/replay_states",
            &label(&case),
            differ("record_step", found, case.get("raised").map(error_of)),
        );
    }
}

fn state_problems(base: &Value, case: &Value) -> Vec<String> {
    let mut path = vec![Value::text("steps"), Value::int(0)];
    path.extend(items(case.get("path")));
    let is_deletion = case.get("delete").and_then(Value::as_bool) == Some(true);
    let new = case.get("value").filter(|_| !is_deletion);
    let trace = ExecutionTrace::from_json(edited(base, &path, new)).unwrap_or_else(|e| panic!("{e}"));
    let replayed = match (replay(&trace, &mut Shipped::new()), case.get("replay_raised")) {
        (Err((_, reason)), raised) => {
            return differ("replay", reason.mixle_raises(), raised.map(error_of));
        }
        (Ok(_), Some(raised)) => return vec![format!("expected {}", error_of(raised))],
        (Ok(replayed), None) => replayed,
    };
    let found = replayed.dumps().unwrap_or_else(|e| e.to_string());
    let mut problems = differ("dumps", Some(sha(found.as_bytes()).as_str()), text(case.get("replay_dumps_sha256")));
    if let Some(step) = replayed.steps.first() {
        let before = Ok(dumps(&state_summary(&step.rng_state_before)));
        problems.extend(differ("replayed_rng_before", before, expected_outcome(case.get("replayed_rng_before"))));
        let succeeded = case.get("replayed_succeeded").map(dumps);
        problems.extend(differ("replayed_succeeded", Some(dumps(&step.succeeded)), succeeded));
        problems.extend(differ("replayed_result", Some(dumps(&step.result)), case.get("replayed_result").map(dumps)));
    }
    problems.extend(diff_answer("diff", &trace, &replayed, case.get("diff")));
    problems
}

fn record_problems(files: &dyn Files, case: &Value) -> Vec<String> {
    let file = |key: &str| text(case.get(key)).and_then(|path| files.read(path)).unwrap_or_default();
    let json = |key: &str| {
        let text = case.get(key).and_then(Value::as_text).cloned().unwrap_or_default();
        text_loads(&text).map(|p| p.value).unwrap_or(Value::Null)
    };
    let trace = trace_of(&file("from_trace"));
    let provenance = json("provenance_text");
    let record = from_execution_trace(&trace, json("outcome_text"), provenance.as_object());
    let found = dumps(&record);
    let mut problems = differ("validation", validate(&record), Ok(()));
    problems.extend(differ("sha256", Some(sha(found.as_bytes()).as_str()), text(case.get("sha256"))));
    problems.extend(differ("text", found, String::from_utf8_lossy(&file("record")).into_owned()));
    problems
}
