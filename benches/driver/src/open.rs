//! From giving a file to the page until the run and its first state are seen, beside speedscope with as many events.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::json;

use crate::browser::Browser;
use crate::report::{Report, Target};
use crate::site::{Site, TapeFile};
use crate::stats::median;

const FILE_INPUT: &str = "[...document.querySelectorAll('input[type=file]')].find(input => \
    (input.ariaLabel ?? input.labels[0]?.innerText ?? '').trim() === 'Open a recording')";
const SPEEDSCOPE_INPUT: &str = "document.querySelector('input[type=file]')";

/// The part.
pub(crate) fn measure(browser: &mut Browser, site: &Site, rounds: usize, report: &mut Report) -> Result<()> {
    let mut times: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for _ in 0..rounds {
        for tape in &site.tapes {
            let page = open_tape(browser, site, tape)?;
            times.entry(tape.key).or_default().push(page.1);
            browser.close(&page.0)?;
        }
        if let Some(profile) = &site.profile {
            times.entry("speedscope").or_default().push(open_profile(browser, site, profile)?);
        }
    }
    let part = "From giving the file to the drawn run and its first state";
    let mid = |key: &str| times.get(key).map(|times| median(times));
    for tape in &site.tapes {
        report.add(part, tape.about, mid(tape.key).unwrap_or_default(), "ms", Target::None);
    }
    if let Some(theirs) = mid("speedscope") {
        report.add(part, "speedscope, 1 million events", theirs, "ms", Target::None);
    }
    if let (Some(ours), Some(theirs)) = (mid("loop_1m"), mid("speedscope")) {
        report.add(part, "speedscope's time beside ours", theirs / ours, "times", Target::AtLeast(12.0));
    }
    if let (Some(one), Some(ten)) = (mid("loop_1m"), mid("loop_10m")) {
        report.add(part, "10 million beside 1 million", ten / one, "times", Target::AtMost(12.0));
    }
    report.keep("open_ms", json!(times));
    Ok(())
}

/// Opens a tape in a new page; returns the page and the milliseconds until it was drawn.
pub(crate) fn open_tape(browser: &mut Browser, site: &Site, tape: &TapeFile) -> Result<(crate::browser::Page, f64)> {
    let page = browser.open(&site.page())?;
    browser.wait_until(&page, &format!("!!({FILE_INPUT})"))?;
    let drawn = format!(
        "self.benchDrawn = benchWatch.until(benchWatch.tape({}, 'round', '<module>')); benchDrawn.catch(() => 0); 0",
        tape.positions
    );
    let took = give(browser, &page, FILE_INPUT, &tape.path, &drawn)?;
    Ok((page, took))
}

fn open_profile(browser: &mut Browser, site: &Site, profile: &Path) -> Result<f64> {
    let page = browser.open(&format!("{}speedscope/index.html", site.plain))?;
    browser.wait_until(&page, &format!("!!({SPEEDSCOPE_INPUT})"))?;
    let drawn = "self.benchDrawn = benchWatch.until(benchWatch.flamechart()); benchDrawn.catch(() => 0); 0";
    let took = give(browser, &page, SPEEDSCOPE_INPUT, profile, drawn)?;
    browser.close(&page)?;
    Ok(took)
}

fn give(browser: &mut Browser, page: &crate::browser::Page, input: &str, file: &Path, drawn: &str) -> Result<f64> {
    browser.evaluate(page, drawn)?;
    browser.choose_file(page, input, file)?;
    browser.evaluate(page, "benchDrawn")?.as_f64().with_context(|| format!("{} was not drawn", file.display()))
}
