//! Properties of the reader and the writer; their answers are compared to Python's in the corpus.

#![allow(clippy::unwrap_used, clippy::panic)]

use std::ops::ControlFlow;

use proptest::prelude::*;

use super::*;
use crate::trace::{Text, Value};

/// One document with everything in it.
const RICH: &str = r#"{"a": [1, -0.0, 1e400, 9007199254740993, "\ud800\u00e9", {"a": null, "b": [true, false, NaN, -Infinity]}],
 "words": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 4294967295], "Ω": "\"\\\n", "a": {"deep": [[[]]]}}"#;

fn dumps(value: &Value) -> String {
    to_json(value, Layout::Dumps).unwrap()
}

#[test]
fn cut_at_every_byte_is_an_error_with_a_place() {
    for cut in 0..RICH.len() {
        let error = loads(&RICH.as_bytes()[..cut]).unwrap_err();
        assert!(error.byte <= cut && error.line >= 1 && error.column >= 1, "{cut}: {error}");
    }
    assert!(loads(RICH.as_bytes()).is_ok());
}

#[test]
fn a_key_that_stands_twice_is_flagged_and_the_last_wins() {
    let parsed = loads(RICH.as_bytes()).unwrap();
    assert_eq!(parsed.duplicate_count, 1);
    let duplicate = &parsed.duplicates[0];
    assert_eq!((duplicate.key.as_str(), duplicate.line), (Some("a"), 2));
    assert_eq!(&RICH.as_bytes()[duplicate.byte..duplicate.byte + 3], b"\"a\"");
    assert!(parsed.value.get("a").unwrap().get("deep").is_some());
    let many: String = (0..40).map(|i| format!("\"k{}\": {i},", i % 20)).collect();
    let parsed = loads(format!("{{{many}\"z\": 0}}").as_bytes()).unwrap();
    assert_eq!(parsed.duplicate_count, 20);
    assert_eq!(dumps(parsed.value.get("k3").unwrap()), "23");
}

#[test]
fn nesting_is_bounded_without_recursion() {
    for unit in ["[", "{\"a\":", "[[],{\"b\":["] {
        let error = loads(unit.repeat(100_000).as_bytes()).unwrap_err();
        assert_eq!(error.kind, JsonErrorKind::TooDeep, "{error}");
    }
    let deepest = format!("{}{}", "[".repeat(MAX_DEPTH), "]".repeat(MAX_DEPTH));
    let value = loads(deepest.as_bytes()).unwrap().value;
    assert_eq!(dumps(&value), deepest);
    assert!(loads(format!("[{deepest}]").as_bytes()).is_err());
}

#[test]
fn what_it_spelled_is_shown_and_what_python_writes_is_saved() {
    let value = loads(b"[1e400, 1E2, 0.1000000000000000055, 0.5]").unwrap().value;
    assert_eq!(dumps(&value), "[Infinity, 100.0, 0.1, 0.5]");
    assert_eq!(to_json(&value, Layout::Verbatim).unwrap(), "[\n  1e400,\n  1E2,\n  0.1000000000000000055,\n  0.5\n]");
    assert!(to_json(&value, Layout::Canonical).is_err());
}

#[test]
fn repeated_words_share_their_memory() {
    let words: Vec<String> = (0..624).map(|i| (i * 6_000_001_u64).to_string()).collect();
    let list = format!("[{}]", words.join(", "));
    let value = loads(format!("[{list}, {list}]").as_bytes()).unwrap().value;
    let both = value.as_array().unwrap().as_values().unwrap();
    assert!(both[0].as_array().unwrap().shares_storage(both[1].as_array().unwrap()));
    assert_eq!(dumps(&both[0]), list);
}

#[test]
fn only_plain_small_integers_are_kept_as_words() {
    let plain = "1, ".repeat(20);
    for odd in ["1.0", "-1", "4294967296", "true", "\"1\"", "1e3", "12345678901"] {
        let text = format!("[{plain}{odd}]");
        let value = loads(text.as_bytes()).unwrap().value;
        assert!(value.as_array().unwrap().as_words().is_none(), "{odd}");
        let expected = if odd == "1e3" { "1000.0" } else { odd };
        assert_eq!(dumps(&value), format!("[{plain}{expected}]"));
    }
    assert!(loads(format!("[{plain}01]").as_bytes()).is_err());
    assert!(loads(format!("[{plain}]").as_bytes()).is_err());
}

#[test]
fn reading_reports_progress_and_can_be_stopped() {
    let text = format!("[{}1]", "1.5,".repeat(1_000_000));
    let mut reports = Vec::new();
    let mut progress = |bytes: usize| {
        reports.push(bytes);
        if reports.len() < 3 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let error = loads_with(text.as_bytes(), ReadOptions { progress: Some(&mut progress) }).unwrap_err();
    assert_eq!(error.kind, JsonErrorKind::Cancelled);
    assert_eq!(reports.len(), 3);
    assert!(reports.is_sorted());
}

#[test]
fn a_long_string_comes_back_as_it_was() {
    let text = format!("\"{}\"", "x\\ud800\\u00e9".repeat(400_000));
    assert_eq!(dumps(&loads(text.as_bytes()).unwrap().value), text);
}

#[test]
fn places_count_bytes_of_the_encoding_that_came() {
    let utf16: Vec<u8> = "\u{feff}[\"é😀\",\n x]".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let error = loads(&utf16).unwrap_err();
    assert_eq!((error.line, error.column, error.char_pos, error.byte), (2, 2, 8, 20));
}

/// Any value that a document can hold.
fn any_value() -> impl Strategy<Value = Value> {
    let text = proptest::collection::vec(prop_oneof![0_u32..0x80, 0xD7F0_u32..0xE010, 0_u32..0x110000], 0..6)
        .prop_map(|points| points.into_iter().collect::<Text>());
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::int),
        "-?[1-9][0-9]{18,40}".prop_map(|d| Value::Int(crate::trace::Int::from_digits(&d).unwrap())),
        any::<f64>().prop_map(Value::float),
        text.clone().prop_map(Value::Text),
        proptest::collection::vec(any::<u32>(), 16..20)
            .prop_map(|w| Value::array(w.into_iter().map(|w| Value::int(i64::from(w))).collect())),
    ];
    leaf.prop_recursive(5, 60, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::array),
            proptest::collection::vec((text.clone(), inner), 0..6).prop_map(Value::object),
        ]
    })
}

proptest! {
    #[test]
    fn random_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = loads(&bytes);
    }

    #[test]
    fn damaged_documents_never_panic(at in 0..RICH.len(), byte in any::<u8>()) {
        let mut bytes = RICH.as_bytes().to_vec();
        bytes[at] = byte;
        if let Ok(parsed) = loads(&bytes) {
            let text = dumps(&parsed.value);
            prop_assert_eq!(dumps(&loads(text.as_bytes()).unwrap().value), text);
        }
    }

    #[test]
    fn writing_and_reading_is_a_fixed_point(value in any_value()) {
        // Two lone surrogates that happen to be a pair are one code point once they were written: read once before comparing.
        let text = dumps(&loads(dumps(&value).as_bytes()).unwrap().value);
        let again = loads(text.as_bytes()).unwrap();
        prop_assert_eq!(again.duplicate_count, 0);
        prop_assert_eq!(dumps(&again.value), text.clone());
        let compact = to_json(&again.value, Layout::Compact).unwrap();
        prop_assert_eq!(dumps(&loads(compact.as_bytes()).unwrap().value), text.clone());
        let shown = to_json(&again.value, Layout::Verbatim).unwrap();
        prop_assert_eq!(dumps(&loads(shown.as_bytes()).unwrap().value), text.clone());
        for little in [true, false] {
            let utf16: Vec<u8> = text
                .encode_utf16()
                .flat_map(|u| if little { u.to_le_bytes() } else { u.to_be_bytes() })
                .collect();
            if utf16.len() > 2 {
                prop_assert_eq!(dumps(&loads(&utf16).unwrap().value), text.clone());
            }
        }
    }
}
