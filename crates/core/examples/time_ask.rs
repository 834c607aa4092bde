//! Times conditions, search and compare on generated tapes, natively:
//! `cargo run --release -p tapedeck-core --example time_ask`. The figures that count come from `cargo xtask bench`, in the browser.

use std::time::Instant;

use tapedeck_core::ask::{hits, parse_condition};
use tapedeck_core::bytes::Unwatched;
use tapedeck_core::compare::{Bounds, compare};
use tapedeck_core::model::RowWindow;
use tapedeck_core::model::protocol::{CompareQuery, SearchQuery};
use tapedeck_core::tape::synth::{Shape, tape};
use tapedeck_core::tape::{Tape, TapeBuilder};

fn open(bytes: Vec<u8>) -> Option<Tape> {
    TapeBuilder::from_vec(bytes).and_then(|builder| builder.finish("t".into(), Vec::new())).ok()
}

fn main() {
    for shape in [Shape::Loop, Shape::Calls] {
        let bytes = tape(10_000_000, shape);
        let Some(tape) = open(bytes) else { return };
        let start = Instant::now();
        let sum: u64 = tape.bytes().iter().map(|byte| u64::from(*byte)).sum();
        println!("{shape:?}: reading {} MB once {:?} ({sum})", tape.bytes().len() / 1_000_000, start.elapsed());
        for text in [
            "value_0 > 0.999",
            "label(value_0) == \"diverging\"",
            "value_1 > value_0 and not (value_2 < 0.5 or round == 7)",
            "value_2 changed",
            "noise > 0.49 and @fn == \"measure\"",
            "@line == 12 and value_0 > 0",
        ] {
            let Ok(condition) = parse_condition(text) else { continue };
            let start = Instant::now();
            match hits(&tape, &condition, &mut Unwatched) {
                Ok(hits) => println!("  {text}: {:?}, {} stretches", start.elapsed(), hits.holds.len()),
                Err(error) => println!("  {text}: {error:?}"),
            }
        }
        for (text, with_case) in [("value_7", true), ("Nowhere", false), ("0.5", true), ("state", false)] {
            let query = SearchQuery { text: text.into(), with_case, marks: 1000, ..SearchQuery::default() };
            let start = Instant::now();
            let answer = tapedeck_core::ask::Asker::new().search(&tape, &query, &mut Unwatched);
            println!("  search {text}: {:?}, {} records", start.elapsed(), answer.total);
        }
    }
    for shape in [Shape::Loop, Shape::Calls] {
        let bytes = tape(1_000_000, shape);
        let edited = edited(&bytes);
        let (Some(left), Some(right)) = (open(bytes), open(edited)) else { return };
        let start = Instant::now();
        let Some(comparison) = compare(&left, &right, Bounds::default(), &mut Unwatched) else { return };
        let took = start.elapsed();
        let rows = RowWindow { first: 0, count: 1 };
        let answer =
            comparison.answer(&left, &right, &CompareQuery { blocks: rows, inputs: rows, ..CompareQuery::default() });
        println!(
            "{shape:?}: compare 1 M with 1 M records {took:?}: {} stretches, {} same, {} other values, {} and {} on one side",
            answer.blocks_total, answer.same, answer.values, answer.left_only, answer.right_only
        );
    }
}

/// The tape with 1,000 stretches of up to 10 records edited.
fn edited(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut skip = 0;
    for (i, line) in bytes.split_inclusive(|byte| *byte == b'\n').enumerate() {
        if i % 1000 == 500 {
            match i / 1000 % 3 {
                0 => skip = i / 1000 % 10 + 1,
                1 => out.extend_from_slice(b"L 77\nA extra=1\nL 78\nA extra=2\n"),
                _ => out.extend_from_slice(b"A extra=3\nL 13\nA value_1=7\n"),
            }
        }
        if skip > 0 && line.first() != Some(&b'S') {
            skip -= 1;
        } else {
            out.extend_from_slice(line);
        }
    }
    out
}
