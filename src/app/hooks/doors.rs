//! The doors that lead into the page from anywhere on it: a drop, a paste, the picker.

use gloo::events::{EventListener, EventListenerOptions};
use gloo::timers::callback::Timeout;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::{ClipboardEvent, DragEvent, HtmlElement, HtmlInputElement};
use yew::prelude::*;

use tapedeck_core::link::{Link, Source};
use tapedeck_core::model::protocol::Progress;

use crate::app::context::Door;
use crate::app::state::{Action, Alert};
use crate::app::text::is_source_name;
use crate::web::deck::{Deck, Document};
use crate::web::fetch;
use crate::web::files::{self, Delivery, carries_files, from_transfer};
use crate::web::folders;
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
        Door::Text(text) if is_address(&text) => open_url(text.trim().to_owned(), None, deck, send),
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
        Door::SampleArtifact => {
            let (deck, send) = (deck.clone(), send.clone());
            send.emit(Action::OpenStarted("results.zip".to_owned()));
            let ticket = deck.ticket();
            spawn_local(async move {
                let artifact = files::fetch("samples/results.zip", "results.zip").await;
                match artifact {
                    _ if deck.ticket() != ticket => {}
                    Ok(artifact) => deck.open(artifact, None),
                    Err(refusal) => send.emit(Action::OpenFailed(Alert::refused("The sample artifact", &refusal))),
                }
            });
        }
        Door::Url(address) => open_url(address, None, deck, send),
        Door::Link(link, remarks) if link.source.must_confirm() => send.emit(Action::LinkAsked(link, remarks)),
        Door::Link(link, remarks) | Door::Confirmed(link, remarks) => open_link(*link, remarks, deck, send),
        Door::File(node, path) => deck.open_file(node, path),
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

/// Whether a pasted text is an address and nothing else.
fn is_address(text: &str) -> bool {
    let text = text.trim();
    (text.starts_with("https://") || text.starts_with("http://")) && !text.contains(char::is_whitespace)
}

/// Opens the recording of a link.
fn open_link(mut link: Link, remarks: Vec<String>, deck: &Deck, send: &Callback<Action>) {
    match std::mem::take(&mut link.source) {
        Source::None => {}
        Source::Url { url, sha256 } => open_url(url, Some((link, remarks, sha256)), deck, send),
        Source::Inline { name, data, code } => {
            let document = files::from_bytes(&name, &data);
            let source = code.as_ref().and_then(|(name, code)| files::from_bytes(name, code));
            let Some(document) = document else {
                return send.emit(Action::OpenFailed(Alert::unavailable(
                    &name,
                    "The browser could not make a file of what the link holds.".to_owned(),
                    "Close other tabs and open the link again.",
                )));
            };
            send.emit(Action::OpenStarted(name.clone()));
            let origin = Some(Source::Inline { name, data, code });
            send.emit(Action::LinkRead { link: Box::new(link), remarks, origin });
            deck.open(document, source);
        }
    }
}

/// Fetches an address and opens what is there; for a link, only when the bytes are those that it was made with.
fn open_url(url: String, of_link: Option<(Link, Vec<String>, Option<[u8; 32]>)>, deck: &Deck, send: &Callback<Action>) {
    let (link, remarks, expected) = of_link.unwrap_or_default();
    // What was being opened is given up; from now on the ticket tells whether this is still wanted.
    deck.cancel();
    let name = fetch::name_of(&url);
    send.emit(Action::OpenStarted(name.clone()));
    let origin = Some(Source::Url { url: url.clone(), sha256: expected });
    send.emit(Action::LinkRead { link: Box::new(link.clone()), remarks, origin });
    let (deck, send, ticket) = (deck.clone(), send.clone(), deck.ticket());
    spawn_local(async move {
        let told = |done: f64, total: f64| {
            if deck.ticket() == ticket {
                let stage = "Fetching".to_owned();
                send.emit(Action::Progressed(Progress { stage, done, total, is_silent: false }));
            }
        };
        let outcome = fetch::fetch(&url, told, || deck.ticket() == ticket).await;
        if deck.ticket() != ticket {
            return;
        }
        match outcome {
            Ok(None) => {}
            Err(refusal) => send.emit(Action::OpenFailed(Alert::refused(&name, &refusal))),
            Ok(Some(fetched)) if expected.is_some_and(|expected| expected != fetched.sha256) => {
                let claimed = expected.map(|sum| hex(&sum)).unwrap_or_default();
                send.emit(Action::OpenFailed(Alert {
                    look_anyway: Some(url),
                    ..Alert::unavailable(
                        &name,
                        format!(
                            "What is at the address now is not what the link was made with. The link names the SHA-256 {claimed}, and the bytes there now have {}.",
                            hex(&fetched.sha256)
                        ),
                        "Ask the sender for the recording. You can look at what is there now, but nothing that the link says applies to it.",
                    )
                }));
            }
            Ok(Some(fetched)) => {
                send.emit(Action::OriginKnown(Source::Url { url, sha256: Some(fetched.sha256) }));
                deck.open(Document { file: link.file, ..fetched.document }, None);
            }
        }
    });
}

fn hex(sum: &[u8; 32]) -> String {
    sum.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Opens what came: a recording with its source, several files or folders as one artifact; a source alone goes to the open tape.
fn deliver(delivery: Delivery, deck: &Deck, send: &Callback<Action>) {
    let Delivery { documents, folders } = delivery;
    if !folders.is_empty() {
        return deliver_folders(documents, folders, deck, send);
    }
    let (mut sources, mut recordings): (Vec<Document>, Vec<Document>) =
        documents.into_iter().partition(|document| is_source_name(&document.name));
    match (recordings.pop(), sources.pop()) {
        // One recording, perhaps with its source: read as it comes, never as a whole.
        (Some(recording), source) if recordings.is_empty() && sources.is_empty() => {
            send.emit(Action::OpenStarted(recording.name.clone()));
            deck.open(recording, source);
        }
        (Some(recording), source) => {
            recordings.push(recording);
            recordings.extend(source);
            recordings.append(&mut sources);
            deliver_together(format!("{} files", recordings.len()), recordings, Vec::new(), deck, send);
        }
        (None, Some(source)) => {
            let name = source.name.clone();
            if !deck.add_source(source) {
                send.emit(Action::Alerted(Alert::unavailable(
                    &name,
                    "It is the source of a program, and no tape is open that it could be shown beside.".to_owned(),
                    "Drop the tape and the source together, or open the tape first.",
                )));
            }
        }
        (None, None) => {}
    }
}

/// Walks folders and opens what is in them, with the files beside them, as one artifact.
fn deliver_folders(
    mut documents: Vec<Document>,
    folders: Vec<web_sys::FileSystemEntry>,
    deck: &Deck,
    send: &Callback<Action>,
) {
    let is_alone = documents.is_empty() && folders.len() == 1;
    let name = match folders.first() {
        Some(folder) if is_alone => folder.name(),
        _ => format!("{} files and folders", documents.len() + folders.len()),
    };
    send.emit(Action::OpenStarted(name.clone()));
    let (deck, send, ticket) = (deck.clone(), send.clone(), deck.ticket());
    spawn_local(async move {
        let walked = folders::walk(folders, is_alone).await;
        if deck.ticket() != ticket {
            return;
        }
        documents.extend(walked.documents);
        if documents.is_empty() {
            let what = walked.notes.first().cloned().unwrap_or_else(|| "There is no file in it.".to_owned());
            return send.emit(Action::OpenFailed(Alert::unavailable(
                &name,
                what,
                "Drop the folder that holds the tapes.",
            )));
        }
        deliver_together(name, documents, walked.notes, &deck, &send);
    });
}

fn deliver_together(name: String, parts: Vec<Document>, remarks: Vec<String>, deck: &Deck, send: &Callback<Action>) {
    match Document::several(name.clone(), parts) {
        Some(document) => {
            send.emit(Action::OpenStarted(name));
            deck.open(Document { remarks, ..document }, None);
        }
        None => send.emit(Action::OpenFailed(Alert::unavailable(
            &name,
            "The browser could not put the files together.".to_owned(),
            "Open the tape alone.",
        ))),
    }
}
