//! `show`, `state` and `history` of a tape.

use serde_json::{Value, json};
use tapedeck_core::model::protocol::{
    BindingRow, Caution, EventRow, HistoryQuery, HistoryRow, Label, StateAnswer, StateQuery, Text,
};
use tapedeck_core::model::{ByteOffset, Pos, RowWindow};
use tapedeck_core::tape::{Tape, TapeBuilder};

use crate::input::{self, Kind, Opened};
use crate::out::{Out, grouped};
use crate::{At, Failure, Recording, Status};

/// Rows that the core gives in one answer.
const PAGE: u32 = 10_000;

/// Opens the bytes of a recording as a tape. The failure's text does not name the file.
pub(crate) fn build(opened: Opened) -> Result<Tape, Failure> {
    let refuse = |refusal: tapedeck_core::model::protocol::Refusal| {
        let place = if refusal.place.is_empty() { String::new() } else { format!(" ({})", refusal.place) };
        Failure::new(Status::Refused, format!("{}{place} {}", refusal.what, refusal.advice))
    };
    let builder = TapeBuilder::from_vec(opened.bytes).map_err(refuse)?;
    let mut tape = builder.finish(opened.name.clone(), opened.notes).map_err(refuse)?;
    if let Some((name, text)) = opened.source {
        tape.set_source(name, &text);
    }
    Ok(tape)
}

fn open(recording: &Recording) -> Result<Tape, Failure> {
    let opened = input::open(recording)?;
    if opened.kind == Kind::Trace {
        return Err(Failure::new(Status::Usage, format!("{} is a trace; this command is for tapes", opened.name)));
    }
    named(opened)
}

/// As [`build`], with the file's name before what went wrong.
pub(crate) fn named(opened: Opened) -> Result<Tape, Failure> {
    let name = opened.name.clone();
    build(opened).map_err(|failure| Failure { text: format!("{name}: {}", failure.text), ..failure })
}

fn position(tape: &Tape, at: At) -> Result<Pos, Failure> {
    if tape.positions() == 0 {
        return Err(Failure::new(
            Status::Unreadable,
            "the tape has no line events (L records): there is nothing to step through",
        ));
    }
    at.index(u64::from(tape.positions()), "position").map(Pos)
}

/// Everything that is true at a position, in as many answers as it takes.
fn everything(tape: &mut Tape, pos: Pos, filter: &str) -> Result<StateAnswer, Failure> {
    let mut all: Option<StateAnswer> = None;
    loop {
        let rows = |have: usize| RowWindow { first: have as u32, count: PAGE };
        let have = all.as_ref().map_or((0, 0, 0), |all| (all.bindings.len(), all.events.len(), all.frames.len()));
        let query = StateQuery {
            pos,
            bindings: rows(have.0),
            filter: filter.to_owned(),
            events: rows(have.1),
            frames: rows(have.2),
        };
        let answer = tape.state(&query).map_err(|text| Failure::new(Status::Usage, text))?;
        let more = answer.bindings.len() + answer.events.len() + answer.frames.len() > 0;
        match &mut all {
            None => all = Some(answer),
            Some(all) => {
                all.bindings.extend(answer.bindings);
                all.events.extend(answer.events);
                all.frames.extend(answer.frames);
            }
        }
        if let Some(all) = all.take_if(|all| {
            let done = all.bindings.len() >= all.bindings_total as usize
                && all.events.len() >= all.events_total as usize
                && all.frames.len() >= all.frames_total as usize;
            done || !more
        }) {
            return Ok(all);
        }
    }
}

/// The whole text of the value whose record starts at `byte`, as the tape has it.
fn value_at(tape: &Tape, byte: ByteOffset) -> &[u8] {
    let rest = tape.bytes().get(byte.0 as usize..).unwrap_or_default();
    let line = rest.split(|byte| *byte == b'\n' || *byte == 0).next().unwrap_or_default();
    let record = line.get(2..).unwrap_or_default();
    let equals = record.iter().position(|byte| *byte == b'=').map_or(record.len(), |at| at + 1);
    record.get(equals..).unwrap_or_default()
}

/// Text and, where it is not UTF-8, the bytes beside it in hex.
fn put_bytes(object: &mut Value, key: &str, bytes: &[u8]) {
    object[key] = json!(String::from_utf8_lossy(bytes));
    if std::str::from_utf8(bytes).is_err() {
        object[format!("{key}_hex")] = json!(bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
    }
}

fn event_json(tape: &Tape, event: &EventRow) -> Value {
    let mut object =
        json!({ "kind": if event.input.is_some() { "N" } else { "A" }, "name": event.name.text, "byte": event.byte.0 });
    put_bytes(&mut object, "value", value_at(tape, event.byte));
    object
}

fn caution_text(caution: &Caution) -> String {
    match caution {
        Caution::AssignedLaterElsewhere { function, line, value, .. } => {
            format!("assigned later in {}, line {line}: {}, perhaps this binding", function.text, value.text)
        }
        Caution::MayBeOuter => "may be an outer binding; count and label cover this frame only".to_owned(),
    }
}

fn binding_json(tape: &Tape, binding: &BindingRow) -> Value {
    let mut object = json!({
        "name": binding.name.text,
        "label": binding.label.map(Label::word),
        "assigns": binding.assigns,
        "scope": binding.function.as_ref().map(|function| &function.text),
        "serial": binding.serial,
        "assigned_at": binding.assigned_at.0,
        "changed": binding.changed,
        "cautions": binding.cautions.iter().map(caution_text).collect::<Vec<_>>(),
    });
    put_bytes(&mut object, "value", value_at(tape, binding.byte));
    object
}

fn state_json(tape: &Tape, state: &StateAnswer) -> Value {
    json!({
        "pos": state.pos.0,
        "positions": tape.positions(),
        "line": state.line,
        "function": state.function.as_ref().map(|function| &function.text),
        "events": state.events.iter().map(|event| event_json(tape, event)).collect::<Vec<_>>(),
        "bindings": state.bindings.iter().map(|binding| binding_json(tape, binding)).collect::<Vec<_>>(),
        "frames": state.frames.iter().map(|frame| json!({
            "function": frame.function.text, "serial": frame.serial, "depth": frame.depth,
            "entered": frame.entered.0, "left": frame.left.0,
        })).collect::<Vec<_>>(),
        "labels": tape.summary().has_labels,
    })
}

fn where_it_is(state: &StateAnswer, positions: u32) -> String {
    let function = state.function.as_ref().map(|Text { text, .. }| format!(", in {text}")).unwrap_or_default();
    format!("{} of {}, line {}{function}", grouped(state.pos.one_based()), grouped(u64::from(positions)), state.line)
}

fn print_bindings(out: &mut Out, tape: &Tape, state: &StateAnswer) {
    for binding in &state.bindings {
        let value = String::from_utf8_lossy(value_at(tape, binding.byte));
        let label = binding.label.map(|label| format!("  [{}]", label.word())).unwrap_or_default();
        let scope = binding.function.as_ref().map(|function| format!("  in {}", function.text)).unwrap_or_default();
        let times = if binding.assigns == 1 {
            "1 assign".to_owned()
        } else {
            format!("{} assigns", grouped(binding.assigns.into()))
        };
        let mark = if binding.changed { '*' } else { ' ' };
        out.line(format!(" {mark}{} = {value}{label}  ({times}){scope}", binding.name.text));
        for caution in &binding.cautions {
            out.line(format!("    note: {}", caution_text(caution)));
        }
    }
}

fn print_banner(out: &mut Out, tape: &Tape) {
    let summary = tape.summary();
    for note in &summary.notes {
        out.line(format!("note: {note}"));
    }
    if !summary.has_labels {
        out.bad(format!(
            "note: recorded on EigenScript {}, whose observer Tapedeck does not implement: no trajectory labels and no replay claim",
            summary.runtime.text
        ));
    }
}

/// `show` of a tape.
pub(crate) fn show(opened: Opened, json: bool, at: At) -> Result<Status, Failure> {
    let mut tape = named(opened)?;
    let pos = position(&tape, at)?;
    let state = everything(&mut tape, pos, "")?;
    let mut out = Out::new();
    if json {
        out.json(&state_json(&tape, &state));
    } else {
        print_banner(&mut out, &tape);
        out.heading(where_it_is(&state, tape.positions()));
        for event in &state.events {
            let kind = if event.input.is_some() { 'N' } else { 'A' };
            out.line(format!("  {kind} {}={}", event.name.text, String::from_utf8_lossy(value_at(&tape, event.byte))));
        }
        if !state.frames.is_empty() {
            out.heading("Call stack");
            for frame in &state.frames {
                out.line(format!("  {} (depth {}, serial {})", frame.function.text, frame.depth, frame.serial));
            }
        }
        out.heading("Bindings");
        print_bindings(&mut out, &tape, &state);
    }
    out.print();
    Ok(Status::Fine)
}

/// `state`.
pub(crate) fn state(recording: &Recording, at: At, filter: &str) -> Result<Status, Failure> {
    let mut tape = open(recording)?;
    let pos = position(&tape, at)?;
    let state = everything(&mut tape, pos, filter)?;
    let mut out = Out::new();
    if recording.json {
        out.json(&json!({
            "pos": pos.0,
            "line": state.line,
            "bindings": state.bindings.iter().map(|binding| binding_json(&tape, binding)).collect::<Vec<_>>(),
        }));
    } else {
        print_banner(&mut out, &tape);
        print_bindings(&mut out, &tape, &state);
    }
    out.print();
    Ok(Status::Fine)
}

/// `history`.
pub(crate) fn history(recording: &Recording, name: &str, at: At) -> Result<Status, Failure> {
    let tape = open(recording)?;
    let pos = position(&tape, at)?;
    let Some(stream) = tape.resolve(pos, name.as_bytes()) else {
        return Err(Failure::new(
            Status::Usage,
            format!("no binding {name:?} is visible at position {}", pos.one_based()),
        ));
    };
    let mut rows: Vec<HistoryRow> = Vec::new();
    let answer = loop {
        let window = RowWindow { first: rows.len() as u32, count: PAGE };
        let mut answer = tape
            .history(&HistoryQuery { stream, pos, rows: window, sparkline: 0 })
            .map_err(|text| Failure::new(Status::Usage, text))?;
        let got = answer.rows.len();
        rows.append(&mut answer.rows);
        if got == 0 || rows.len() >= answer.total as usize {
            break answer;
        }
    };
    let mut out = Out::new();
    let scope = answer.function.as_ref().map(|function| &function.text);
    if recording.json {
        let rows: Vec<_> = rows
            .iter()
            .map(|row| {
                let mut object = json!({ "ordinal": row.ordinal, "pos": row.pos.0, "line": row.line, "label": row.label.map(Label::word) });
                put_bytes(&mut object, "value", value_at(&tape, row.byte));
                object
            })
            .collect();
        out.json(&json!({
            "name": answer.name.text, "scope": scope, "frame": answer.serial, "pos": pos.0,
            "total": answer.total, "so_far": answer.so_far, "rows": rows,
        }));
    } else {
        print_banner(&mut out, &tape);
        let scope = scope.map(|scope| format!(" in {scope}")).unwrap_or_default();
        out.heading(format!(
            "{}{scope}: {} assignments, {} up to position {}",
            answer.name.text,
            grouped(answer.total.into()),
            grouped(answer.so_far.into()),
            grouped(pos.one_based())
        ));
        for row in &rows {
            let label = row.label.map(|label| format!("  [{}]", label.word())).unwrap_or_default();
            let later = if row.ordinal > answer.so_far { "  (later)" } else { "" };
            let value = String::from_utf8_lossy(value_at(&tape, row.byte));
            out.line(format!(
                "  #{} position {}, line {}: {value}{label}{later}",
                row.ordinal,
                grouped(row.pos.one_based()),
                row.line
            ));
        }
    }
    out.print();
    Ok(Status::Fine)
}
