//! tapedeck.js as a page's script uses it, in a browser.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

use js_sys::{Error, Reflect};
use tapedeck_js::{Cursor, Tape, Trace};
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

const TAPE: &[u8] = include_bytes!("../../../tests/corpus/eigs/programs/v03_calls.tape");
const TRACE: &[u8] = include_bytes!("../../../tests/corpus/mixle/traces/01_base.json");

fn get(object: &JsValue, path: &[&str]) -> JsValue {
    path.iter().fold(object.clone(), |object, key| Reflect::get(&object, &JsValue::from_str(key)).unwrap())
}

fn kind_of(error: &JsValue) -> Option<String> {
    assert!(error.is_instance_of::<Error>());
    get(error, &["kind"]).as_string()
}

#[wasm_bindgen_test]
fn a_tape_answers_state_and_history() {
    let mut tape = Tape::open(TAPE.to_vec(), Some("calls.tape".into())).unwrap();
    let summary: JsValue = tape.summary().unwrap().into();
    let positions = get(&summary, &["positions"]).as_f64().unwrap() as u32;
    assert_eq!(positions, 57);
    let state: JsValue = tape.state(positions - 1, JsValue::UNDEFINED.unchecked_into()).unwrap().into();
    assert_eq!(get(&state, &["bindings", "0", "name", "text"]).as_string().as_deref(), Some("x"));
    assert_eq!(get(&state, &["bindings", "0", "value", "text"]).as_string().as_deref(), Some("46"));
    let stream = tape.resolve(positions - 1, "x").unwrap();
    let history: JsValue = tape.history(stream, positions - 1, JsValue::UNDEFINED.unchecked_into()).unwrap().into();
    assert_eq!(get(&history, &["total"]).as_f64(), Some(4.0));
    assert_eq!(tape.next_change(stream, 0, false), Some(1));
    assert_eq!(
        kind_of(&tape.state(positions, JsValue::UNDEFINED.unchecked_into()).unwrap_err()).as_deref(),
        Some("position")
    );
}

#[wasm_bindgen_test]
fn a_refused_tape_throws_its_kind() {
    for (bytes, kind) in
        [(&b""[..], "empty"), (b"L 1\n", "no-header"), (b"V 1 0.40.0\n", "format"), (b"V 2\n", "malformed-header")]
    {
        let error = Tape::open(bytes.to_vec(), None).err().unwrap();
        assert_eq!(kind_of(&error).as_deref(), Some(kind));
    }
    assert!(Tape::check_replay(TAPE, "0.40.0").is_ok());
    assert_eq!(kind_of(&Tape::check_replay(TAPE, "0.41.0").unwrap_err()).as_deref(), Some("runtime"));
}

#[wasm_bindgen_test]
fn a_cursor_serves_the_tape_s_inputs_in_order() {
    let tape = b"V 2 0.40.0\nN random=0.10000000000000001\nN env_get=\"x\"\n".to_vec();
    let mut cursor = Cursor::new(tape, "0.40.0", false, false).unwrap();
    let taken: JsValue = cursor.take("random").unwrap().into();
    assert_eq!(get(&taken, &["record"]).as_string().as_deref(), Some("0.10000000000000001"));
    let taken: JsValue = cursor.take("random").unwrap().into();
    assert_eq!(get(&taken, &["warning", "got"]).as_string().as_deref(), Some("env_get"));
    let taken: JsValue = cursor.take("random").unwrap().into();
    assert_eq!(get(&taken, &["exhausted"]).as_bool(), Some(true));
    assert!(!cursor.is_on());
}

#[wasm_bindgen_test]
fn a_trace_is_written_as_it_was_and_replays_identically() {
    let trace = Trace::from_json(TRACE).unwrap();
    assert_eq!(trace.dumps().unwrap().as_bytes(), TRACE);
    let replayed: JsValue = trace.replay().unwrap().into();
    assert_eq!(get(&replayed, &["verdict"]).as_string().as_deref(), Some("identical"));
    let again = Trace::from_json(get(&replayed, &["dumps"]).as_string().unwrap().as_bytes()).unwrap();
    let rows: JsValue = trace.diff(&again).unwrap().into();
    assert_eq!(get(&rows, &["length"]).as_f64(), Some(0.0));
}

#[wasm_bindgen_test]
fn what_is_recorded_replays_and_big_numbers_keep_their_digits() {
    let mut trace = Trace::new("a request", 7);
    let result = trace.record_step("echo", r#"{"n": 9007199254740993, "x": 1e400}"#, None).unwrap();
    assert!(result.contains("9007199254740993"), "{result}");
    trace.record_step("draw_normal", r#"{"n": 3}"#, Some("42".into())).unwrap();
    assert_eq!(
        kind_of(&trace.record_step("divide", r#"{"a": 1, "b": 0}"#, None).unwrap_err()).as_deref(),
        Some("raised")
    );
    assert_eq!(trace.length(), 2);
    let saved = Trace::from_json(trace.dumps().unwrap().as_bytes()).unwrap();
    assert_eq!(saved.length(), 2);
    assert_eq!(kind_of(&Trace::from_json(b"{\"steps\": []").err().unwrap()).as_deref(), Some("json"));
}
