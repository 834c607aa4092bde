//! The page's worker, asked from a page: what a person waits for when they go somewhere else in time.

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};
use tapedeck_core::model::protocol::{Answer, Question, Reply, Request, StateQuery};
use tapedeck_core::model::{Pos, RowWindow};

use crate::browser::Browser;
use crate::inside::{ROWS, random_places};
use crate::report::{Report, Target};
use crate::site::Site;
use crate::stats::percentile;

/// The part.
pub(crate) fn measure(browser: &mut Browser, site: &Site, report: &mut Report) -> Result<()> {
    let tape = site.tapes.last().context("no tape was made")?;
    let page = browser.open(&site.page())?;
    browser.evaluate(&page, include_str!("js/reader.js"))?;
    browser.evaluate(&page, "benchReader.start()")?;
    // The kinds of reply are told apart by their first byte; only `Progress` is followed by another.
    let progress = postcard::to_stdvec(&Reply::Progress(tapedeck_core::model::protocol::Progress {
        stage: String::new(),
        done: 0.0,
        total: 0.0,
        is_silent: false,
    }))?;
    let progress = progress.first().context("an empty reply")?;
    let open = serde_json::to_value(Request::Open { name: "bench.tape".to_owned() })?;
    let script = format!(
        "fetch('{}{}').then(response => response.blob()).then(blob => benchReader.ask({open}, new File([blob], 'bench.tape'), \
         kind => kind !== {progress})).then(bytes => [...bytes])",
        site.plain, tape.address
    );
    let opened = reply(&browser.evaluate(&page, &script)?)?;
    let Reply::Opened(summary) = opened else { bail!("the worker said {opened:?}") };
    ensure!(u64::from(summary.positions) == tape.positions, "the worker counts {} positions", summary.positions);

    let rows = RowWindow { first: 0, count: ROWS };
    let positions: Vec<u32> =
        random_places().iter().map(|place| (place * f64::from(summary.positions)) as u32).collect();
    let requests: Result<Vec<Value>> = positions
        .iter()
        .map(|&pos| {
            let query = StateQuery { pos: Pos(pos), bindings: rows, filter: String::new(), events: rows, frames: rows };
            // The form that serde-wasm-bindgen gives a request is that of JSON.
            Ok(serde_json::to_value(Request::Ask(Question::State(query)))?)
        })
        .collect();
    let answer = browser.evaluate(&page, &format!("benchReader.times({})", json!(requests?)))?;
    browser.close(&page)?;
    let times: Vec<f64> = answer["times"].as_array().context("no times")?.iter().filter_map(Value::as_f64).collect();
    // What was timed must be states and not refusals.
    match reply(&answer["last"])? {
        Reply::Answer(answer) => match *answer {
            Answer::State(state) => {
                let fits = Some(state.pos.0) == positions.last().copied() && !state.bindings.is_empty();
                ensure!(fits, "the worker answered {state:?}");
            }
            other => bail!("the worker answered {other:?}"),
        },
        other => bail!("the worker said {other:?}"),
    }
    let part = "State at 1,000 random positions, asked of the page's worker";
    report.add(part, format!("{}: round trip, p50", tape.about), percentile(&times, 0.5), "ms", Target::None);
    report.add(part, format!("{}: round trip, p99", tape.about), percentile(&times, 0.99), "ms", Target::Under(10.0));
    report.add(part, format!("{}: round trip, longest", tape.about), percentile(&times, 1.0), "ms", Target::None);
    report.keep("state_round_trip_ms", times);
    Ok(())
}

fn reply(bytes: &Value) -> Result<Reply> {
    let bytes: Vec<u8> = serde_json::from_value(bytes.clone())?;
    postcard::from_bytes(&bytes).context("the reply is not understood")
}
