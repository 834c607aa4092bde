//! The tapes: positions, bindings, labels and histories as `--step` shows them; refusals; values as replay reads them; the replay
//! cursor; the stepper's sessions; the questions that a program asked about its past.

use std::path::Path;

use serde_json::Value;
use tapedeck_core::ask::Asker;
use tapedeck_core::bytes::Unwatched;
use tapedeck_core::model::protocol::{
    AskAnswer, AskQuery, AskedResult, BindingRow, HistoryQuery, StateQuery, StepAnswer, StepQuery,
};
use tapedeck_core::model::{Pos, RowWindow};
use tapedeck_core::tape::cursor::{Cursor, Install, NameRule, Taken};
use tapedeck_core::tape::step::is_command;
use tapedeck_core::tape::{GateError, Tape, TapeBuilder, check_replay, value};

use super::{Report, files, json};

/// The runtime whose answers the corpus holds.
const RUNTIME: &[u8] = b"0.40.0";
/// What the reference keeps of "in FUNCTION" (159 bytes) when it shows a row's scope.
const REFERENCE_SCOPE_BYTES: usize = 156;
const ALL: RowWindow = RowWindow { first: 0, count: u32::MAX };

/// Checks what lies in `folder`, a folder laid out like `tests/corpus/eigs`.
pub fn run(folder: &Path, report: &mut Report) {
    for kind in ["programs", "variants", "testrun/tapes"] {
        for path in files(&folder.join(kind), ".expected.json") {
            tape(&format!("eigs/{kind}"), &path, report);
        }
    }
    let refusals = folder.join("refusals/refusals.json");
    if refusals.exists() {
        for case in json(&refusals).as_array().expect("refusals.json is a list") {
            refusal(&folder.join("refusals"), case, report);
        }
    }
    let values = folder.join("values.json");
    if values.exists() {
        let values = json(&values);
        let template = values["tape_template"].as_str().expect("values.json has a template");
        for case in values["cases"].as_array().expect("values.json has cases") {
            read_value(case, report);
            take_value(template, case, report);
        }
    }
    let cursor = folder.join("cursor.json");
    if cursor.exists() {
        for (i, case) in json(&cursor).as_array().expect("cursor.json is a list").iter().enumerate() {
            take_calls(i, case, report);
        }
    }
    for path in files(&folder.join("programs"), ".expected.json") {
        session(&path, report);
    }
    let temporal = folder.join("programs/v19_temporal.tape");
    if temporal.exists() {
        temporal_questions(&temporal, report);
    }
}

/// The exact bytes of field `key`: its `_hex` twin where it has one.
fn bytes_of(object: &Value, key: &str) -> Vec<u8> {
    match object.get(format!("{key}_hex")).and_then(Value::as_str) {
        Some(hex) => unhex(hex),
        None => object[key].as_str().unwrap_or_default().as_bytes().to_vec(),
    }
}

fn unhex(hex: &str) -> Vec<u8> {
    hex.as_bytes().chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// What the reference would show of a scope's function.
fn shown_function(function: &str) -> String {
    let cut = function.as_bytes().get(..REFERENCE_SCOPE_BYTES).unwrap_or(function.as_bytes());
    String::from_utf8_lossy(cut).into_owned()
}

fn open(bytes: Vec<u8>) -> Result<Tape, String> {
    TapeBuilder::from_vec(bytes)
        .and_then(|builder| builder.finish("corpus.tape".to_owned(), Vec::new()))
        .map_err(|refusal| refusal.kind)
}

fn tape(kind: &str, expected_path: &Path, report: &mut Report) {
    let expected = json(expected_path);
    if expected["undefined"] == true {
        return;
    }
    let path = expected_path.to_string_lossy().replace(".expected.json", ".tape");
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let at = |place: &str| format!("{path} {place}");
    let mut tape = match open(bytes) {
        Ok(tape) => tape,
        Err(refusal) => {
            let exit = expected["exit"].as_i64();
            return report.count(kind, exit == Some(3), || at(&format!("refused as {refusal}, --step exits {exit:?}")));
        }
    };
    report.check(kind, || at("exit"), &0, &expected["exit"].as_i64().unwrap_or(-1));
    let summary = tape.summary();
    let counts = [summary.positions, summary.assigns, summary.bindings, summary.nondet].map(u64::from);
    let expected_counts =
        ["steps", "assigns", "bindings", "nondet"].map(|key| expected["counts"][key].as_u64().unwrap());
    report.check(kind, || at("counts"), &counts, &expected_counts);
    report.check(kind, || at("runtime"), &Some(summary.runtime.text), &text(&expected["header"]["runtime"]));
    for position in expected["positions"].as_array().unwrap() {
        check_position(kind, &path, &mut tape, position, expected["reference_limit"] == true, report);
    }
    for trajectory in expected["trajectories"].as_array().unwrap() {
        check_trajectory(kind, &path, &tape, trajectory, report);
    }
}

/// One binding as it is compared: name, value, label, assignments, scope.
type Binding = (String, Vec<u8>, Option<String>, u64, Option<String>);

fn found_binding(tape: &Tape, row: &BindingRow) -> Binding {
    (
        row.name.text.clone(),
        value_at(tape, row.byte.0),
        row.label.map(|label| label.word().to_owned()),
        u64::from(row.assigns),
        row.function.as_ref().map(|function| shown_function(&function.text)),
    )
}

/// The exact bytes of the value of the record at a byte.
fn value_at(tape: &Tape, byte: u32) -> Vec<u8> {
    let line = record_at(tape, byte);
    let eq = line.iter().skip(2).position(|byte| *byte == b'=').map_or(line.len(), |at| at + 3);
    line.get(eq..).unwrap_or_default().to_vec()
}

fn record_at(tape: &Tape, byte: u32) -> &[u8] {
    let rest = &tape.bytes()[byte as usize..];
    rest.split(|byte| *byte == b'\n' || *byte == 0).next().unwrap_or_default()
}

fn check_position(kind: &str, path: &str, tape: &mut Tape, expected: &Value, limited: bool, report: &mut Report) {
    let pos = Pos(u32::try_from(expected["pos"].as_u64().unwrap()).unwrap());
    let query = StateQuery { pos, bindings: ALL, filter: String::new(), events: ALL, frames: ALL };
    let state = match tape.state(&query) {
        Ok(state) => state,
        Err(error) => return report.count(kind, false, || format!("{path} position {}: {error}", pos.0)),
    };
    let events: Vec<Vec<u8>> = state
        .events
        .iter()
        .map(|event| {
            // Shown as the kind, a space and the rest, whatever the record's second byte is.
            let record = record_at(tape, event.byte.0);
            [&record[..1], b" ", &record[2..]].concat()
        })
        .collect();
    let expected_events: Vec<Vec<u8>> = expected["events"]
        .as_array()
        .unwrap()
        .iter()
        .enumerate()
        .map(|(i, event)| match expected["events_hex"].get(i.to_string()).and_then(Value::as_str) {
            Some(hex) => unhex(hex),
            None => event.as_str().unwrap().as_bytes().to_vec(),
        })
        .collect();
    let bindings: Vec<Binding> = state.bindings.iter().map(|row| found_binding(tape, row)).collect();
    let mut expected_bindings: Vec<Binding> = expected["bindings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            let scope = text(&row["scope"]);
            (
                text(&row["name"]).unwrap(),
                bytes_of(row, "value"),
                text(&row["label"]),
                row["assigns"].as_u64().unwrap(),
                scope,
            )
        })
        .collect();
    if limited {
        // The reference lists names past its limit twice.
        let mut seen = std::collections::HashSet::new();
        expected_bindings.retain(|binding| seen.insert(binding.0.clone()));
    }
    let found = (i64::from(state.line), events, bindings);
    let expected = (expected["line"].as_i64().unwrap(), expected_events, expected_bindings);
    report.check(kind, || format!("{path} position {}", pos.0), &found, &expected);
}

fn check_trajectory(kind: &str, path: &str, tape: &Tape, expected: &Value, report: &mut Report) {
    let pos = Pos(u32::try_from(expected["pos"].as_u64().unwrap()).unwrap());
    let name = bytes_of(expected, "name");
    let place = || format!("{path} history of {} at {}", String::from_utf8_lossy(&name), pos.0);
    let stream = tape.resolve(pos, &name);
    report.check(kind, place, &stream.is_some(), &expected["found"].as_bool().unwrap());
    let Some(stream) = stream else { return };
    let rows = expected["rows"].as_array().unwrap();
    let total = expected["total"].as_u64().unwrap();
    let first = u32::try_from(total).unwrap() - u32::try_from(rows.len()).unwrap();
    let rows_wanted = RowWindow { first, count: u32::try_from(rows.len()).unwrap() };
    let history = tape.history(&HistoryQuery { stream, pos, rows: rows_wanted, sparkline: 0 }).unwrap();
    let is_inner = history.function.is_some();
    let scope = history.function.map(|function| shown_function(&function.text));
    let frame = is_inner.then_some(u64::from(history.serial));
    let found: Vec<_> = history
        .rows
        .iter()
        .map(|row| {
            let label = row.label.map(|label| label.word().to_owned());
            (u64::from(row.ordinal), i64::from(row.line), value_at(tape, row.byte.0), label)
        })
        .collect();
    let expected_rows: Vec<_> = rows
        .iter()
        .map(|row| {
            (
                row["ordinal"].as_u64().unwrap(),
                row["line"].as_i64().unwrap(),
                bytes_of(row, "value"),
                text(&row["label"]),
            )
        })
        .collect();
    let found = (scope, frame, u64::from(history.so_far), found);
    let expected = (text(&expected["scope"]), expected["frame"].as_u64(), total, expected_rows);
    report.check(kind, place, &found, &expected);
}

/// The kind of refusal that a message of the real program names; `None` when it accepted.
fn kind_of_message(message: &str) -> Option<&'static str> {
    [
        ("empty", "empty"),
        ("no version header", "no-header"),
        ("malformed tape version header", "malformed-header"),
        ("tape format v", "format"),
        ("tape recorded on EigenScript", "runtime"),
        ("no line events", "nothing-to-step"),
        ("cannot read", "unreadable"),
        ("cannot open", "unreadable"),
    ]
    .into_iter()
    .find(|(words, _)| message.contains(words))
    .map(|(_, kind)| kind)
}

fn refusal(folder: &Path, case: &Value, report: &mut Report) {
    let file = case["tape"].as_str().unwrap();
    let step = &case["step"];
    let expected = kind_of_message(step["stderr"].as_str().unwrap());
    let found = match std::fs::read(folder.join(file)) {
        Err(_) => Some("unreadable"),
        // The gate passes a tape without positions; that there is nothing to step is told of the opened tape.
        Ok(bytes) => match check_replay(&bytes, RUNTIME) {
            Err(error) => Some(error.kind()),
            Ok(()) => (open(bytes).unwrap().positions() == 0).then_some("nothing-to-step"),
        },
    };
    report.check("eigs/refusals", || format!("{file} under REPLAY"), &found, &expected);
    // What REPLAY refuses for anything but the runtime, OPEN refuses too, with the same kind or a closer one.
    if let Ok(bytes) = std::fs::read(folder.join(file))
        && let Err(error) = check_replay(&bytes, RUNTIME)
        && !matches!(error, GateError::Runtime { .. })
    {
        report.check(
            "eigs/refusals",
            || format!("{file} under OPEN"),
            &open(bytes).err(),
            &Some(error.kind().to_owned()),
        );
    }
}

fn read_value(case: &Value, report: &mut Report) {
    let spelled = bytes_of(case, "value");
    let place = || format!("values.json {}", case["about"]);
    let read = value::read(&spelled);
    report.check("eigs/values", place, &read.is_ok(), &case["served"].as_bool().unwrap());
    let Ok(tokens) = read else { return };
    report.check("eigs/values", place, &value::type_name(&tokens), &case["type"].as_str().unwrap());
    let expected = bytes_of(case, "json");
    let agrees = match value::to_json(&tokens) {
        None => expected.starts_with(b"raised: "),
        Some(found) => found == expected || same_but_for_spelling(&found, &expected),
    };
    report.count("eigs/values", agrees, || format!("{}: {:?}", place(), value::to_json(&tokens)));
}

/// The record after a value is served next, whether the value could be read or not.
fn take_value(template: &str, case: &Value, report: &mut Report) {
    let (before, after) = template.split_once("VALUE").expect("the template has a place for the value");
    let tape = [before.as_bytes(), &bytes_of(case, "value"), after.as_bytes()].concat();
    let place = || format!("values.json {} through the cursor", case["about"]);
    let mut cursor = Cursor::install(tape, RUNTIME, Install::Streaming, NameRule::Lenient).expect("the header passes");
    let is_served = matches!(cursor.take(b"env_get"), Taken::Served { .. });
    report.check("eigs/values", place, &is_served, &case["served"].as_bool().unwrap());
    let taken = cursor.take(b"env_get");
    let then = cursor.report(b"env_get", &taken).json.map(|json| json.trim_matches('"').to_owned());
    report.check("eigs/values", place, &then, &text(&case["then"]));
}

/// A script of calls against a tape: each call's outcome, the record used up, what was served, warnings, the end.
fn take_calls(number: usize, case: &Value, report: &mut Report) {
    let rule = if case["strict"] == true { NameRule::Strict } else { NameRule::Lenient };
    let tape = bytes_of(case, "tape");
    let place = |what: &str| format!("cursor.json case {number} {what}");
    let mut cursor = match Cursor::install(tape, RUNTIME, Install::Streaming, rule) {
        Ok(cursor) => cursor,
        Err(error) => {
            let refused = case["exit"] == 3 && case["calls"].as_array().is_none_or(Vec::is_empty);
            return report.count("eigs/cursor", refused, || format!("{}: refused, {error}", place("install")));
        }
    };
    let mut exit = 0;
    for (i, expected) in case["calls"].as_array().unwrap().iter().enumerate() {
        let builtin = expected["fn"].as_str().unwrap();
        let taken = cursor.take(builtin.as_bytes());
        let found = cursor.report(builtin.as_bytes(), &taken);
        if found.outcome == "exit3" {
            exit = 3;
        }
        // Bytes that are not UTF-8 stand in the answers as U+FFFD, as in the report.
        let mut differing = Vec::new();
        let found_json = serde_json::to_value(&found).unwrap();
        for key in ["fn", "outcome", "record", "unreadable", "exhausted", "warning", "why", "recorded"] {
            if found_json.get(key) != expected.get(key) {
                differing.push(key);
            }
        }
        let same_json = match (&found.json, expected["json"].as_str()) {
            (Some(found), Some(expected)) => {
                found == expected || same_but_for_spelling(found.as_bytes(), expected.as_bytes())
            }
            (None, Some(expected)) => expected.starts_with("raised: ") && found.outcome == "tape",
            (found, None) => found.is_none(),
        };
        report.count("eigs/cursor", differing.is_empty() && same_json, || {
            format!("{}: {differing:?} of {found_json}, expected {expected}", place(&format!("call {i}")))
        });
    }
    report.check("eigs/cursor", || place("exit"), &exit, &case["exit"].as_i64().unwrap());
}

/// A scripted session of the stepper: the same lines for every command, and so the same positions.
fn session(expected_path: &Path, report: &mut Report) {
    let expected = json(expected_path);
    let session = &expected["session"];
    if !session.is_object() {
        return;
    }
    let path = expected_path.to_string_lossy().replace(".expected.json", ".tape");
    let name = Path::new(&path).file_name().unwrap().to_string_lossy().into_owned();
    let mut tape = TapeBuilder::from_vec(std::fs::read(&path).unwrap()).unwrap().finish(name, Vec::new()).unwrap();
    if session["source_given"] == true {
        let source = path.replace(".tape", ".eigs");
        tape.set_source(source.clone(), &std::fs::read(&source).unwrap());
    }
    let words = |answer: &StepAnswer| -> Vec<String> { answer.lines.iter().map(|line| line.text.clone()).collect() };
    let lines = |value: &Value| -> Vec<String> {
        value.as_array().unwrap().iter().map(|line| line.as_str().unwrap().to_owned()).collect()
    };
    let mut answer = tape.step_start();
    report.check("eigs/session", || format!("{path} start"), &words(&answer), &lines(&session["start"]));
    let mut at = 1;
    for (i, command) in session["commands"].as_array().unwrap().iter().enumerate() {
        let typed = command["cmd"].as_str().unwrap().to_owned();
        let place = || format!("{path} command {i} {typed:?}");
        report.count("eigs/session", is_command(&typed), || format!("{} is taken for a question", place()));
        let query = StepQuery { pos: answer.pos, breakpoints: answer.breakpoints.clone(), command: typed.clone() };
        answer = tape.step(&query).unwrap();
        let expected = lines(&command["out"]);
        report.check("eigs/session", place, &words(&answer), &expected);
        // The position is told by the stop that the real stepper printed last.
        for line in &expected {
            if let Some(rest) = line.strip_prefix("step ") {
                at = rest.split('/').next().unwrap().parse().unwrap();
            }
        }
        report.check("eigs/session", place, &answer.pos.one_based(), &at);
    }
}

/// The questions that a program asked about its own past, asked of its tape at the positions where it asked them.
fn temporal_questions(path: &Path, report: &mut Report) {
    let tape = open(std::fs::read(path).unwrap()).unwrap();
    let source = std::fs::read_to_string(path.with_extension("eigs")).unwrap();
    let stdout = std::fs::read_to_string(path.with_extension("stdout")).unwrap();
    let mut asked: Vec<(Pos, &str)> = Vec::new();
    for (i, line) in source.lines().enumerate() {
        let Some(question) = line.trim().strip_prefix("print of (").and_then(|rest| rest.strip_suffix(')')) else {
            continue;
        };
        // A block's following line may be emitted before the block runs: the last visit is where it printed.
        let line = i32::try_from(i).unwrap() + 1;
        let visit = (0..tape.positions()).rev().find(|pos| tape.line_at(Pos(*pos)) == line);
        asked.push((Pos(visit.expect("every question was reached")), question));
    }
    asked.sort_by_key(|(pos, _)| *pos);
    report.check("eigs/temporal", || "questions".to_owned(), &asked.len(), &stdout.lines().count());
    for ((pos, question), printed) in asked.into_iter().zip(stdout.lines()) {
        let query = AskQuery { text: question.to_owned(), pos, rows: ALL, marks: 0 };
        let answer = Asker::new().ask(&tape, &query, &mut Unwatched);
        let agrees = match &answer {
            AskAnswer::State(state) => {
                let mut found: Vec<String> =
                    state.rows.iter().map(|row| format!("{:?}: {}", row.name.text, row.value.text)).collect();
                let inside = printed.trim_start_matches('{').trim_end_matches('}');
                let mut expected: Vec<String> = inside.split(", ").map(without_function_name).collect();
                found.sort();
                expected.sort();
                found == expected
            }
            AskAnswer::Value(value) => match &value.result {
                AskedResult::Null => printed == "null",
                AskedResult::Number(number) => printed.parse() == Ok(*number),
                AskedResult::Name(name) => printed == name.text,
                AskedResult::Value { value, .. } => match value.text.parse::<f64>() {
                    Ok(number) => printed.parse() == Ok(number),
                    Err(_) => without_function_name(printed) == value.text.trim_matches('"'),
                },
                AskedResult::NotOnTape => false,
            },
            _ => false,
        };
        report.count("eigs/temporal", agrees, || format!("{question} at {}: {answer:?}, printed {printed}", pos.0));
    }
}

/// `<fn probe>` as a tape has it: `<fn>`.
fn without_function_name(printed: &str) -> String {
    match printed.split_once("<fn ") {
        Some((before, rest)) => format!("{before}<fn>{}", rest.split_once('>').map_or("", |(_, after)| after)),
        None => printed.to_owned(),
    }
}

/// Whether two JSON texts are equal when their numbers are compared as doubles (the runtime prints 15 digits).
fn same_but_for_spelling(found: &[u8], expected: &[u8]) -> bool {
    fn same(a: &Value, b: &Value) -> bool {
        match (a, b) {
            (Value::Number(a), Value::Number(b)) => {
                a.as_f64() == b.as_f64()
                    || a.as_f64().map(|a| format!("{a:.14e}")) == b.as_f64().map(|b| format!("{b:.14e}"))
            }
            (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
            (Value::Object(a), Value::Object(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|((k, a), (l, b))| k == l && same(a, b))
            }
            _ => a == b,
        }
    }
    match (serde_json::from_slice(found), serde_json::from_slice(expected)) {
        (Ok(found), Ok(expected)) => same(&found, &expected),
        _ => false,
    }
}
