//! The doors that lead into the page from anywhere on it: a drop, a paste, the picker.

use gloo::events::{EventListener, EventListenerOptions};
use gloo::timers::callback::Timeout;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{ClipboardEvent, DragEvent, HtmlElement, HtmlInputElement};
use yew::prelude::*;

use crate::app::context::Door;
use crate::app::state::{Action, Alert};
use crate::app::text::is_source_name;
use crate::web::deck::{Deck, Document};
use crate::web::files::{self, Delivery, carries_files, from_transfer};
use crate::web::workshop::Workshop;

/// Without a `dragover` for this long the drag has left the page. Browsers send one at least every 350 ms; `dragleave` is not
/// used, since it also comes when the pointer passes from one element to the next, which makes an overlay flicker.
const DRAG_GONE_MILLIS: u32 = 500;

/// The doors of the page.
pub struct Doors {
    /// Goes through one.
    pub door: Callback<Door>,
    /// Whether files are being dragged over the page.
    pub is_dragging: bool,
    /// For the file input.
    pub picker: NodeRef,
}

/// Opens the doors: listens for drops and pastes anywhere, and carries out what a door asks.
#[hook]
pub fn use_doors(deck: &Deck, workshop: &Workshop, send: &Callback<Action>) -> Doors {
    let picker = use_node_ref();
    let is_dragging = use_state_eq(|| false);
    let door = {
        let (deck, workshop, send, picker) = (deck.clone(), workshop.clone(), send.clone(), picker.clone());
        use_callback((), move |door: Door, ()| {
            if let Some(door) = bring_modules(door, &workshop) {
                go_through(door, &deck, &send, &picker);
            }
        })
    };
    {
        let (door, is_dragging) = (door.clone(), is_dragging.setter());
        use_effect_with((), move |()| {
            let listeners = web_sys::window().map(|window| {
                let options = EventListenerOptions::enable_prevent_default();
                let leaves = std::rc::Rc::new(std::cell::RefCell::new(None::<Timeout>));
                let (over, gone, shown) = (is_dragging.clone(), is_dragging.clone(), leaves.clone());
                let drag = EventListener::new_with_options(&window, "dragover", options, move |event| {
                    let Some(event) = event.dyn_ref::<DragEvent>() else { return };
                    let Some(transfer) = event.data_transfer().filter(carries_files) else { return };
                    event.prevent_default();
                    transfer.set_drop_effect("copy");
                    over.set(true);
                    let gone = gone.clone();
                    shown.replace(Some(Timeout::new(DRAG_GONE_MILLIS, move || gone.set(false))));
                });
                let (dropped, pasted) = (door.clone(), door);
                let drop = EventListener::new_with_options(&window, "drop", options, move |event| {
                    let Some(event) = event.dyn_ref::<DragEvent>() else { return };
                    let Some(transfer) = event.data_transfer().filter(carries_files) else { return };
                    event.prevent_default();
                    leaves.replace(None);
                    is_dragging.set(false);
                    dropped.emit(Door::Files(from_transfer(&transfer)));
                });
                let paste = EventListener::new_with_options(&window, "paste", options, move |event| {
                    if let Some(event) = event.dyn_ref::<ClipboardEvent>() {
                        paste(event, &pasted);
                    }
                });
                [drag, drop, paste]
            });
            move || drop(listeners)
        });
    }
    Doors { door, is_dragging: *is_dragging, picker }
}

fn paste(event: &ClipboardEvent, door: &Callback<Door>) {
    let Some(transfer) = event.clipboard_data() else { return };
    let delivery = from_transfer(&transfer);
    if !delivery.documents.is_empty() {
        event.prevent_default();
        return door.emit(Door::Files(delivery));
    }
    let target = event.target().and_then(|target| target.dyn_into::<HtmlElement>().ok());
    let into_field = target.is_some_and(|target| {
        matches!(target.tag_name().as_str(), "INPUT" | "TEXTAREA" | "SELECT") && target.id() != "paste"
    });
    let text = transfer.get_data("text/plain").unwrap_or_default();
    if !into_field && !text.is_empty() {
        event.prevent_default();
        door.emit(Door::Text(text));
    }
}

/// Modules among the files go to the tools; what is left goes through the door.
fn bring_modules(door: Door, workshop: &Workshop) -> Option<Door> {
    let Door::Files(mut delivery) = door else { return Some(door) };
    let (modules, documents): (Vec<Document>, Vec<Document>) =
        delivery.documents.into_iter().partition(|document| document.name.to_ascii_lowercase().ends_with(".wasm"));
    let had_modules = !modules.is_empty();
    modules.into_iter().for_each(|module| workshop.add_module(module));
    delivery.documents = documents;
    (!had_modules || !delivery.documents.is_empty()).then_some(Door::Files(delivery))
}

fn go_through(door: Door, deck: &Deck, send: &Callback<Action>, picker: &NodeRef) {
    match door {
        Door::Pick => {
            if let Some(input) = picker.cast::<HtmlInputElement>() {
                input.click();
            }
        }
        Door::Files(delivery) => deliver(delivery, deck, send),
        Door::Text(text) => match files::from_text("pasted.tape", &text) {
            Some(document) => deliver(Delivery { documents: vec![document], ..Delivery::default() }, deck, send),
            None => send.emit(Action::OpenFailed(Alert::unavailable(
                "The pasted text",
                "The browser could not make a file of it.".to_owned(),
                "Save it to a file and open that.",
            ))),
        },
        Door::Sample => {
            let (deck, send) = (deck.clone(), send.clone());
            send.emit(Action::OpenStarted("thermostat.tape".to_owned()));
            // While it is fetched the user may cancel, or open something else.
            let ticket = deck.ticket();
            spawn_local(async move {
                let tape = files::fetch("samples/thermostat.tape", "thermostat.tape").await;
                let source = files::fetch("samples/thermostat.eigs", "thermostat.eigs").await;
                match tape {
                    _ if deck.ticket() != ticket => {}
                    Ok(tape) => deck.open(tape, source.ok()),
                    Err(refusal) => send.emit(Action::OpenFailed(Alert::refused("The sample tape", &refusal))),
                }
            });
        }
        Door::Again => match deck.failed_name() {
            Some(name) => {
                send.emit(Action::OpenStarted(name));
                deck.open_again();
            }
            None => go_through(Door::Pick, deck, send, picker),
        },
        Door::Cancel => {
            deck.cancel();
            send.emit(Action::OpenCancelled);
        }
    }
}

/// Opens the first recording among the files, with the source that belongs to it; a source alone goes to the open tape.
fn deliver(delivery: Delivery, deck: &Deck, send: &Callback<Action>) {
    let Delivery { documents, folders } = delivery;
    let (mut sources, mut recordings): (Vec<Document>, Vec<Document>) =
        documents.into_iter().partition(|document| is_source_name(&document.name));
    let given = recordings.len();
    if given > 0 {
        let recording = recordings.swap_remove(0);
        let stem = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
        let own = sources.iter().position(|source| stem(&source.name) == stem(&recording.name)).unwrap_or(0);
        let source = (own < sources.len()).then(|| sources.swap_remove(own));
        let name = recording.name.clone();
        send.emit(Action::OpenStarted(name.clone()));
        deck.open(recording, source);
        if given > 1 {
            send.emit(Action::Noticed(format!("{given} recordings were given; {name}, the first, is the one opened.")));
        }
    } else if let Some(source) = sources.into_iter().next() {
        let name = source.name.clone();
        if !deck.add_source(source) {
            send.emit(Action::Alerted(Alert::unavailable(
                &name,
                "It is the source of a program, and no tape is open that it could be shown beside.".to_owned(),
                "Drop the tape and the source together, or open the tape first.",
            )));
        }
    } else if let Some(folder) = folders.first() {
        send.emit(Action::Alerted(Alert::unavailable(
            folder,
            "It is a folder.".to_owned(),
            "Open the folder on your machine and drop the tape that lies in it.",
        )));
    }
}
