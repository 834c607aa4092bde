//! Traces: opened, replayed, tampered with, recorded; tool modules brought, good ones and bad ones.
#![allow(missing_docs)]

use std::path::PathBuf;

use anyhow::{Context as _, ensure};
use e2e::{Page, Result, run, written};
use serde_json::{Value, json};

fn corpus(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../corpus/mixle/traces").join(name)
}

async fn press(page: &Page, button: &str) -> Result {
    page.find("button", button).await?.click().await
}

/// Opens a trace and waits for its steps.
async fn open(page: &Page, path: &std::path::Path, steps: u64) -> Result {
    page.pick(&[path]).await?;
    page.wait("the trace's timeline", async || Ok((page.position().await?.last == steps - 1).then_some(()))).await
}

/// Replays and waits for the sentence.
async fn replay(page: &Page, sentence: &str) -> Result {
    press(page, "Replay").await?;
    page.shows(sentence).await
}

/// The corpus trace of a normal draw with one digit of its result changed in the last place.
fn tampered() -> Result<(Value, String)> {
    let text = std::fs::read_to_string(corpus("06_numpy_seeded.json"))?;
    let trace: Value = serde_json::from_str(&text)?;
    let step = trace["steps"]
        .as_array()
        .and_then(|steps| steps.iter().position(|step| step["tool"] == "draw_normal"))
        .context("no draw_normal in the corpus trace")?;
    let digits = trace["steps"][step]["result"][2].to_string();
    let value: f64 = digits.parse()?;
    let next = f64::from_bits(value.to_bits() + 1).to_string();
    Ok((json!(step), text.replace(&digits, &next)))
}

#[tokio::test]
async fn a_trace_is_replayed_as_identical() -> Result {
    run("trace-identical", async |page| {
        open(page, &corpus("13_long30.json"), 30).await?;
        page.wait("the step in words", async || {
            Ok((page.position().await?.text == "1 of 30, global_uniform").then_some(()))
        })
        .await?;
        replay(page, "identical: 30 of 30 steps").await?;
        page.press(&["ArrowRight"]).await?;
        page.at(1).await?;
        page.press(&["End"]).await?;
        page.at(29).await?;
        page.screenshot("trace-identical").await
    })
    .await
}

#[tokio::test]
async fn a_changed_digit_is_found_and_explained() -> Result {
    run("trace-tampered", async |page| {
        let (step, text) = tampered()?;
        let path = written("trace-tampered", "tampered.json", text)?;
        let step = step.as_u64().context("no step")?;
        open(page, &path, 5).await?;
        replay(page, &format!("different: step {} draw_normal, result[2], 1 ULP", step + 1)).await?;
        page.press(&["Home"]).await?;
        let before = page.at(0).await?;
        page.press(&["]"]).await?;
        if step > 0 {
            ensure!(page.at(step).await?.now != before.now, "] did not move");
        }
        page.shows("Different: result[2], 1 ULP").await?;
        for region in ["Steps", "Step", "Replay"] {
            page.find("region", region).await?;
        }
        press(page, "Save the differences as Markdown").await?;
        page.shows("tampered.diff.md was handed to the browser's downloads.").await?;
        page.screenshot("trace-different").await
    })
    .await
}

#[tokio::test]
async fn what_cannot_be_proven_says_why() -> Result {
    run("trace-unproven", async |page| {
        open(page, &corpus("15_unknown_tool.json"), 2).await?;
        replay(page, "there is no tool 'teleport'; mixle would raise KeyError").await?;
        let other = written("trace-unproven", "other.json", "{\"name\": 1,\n \"steps\": []}")?;
        page.pick(&[&other]).await?;
        page.alert(&["other.json was not opened", "'name'", "request"]).await?;
        let broken = written("trace-unproven", "broken.json", "{\"request\": \"r\",\n \"steps\": [1,]}")?;
        page.pick(&[&broken]).await?;
        page.alert(&["broken.json was not opened", "line 2, column"]).await?;
        Ok(())
    })
    .await
}

#[tokio::test]
async fn a_trace_inside_an_object_is_offered_with_its_path() -> Result {
    run("trace-offered", async |page| {
        let trace = std::fs::read_to_string(corpus("02_text.json"))?;
        let path = written("trace-offered", "item.json", format!("{{\"kind\": \"trace\", \"payload\": {trace}}}"))?;
        page.pick(&[&path]).await?;
        page.find("region", "Files").await?;
        page.shows("/payload").await?;
        let offered = page.all("button", "").await?;
        for button in offered {
            if button.text().await?.contains("/payload") {
                button.click().await?;
                break;
            }
        }
        page.wait("the trace's timeline", async || Ok((page.position().await?.last == 3).then_some(()))).await?;
        replay(page, "identical: 4 of 4 steps").await
    })
    .await
}

/// A module whose `call` is the given code, and whose tool has this name.
fn module(tool: &str, describe: &str, call: &str) -> Result<Vec<u8>> {
    let about = format!(
        "{{\"name\": \"demo\", \"version\": \"1.0\", \"tools\": [{{\"name\": \"{tool}\", \"about\": \"A demo.\"}}]}}"
    );
    let answer = "{\"result\": 42}";
    let text = format!(
        r#"(module (memory (export "memory") 2 4)
            (data (i32.const 1024) "{}") (data (i32.const 4096) "{}")
            (func (export "tapedeck_abi") (result i32) i32.const 1)
            (func (export "tapedeck_alloc") (param i32) (result i32) i32.const 8192)
            (func (export "tapedeck_describe") (result i64) {describe} i64.const {})
            (func (export "tapedeck_call") (param i32 i32) (result i64) {call} i64.const {}))"#,
        about.replace('"', "\\\""),
        answer.replace('"', "\\\""),
        (1024_u64 << 32) | about.len() as u64,
        (4096_u64 << 32) | answer.len() as u64,
    );
    Ok(wat::parse_str(text)?)
}

/// Three steps of a corpus trace (without floats, which would be read inexactly here), the second of another tool.
fn with_tool(tool: &str, result: &str) -> Result<String> {
    let text = std::fs::read_to_string(corpus("02_text.json"))?;
    let mut trace: Value = serde_json::from_str(&text)?;
    if let Some(steps) = trace["steps"].as_array_mut() {
        steps.truncate(3);
    }
    trace["steps"][1]["tool"] = json!(tool);
    trace["steps"][1]["args"] = json!({});
    trace["steps"][1]["seed"] = Value::Null;
    trace["steps"][1]["result"] = serde_json::from_str(result)?;
    trace["steps"][1]["rng_state_after"] = trace["steps"][1]["rng_state_before"].clone();
    trace["steps"][1]["succeeded"] = json!(true);
    Ok(trace.to_string())
}

#[tokio::test]
async fn a_module_that_is_dropped_answers_its_steps() -> Result {
    run("trace-module", async |page| {
        let path = written("trace-module", "own.json", with_tool("answer", "42")?)?;
        open(page, &path, 3).await?;
        replay(page, "there is no tool 'answer'").await?;
        let good = written("trace-module", "demo.wasm", module("answer", "", "")?)?;
        page.drop(&[&good]).await?;
        page.shows("no imports: cannot read clock, files or randomness").await?;
        press(page, "Replay again").await?;
        page.shows("identical: 3 of 3 steps").await?;
        let shadow = written("trace-module", "shadow.wasm", module("uppercase", "", "")?)?;
        page.drop(&[&shadow]).await?;
        page.shows("Not in use, because other tools have these names: uppercase.").await
    })
    .await
}

#[tokio::test]
async fn an_endless_step_is_stopped_and_the_others_still_run() -> Result {
    run("trace-endless", async |page| {
        let path = written("trace-endless", "endless.json", with_tool("spin", "42")?)?;
        open(page, &path, 3).await?;
        let spin = written("trace-endless", "spin.wasm", module("spin", "", "(loop br 0)")?)?;
        page.drop(&[&spin]).await?;
        page.shows("no imports").await?;
        press(page, "Replay").await?;
        page.shows("step 2 spin: stopped after 5 s").await?;
        page.shows("2 identical · 0 different · 1 not proven").await?;
        let trap = written("trace-endless", "spin2.wasm", module("spin", "", "unreachable")?)?;
        press(page, "Remove").await?;
        page.drop(&[&trap]).await?;
        page.shows("spin2.wasm").await?;
        press(page, "Replay again").await?;
        page.shows("the module trapped in tapedeck_call").await
    })
    .await
}

#[tokio::test]
async fn bad_modules_are_refused_each_with_its_own_sentence() -> Result {
    run("trace-bad-modules", async |page| {
        open(page, &corpus("02_text.json"), 4).await?;
        let four = r#"(func (export "tapedeck_abi") (result i32) i32.const 1)
            (func (export "tapedeck_alloc") (param i32) (result i32) i32.const 0)
            (func (export "tapedeck_describe") (result i64) i64.const 0)
            (func (export "tapedeck_call") (param i32 i32) (result i64) i64.const 0)"#;
        let bounded = r#"(memory (export "memory") 1 2)"#;
        let cases = [
            (
                "import",
                format!(r#"(module (import "env" "now" (func (result f64))) {bounded} {four})"#),
                "imports env.now",
            ),
            ("maximum", format!(r#"(module (memory (export "memory") 1) {four})"#), "--max-memory"),
            ("start", format!("(module {bounded} {four} (func $s) (start $s))"), "start function"),
            ("wide", format!(r#"(module (memory (export "memory") i64 1 2) {four})"#), "memory64"),
            ("describe", format!("(module {bounded} {four})"), "is not JSON"),
        ];
        for (name, text, words) in cases {
            let path = written("trace-bad-modules", &format!("{name}.wasm"), wat::parse_str(text)?)?;
            page.drop(&[&path]).await?;
            page.shows(&format!("{name}.wasm was not taken")).await?;
            page.shows(words).await?;
        }
        let spin = written("trace-bad-modules", "spin.wasm", module("x", "(loop br 0)", "")?)?;
        page.drop(&[&spin]).await?;
        page.shows("spin.wasm was not taken").await?;
        page.shows("stopped after 5 s").await?;
        replay(page, "identical: 4 of 4 steps").await
    })
    .await
}

#[tokio::test]
async fn a_recording_replays_as_identical() -> Result {
    run("trace-record", async |page| {
        press(page, "Tools").await?;
        press(page, "Record a trace").await?;
        page.find("region", "Steps").await?;
        let tool = page.find("combobox", "Tool").await?;
        tool.call("function() { this.value = 'global_normal'; this.dispatchEvent(new Event('change', { bubbles: true })) }", &[]).await?;
        page.shows("global_normal(n)").await?;
        let args = page.find("textbox", "Arguments").await?;
        for n in [2, 3] {
            args.call("function(text) { this.value = text }", &[json!(format!("{{\"n\": {n}}}"))]).await?;
            press(page, "Run").await?;
            press(page, "Add to trace").await?;
            page.wait("the step is added", async || Ok((page.position().await?.last == n - 2).then_some(()))).await?;
        }
        args.call("function(text) { this.value = text }", &[json!("{\"m\": 1}")]).await?;
        press(page, "Run").await?;
        page.shows("unexpected keyword argument 'm'").await?;
        replay(page, "identical: 2 of 2 steps").await?;
        // What would be saved is caught on its way to the downloads, and opened again.
        page.evaluate(
            "void (URL.createObjectURL = (make => blob => { self.saved = blob; return make.call(URL, blob) })(URL.createObjectURL))",
        )
        .await?;
        press(page, "Save the recording").await?;
        page.shows("recording.json was handed to the browser's downloads.").await?;
        let text = page.evaluate("self.saved.text()").await?;
        let path = written("trace-record", "recording.json", text.as_str().context("nothing was saved")?)?;
        page.load("").await?;
        open(page, &path, 2).await?;
        replay(page, "identical: 2 of 2 steps").await
    })
    .await
}

#[tokio::test]
async fn two_traces_are_compared() -> Result {
    run("trace-compare", async |page| {
        let (_, text) = tampered()?;
        let other = written("trace-compare", "other.json", text)?;
        open(page, &corpus("06_numpy_seeded.json"), 5).await?;
        page.find("button", "Compare with a trace").await?.choose(&[&other]).await?;
        page.find("region", "Compare").await?;
        page.shows("different: mixle's diff has 1 row").await?;
        page.shows("result[2], 1 ULP").await
    })
    .await
}
