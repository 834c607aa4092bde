//! `check`: what files are, whether their gates let them through, and what is odd about them.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tapedeck_core::artifact::{Artifact, Join, NodeId, Role};
use tapedeck_core::bytes::Unwatched;
use tapedeck_core::tape::check_replay;
use tapedeck_core::trace::open::{Found, open as open_document};

use crate::input::{self, place};
use crate::out::{Out, error, grouped};
use crate::{Failure, Status, tape};

/// Runs the command. The status is the worst of all files.
pub(crate) fn run(files: &[PathBuf], runtime: Option<&str>, json: bool) -> Result<Status, Failure> {
    let mut worst = Status::Fine;
    let mut reports = Vec::new();
    let mut out = Out::new();
    for file in files {
        let status = match check(file, runtime, json, &mut out, &mut reports) {
            Ok(status) => status,
            Err(failure) => {
                // EigenScript's replay ends with 3 when there is no tape to read.
                let status = if runtime.is_some() && failure.status == Status::Unreadable {
                    Status::Refused
                } else {
                    failure.status
                };
                if json {
                    reports.push(json!({ "file": input::shown(file), "status": status as u8, "error": failure.text }));
                } else {
                    error(&failure.text);
                }
                status
            }
        };
        worst = worst.max(status);
    }
    if json {
        out.json(&json!({ "status": worst as u8, "files": reports }));
    }
    out.print();
    Ok(worst)
}

fn check(
    file: &Path,
    runtime: Option<&str>,
    json: bool,
    out: &mut Out,
    reports: &mut Vec<Value>,
) -> Result<Status, Failure> {
    let mut artifact = input::artifact(file)?;
    let recordings = match artifact.tree().recordings() {
        // A single text is judged by the tape's gate, which says what is wrong with it.
        none if none.is_empty() && artifact.tree().nodes.len() == 1 => match artifact.tree().nodes.first() {
            Some(node) if node.problem.is_none() && matches!(node.role, Role::Other) => vec![node.id],
            _ => none,
        },
        some => some,
    };
    let mut worst = Status::Fine;
    let mut listed = Vec::new();
    let notes: Vec<String> = artifact
        .tree()
        .nodes
        .iter()
        .flat_map(|node| {
            let at = place(node, file);
            node.notes.iter().map(move |note| format!("{at}: {note}"))
        })
        .collect();
    let problems: Vec<String> = artifact
        .tree()
        .nodes
        .iter()
        .filter_map(|node| {
            let problem = node.problem.as_ref()?;
            Some(format!("{}: {} {}", place(node, file), problem.what, problem.advice))
        })
        .collect();
    if !json {
        for note in &notes {
            out.line(format!("note: {note}"));
        }
        for problem in &problems {
            out.bad(problem);
        }
        runs(&artifact, out);
    }
    for node in &artifact.tree().nodes {
        worst = worst.max(match &node.problem {
            None => Status::Fine,
            // Another format is a refusal; everything else keeps its bytes from being read.
            Some(problem) if problem.code == "format" => Status::Refused,
            Some(_) => Status::Unreadable,
        });
    }
    if recordings.is_empty() && problems.is_empty() && artifact.tree().runs.is_empty() {
        return Err(Failure::new(
            Status::Unreadable,
            format!("{}: {}", input::shown(file), artifact.tree().nothing_to_open().unwrap_or_default()),
        ));
    }
    for id in recordings {
        let (status, report) = recording(&mut artifact, id, file, runtime, json, out);
        worst = worst.max(status);
        listed.push(report);
    }
    if runtime.is_some() && worst == Status::Unreadable {
        worst = Status::Refused;
    }
    if json {
        reports.push(json!({
            "file": input::shown(file), "status": worst as u8, "notes": notes, "problems": problems, "recordings": listed,
            "runs": serde_json::to_value(&artifact.tree().runs).unwrap_or_default(),
        }));
    }
    Ok(worst)
}

fn runs(artifact: &Artifact, out: &mut Out) {
    for run in &artifact.tree().runs {
        let failed = run.tests.iter().filter(|test| test.is_failure()).count();
        out.heading(format!("test run: {} tests, {failed} failed", run.tests.len()));
        for note in &run.notes {
            out.line(format!("note: {note}"));
        }
        for test in run.tests.iter().filter(|test| test.is_failure()) {
            let exit = test.exit_code.map(|code| format!(" (exit {code})")).unwrap_or_default();
            out.line(format!("  FAIL  {}{exit}", test.file));
            if let Join::One(id) = test.tape
                && let Some(node) = artifact.tree().node(id)
            {
                out.line(format!("        tape: {}", node.path));
            }
            for text in test.replay.iter().map(|replay| format!("replay: {replay}")).chain(test.tape_remark()) {
                out.line(format!("        {text}"));
            }
        }
    }
}

/// One tape or trace: its status and, for `--json`, its report.
fn recording(
    artifact: &mut Artifact,
    id: NodeId,
    file: &Path,
    runtime: Option<&str>,
    json: bool,
    out: &mut Out,
) -> (Status, Value) {
    let at = artifact.tree().node(id).map(|node| place(node, file)).unwrap_or_default();
    let path = artifact.tree().node(id).map(|node| node.path.clone()).unwrap_or_default();
    let fail = |failure: Failure, out: &mut Out| {
        if !json {
            out.bad(format!("{at}: {}", failure.text));
        }
        (failure.status, json!({ "path": path, "status": failure.status as u8, "error": failure.text }))
    };
    // The replay gate judges the bytes as they are: EigenScript unwraps nothing.
    let gate = runtime.map(|runtime| match artifact.packed_bytes_of(id, &mut Unwatched) {
        Ok(bytes) => check_replay(&bytes, runtime.as_bytes()).map_err(|error| (error.to_string(), error.advice())),
        Err(error) => Err((error.to_string(), error.advice())),
    });
    let opened = match input::take(artifact, id, file) {
        Ok(opened) => opened,
        Err(failure) => return fail(failure, out),
    };
    if opened.kind == input::Kind::Trace {
        return trace(&opened, &at, &path, json, out).unwrap_or_else(|failure| fail(failure, out));
    }
    let tape = match tape::build(opened) {
        Ok(tape) => tape,
        Err(failure) => return fail(failure, out),
    };
    let summary = tape.summary();
    let mut status = Status::Fine;
    if !json {
        out.heading(format!("{at}: tape, EigenScript {}", summary.runtime.text));
        out.line(format!(
            "  {} positions, {} assignments ({} bindings), {} inputs, {} records, {} bytes",
            grouped(summary.positions.into()),
            grouped(summary.assigns.into()),
            grouped(summary.bindings.into()),
            grouped(summary.nondet.into()),
            grouped(summary.records.into()),
            grouped(summary.bytes.into())
        ));
        for note in &summary.notes {
            out.line(format!("  note: {note}"));
        }
        for (kind, count) in &summary.issues {
            out.line(format!("  {}: {}. {}", kind.title(), grouped((*count).into()), kind.explanation()));
        }
        if !summary.has_labels {
            out.line(
                "  Tapedeck does not implement this runtime's observer: it opens read-only, without trajectory labels.",
            );
        }
    }
    if summary.positions == 0 && runtime.is_none() {
        status = Status::Unreadable;
        if !json {
            out.bad("  the tape has no line events (L records): there is nothing to step through");
        }
    }
    let replay = gate.map(|gate| {
        if let Err((why, advice)) = &gate {
            status = Status::Refused;
            if !json {
                out.bad(format!("  replay as {}: refused, {why}. {advice}", runtime.unwrap_or_default()));
            }
        } else if !json {
            out.line(format!("  replay as {}: the headers are accepted", runtime.unwrap_or_default()));
        }
        gate.err().map_or(
            json!({ "accepted": true }),
            |(why, advice)| json!({ "accepted": false, "why": why, "advice": advice }),
        )
    });
    let issues: Vec<_> =
        summary.issues.iter().map(|(kind, count)| json!({ "kind": kind.title(), "count": count })).collect();
    let report = json!({
        "path": path, "status": status as u8, "kind": "tape", "runtime": summary.runtime.text, "labels": summary.has_labels,
        "positions": summary.positions, "assigns": summary.assigns, "bindings": summary.bindings, "nondet": summary.nondet,
        "records": summary.records, "sessions": summary.sessions, "bytes": summary.bytes, "notes": summary.notes,
        "issues": issues, "replay": replay,
    });
    (status, report)
}

fn trace(opened: &input::Opened, at: &str, path: &str, json: bool, out: &mut Out) -> Result<(Status, Value), Failure> {
    let document =
        open_document(&opened.bytes, None).map_err(|error| Failure::new(Status::Unreadable, error.to_string()))?;
    let mut items = Vec::new();
    for item in &document.items {
        let (kind, steps) = match &item.found {
            Found::Trace(trace) => ("trace", trace.steps.len()),
            Found::Record(record) => ("TraceRecord", record.steps.len()),
        };
        items.push(json!({ "path": item.path, "kind": kind, "steps": steps }));
        if !json {
            let inside = if item.path.is_empty() { String::new() } else { format!(" {}", item.path) };
            out.heading(format!("{at}{inside}: {kind}, {} steps", grouped(steps as u64)));
        }
    }
    if !json {
        for problem in &document.problems {
            out.bad(format!("  {problem}"));
        }
        if document.duplicate_count > 0 {
            out.line(format!(
                "  {} keys stand twice in one object; the last one counts, as in Python",
                document.duplicate_count
            ));
        }
    }
    let status = if document.problems.is_empty() { Status::Fine } else { Status::Unreadable };
    let report = json!({
        "path": path, "status": status as u8, "kind": "trace", "items": items,
        "problems": document.problems, "duplicate_keys": document.duplicate_count,
    });
    Ok((status, report))
}
