//! `show`, `diff` and `dumps` of traces.

use std::path::Path;

use serde_json::json;
use tapedeck_core::trace::diff::{diff as differences, explain};
use tapedeck_core::trace::json::{Layout, to_json};
use tapedeck_core::trace::open::{Found, open as open_document};
use tapedeck_core::trace::{ExecutionTrace, Field, Value};

use crate::input::{self, Kind, Opened};
use crate::out::{Out, grouped};
use crate::{At, Failure, Recording, Status};

/// How many characters of a value are shown to people.
const SHOWN: usize = 2000;

/// The one trace of a recording.
fn read(opened: &Opened) -> Result<ExecutionTrace, Failure> {
    if opened.kind == Kind::Tape {
        return Err(Failure::new(Status::Usage, format!("{} is a tape; this command is for traces", opened.name)));
    }
    let document = open_document(&opened.bytes, None)
        .map_err(|error| Failure::new(Status::Unreadable, format!("{}: {error}", opened.name)))?;
    let mut traces = document.items.into_iter().filter_map(|item| match item.found {
        Found::Trace(trace) => Some(trace),
        Found::Record(_) => None,
    });
    match (traces.next(), traces.next()) {
        (Some(trace), None) => Ok(trace),
        (None, _) => Err(Failure::new(
            Status::Usage,
            format!(
                "{} is a TraceRecord: it holds no RNG states and no step results of a trace, so this command does not apply",
                opened.name
            ),
        )),
        (Some(_), Some(_)) => Err(Failure::new(
            Status::Usage,
            format!("{} holds several traces; put the one you mean into a file of its own", opened.name),
        )),
    }
}

fn open(path: &Path) -> Result<ExecutionTrace, Failure> {
    read(&input::open(&Recording { file: path.to_owned(), member: None, json: false })?)
}

fn text_of(value: &Value) -> String {
    to_json(value, Layout::Dumps).unwrap_or_else(|error| format!("({error:?})"))
}

fn field_text(trace: &tapedeck_core::trace::TraceStep, field: Field) -> String {
    text_of(&trace.field(field).into_value())
}

fn shortened(text: &str) -> String {
    let mut characters = text.chars();
    let shown: String = characters.by_ref().take(SHOWN).collect();
    let rest = characters.count();
    if rest == 0 { shown } else { format!("{shown}… ({} more characters)", grouped(rest as u64)) }
}

/// `show` of a trace.
pub(crate) fn show(opened: &Opened, json: bool, at: At) -> Result<Status, Failure> {
    let trace = read(opened)?;
    let index = at.index(trace.steps.len() as u64, "step")?;
    let Some(step) = trace.steps.get(index as usize) else {
        return Err(Failure::new(Status::Usage, "there is no such step"));
    };
    let mut out = Out::new();
    if json {
        // Numbers stay as they are written: the texts of the fields, not a reading of them.
        let fields: Vec<_> =
            Field::ALL.iter().map(|field| format!("{:?}:{}", field.name(), field_text(step, *field))).collect();
        out.line(format!("{{\"pos\":{index},\"steps\":{},{}}}", trace.steps.len(), fields.join(",")));
    } else {
        out.heading(format!(
            "Step {} of {}: {}",
            grouped(u64::from(index) + 1),
            grouped(trace.steps.len() as u64),
            step.tool_name()
        ));
        for field in Field::ALL.iter().filter(|field| **field != Field::Tool) {
            let text = field_text(step, *field);
            if text != "null" {
                out.line(format!("  {}: {}", field.name(), shortened(&text)));
            }
        }
    }
    out.print();
    Ok(Status::Fine)
}

/// `dumps`.
pub(crate) fn dumps(recording: &Recording) -> Result<Status, Failure> {
    let opened = input::open(recording)?;
    let trace = read(&opened)?;
    let text = trace
        .dumps()
        .map_err(|error| Failure::new(Status::Unreadable, format!("{}: mixle raises {error:?}", opened.name)))?;
    let mut out = Out::new();
    out.line(text);
    out.print();
    Ok(Status::Fine)
}

/// `diff`.
pub(crate) fn diff(a: &Path, b: &Path, json: bool) -> Result<Status, Failure> {
    let (left, right) = (open(a)?, open(b)?);
    let mut out = Out::new();
    let rows = match differences(&left, &right) {
        Ok(rows) => rows,
        Err(error) => {
            let why = format!("not proven: mixle's diff raises {error:?}");
            if json {
                out.json(&json!({ "verdict": "not proven", "why": why }));
            } else {
                out.bad(why);
            }
            out.print();
            return Ok(Status::NotProven);
        }
    };
    let only_empty = left.steps.is_empty() && right.steps.is_empty() && rows.len() == 1;
    let status = match rows.len() {
        0 => Status::Fine,
        _ if only_empty => Status::NotProven,
        _ => Status::Different,
    };
    let verdict = match status {
        Status::Fine => "identical",
        Status::NotProven => "not proven",
        _ => "different",
    };
    let mut listed = Vec::new();
    if !json {
        out.heading(match status {
            Status::Fine => format!("identical: {} steps", grouped(left.steps.len() as u64)),
            Status::NotProven => "not proven: neither trace has a step".to_owned(),
            _ => format!("different: {} of mixle's rows", rows.len()),
        });
    }
    for row in &rows {
        let name = text_of(&row.name);
        let steps =
            usize::try_from(row.index).ok().and_then(|index| Some((left.steps.get(index)?, right.steps.get(index)?)));
        let why = steps.map(|(left, right)| explain(left, right));
        if json {
            let why: Vec<_> = why.iter().flat_map(|why| &why.listed).map(|one| json!({
                "field": one.field.name(), "pointer": one.pointer, "left": one.left, "right": one.right, "ulps": one.ulps,
            })).collect();
            listed.push(json!({ "index": row.index, "name": serde_json::from_str::<serde_json::Value>(&name).unwrap_or(json!(name)), "why": why }));
        } else {
            out.line(format!("({}, {name})", row.index));
            for one in why.iter().flat_map(|why| why.listed.iter().take(20)) {
                let side = |text: &Option<String>| text.as_deref().map_or("nothing".to_owned(), shortened);
                out.line(format!("    {}: {} / {}", one.place(), side(&one.left), side(&one.right)));
            }
        }
    }
    if json {
        out.json(&json!({ "verdict": verdict, "rows": listed }));
    }
    out.print();
    Ok(status)
}
