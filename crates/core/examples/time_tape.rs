//! Times parsing and asking on generated tapes, natively: `cargo run --release -p tapedeck-core --example time_tape`.
//! The figures that count come from `cargo xtask bench`, in the browser; this is for profiling.

use std::time::Instant;

use tapedeck_core::model::protocol::StateQuery;
use tapedeck_core::model::{Pos, RowWindow};
use tapedeck_core::tape::TapeBuilder;
use tapedeck_core::tape::synth::{Shape, tape};

fn main() {
    for (records, shape) in [(1_000_000, Shape::Loop), (1_000_000, Shape::Calls), (10_000_000, Shape::Loop)] {
        let bytes = tape(records, shape);
        for _ in 0..3 {
            let start = Instant::now();
            let copy = bytes.clone();
            let copied = start.elapsed();
            let start = Instant::now();
            let Ok(builder) = TapeBuilder::from_vec(copy) else { return };
            let parsed = start.elapsed();
            let Ok(mut tape) = builder.finish("t".into(), Vec::new()) else { return };
            let indexed = start.elapsed();
            let summary = tape.summary();
            let start = Instant::now();
            let rows = RowWindow { first: 0, count: 100 };
            for i in 0..1000_u64 {
                let pos = Pos((i * 7_919_797 % u64::from(summary.positions)) as u32);
                let query = StateQuery { pos, bindings: rows, filter: String::new(), events: rows, frames: rows };
                std::hint::black_box(tape.state(&query).is_ok());
            }
            println!(
                "{shape:?} {} records {} MB: copy {copied:?}, parse {parsed:?}, with index {indexed:?} ({:.1} ns/record), {:.2} B/record, state {:?}, {} frames, {} bindings",
                summary.records,
                bytes.len() / 1_000_000,
                indexed.as_nanos() as f64 / f64::from(summary.records),
                f64::from(summary.index_bytes) / f64::from(summary.records),
                start.elapsed() / 1000,
                summary.frames,
                summary.bindings,
            );
        }
    }
}
