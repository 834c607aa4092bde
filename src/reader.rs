//! The reader worker: owns the bytes of one recording and its index, and answers the page's questions about them.
//!
//! A message comes in as `[id, request, payload?]` and a reply goes out as `[id, bytes]`, see `tapedeck_core::model::protocol`.
//! A file is read in slices straight into the tape's memory; between two slices the event loop runs, so that the page's
//! "are you there?" is answered while a large file is read.
//!
//! Invariant: every request is answered, if only by why it cannot be. A panic is told to the page before the worker is lost.

mod open;
mod traces;

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, ArrayBuffer, Uint8Array};
use tapedeck_core::model::protocol::{Answer, Question, Refusal, Reply, Request, TapeSummary};
use tapedeck_core::tape::Tape;
use tapedeck_core::timeline::Slicer;
use tapedeck_core::trace::answer::TraceDeck;
use wasm_bindgen::prelude::*;
use web_sys::{DedicatedWorkerGlobalScope, MessageEvent};

/// A tape, and what answers the timeline about it.
struct Open {
    tape: Tape,
    slicer: Slicer,
}

/// The recording that is open, and which opening is the newest.
#[derive(Default)]
struct Reader {
    open: Option<Open>,
    /// A document of traces; never beside a tape.
    traces: Option<TraceDeck>,
    openings: u32,
}

thread_local! {
    static READER: RefCell<Reader> = RefCell::default();
}

fn scope() -> DedicatedWorkerGlobalScope {
    js_sys::global().unchecked_into()
}

/// Sends a reply. What cannot be sent (memory is short) ends the worker, and the page is told by the browser.
fn reply(id: u32, reply: &Reply) {
    reply_with(id, reply, None);
}

/// Sends a reply with a payload that the page does not look into.
fn reply_with(id: u32, reply: &Reply, payload: Option<&[u8]>) {
    let bytes = match postcard::to_stdvec(reply) {
        Ok(bytes) => bytes,
        Err(error) => wasm_bindgen::throw_str(&format!("a reply could not be written: {error}")),
    };
    let buffer = Uint8Array::from(bytes.as_slice()).buffer();
    let message = Array::of2(&JsValue::from(id), &buffer);
    let transfer = Array::of1(&buffer);
    if let Some(payload) = payload {
        let payload = Uint8Array::from(payload).buffer();
        message.push(&payload);
        transfer.push(&payload);
    }
    if let Err(error) = scope().post_message_with_transfer(&message, &transfer) {
        wasm_bindgen::throw_val(error);
    }
}

/// Entry of the worker binary.
pub fn main() {
    std::panic::set_hook(Box::new(|info| reply(0, &Reply::Panicked(info.to_string()))));
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(|event: MessageEvent| take(&event));
    scope().set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    // The handler lives as long as the worker.
    on_message.forget();
    reply(0, &Reply::Ready);
}

fn take(event: &MessageEvent) {
    let parts: Array = event.data().unchecked_into();
    let id = parts.get(0).as_f64().unwrap_or_default() as u32;
    let payload = parts.get(2);
    match serde_wasm_bindgen::from_value::<Request>(parts.get(1)) {
        Ok(Request::Open { name }) => {
            let opening = READER.with_borrow_mut(|reader| {
                reader.openings += 1;
                reader.open = None;
                reader.traces = None;
                reader.openings
            });
            wasm_bindgen_futures::spawn_local(async move {
                let progress = Rc::new(move |progress| reply(id, &Reply::Progress(progress)));
                let outcome = open::open(name, payload, &*progress).await;
                let newest = READER.with_borrow(|reader| reader.openings);
                if opening == newest {
                    reply(id, &opened(outcome));
                }
            });
        }
        Ok(Request::AddSource { name }) => reply(id, &add_source(name, &payload)),
        Ok(Request::Ask(question)) => {
            let answer = READER.with_borrow_mut(|reader| match (&mut reader.open, &reader.traces, &question) {
                (Some(Open { tape, slicer }), ..) => {
                    slicer.answer(tape, &question).unwrap_or_else(|| tape.answer(&question))
                }
                (None, Some(traces), Question::Trace(question)) => {
                    traces.answer(question).map_or_else(Answer::Unanswerable, Answer::Trace)
                }
                (None, Some(_), _) => Answer::Unanswerable("A trace is open, not a tape.".to_owned()),
                (None, None, _) => Answer::Unanswerable("No recording is open.".to_owned()),
            });
            reply(id, &Reply::Answer(Box::new(answer)));
        }
        Ok(Request::Trace(request)) => {
            READER.with_borrow_mut(|reader| traces::take(&mut reader.traces, id, request, &payload));
        }
        Ok(Request::Ping) => reply(id, &Reply::Pong),
        Err(error) => {
            let why = format!("The reader does not know this request ({error}). Reload the page.");
            reply(id, &Reply::Answer(Box::new(Answer::Unanswerable(why))));
        }
    }
}

fn opened(outcome: Result<open::Opened, Refusal>) -> Reply {
    match outcome {
        Ok(open::Opened::Tape(tape)) => {
            let summary: TapeSummary = tape.summary();
            READER.with_borrow_mut(|reader| reader.open = Some(Open { tape: *tape, slicer: Slicer::new() }));
            Reply::Opened(Box::new(summary))
        }
        Ok(open::Opened::Trace(deck)) => {
            let summary = deck.summary();
            READER.with_borrow_mut(|reader| reader.traces = Some(*deck));
            Reply::OpenedTrace(Box::new(summary))
        }
        Err(refusal) => Reply::Refused(refusal),
    }
}

fn add_source(name: String, payload: &JsValue) -> Reply {
    let bytes = match payload.dyn_ref::<ArrayBuffer>() {
        Some(buffer) => Ok(Uint8Array::new(buffer).to_vec()),
        None => open::read_source(payload),
    };
    let bytes = match bytes {
        Ok(bytes) => bytes,
        Err(refusal) => return Reply::Refused(refusal),
    };
    READER.with_borrow_mut(|reader| match &mut reader.open {
        Some(Open { tape, .. }) => Reply::Source(tape.set_source(name, &bytes)),
        None => Reply::Refused(Refusal {
            kind: "no-tape".to_owned(),
            what: "A source is shown beside a tape, and no tape is open.".to_owned(),
            place: String::new(),
            advice: "Open the tape, then drop its source.".to_owned(),
        }),
    })
}
