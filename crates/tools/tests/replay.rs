//! Replay with the shipped tools: what was recorded replays as identical, whatever was asked; nothing that is opened can panic.

#![allow(clippy::unwrap_used, clippy::panic)]

use proptest::prelude::*;
use tapedeck_core::trace::json::loads;
use tapedeck_core::trace::open::{Found, open};
use tapedeck_core::trace::replay::{
    Cause, NotRecorded, StepVerdict, TraceVerdict, is_bit_identical_replay, replay_step, replayed_trace, summarize,
};
use tapedeck_core::trace::rng_state::RngState;
use tapedeck_core::trace::{ExecutionTrace, Object, Value};
use tapedeck_tools::{Session, Shipped, TOOLS, mt, seeded_state};

fn object(json: &str) -> Object {
    loads(json.as_bytes()).unwrap().value.as_object().unwrap().clone()
}

/// A recorded trace with a little of everything.
fn recorded() -> ExecutionTrace {
    let mut session = Session::new("all sorts", 7);
    let mut tools = Shipped::new();
    for (tool, args, seed) in [
        ("global_gauss", r#"{"n": 3}"#, Value::Null),
        ("global_normal", r#"{"n": 3}"#, Value::Null),
        ("global_normal", r#"{"n": 2}"#, Value::Null),
        ("global_gauss", r#"{"n": 2}"#, Value::Null),
        ("draw_normal", r#"{"n": 5}"#, Value::int(3)),
        ("py_gauss", r#"{"n": 4}"#, Value::int(-9)),
        ("length_histogram", r#"{"text": "a bb cc"}"#, Value::Null),
        ("echo", r#"{"a": [1, 2.5, null]}"#, Value::int(0)),
        ("flaky_draw", r#"{"n": 700, "limit": 2}"#, Value::Null),
        ("global_dice", r#"{"n": 700}"#, Value::Null),
    ] {
        session.record(&mut tools, tool, object(args), seed).unwrap();
    }
    session.trace().clone()
}

fn verdicts(trace: &ExecutionTrace) -> Vec<StepVerdict> {
    trace.steps.iter().map(|step| replay_step(step, &mut Shipped::new())).collect()
}

#[test]
fn what_was_recorded_and_saved_replays_as_identical() {
    let text = recorded().dumps().unwrap();
    let opened = open(text.as_bytes(), None).unwrap();
    let Found::Trace(trace) = &opened.items[0].found else { panic!("no trace") };
    assert_eq!(trace.dumps().unwrap(), text);
    let verdicts = verdicts(trace);
    let summary = summarize(trace, &verdicts);
    assert_eq!((summary.verdict, summary.sentence.as_str()), (TraceVerdict::Identical, "identical: 10 of 10 steps"));
    assert_eq!(replayed_trace(trace, &verdicts).unwrap().dumps().unwrap(), text);
    assert_eq!(is_bit_identical_replay(trace, &mut Shipped::new()), Ok(true));
    // Each step's exit state is the entry state of the next.
    for pair in trace.steps.windows(2) {
        assert!(pair[0].rng_state_after.python_eq(&pair[1].rng_state_before));
    }
}

#[test]
fn a_step_that_cannot_be_replayed_hides_no_other() {
    let mut trace = recorded();
    trace.steps[1].tool = Value::text("fetch");
    trace.steps[2].rng_state_before = Value::Null;
    let all = verdicts(&trace);
    let summary = summarize(&trace, &all);
    assert_eq!(summary.verdict, TraceVerdict::NotProven);
    assert_eq!((summary.identical, summary.not_proven), (8, 2));
    assert_eq!(
        summary.sentence,
        "not proven: step 2 fetch: there is no tool 'fetch'; mixle would raise KeyError (and 1 more)"
    );
    assert!(
        matches!(is_bit_identical_replay(&trace, &mut Shipped::new()), Err(NotRecorded::Raised(e)) if e.kind == "KeyError")
    );
}

#[test]
fn a_tampered_digit_is_found_and_named() {
    let text = recorded().dumps().unwrap();
    let trace = ExecutionTrace::from_json(loads(text.as_bytes()).unwrap().value).unwrap();
    let mut tampered = trace.clone();
    tampered.steps[9].result = {
        let mut throws = trace.steps[9].result.as_array().unwrap().to_vec();
        throws[4] = Value::float(1.0);
        Value::array(throws)
    };
    let summary = summarize(&tampered, &verdicts(&tampered));
    assert_eq!(summary.verdict, TraceVerdict::Different);
    assert_eq!(summary.sentence, "different: step 10 global_dice, result[4], another type");
}

/// Moves one float of a result by `steps` units in the last place.
fn moved(trace: &ExecutionTrace, step: usize, item: usize, steps: i64) -> ExecutionTrace {
    let mut trace = trace.clone();
    let mut values = trace.steps[step].result.as_array().unwrap().to_vec();
    let Value::Float(float) = &values[item] else { panic!("no float") };
    values[item] = Value::float(tapedeck_tools::libm::nudge(float.get(), steps));
    trace.steps[step].result = Value::array(values);
    trace
}

#[test]
fn another_libm_is_named_only_when_the_recorded_bits_are_reached() {
    let trace = recorded();
    let cause = |trace: &ExecutionTrace, step: usize| match replay_step(&trace.steps[step], &mut Shipped::new()) {
        StepVerdict::Different { cause, .. } => cause,
        other => panic!("{other:?}"),
    };
    // One ULP in a Python gaussian can come of its cosine or sine, or of the log of its pair.
    let near: Vec<_> = [-1, 1].iter().map(|step| cause(&moved(&trace, 5, 0, *step), 5)).collect();
    assert!(near.iter().any(|c| matches!(c, Some(Cause::Libm { moved: 1, calls: 6 }))), "{near:?}");
    // Twenty cannot, whatever is moved by one.
    assert_eq!(cause(&moved(&trace, 5, 0, 20), 5), None);
    // Both of NumPy's pair hang on one log: one of them alone, moved far enough to need another log, is no libm's doing.
    assert_eq!(cause(&moved(&trace, 4, 1, 9), 4), None);
    // A tool without log, sin and cos never has that excuse.
    let mut dice = trace.clone();
    dice.steps[9].result = Value::array(vec![Value::int(1)]);
    assert_eq!(cause(&dice, 9), None);
    // The result agrees with a moved libm, and the exit state does not: not explained.
    let mut state = moved(&trace, 5, 0, 1);
    state.steps[5].rng_state_after = trace.steps[0].rng_state_after.clone();
    assert_eq!(cause(&state, 5), None);
}

#[test]
fn every_tool_has_a_name_of_its_own_and_a_sentence() {
    for (i, tool) in TOOLS.iter().enumerate() {
        assert!(TOOLS.iter().skip(i + 1).all(|other| other.name != tool.name), "{}", tool.name);
        assert!(tool.about.ends_with('.'), "{}", tool.name);
    }
}

#[test]
fn no_tool_panics_on_arguments_of_any_type() {
    let values = [
        "null",
        "true",
        "0",
        "-3",
        "7",
        "1e999",
        "NaN",
        "0.5",
        "\"\"",
        "\"ab\"",
        "\"\\ud800 x\"",
        "[]",
        "[1]",
        "[[1], [2]]",
        "[null, \"a\"]",
        "{}",
        "{\"a\": 1}",
        "100000000000000000000000000000000000000",
        "-1e-320",
    ];
    let parsed: Vec<Value> = values.iter().map(|v| loads(v.as_bytes()).unwrap().value).collect();
    for tool in TOOLS {
        for first in &parsed {
            for second in &parsed {
                for last in [&parsed[2], second] {
                    let mut args = Object::new();
                    for (i, name) in tool.params.iter().enumerate() {
                        let value = if i == 0 {
                            first
                        } else if i + 1 == tool.params.len() {
                            last
                        } else {
                            second
                        };
                        args.insert((*name).into(), value.clone());
                    }
                    let mut rng = seeded_state(1);
                    let _ = tapedeck_tools::run(tool, &mut args, None, &mut rng, &mut tapedeck_tools::libm::Ours);
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn a_damaged_trace_never_panics(at in 0..100_000_usize, byte in any::<u8>()) {
        use std::sync::OnceLock;
        static TEXT: OnceLock<Vec<u8>> = OnceLock::new();
        let mut bytes = TEXT.get_or_init(|| recorded().dumps().unwrap().into_bytes()).clone();
        let at = at % bytes.len();
        bytes[at] = byte;
        if let Ok(opened) = open(&bytes, None) {
            for item in opened.items {
                if let Found::Trace(trace) = item.found {
                    let verdicts = verdicts(&trace);
                    summarize(&trace, &verdicts);
                }
            }
        }
    }

    #[test]
    fn a_generator_goes_on_from_its_captured_state(seed in any::<u32>(), words in 0_usize..1500) {
        let mut rng = seeded_state(seed);
        for _ in 0..words {
            mt::next_word(&mut rng.python.mt);
            mt::next_word(&mut rng.numpy.mt);
        }
        let mut again = RngState::restore(&rng.capture()).unwrap();
        for _ in 0..700 {
            prop_assert_eq!(mt::next_word(&mut rng.python.mt), mt::next_word(&mut again.python.mt));
            prop_assert_eq!(mt::next_word(&mut rng.numpy.mt), mt::next_word(&mut again.numpy.mt));
        }
        prop_assert_eq!(rng.python.mt, again.python.mt);
    }

    #[test]
    fn any_json_opens_or_says_why(text in "[\\[\\]{}\",:a-z0-9 \\\\u.-]{0,80}") {
        if let Err(error) = open(text.as_bytes(), None) {
            prop_assert!(!error.to_string().is_empty());
        }
        let request = format!("{{\"request\": 1, \"steps\": [{{\"tool\": \"echo\", \"args\": {text}}}]}}");
        let _ = open(request.as_bytes(), None);
    }
}
