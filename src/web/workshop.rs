//! Where a replay is carried out: the reader gives steps, the tools worker runs them, and this carries the packed messages.
//!
//! Invariant: what is carried is not looked into here; the page's thread only moves buffers from one worker to the other.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::ArrayBuffer;
use tapedeck_core::model::protocol::Refusal;
use tapedeck_core::model::protocol_tools::{ModuleReport, ToolRow, Tried};
use tapedeck_core::model::protocol_trace::{Export, ReplayState, TraceReply, TraceRequest};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::{JsFuture, spawn_local};

use super::deck::{Deck, DeckEvent, Document};
use super::replay_plan::{Order, Plan};
use super::save::save;
use super::toolbox::{Lost, Told, Toolbox};

/// What the workshop tells the page.
#[derive(Debug)]
pub enum ShopEvent {
    /// How the replay stands.
    Replay(ReplayState),
    /// The replay came to its end.
    ReplayEnded,
    /// The tools there are.
    Tools(Vec<ToolRow>),
    /// A module was taken.
    Module(Box<ModuleReport>),
    /// The module of this file was not taken.
    ModuleRefused(String, Refusal),
    /// A tool ran.
    Tried(Tried),
    /// What was typed cannot be used, or the tools are not at hand.
    BadInput(String),
    /// The tried step is part of the recording.
    Added,
    /// The file was handed to the browser.
    Saved(String),
    /// There is no such file, and why.
    NoFile(String),
    /// The other trace is open: a sentence on the comparison.
    Other(String, String),
}

struct Inner {
    deck: RefCell<Option<Deck>>,
    toolbox: RefCell<Option<Toolbox>>,
    plan: RefCell<Option<Plan<ArrayBuffer>>>,
    lost: RefCell<Option<Lost>>,
    tell: Box<dyn Fn(ShopEvent)>,
    /// What a recording is to be called once its generators are made: the request and the seed.
    session: RefCell<Option<(String, String)>>,
    /// The state at which the next tried step begins: a packed step whose exit it is, or a packed state.
    entry: RefCell<Option<(bool, ArrayBuffer)>>,
    /// The packed step that was tried last.
    tried: RefCell<Option<ArrayBuffer>>,
}

/// The workshop.
#[derive(Clone)]
pub struct Workshop(Rc<Inner>);

impl PartialEq for Workshop {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Workshop {
    /// A workshop whose tools worker has this absolute address; nothing is started yet.
    pub fn new(tools_url: String, tell: impl Fn(ShopEvent) + 'static) -> Self {
        let inner = Rc::new(Inner {
            deck: RefCell::new(None),
            toolbox: RefCell::new(None),
            plan: RefCell::new(None),
            lost: RefCell::new(None),
            tell: Box::new(tell),
            session: RefCell::new(None),
            entry: RefCell::new(None),
            tried: RefCell::new(None),
        });
        let weak = Rc::downgrade(&inner);
        let toolbox = Toolbox::new(tools_url, move |told| {
            if let Some(inner) = weak.upgrade() {
                inner.told(told);
            }
        });
        *inner.toolbox.borrow_mut() = Some(toolbox);
        Self(inner)
    }

    /// The readers that give the steps.
    pub fn attach(&self, deck: Deck) {
        *self.0.deck.borrow_mut() = Some(deck);
    }

    /// Hears what the readers say; gives back what is the page's business.
    pub fn hear(&self, event: DeckEvent) -> Option<DeckEvent> {
        match event {
            DeckEvent::Trace(reply, payload) => {
                self.0.trace_reply(reply, payload);
                None
            }
            event @ (DeckEvent::Opened { .. } | DeckEvent::OpenedTrace { .. } | DeckEvent::ReaderLost(..)) => {
                self.0.forget_replay();
                Some(event)
            }
            event => Some(event),
        }
    }

    /// Replays the steps of the open trace, or one of them.
    pub fn replay(&self, only: Option<u32>, total: u32) {
        self.0.forget_replay();
        self.0.ask(TraceRequest::BeginReplay { only }, None);
        let (first, end) = only.map_or((0, total), |step| (step, step + 1));
        let (plan, orders) = Plan::begin(first, end);
        *self.0.plan.borrow_mut() = Some(plan);
        self.0.carry_out(orders);
    }

    /// Ends the replay before its end.
    pub fn cancel(&self) {
        if self.0.plan.borrow().is_some() {
            self.0.forget_replay();
            self.0.ask(TraceRequest::Cancelled, None);
            (self.0.tell)(ShopEvent::ReplayEnded);
        }
    }

    /// Another trace of the document.
    pub fn choose(&self, item: u32) {
        self.0.forget_replay();
        self.0.ask(TraceRequest::Choose { item }, None);
    }

    /// Makes a file and hands it to the browser.
    pub fn export(&self, export: Export) {
        self.0.ask(TraceRequest::Export(export), None);
    }

    /// Compares the open trace with another document.
    pub fn compare_with(&self, document: Document) {
        self.0.ask(TraceRequest::CompareWith { name: document.name }, Some(document.blob.into()));
    }

    /// Asks which tools there are.
    pub fn list_tools(&self) {
        self.0.with_tools(Toolbox::list);
    }

    /// Brings a module.
    pub fn add_module(&self, document: Document) {
        let inner = Rc::clone(&self.0);
        spawn_local(async move {
            match JsFuture::from(document.blob.array_buffer()).await {
                Ok(bytes) => inner.with_tools(|tools| tools.add_module(document.name, ArrayBuffer::from(bytes), false)),
                Err(error) => {
                    let refusal = Refusal {
                        kind: "unreadable".to_owned(),
                        what: format!("The browser could not read the file ({}).", super::bridge::error_text(&error)),
                        place: String::new(),
                        advice: "Drop it again.".to_owned(),
                    };
                    (inner.tell)(ShopEvent::ModuleRefused(document.name, refusal));
                }
            }
        });
    }

    /// Lets a module's tools replace those of the same name.
    pub fn replace_with(&self, sha256: &str) {
        self.0.with_tools(|tools| tools.replace_with(sha256));
    }

    /// Takes a module out.
    pub fn drop_module(&self, sha256: String) {
        self.0.with_tools(|tools| tools.drop_module(sha256));
    }

    /// Begins a recording of one's own.
    pub fn begin_session(&self, request: String, seed: String) {
        *self.0.session.borrow_mut() = Some((request, seed.clone()));
        self.0.with_tools(|tools| tools.seed(seed));
    }

    /// Names the request of the recording.
    pub fn name_request(&self, request: String) {
        self.0.ask(TraceRequest::NameRequest { request }, None);
    }

    /// Runs a tool from the recording's state, without adding it.
    pub fn try_tool(&self, tool: String, args: String, seed: String) {
        self.0.tried.borrow_mut().take();
        let entry = self.0.entry.borrow().clone();
        match entry {
            Some((is_after_step, entry)) => {
                self.0.with_tools(|tools| tools.try_tool(is_after_step, tool, args, seed, &entry));
            }
            None => (self.0.tell)(ShopEvent::BadInput("Begin a recording first.".to_owned())),
        }
    }

    /// Adds the step that was tried last to the recording.
    pub fn add_tried(&self) {
        let Some(step) = self.0.tried.borrow_mut().take() else { return };
        *self.0.entry.borrow_mut() = Some((true, step.clone()));
        self.0.ask(TraceRequest::AddStep, Some(step.slice(0).into()));
        (self.0.tell)(ShopEvent::Added);
    }
}

impl Inner {
    fn ask(&self, request: TraceRequest, payload: Option<JsValue>) {
        let deck = self.deck.borrow().clone();
        if let Some(deck) = deck {
            deck.send_trace(request, payload);
        }
    }

    fn with_tools(&self, act: impl FnOnce(&Toolbox)) {
        let toolbox = self.toolbox.borrow().clone();
        if let Some(toolbox) = toolbox {
            act(&toolbox);
        }
    }

    /// What is under way is ended; its outcomes would meet another trace.
    fn forget_replay(&self) {
        if self.plan.borrow_mut().take().is_some() {
            self.with_tools(Toolbox::end);
        }
    }

    fn trace_reply(&self, reply: TraceReply, payload: Option<ArrayBuffer>) {
        match reply {
            TraceReply::Batch { first, count } => {
                let Some(payload) = payload else { return };
                let orders = self.plan.borrow_mut().as_mut().map(|plan| plan.batch(first, count, payload));
                self.carry_out(orders.unwrap_or_default());
            }
            TraceReply::Replay(state) => (self.tell)(ShopEvent::Replay(state)),
            TraceReply::File { name, media } => {
                let is_saved = payload.is_some_and(|payload| save(&name, &media, &payload));
                (self.tell)(if is_saved {
                    ShopEvent::Saved(name)
                } else {
                    ShopEvent::NoFile(format!("The browser would not save {name}."))
                });
            }
            TraceReply::NoFile(why) => (self.tell)(ShopEvent::NoFile(why)),
            TraceReply::Other { name, sentence } => (self.tell)(ShopEvent::Other(name, sentence)),
        }
    }

    fn told(&self, told: Told) {
        match told {
            Told::Began(step) => {
                if let Some(plan) = self.plan.borrow_mut().as_mut() {
                    plan.began(step);
                }
            }
            Told::Outcomes { next, is_last, payload } => {
                let orders = self.plan.borrow_mut().as_mut().map(|plan| plan.outcomes(next, is_last));
                if let Some(orders) = orders {
                    self.ask(TraceRequest::Outcomes, Some(payload.into()));
                    self.carry_out(orders);
                }
            }
            Told::RunLost(lost) => {
                *self.lost.borrow_mut() = Some(lost);
                let orders = self.plan.borrow_mut().as_mut().map(Plan::lost);
                self.carry_out(orders.unwrap_or_default());
            }
            Told::Tools(rows) => (self.tell)(ShopEvent::Tools(rows)),
            Told::Module(report) => (self.tell)(ShopEvent::Module(report)),
            Told::ModuleRefused(file, refusal) => (self.tell)(ShopEvent::ModuleRefused(file, refusal)),
            Told::Seeded(state) => {
                let session = self.session.borrow_mut().take();
                let deck = self.deck.borrow().clone();
                if let (Some((request, seed)), Some(deck)) = (session, deck) {
                    *self.entry.borrow_mut() = Some((false, state));
                    self.tried.borrow_mut().take();
                    deck.new_session(request, seed);
                }
            }
            Told::Tried(tried, step) => {
                *self.tried.borrow_mut() = step.filter(|_| tried.is_returned);
                (self.tell)(ShopEvent::Tried(tried));
            }
            Told::BadInput(why) => (self.tell)(ShopEvent::BadInput(why)),
        }
    }

    fn carry_out(&self, orders: Vec<Order<ArrayBuffer>>) {
        for order in orders {
            match order {
                Order::Fetch { first, count } => self.ask(TraceRequest::Batch { first, count }, None),
                Order::Run { first, is_careful, payload } => {
                    self.with_tools(|tools| tools.run(first, is_careful, payload));
                }
                Order::Restart => self.with_tools(Toolbox::end),
                Order::Stopped { step } => {
                    let why = self.lost.borrow().as_ref().map_or_else(|| "stopped".to_owned(), Lost::sentence);
                    self.ask(TraceRequest::Stopped { step, why }, None);
                }
                Order::Done => {
                    self.plan.borrow_mut().take();
                    (self.tell)(ShopEvent::ReplayEnded);
                }
            }
        }
    }
}
