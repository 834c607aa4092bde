//! What reading and asking cost inside a wasm instance, beside the least that any reader must do: copying the bytes in once.

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::report::{Report, Target};
use crate::site::{Site, TapeFile};
use crate::stats::{draws, median, percentile};

/// Random positions that are asked.
pub(crate) const QUESTIONS: usize = 1000;
/// Rows of each panel that the page asks for at first.
pub(crate) const ROWS: u32 = 64;
/// The tapes that are read here, from few histories to very many.
const TAPES: [&str; 3] = ["loop_1m", "calls_100k", "loop_10m"];

/// Fractions of a recording at which it is asked.
pub(crate) fn random_places() -> Vec<f64> {
    draws(7).take(QUESTIONS).map(|draw| (draw >> 11) as f64 / (1_u64 << 53) as f64).collect()
}

/// The part.
pub(crate) fn measure(browser: &mut Browser, site: &Site, rounds: usize, report: &mut Report) -> Result<()> {
    let page = browser.open(&format!("{}wasm/", site.isolated))?;
    browser.evaluate(&page, include_str!("js/inside.js"))?;
    let tapes: Vec<&TapeFile> = TAPES.iter().filter_map(|key| site.tape(key)).collect();
    let mut copies: Vec<Vec<Value>> = vec![Vec::new(); tapes.len()];
    let mut readings: Vec<Vec<Value>> = vec![Vec::new(); tapes.len()];
    let places = random_places();
    for _ in 0..rounds {
        for (i, tape) in tapes.iter().enumerate() {
            let address = format!("{}{}", site.isolated, tape.address);
            let mut ask = |what: &str| {
                let request = json!({ "tape": address, "what": what, "draws": places, "rows": ROWS });
                browser.evaluate(&page, &format!("benchInside({request})"))
            };
            copies[i].push(ask("copy")?);
            readings[i].push(ask("read")?);
        }
    }
    browser.close(&page)?;
    for (i, tape) in tapes.iter().enumerate() {
        let numbers = |samples: &[Value], name: &str| -> Result<Vec<f64>> {
            samples.iter().map(|sample| sample[name].as_f64().with_context(|| format!("no {name}"))).collect()
        };
        let copy = median(&numbers(&copies[i], "copy_ms")?);
        let parse = numbers(&readings[i], "parse_ms")?;
        let index = numbers(&readings[i], "index_ms")?;
        let both: Vec<f64> = parse.iter().zip(&index).map(|(parse, index)| parse + index).collect();
        let took = median(&both);
        let one = readings[i].first().context("no round was measured")?;
        let fact = |name: &str| one[name].as_f64().with_context(|| format!("no {name}"));
        let (records, bytes) = (fact("records")?, fact("bytes")?);
        let part = "Inside a wasm instance";
        let mut add = |name: &str, value, unit, target| {
            report.add(part, format!("{}: {name}", tape.about), value, unit, target);
        };
        add("first copy of the bytes", copy, "ms", Target::None);
        add("parse", median(&parse), "ms", Target::None);
        add("index", median(&index), "ms", Target::None);
        add("parse + index, beside that copy", took / copy, "times", Target::AtMost(10.0));
        add("parse + index a record", took * 1e6 / records, "ns", Target::None);
        add("parse + index", bytes / 1e3 / took, "MB/s", Target::None);
        add("index at rest, a record", fact("index_bytes")? / records, "bytes", Target::AtMost(16.0));
        add("index at the peak, a record", fact("peak_bytes")? / records, "bytes", Target::None);
        let mut state = Vec::new();
        for reading in &readings[i] {
            let times = reading["state_ms"].as_array().context("no state was asked")?;
            state.extend(times.iter().filter_map(Value::as_f64));
        }
        add("state at a random position, the work alone, p50", percentile(&state, 0.5), "ms", Target::None);
        add("state at a random position, the work alone, p99", percentile(&state, 0.99), "ms", Target::Under(1.0));
        report.keep(
            &format!("wasm_{}", tape.key),
            json!({ "records": records, "bytes": bytes, "copies": copies[i], "readings": readings[i] }),
        );
    }
    Ok(())
}
