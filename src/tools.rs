//! The tools worker: runs the steps that it is sent and says how each ended.
//!
//! A message is `[id, bytes, payload?]` in both directions, see `tapedeck_core::model::protocol_tools`. A step that never ends
//! blocks this worker, which is why it is one of its own: the page ends it and goes on with another.
//!
//! Invariant: nothing of a recording is kept from one message to the next. Before a step runs that may never end (a module's
//! tool, or any step when the page asks for care) its number is told.

mod bench;
mod engine;

use std::cell::RefCell;

use js_sys::{Array, ArrayBuffer, Date, Uint8Array};
use tapedeck_core::model::protocol_tools::{ToolsReply, ToolsRequest, Tried};
use tapedeck_core::model::protocol_trace::ShownText;
use tapedeck_core::trace::json::loads;
use tapedeck_core::trace::lines::verbatim;
use tapedeck_core::trace::replay::{NotRecorded, ToolBox as _, record_step, replay_step};
use tapedeck_core::trace::rng_state::RngState;
use tapedeck_core::trace::wire::{Packer, RanStep, Unpacker};
use tapedeck_core::trace::{TraceStep, Value};
use wasm_bindgen::prelude::*;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

use bench::Bench;

/// Outcomes are sent at least this often, in milliseconds: so that progress is seen, and a silence means a step that does not end.
const FLUSH_MILLIS: f64 = 50.0;

/// How much of a result the Tools panel shows, in bytes.
const SHOWN_BYTES: usize = 100_000;

thread_local! {
    static BENCH: RefCell<Bench> = RefCell::default();
}

fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

/// Sends a reply. What cannot be sent (memory is short) ends the worker, and the page is told by the browser.
fn reply(id: u32, reply: &ToolsReply, payload: Option<&[u8]>) {
    let bytes = match postcard::to_stdvec(reply) {
        Ok(bytes) => bytes,
        Err(error) => wasm_bindgen::throw_str(&format!("a reply could not be written: {error}")),
    };
    let head = Uint8Array::from(bytes.as_slice()).buffer();
    let transfer = Array::of1(&head);
    let payload = match payload {
        Some(payload) => {
            let buffer = Uint8Array::from(payload).buffer();
            transfer.push(&buffer);
            buffer.into()
        }
        None => JsValue::UNDEFINED,
    };
    let message = Array::of3(&JsValue::from(id), &head, &payload);
    if let Err(error) = scope().post_message_with_transfer(&message, &transfer) {
        wasm_bindgen::throw_val(error);
    }
}

/// Entry of the worker binary.
pub fn main() {
    std::panic::set_hook(Box::new(|info| reply(0, &ToolsReply::Panicked(info.to_string()), None)));
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(|event: MessageEvent| take(&event));
    scope().set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    // The handler lives as long as the worker.
    on_message.forget();
    reply(0, &ToolsReply::Ready, None);
}

fn take(event: &MessageEvent) {
    let parts: Array = event.data().unchecked_into();
    let id = parts.get(0).as_f64().unwrap_or_default() as u32;
    let bytes = Uint8Array::new(&parts.get(1)).to_vec();
    let payload =
        parts.get(2).dyn_ref::<ArrayBuffer>().map(|buffer| Uint8Array::new(buffer).to_vec()).unwrap_or_default();
    let request = match postcard::from_bytes::<ToolsRequest>(&bytes) {
        Ok(request) => request,
        Err(error) => {
            let why = format!("The tools worker does not know this request ({error}). Reload the page.");
            return reply(id, &ToolsReply::BadInput(why), None);
        }
    };
    BENCH.with_borrow_mut(|bench| match request {
        ToolsRequest::Run { first, is_careful } => run(bench, id, first, is_careful, &payload),
        ToolsRequest::AddModule { name, replaces } => match bench.add(name, &payload, replaces) {
            Ok(report) => reply(id, &ToolsReply::Module(report), None),
            Err(refusal) => reply(id, &ToolsReply::ModuleRefused(refusal), None),
        },
        ToolsRequest::DropModule { sha256 } => {
            bench.remove(&sha256);
            reply(id, &ToolsReply::Tools(bench.rows()), None);
        }
        ToolsRequest::List => reply(id, &ToolsReply::Tools(bench.rows()), None),
        ToolsRequest::Seed { seed } => match seed.trim().parse::<u32>() {
            Ok(seed) => {
                let mut packer = Packer::new();
                packer.value(&tapedeck_tools::seeded_state(seed).capture());
                reply(id, &ToolsReply::Seeded, Some(&packer.finish()));
            }
            Err(_) => {
                let why = format!("The seed is {seed:?}; it must be a whole number from 0 to 4294967295.");
                reply(id, &ToolsReply::BadInput(why), None);
            }
        },
        ToolsRequest::Try { is_after_step, tool, args, seed } => {
            match try_tool(bench, is_after_step, &tool, &args, &seed, &payload) {
                Ok((tried, step)) => reply(id, &ToolsReply::Tried(tried), step.as_deref()),
                Err(why) => reply(id, &ToolsReply::BadInput(why), None),
            }
        }
    });
}

fn run(bench: &mut Bench, id: u32, first: u32, is_careful: bool, packed: &[u8]) {
    let mut unpacker = Unpacker::new(packed);
    let mut packer = Packer::new();
    let mut step = first;
    let mut told = Date::now();
    while !unpacker.is_done() {
        let Some(recorded) = unpacker.step() else {
            wasm_bindgen::throw_str("a batch of steps could not be read");
        };
        let tool = recorded.tool.as_str().unwrap_or_default();
        if is_careful || bench.is_of_module(tool) {
            flush(id, &mut packer, step, false);
            reply(id, &ToolsReply::Began { step }, None);
            told = Date::now();
        }
        let source = bench.accepts_seed(tool).map(|_| bench.source(tool));
        let ran = replay_step(&recorded, bench).into();
        packer.ran(&RanStep { step, ran, source });
        step += 1;
        let now = Date::now();
        if is_careful || now - told > FLUSH_MILLIS {
            flush(id, &mut packer, step, false);
            told = now;
        }
    }
    flush(id, &mut packer, step, true);
}

fn flush(id: u32, packer: &mut Packer, next: u32, is_last: bool) {
    if is_last || !packer.is_empty() {
        let packed = std::mem::take(packer).finish();
        reply(id, &ToolsReply::Outcomes { next, is_last }, Some(&packed));
    }
}

/// Runs a tool as `record_step` does; the second part is the packed step.
fn try_tool(
    bench: &mut Bench,
    is_after_step: bool,
    tool: &str,
    args: &str,
    seed: &str,
    packed: &[u8],
) -> Result<(Tried, Option<Vec<u8>>), String> {
    let args = if args.trim().is_empty() { "{}" } else { args };
    let args = match loads(args.as_bytes()) {
        Ok(parsed) => match parsed.value {
            Value::Object(object) => *object,
            other => {
                return Err(format!(
                    "The arguments are a {}; they must be an object, such as {{\"n\": 5}}.",
                    other.type_name()
                ));
            }
        },
        Err(error) => return Err(format!("The arguments are not JSON at {error}.")),
    };
    let seed = match seed.trim() {
        "" => Value::Null,
        text => loads(text.as_bytes()).map_err(|error| format!("The seed is not JSON at {error}."))?.value,
    };
    let mut unpacker = Unpacker::new(packed);
    let state = if is_after_step { unpacker.step().map(|step| step.rng_state_after) } else { unpacker.value() };
    let mut rng = state
        .and_then(|state| RngState::restore(&state).ok())
        .ok_or("The generators' state was lost. Begin the recording again.")?;
    Ok(match record_step(bench, &Value::text(tool), args, seed, &mut rng) {
        Ok(step) => {
            let mut packer = Packer::new();
            packer.step(&step);
            let shown = ShownText::cut(verbatim(&step.result), SHOWN_BYTES);
            (Tried { shown, is_returned: true, rng: moves(&step) }, Some(packer.finish()))
        }
        Err(NotRecorded::Raised(error)) => {
            let shown = ShownText::cut(error.to_string(), SHOWN_BYTES);
            (Tried { shown, is_returned: false, rng: String::new() }, None)
        }
        Err(NotRecorded::Refused(why)) => {
            (Tried { shown: ShownText::cut(why, SHOWN_BYTES), is_returned: false, rng: String::new() }, None)
        }
    })
}

/// What a step did to the generators, in words.
fn moves(step: &TraceStep) -> String {
    let (Ok(before), Ok(after)) = (RngState::restore(&step.rng_state_before), RngState::restore(&step.rng_state_after))
    else {
        return String::new();
    };
    let one = |name: &str, from: i32, to: i32, is_same: bool| {
        if is_same { format!("{name} unchanged at {from}") } else { format!("{name} {from} → {to}") }
    };
    let python =
        one("python index", before.python.mt.position, after.python.mt.position, before.python.mt == after.python.mt);
    let numpy =
        one("numpy position", before.numpy.mt.position, after.numpy.mt.position, before.numpy.mt == after.numpy.mt);
    format!("{python} · {numpy}")
}
