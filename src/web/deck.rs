//! The readers of the page: the one whose tape is shown, the one that opens the next, and a spare.
//!
//! Every recording is opened in a fresh worker. The one before stays in place until the new one is open, so that a refused or
//! cancelled opening costs nothing; then it is ended. Cancelling ends the opening worker at once. A spare worker is started
//! ahead, so that opening does not wait for one.
//!
//! Invariant: whatever a worker says after it was replaced or ended is not heard.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};

use tapedeck_core::model::protocol::{Answer, Progress, Question, Refusal, Request, SourceSummary, TapeSummary};
use tapedeck_core::model::protocol_trace::{TraceReply, TraceRequest, TraceSummary};
use wasm_bindgen::JsValue;
use web_sys::Blob;

use super::bridge::{Bridge, Death, Heard};

/// A file at hand: its name and its bytes, which stay where they are until the worker reads them.
#[derive(Clone, Debug)]
pub struct Document {
    /// The name as the user knows it.
    pub name: String,
    /// The bytes (a `File` is a `Blob`).
    pub blob: Blob,
}

/// What the readers tell the page.
#[derive(Debug)]
pub enum DeckEvent {
    /// How far the opening is.
    Progress(Progress),
    /// A recording is open. `is_again` when it is the file whose reader was lost.
    Opened {
        /// What it holds.
        summary: Box<TapeSummary>,
        /// Whether it replaces a lost reader of the same file.
        is_again: bool,
    },
    /// A trace is open. `is_again` when it is the file whose reader was lost.
    OpenedTrace {
        /// What it holds.
        summary: Box<TraceSummary>,
        /// Whether it replaces a lost reader of the same file.
        is_again: bool,
    },
    /// The open trace changed: another of its document was chosen, or a step was added.
    TraceChanged(Box<TraceSummary>),
    /// What the reader says of the open trace, with its payload.
    Trace(TraceReply, Option<js_sys::ArrayBuffer>),
    /// The file of this name was refused.
    Refused(String, Refusal),
    /// The source of this name was refused.
    SourceRefused(String, Refusal),
    /// The source was taken.
    Source(Box<SourceSummary>),
    /// An answer from the reader of the open tape.
    Answer(Box<Question>, Box<Answer>),
    /// The reader that was opening the file of this name is lost.
    OpeningLost(String, Death),
    /// The reader of the open tape (the file of this name) is lost.
    ReaderLost(String, Death),
}

struct Loaded {
    bridge: Bridge,
    document: Document,
    source: Option<Document>,
    is_again: bool,
}

struct Inner {
    worker_url: String,
    listener: Box<dyn Fn(DeckEvent)>,
    spare: RefCell<Option<Bridge>>,
    current: RefCell<Option<Loaded>>,
    opening: RefCell<Option<Loaded>>,
    /// What to open when the user says "again".
    failed: RefCell<Option<(Document, Option<Document>, bool)>>,
    /// Grows with every opening; a listener of an older one stays silent.
    generation: Cell<u64>,
}

/// The readers of the page.
#[derive(Clone)]
pub struct Deck(Rc<Inner>);

impl PartialEq for Deck {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Deck {
    /// Readers whose worker file has this absolute address; what they say goes to the listener.
    pub fn new(worker_url: String, listener: impl Fn(DeckEvent) + 'static) -> Self {
        let deck = Self(Rc::new(Inner {
            worker_url,
            listener: Box::new(listener),
            spare: RefCell::new(None),
            current: RefCell::new(None),
            opening: RefCell::new(None),
            failed: RefCell::new(None),
            generation: Cell::new(0),
        }));
        deck.0.prepare_spare();
        deck
    }

    /// Opens a recording, and the source beside it when there is one. An opening that is under way is given up.
    pub fn open(&self, document: Document, source: Option<Document>) {
        self.0.open(document, source, false);
    }

    /// A number that changes with every later opening and cancelling.
    pub fn ticket(&self) -> u64 {
        self.0.generation.get()
    }

    /// Opens again what failed last.
    pub fn open_again(&self) {
        let failed = self.0.failed.borrow_mut().take();
        if let Some((document, source, is_again)) = failed {
            self.0.open(document, source, is_again);
        }
    }

    /// The name of what [`Deck::open_again`] would open.
    pub fn failed_name(&self) -> Option<String> {
        self.0.failed.borrow().as_ref().map(|(document, ..)| document.name.clone())
    }

    /// Gives the opening up.
    pub fn cancel(&self) {
        self.0.end_opening();
    }

    /// Gives the open tape its source. `false` when no tape is open.
    pub fn add_source(&self, source: Document) -> bool {
        let mut current = self.0.current.borrow_mut();
        let Some(loaded) = current.as_mut().filter(|loaded| !loaded.bridge.is_over()) else { return false };
        send_source(&loaded.bridge, &source);
        loaded.source = Some(source);
        true
    }

    /// Begins a recording of one's own, in place of what is open.
    pub fn new_session(&self, request: String, seed: String) {
        let Ok(blob) = Blob::new() else { return };
        let document = Document { name: "recording.json".to_owned(), blob };
        self.0.start(document, None, false, Some(TraceRequest::NewSession { request, seed }));
    }

    /// Asks something of the open trace; an `ArrayBuffer` as payload is transferred.
    pub fn send_trace(&self, request: TraceRequest, payload: Option<JsValue>) {
        let bridge = self.0.current.borrow().as_ref().map(|loaded| loaded.bridge.clone());
        if let Some(bridge) = bridge {
            bridge.send(&Request::Trace(request), payload);
        }
    }

    /// Puts a question to the reader of the open tape.
    pub fn ask(&self, question: Question) {
        let bridge = self.0.current.borrow().as_ref().map(|loaded| loaded.bridge.clone());
        if let Some(bridge) = bridge {
            bridge.ask(question);
        }
    }
}

fn send_source(bridge: &Bridge, source: &Document) {
    bridge.send(&Request::AddSource { name: source.name.clone() }, Some(source.blob.clone().into()));
}

impl Inner {
    /// A worker that fails while it is the spare is dropped without a word: the next opening starts its own and tells.
    fn prepare_spare(&self) {
        if self.spare.borrow().is_none() {
            *self.spare.borrow_mut() = Bridge::start(&self.worker_url).ok();
        }
    }

    fn end_opening(&self) {
        self.generation.set(self.generation.get() + 1);
        let opening = self.opening.borrow_mut().take();
        if let Some(loaded) = opening {
            loaded.bridge.end();
        }
        self.prepare_spare();
    }

    fn open(self: &Rc<Self>, document: Document, source: Option<Document>, is_again: bool) {
        self.start(document, source, is_again, None);
    }

    /// Starts a reader with a document, or with a session when there is one.
    fn start(
        self: &Rc<Self>,
        document: Document,
        source: Option<Document>,
        is_again: bool,
        session: Option<TraceRequest>,
    ) {
        self.end_opening();
        let generation = self.generation.get();
        let spare = self.spare.borrow_mut().take().filter(|bridge| !bridge.is_over());
        let bridge = match spare.map_or_else(|| Bridge::start(&self.worker_url), Ok) {
            Ok(bridge) => bridge,
            Err(death) => {
                let name = document.name.clone();
                *self.failed.borrow_mut() = Some((document, source, is_again));
                return (self.listener)(DeckEvent::OpeningLost(name, death));
            }
        };
        let weak: Weak<Self> = Rc::downgrade(self);
        bridge.listen(move |heard| {
            if let Some(deck) = weak.upgrade() {
                deck.heard(generation, heard);
            }
        });
        match session {
            Some(session) => bridge.send(&Request::Trace(session), None),
            None => bridge.send(&Request::Open { name: document.name.clone() }, Some(document.blob.clone().into())),
        }
        *self.opening.borrow_mut() = Some(Loaded { bridge, document, source, is_again });
    }

    fn is_opening(&self, generation: u64) -> bool {
        self.generation.get() == generation && self.opening.borrow().is_some()
    }

    fn heard(&self, generation: u64, heard: Heard) {
        if self.is_opening(generation) {
            match heard {
                Heard::Progress(progress) => (self.listener)(DeckEvent::Progress(progress)),
                Heard::Opened(summary) => {
                    self.opened(|is_again| DeckEvent::Opened { summary, is_again });
                }
                Heard::OpenedTrace(summary) => {
                    self.opened(|is_again| DeckEvent::OpenedTrace { summary, is_again });
                }
                Heard::Refused(refusal) => {
                    if let Some(name) = self.give_up_opening() {
                        (self.listener)(DeckEvent::Refused(name, refusal));
                    }
                }
                Heard::Died(death) => {
                    if let Some(name) = self.give_up_opening() {
                        (self.listener)(DeckEvent::OpeningLost(name, death));
                    }
                }
                Heard::Source(_) | Heard::Answer(..) | Heard::Trace(..) => {}
            }
            return;
        }
        match heard {
            Heard::Answer(question, answer) => (self.listener)(DeckEvent::Answer(question, answer)),
            Heard::Source(source) => (self.listener)(DeckEvent::Source(source)),
            Heard::OpenedTrace(summary) => (self.listener)(DeckEvent::TraceChanged(summary)),
            Heard::Trace(reply, payload) => (self.listener)(DeckEvent::Trace(reply, payload)),
            Heard::Refused(refusal) => {
                let name = self.current.borrow_mut().as_mut().and_then(|loaded| loaded.source.take());
                let name = name.map_or_else(|| "The source".to_owned(), |source| source.name);
                (self.listener)(DeckEvent::SourceRefused(name, refusal));
            }
            Heard::Died(death) => {
                let lost = self.current.borrow_mut().take();
                // What ended the reader (no memory, the browser) may have ended the spare with it, and nobody has asked it since.
                drop(self.spare.borrow_mut().take());
                self.prepare_spare();
                if let Some(loaded) = lost {
                    let name = loaded.document.name.clone();
                    *self.failed.borrow_mut() = Some((loaded.document, loaded.source, true));
                    (self.listener)(DeckEvent::ReaderLost(name, death));
                }
            }
            Heard::Progress(_) | Heard::Opened(_) => {}
        }
    }

    /// Ends the opening worker and keeps its file for "again"; tells the file's name.
    fn give_up_opening(&self) -> Option<String> {
        let loaded = self.opening.borrow_mut().take()?;
        let name = loaded.document.name.clone();
        *self.failed.borrow_mut() = Some((loaded.document, loaded.source, loaded.is_again));
        loaded.bridge.end();
        self.prepare_spare();
        Some(name)
    }

    fn opened(&self, event: impl FnOnce(bool) -> DeckEvent) {
        let Some(loaded) = self.opening.borrow_mut().take() else { return };
        let is_again = loaded.is_again;
        if let Some(source) = &loaded.source {
            send_source(&loaded.bridge, source);
        }
        let old = self.current.borrow_mut().replace(loaded);
        if let Some(old) = old {
            old.bridge.end();
        }
        self.failed.borrow_mut().take();
        (self.listener)(event(is_again));
        self.prepare_spare();
    }
}
