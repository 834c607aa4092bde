//! Tests of the look at tool modules.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
use super::*;
use crate::trace::value::Key;

const FOUR: &str = r#"(func (export "tapedeck_abi") (result i32) i32.const 1)
    (func (export "tapedeck_alloc") (param i32) (result i32) i32.const 0)
    (func (export "tapedeck_describe") (result i64) i64.const 0)
    (func (export "tapedeck_call") (param i32 i32) (result i64) i64.const 0)"#;

const MEMORY: &str = r#"(memory (export "memory") 1 16)"#;

fn kind(text: &str) -> String {
    match check(&wat::parse_str(text).unwrap()) {
        Ok(()) => "taken".to_owned(),
        Err(refusal) => {
            assert!(
                refusal.what.ends_with('.') && refusal.advice.ends_with('.')
                    || refusal.advice.ends_with(')')
                    || refusal.advice.contains("--max-memory"),
                "{refusal:?}"
            );
            refusal.kind
        }
    }
}

#[test]
fn an_ordinary_module_is_taken() {
    assert_eq!(kind(&format!("(module {MEMORY} {FOUR})")), "taken");
    let more = r#"(global (export "__data_end") i32 (i32.const 1024)) (global (export "__heap_base") i32 (i32.const 2048)) (table 1 1 funcref)"#;
    assert_eq!(kind(&format!("(module {MEMORY} {more} {FOUR})")), "taken");
    let simd = "(func (result v128) v128.const i32x4 1 2 3 4)";
    assert_eq!(kind(&format!("(module {MEMORY} {FOUR} {simd})")), "taken");
}

#[test]
fn each_cause_has_its_own_sentence() {
    let cases = [
        (format!(r#"(module (import "env" "now" (func (result f64))) {MEMORY} {FOUR})"#), "module-import"),
        (format!(r#"(module (memory (export "memory") 1) {FOUR})"#), "module-memory-maximum"),
        (format!(r#"(module (memory (export "memory") 1 65536) {FOUR})"#), "module-memory-maximum"),
        (format!(r#"(module (memory (export "memory") i64 1 2) {FOUR})"#), "module-memory64"),
        (format!(r#"(module (memory (export "memory") 1 2 shared) {FOUR})"#), "module-threads"),
        (format!("(module {MEMORY} {FOUR} (func (result i32) i32.const 0 i32.atomic.load))"), "module-threads"),
        (
            format!(
                "(module {MEMORY} {FOUR} (func (param v128 v128) (result v128) local.get 0 local.get 1 i8x16.relaxed_swizzle))"
            ),
            "module-relaxed-simd",
        ),
        (format!("(module {MEMORY} {FOUR} (func $s) (start $s))"), "module-start"),
        (format!("(module {FOUR})"), "module-memory"),
        (format!("(module (memory 1 2) {FOUR})"), "module-memory"),
        (format!("(module {MEMORY})"), "module-export"),
        (
            format!(
                "(module {MEMORY} {})",
                FOUR.replace("(param i32 i32) (result i64) i64.const 0", "(param i32) (result i64) i64.const 0")
            ),
            "module-export",
        ),
    ];
    for (text, wanted) in cases {
        assert_eq!(kind(&text), wanted, "{text}");
    }
    let advice =
        check(&wat::parse_str(format!(r#"(module (memory (export "memory") 1) {FOUR})"#)).unwrap()).unwrap_err().advice;
    assert!(advice.contains("--max-memory"), "{advice}");
}

#[test]
fn what_is_no_module_is_refused() {
    assert_eq!(check(b"V 2 eigs").unwrap_err().kind, "not-wasm");
    assert_eq!(check(b"\0asm\x01\0\0\0\x63").unwrap_err().kind, "module-invalid");
    let mut large = b"\0asm\x01\0\0\0".to_vec();
    large.resize(MAX_MODULE_BYTES as usize + 1, 0);
    assert_eq!(check(&large).unwrap_err().kind, "module-too-large");
    let whole = wat::parse_str(format!("(module {MEMORY} {FOUR})")).unwrap();
    for end in 0..whole.len() {
        assert!(check(&whole[..end]).is_err(), "{end}");
    }
    assert_eq!(check(&wat::parse_str("(component)").unwrap()).unwrap_err().kind, "module-component");
}

#[test]
fn a_description_is_read_strictly() {
    let read = |text: &str| parse_description(text.as_bytes());
    let good = read(r#"{"name": "m", "version": "1", "tools": [{"name": "double", "params": ["x"], "seed": true, "about": "Twice."}]}"#).unwrap();
    assert_eq!(good.tools[0].signature(), "double(x, seed)");
    for bad in [
        "no",
        "{}",
        r#"{"name": "m", "tools": []}"#,
        r#"{"name": 1, "tools": [{"name": "a"}]}"#,
        r#"{"name": "m", "tools": [{"name": "a"}, {"name": "a"}]}"#,
        r#"{"name": "m", "tools": [{"name": "a", "seed": 1}]}"#,
        r#"{"name": "m", "tools": [{"name": "a", "params": [1]}]}"#,
    ] {
        assert!(read(bad).is_err(), "{bad}");
    }
}

fn tool(takes_rng: bool) -> ToolDescription {
    ToolDescription { name: "t".into(), params: vec![], takes_seed: true, takes_rng, about: String::new() }
}

fn rng() -> RngState {
    let words: Vec<String> = (0..625).map(|_| "1".to_owned()).collect();
    let (python, numpy) = (words.join(","), words[..624].join(","));
    let text = format!(
        "{{\"python\": [3, [{python}], null], \"numpy\": {{\"kind\": \"MT19937\", \"keys\": [{numpy}], \"position\": 7, \"has_gauss\": 0, \"cached_gaussian\": 0.0}}}}"
    );
    RngState::restore(&loads(text.as_bytes()).unwrap().value).unwrap()
}

#[test]
fn a_call_keeps_every_digit() {
    let args: Object = [(Key::from("n"), loads(b"9007199254740993").unwrap().value)].into_iter().collect();
    let request = call_request(&tool(false), &args, Some(&Value::float(-0.0)), &rng()).unwrap();
    assert_eq!(request, r#"{"args":{"n":9007199254740993},"rng":null,"seed":-0.0,"tool":"t"}"#);
    assert!(call_request(&tool(true), &args, None, &rng()).unwrap().contains(r#""kind":"MT19937""#));
}

#[test]
fn answers_become_values_failures_or_refusals() {
    let answer = |text: &str| parse_answer(&tool(false), text.as_bytes(), &mut rng());
    assert!(matches!(answer(r#"{"result": 1}"#), Outcome::Returned(Value::Int(_))));
    match answer(r#"{"error": {"type": "ValueError", "message": "no"}}"#) {
        Outcome::Raised(error) => assert_eq!(error.to_string(), "ValueError: no"),
        other => panic!("{other:?}"),
    }
    for bad in ["", "nope", "[]", "{}", r#"{"result": 1, "error": {}}"#, r#"{"error": {"type": 1}}"#, "\u{0}"] {
        assert!(matches!(answer(bad), Outcome::Refused(_)), "{bad}");
    }
    let mut state = rng();
    let with_rng = |text: &str, state: &mut RngState| parse_answer(&tool(true), text.as_bytes(), state);
    assert!(matches!(with_rng(r#"{"result": 1}"#, &mut state), Outcome::Refused(_)));
    assert!(matches!(with_rng(r#"{"result": 1, "rng": {}}"#, &mut state), Outcome::Refused(_)));
    let moved = to_json(&rng().capture(), Layout::Compact).unwrap().replace("\"position\":7", "\"position\":8");
    assert!(matches!(with_rng(&format!("{{\"result\": 1, \"rng\": {moved}}}"), &mut state), Outcome::Returned(_)));
    assert_eq!(state.numpy.mt.position, 8);
}

#[test]
fn an_answer_outside_or_over_the_request_is_refused() {
    let packed = |at: u64, len: u64| at << 32 | len;
    assert_eq!(answer_range(packed(100, 20), 65_536, Some((0, 100))), Ok((100, 20)));
    assert_eq!(answer_range(packed(65_536, 0), 65_536, None), Ok((65_536, 0)));
    assert!(answer_range(packed(65_530, 7), 65_536, None).unwrap_err().contains("outside"));
    assert!(answer_range(packed(0xFFFF_FFFF, 0xFFFF_FFFF), 65_536, None).is_err());
    assert!(answer_range(packed(99, 20), 65_536, Some((0, 100))).unwrap_err().contains("over the request"));
    assert!(answer_range(packed(0, MAX_ANSWER_BYTES + 1), u64::MAX, None).unwrap_err().contains("at most"));
}
