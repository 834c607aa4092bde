//! Tapes of any size, as a program with a loop and calls would leave them: for tests and measurements.

use super::write::{TapeWriter, Value};

/// What kind of run the tape is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A long loop over 30 names with a call and a draw now and then: few histories, very long ones.
    Loop,
    /// A call in every round: very many frames, each with histories of its own.
    Calls,
}

/// Writes a tape of about `records` records (`L`, `S`, `A` and `N` together), handing it out in pieces of about a megabyte.
pub fn write_tape(records: u64, shape: Shape, mut sink: impl FnMut(Vec<u8>)) {
    const NAMES: u32 = 26;
    let names: Vec<Vec<u8>> = (0..NAMES).map(|i| format!("value_{i}").into_bytes()).collect();
    let mut writer = TapeWriter::new("0.40.0");
    // A plain linear congruence: the tape is the same on every machine and run.
    let mut seed = 1_u64;
    let mut draw = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64
    };
    let module: (&[u8], i32, u32) = (b"<module>", 0, 1);
    let mut serial = 1;
    let mut written = 1_u64;
    let calls_every = match shape {
        Shape::Loop => 50,
        Shape::Calls => 1,
    };
    let mut round = 0_u32;
    while written < records {
        let scale = f64::from(round);
        writer.line(10);
        writer.assign(module, b"round", &Value::Number(scale));
        written += 2;
        for (i, name) in names.iter().enumerate() {
            if shape == Shape::Calls && i >= 4 {
                break;
            }
            writer.line(11 + i as i32);
            let number = match i % 4 {
                0 => (scale / 100.0 + i as f64).sin(),
                1 => scale * i as f64,
                2 => 1.0 / (1.0 + scale),
                _ => draw(),
            };
            writer.assign(module, name, &Value::Number(number));
            written += 2;
        }
        if round.is_multiple_of(calls_every) {
            serial += 1;
            let outer = serial;
            writer.line(50);
            let number = draw();
            writer.input(b"random", &Value::Number(number));
            writer.assign((b"measure", 1, outer), b"noise", &Value::Number(number - 0.5));
            writer.line(51);
            serial += 1;
            writer.line(60);
            writer.assign((b"limit", 2, serial), b"out", &Value::Number(number));
            writer.line(52);
            writer.assign((b"measure", 1, outer), b"seen", &Value::Number(number * 2.0));
            writer.line(12);
            writer.assign(module, b"state", &Value::Str(b"ok".to_vec()));
            written += 14;
        }
        round += 1;
        if writer.len() > 1 << 20 {
            sink(writer.take());
        }
    }
    sink(writer.take());
}

/// The same tape in one piece.
pub fn tape(records: u64, shape: Shape) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_tape(records, shape, |piece| bytes.extend_from_slice(&piece));
    bytes
}
