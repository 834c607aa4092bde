//! The address of the page and what it shows: each follows the other.
//!
//! Scrubbing changes the address in place, at most four times a second; a jump leaves the place before as one that Back returns
//! to. An address that holds the recording itself is written when scrubbing rests, since packing it takes a moment.
//!
//! Invariant: an address is written only once a recording is open, so a link that cannot be opened stays in the bar.

use std::cell::RefCell;
use std::rc::Rc;

use gloo::events::EventListener;
use gloo::timers::callback::Timeout;
use tapedeck_core::bytes::Limits;
use tapedeck_core::link::{self, Link, Parsed, Source};
use yew::prelude::*;

use crate::app::context::Door;
use crate::app::link_state;
use crate::app::shared::Shared;
use crate::app::state::{Action, Alert, State};
use crate::web::address;

/// How often the address changes while time is scrubbed: four times a second.
const EVERY_MILLIS: u32 = 250;

/// How long scrubbing must rest before an address that holds the recording is written.
const REST_MILLIS: u32 = 500;

/// The largest recording with its source that an address is written with again and again.
const MAX_REWRITTEN_BYTES: usize = 1 << 20;

/// What was written into the address, and what waits.
#[derive(Default)]
struct Writer {
    /// The view that the address shows.
    written: Option<Link>,
    waiting: Option<Link>,
    timer: Option<Timeout>,
    jumps: u32,
    origin: Option<Shared<Source>>,
}

impl Writer {
    fn text(&self, view: &Link) -> Option<String> {
        let source = match self.origin.as_deref() {
            None => Source::None,
            Some(Source::Inline { data, code, .. })
                if data.len() + code.as_ref().map_or(0, |(_, code)| code.len()) > MAX_REWRITTEN_BYTES =>
            {
                return None;
            }
            Some(source) => source.clone(),
        };
        Some(link::write(&Link { source, ..view.clone() }))
    }

    fn replace(&mut self, view: Link) {
        if let Some(text) = self.text(&view) {
            address::replace(&text);
        }
        self.written = Some(view);
    }

    fn flush(&mut self) {
        self.timer = None;
        if let Some(view) = self.waiting.take() {
            self.replace(view);
        }
    }
}

/// Keeps the address and the state together.
#[hook]
pub fn use_address(state: &State, send: &Callback<Action>, door: &Callback<Door>) {
    let writer = use_mut_ref(Writer::default);
    let latest = use_mut_ref(State::default);
    *latest.borrow_mut() = state.clone();
    {
        let (writer, latest, send, door) = (Rc::clone(&writer), latest, send.clone(), door.clone());
        use_effect_with((), move |()| {
            let state = latest.borrow().clone();
            follow(&state, &send, &door);
            let listener = web_sys::window().map(|window| {
                EventListener::new(&window, "hashchange", move |_| {
                    {
                        let mut writer = writer.borrow_mut();
                        writer.waiting = None;
                        writer.timer = None;
                    }
                    let state = latest.borrow().clone();
                    follow(&state, &send, &door);
                })
            });
            move || drop(listener)
        });
    }
    let view = link_state::view(state);
    let serial = state.tape.as_ref().map(|open| open.serial).or_else(|| state.trace.as_ref().map(|trace| trace.serial));
    let deps = (view, state.jumps, state.origin.clone(), serial);
    use_effect_with(deps, move |(view, jumps, origin, open)| {
        if open.is_some() {
            write(&writer, view, *jumps, origin);
        }
    });
}

fn write(cell: &Rc<RefCell<Writer>>, view: &Link, jumps: u32, origin: &Option<Shared<Source>>) {
    let mut writer = cell.borrow_mut();
    let is_jump = writer.jumps != jumps && writer.written.is_some();
    writer.jumps = jumps;
    let is_same_origin = writer.origin == *origin;
    writer.origin.clone_from(origin);
    if is_same_origin && writer.written.as_ref() == Some(view) && writer.waiting.is_none() {
        return;
    }
    if is_jump {
        writer.flush();
        if let Some(text) = writer.text(view) {
            address::push(&text);
        }
        writer.written = Some(view.clone());
        return;
    }
    let is_inline = matches!(origin.as_deref(), Some(Source::Inline { .. }));
    writer.waiting = Some(view.clone());
    if writer.timer.is_some() && !is_inline {
        return;
    }
    if writer.written.is_none() {
        return writer.flush();
    }
    let later = Rc::clone(cell);
    let wait = if is_inline { REST_MILLIS } else { EVERY_MILLIS };
    writer.timer = Some(Timeout::new(wait, move || later.borrow_mut().flush()));
}

/// Does what the address says.
fn follow(state: &State, send: &Callback<Action>, door: &Callback<Door>) {
    let fragment = address::fragment();
    if fragment.trim_start_matches('#').is_empty() {
        return;
    }
    let Parsed { link, notes } = match link::parse(&fragment, &Limits::default()) {
        Ok(parsed) => parsed,
        Err(error) => {
            return send.emit(Action::Alerted(Alert {
                title: "The link was not opened".to_owned(),
                what: error.to_string(),
                place: String::new(),
                advice: error.advice().to_owned(),
                can_retry: false,
                look_anyway: None,
            }));
        }
    };
    let mut remarks: Vec<String> = notes.iter().map(ToString::to_string).collect();
    if link.second != Source::None {
        remarks.push("It also names a second recording to compare with, which was left out.".to_owned());
    }
    let is_open = state.tape.is_some() || state.trace.is_some() || state.artifact.is_some();
    let is_same = is_open
        && match (&link.source, state.origin.as_deref()) {
            (Source::None, _) => true,
            (source, Some(origin)) => source == origin,
            (_, None) => false,
        };
    if is_same {
        let wanted = link.file.clone();
        send.emit(Action::LinkRead { link: Box::new(link), remarks, origin: None });
        // Another file of the same artifact: it is opened, and the view waits for it.
        let artifact = state.artifact.as_ref();
        if let (Some(artifact), Some(path)) = (artifact, wanted) {
            let chosen = artifact.chosen.and_then(|id| artifact.summary.tree.node(id)).map(|node| node.path.as_str());
            if chosen != Some(path.as_str())
                && let Some(node) = artifact.summary.tree.find(&path)
            {
                door.emit(Door::File(node.id, path));
            }
        }
        return;
    }
    if link.source == Source::None {
        send.emit(Action::LinkRead { link: Box::new(link), remarks, origin: None });
        send.emit(Action::Noticed(
            "This address names a place in a recording, but not the recording: open it, and it shows that place."
                .to_owned(),
        ));
        return;
    }
    door.emit(Door::Link(Box::new(link), remarks));
}
