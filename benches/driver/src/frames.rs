//! Animation frames while a person drags the cursor across ten million records, and while they zoom with the wheel.
//!
//! The input is real: mouse events that go through the browser, one for each animation frame. What a frame costs is taken from the
//! browser's own trace: everything that the page's thread does, from the task that begins a frame to the task that begins the next.
//! That is the handlers, the worker's answers, Yew, style, layout, and drawing: without a graphics card the canvas is filled by this
//! very thread. What the compositor's and the raster threads do meanwhile is told apart.
//!
//! Invariant: the frames are all those between two marks that the page itself sets before the first and after the last input.

use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use tapedeck_core::timeline::{Layout, LayoutSpec};

use crate::browser::{Browser, Page};
use crate::open::open_tape;
use crate::report::{Report, Target};
use crate::site::Site;
use crate::stats::percentile;

/// One input for each animation frame, at 60 a second.
const FRAME: Duration = Duration::from_micros(16_667);
/// Inputs of one pass.
const INPUTS: u32 = 240;
/// A turn of the wheel that is felt, in CSS pixels.
const WHEEL_PX: f64 = 60.0;
const CATEGORIES: &str = "-*,toplevel,blink.user_timing,devtools.timeline,disabled-by-default-devtools.timeline";

/// One pass: its input events, by number.
type Script<'a> = &'a dyn Fn(u32) -> Value;

/// What one pass gave, in milliseconds.
struct Pass {
    /// The page's thread, a frame.
    costs: Vec<f64>,
    /// The same in processor time: what other programs took away is not in it.
    cpu_costs: Vec<f64>,
    /// All other threads of the page's process, a frame (compositor, raster, worker).
    other_costs: Vec<f64>,
    longest_task: f64,
    expected: f64,
    missed: f64,
}

/// The part.
pub(crate) fn measure(browser: &mut Browser, site: &Site, rounds: usize, report: &mut Report) -> Result<()> {
    let tape = site.tapes.last().context("no tape was made")?;
    let (page, _) = open_tape(browser, site, tape)?;
    let place = browser.evaluate(
        &page,
        "(() => { const canvas = document.querySelector('[role=slider][aria-label=Timeline] canvas, canvas').getBoundingClientRect(); \
         return [canvas.left, canvas.top, canvas.width, canvas.height]; })()",
    )?;
    let side = |i: usize| place[i].as_f64().context("the timeline has no canvas");
    let (left, top, width) = (side(0)?, side(1)?, side(2)?);
    let layout = Layout::new(LayoutSpec { width, frame_rows: 1, ..LayoutSpec::default() });
    let ruler = top + layout.ruler.top + layout.ruler.height / 2.0;
    let frames = top + layout.frames.top + layout.frames.height / 2.0;
    let (start, length) = (left + layout.plot_left + 2.0, layout.plot_width - 4.0);
    // Across and back again, as one searches.
    let along = |i: u32| {
        let part = f64::from(i) / f64::from(INPUTS / 2);
        start + length * if part <= 1.0 { part } else { 2.0 - part }
    };
    let drag = |i: u32| {
        let kind = match i {
            0 => "mousePressed",
            INPUTS => "mouseReleased",
            _ => "mouseMoved",
        };
        json!({ "type": kind, "x": along(i), "y": ruler, "button": "left", "buttons": 1, "clickCount": i32::from(kind != "mouseMoved") })
    };
    let zoom = |i: u32| {
        // In as far as it goes, and out again, at a place that is nowhere special.
        let turn = if i <= INPUTS / 2 { -WHEEL_PX } else { WHEEL_PX };
        json!({ "type": "mouseWheel", "x": start + length * 0.37, "y": frames, "deltaX": 0, "deltaY": turn })
    };
    let passes: [(&str, &str, Script<'_>); 2] = [("Scrubbing", "scrub", &drag), ("Zooming", "zoom", &zoom)];
    let mut done: Vec<Vec<Pass>> = passes.iter().map(|_| Vec::new()).collect();
    for _ in 0..rounds {
        for ((_, _, script), done) in passes.iter().zip(&mut done) {
            done.push(pass(browser, &page, script)?);
        }
    }
    browser.close(&page)?;
    for ((title, key, _), passes) in passes.iter().zip(&done) {
        let all = |pick: fn(&Pass) -> &Vec<f64>| -> Vec<f64> { passes.iter().flat_map(pick).copied().collect() };
        let costs = all(|pass| &pass.costs);
        let longest = passes.iter().map(|pass| pass.longest_task).fold(0.0, f64::max);
        let expected: f64 = passes.iter().map(|pass| pass.expected).sum();
        let missed: f64 = passes.iter().map(|pass| pass.missed).sum();
        let part = "Animation frames";
        let mut add = |name: &str, value, unit, target| {
            report.add(part, format!("{title}, {}: {name}", tape.about), value, unit, target);
        };
        add("script and draw a frame, p50", percentile(&costs, 0.5), "ms", Target::None);
        add("script and draw a frame, p95", percentile(&costs, 0.95), "ms", Target::AtMost(8.0));
        let cpu = all(|pass| &pass.cpu_costs);
        add("the same in processor time, p95", percentile(&cpu, 0.95), "ms", Target::None);
        let others = all(|pass| &pass.other_costs);
        add("other threads of the page a frame, p95", percentile(&others, 0.95), "ms", Target::None);
        add("frames missed", 100.0 * missed / expected.max(1.0), "%", Target::AtMost(2.0));
        add("longest task", longest, "ms", Target::AtMost(50.0));
        report.keep(
            &format!("frames_{key}"),
            json!({ "costs_ms": costs, "cpu_ms": cpu, "others_ms": others, "expected": expected, "missed": missed }),
        );
    }
    Ok(())
}

fn pass(browser: &mut Browser, page: &Page, script: Script<'_>) -> Result<Pass> {
    browser.take_events();
    let config = json!({ "transferMode": "ReportEvents", "categories": CATEGORIES });
    browser.call(Some(page), "Tracing.start", &config)?;
    browser.evaluate(page, "performance.mark('bench-start'); self.benchFrames = benchWatch.frames(); 0")?;
    let mut sent = Vec::new();
    let start = Instant::now();
    for i in 0..=INPUTS {
        // Not answered before the page has handled it, so nothing waits here: a person's hand does not either.
        sent.push(browser.send(Some(page), "Input.dispatchMouseEvent", &script(i))?);
        sleep((FRAME * (i + 1)).saturating_sub(start.elapsed()));
    }
    for id in sent {
        browser.answer(id)?;
    }
    let frames = browser.evaluate(page, "performance.mark('bench-end'); benchFrames()")?;
    browser.call(Some(page), "Tracing.end", &json!({}))?;
    browser.event("Tracing.tracingComplete")?;
    let trace: Vec<Value> = browser
        .take_events()
        .into_iter()
        .filter(|event| event["method"] == "Tracing.dataCollected")
        .flat_map(|mut event| match event["params"]["value"].take() {
            Value::Array(events) => events,
            _ => Vec::new(),
        })
        .collect();
    let frames: Vec<f64> = serde_json::from_value(frames)?;
    read(&trace, &frames)
}

/// A task of some thread, in microseconds.
struct Task {
    start: f64,
    took: f64,
    cpu: f64,
}

fn read(trace: &[Value], frames: &[f64]) -> Result<Pass> {
    let number = |event: &Value, name: &str| event[name].as_f64().unwrap_or_default();
    let mark =
        |name: &str| trace.iter().find(|event| event["name"] == name).context("the page's marks are not in the trace");
    let (first, last) = (mark("bench-start")?, mark("bench-end")?);
    let (process, thread) = (&first["pid"], &first["tid"]);
    let (from, to) = (number(first, "ts"), number(last, "ts"));
    let inside = |event: &&Value| &event["pid"] == process && (from..to).contains(&number(event, "ts"));
    let (mut own, mut others) = (Vec::new(), Vec::new());
    for event in trace.iter().filter(inside).filter(|event| event["ph"] == "X") {
        let task = Task { start: number(event, "ts"), took: number(event, "dur"), cpu: number(event, "tdur") };
        match event["name"].as_str() {
            // The name under which DevTools shows the page's tasks, and that of every thread's tasks.
            Some("RunTask") if &event["tid"] == thread => own.push(task),
            Some("ThreadControllerImpl::RunTask" | "ThreadPool_RunTask") if &event["tid"] != thread => {
                others.push(task);
            }
            _ => {}
        }
    }
    let begins =
        trace.iter().filter(inside).filter(|event| &event["tid"] == thread && event["name"] == "FireAnimationFrame");
    let mut begins: Vec<f64> = begins.map(|event| number(event, "ts")).collect();
    begins.sort_by(f64::total_cmp);
    own.sort_by(|a, b| a.start.total_cmp(&b.start));
    // Several callbacks fire in one frame; a frame begins with the task in which the first of them does.
    let mut starts: Vec<f64> = Vec::new();
    for task in &own {
        if begins.iter().any(|begin| (task.start..=task.start + task.took).contains(begin)) {
            starts.push(task.start);
        }
    }
    ensure!(starts.len() > 10 && frames.len() > 10, "the trace shows {} animation frames", starts.len());
    let sums = |tasks: &[Task], pick: fn(&Task) -> f64| -> Vec<f64> {
        let mut sums = vec![0.0; starts.len() - 1];
        for task in tasks {
            let frame = starts.partition_point(|start| *start <= task.start);
            if let Some(sum) = frame.checked_sub(1).and_then(|frame| sums.get_mut(frame)) {
                *sum += pick(task) / 1000.0;
            }
        }
        sums
    };
    let gaps: Vec<f64> = frames.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let period = FRAME.as_secs_f64() * 1000.0;
    let expected: f64 = gaps.iter().map(|gap| (gap / period).round().max(1.0)).sum();
    Ok(Pass {
        costs: sums(&own, |task| task.took),
        cpu_costs: sums(&own, |task| task.cpu),
        other_costs: sums(&others, |task| task.took),
        longest_task: own.iter().map(|task| task.took / 1000.0).fold(0.0, f64::max),
        expected,
        missed: expected - gaps.len() as f64,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_frame_costs_all_that_its_thread_does_until_the_next() {
        let task = |ts: f64, dur: f64| json!({ "ph": "X", "name": "RunTask", "pid": 1, "tid": 2, "ts": ts, "dur": dur, "tdur": dur / 2.0 });
        let mark = |name: &str, ts: f64| json!({ "ph": "I", "name": name, "pid": 1, "tid": 2, "ts": ts });
        let mut trace = vec![mark("bench-start", 0.0), mark("bench-end", 2_000_000.0)];
        let mut frames = Vec::new();
        for i in 0..20 {
            let start = 1000.0 + 16_667.0 * f64::from(i);
            frames.push(start / 1000.0);
            trace.extend([
                task(start, 3000.0),
                mark("FireAnimationFrame", start + 10.0),
                mark("FireAnimationFrame", start + 20.0),
            ]);
            trace.push(task(start + 5000.0, 1000.0));
        }
        // A frame that comes two periods late.
        frames.push(frames.last().unwrap() + 3.0 * 16.667);
        let pass = read(&trace, &frames).unwrap();
        assert_eq!(pass.costs, vec![4.0; 19]);
        assert_eq!(pass.cpu_costs, vec![2.0; 19]);
        assert_eq!((pass.longest_task, pass.expected, pass.missed), (3.0, 22.0, 2.0));
        assert!(read(&trace[2..], &frames).is_err());
    }
}
