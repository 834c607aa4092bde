//! What the page asks about an open trace beside questions: replay, files, sessions, comparing.
//!
//! Invariant: a replay's verdicts live here, beside the steps; what the tools worker sends is checked while it is unpacked.

use js_sys::{ArrayBuffer, Uint8Array};
use tapedeck_core::model::protocol::{Answer, Refusal, Reply};
use tapedeck_core::model::protocol_trace::{TraceReply, TraceRequest};
use tapedeck_core::trace::answer::TraceDeck;
use wasm_bindgen::prelude::*;

use super::{open, reply, reply_with};

fn bytes_of(payload: &JsValue) -> Vec<u8> {
    payload.dyn_ref::<ArrayBuffer>().map(|buffer| Uint8Array::new(buffer).to_vec()).unwrap_or_default()
}

/// Takes a request and answers it.
pub(super) fn take(slot: &mut Option<TraceDeck>, id: u32, request: TraceRequest, payload: &JsValue) {
    if let TraceRequest::NewSession { request, seed } = request {
        let deck = TraceDeck::session(request, &seed);
        reply(id, &Reply::OpenedTrace(Box::new(deck.summary())));
        *slot = Some(deck);
        return;
    }
    let Some(deck) = slot else {
        let why = "No trace is open.".to_owned();
        return reply(id, &Reply::Answer(Box::new(Answer::Unanswerable(why))));
    };
    let says = |state| Reply::Trace(TraceReply::Replay(state));
    match request {
        TraceRequest::NewSession { .. } => {}
        TraceRequest::Choose { item } => {
            deck.choose(Some(item as usize));
            reply(id, &Reply::OpenedTrace(Box::new(deck.summary())));
        }
        TraceRequest::BeginReplay { only } => reply(id, &says(deck.begin_replay(only))),
        TraceRequest::Batch { first, count } => {
            let (count, packed) = deck.batch(first, count);
            reply_with(id, &Reply::Trace(TraceReply::Batch { first, count }), Some(&packed));
        }
        TraceRequest::Outcomes => reply(id, &says(deck.take_outcomes(&bytes_of(payload)))),
        TraceRequest::Stopped { step, why } => reply(id, &says(deck.stopped(step, why))),
        TraceRequest::Cancelled => reply(id, &says(deck.cancelled())),
        TraceRequest::Export(export) => match deck.export(export) {
            Ok((name, media, bytes)) => {
                let file = TraceReply::File { name, media: media.to_owned() };
                reply_with(id, &Reply::Trace(file), Some(&bytes));
            }
            Err(why) => reply(id, &Reply::Trace(TraceReply::NoFile(why))),
        },
        TraceRequest::AddStep => {
            deck.add_step(&bytes_of(payload));
            reply(id, &Reply::OpenedTrace(Box::new(deck.summary())));
        }
        TraceRequest::NameRequest { request } => {
            deck.name_request(request);
            reply(id, &Reply::OpenedTrace(Box::new(deck.summary())));
        }
        TraceRequest::CompareWith { name } => {
            let outcome = read(payload).and_then(|bytes| deck.compare_with(name.clone(), &bytes));
            match outcome {
                Ok(sentence) => reply(id, &Reply::Trace(TraceReply::Other { name, sentence })),
                Err(refusal) => {
                    let Refusal { what, place, advice, .. } = refusal;
                    let place = if place.is_empty() { String::new() } else { format!(" ({place})") };
                    let why = format!("{name} was not compared. {what}{place} {advice}");
                    reply(id, &Reply::Trace(TraceReply::NoFile(why)));
                }
            }
        }
    }
}

/// The bytes of another document.
fn read(payload: &JsValue) -> Result<Vec<u8>, Refusal> {
    match payload.dyn_ref::<ArrayBuffer>() {
        Some(buffer) => Ok(Uint8Array::new(buffer).to_vec()),
        None => open::read_whole(payload),
    }
}
