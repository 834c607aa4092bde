//! The tools worker as the page sees it: started when it is needed, ended when a step does not end, given its modules again.
//!
//! Invariant: after the first sign of death, or five silent seconds while something runs, the worker is terminated and nothing
//! more is heard of it; the next message starts another one, which knows the same modules.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::{Rc, Weak};

use gloo::timers::callback::Timeout;
use js_sys::{Array, ArrayBuffer, Uint8Array};
use tapedeck_core::model::protocol::Refusal;
use tapedeck_core::model::protocol_tools::{ModuleReport, ToolRow, ToolsReply, ToolsRequest, Tried};
use wasm_bindgen::prelude::*;
use web_sys::{ErrorEvent, Event, MessageEvent, Url, Worker};

use super::bridge::{Death, start_worker};

/// How long a step may run, in milliseconds.
pub const DEADLINE_MILLIS: u32 = 5_000;

/// What becomes of what was asked.
#[derive(Debug)]
pub enum Told {
    /// A step of a replay runs now.
    Began(u32),
    /// Outcomes of a replay, packed.
    Outcomes {
        /// The step after the last of them.
        next: u32,
        /// Whether the batch is done.
        is_last: bool,
        /// The packed outcomes.
        payload: ArrayBuffer,
    },
    /// The tools there are.
    Tools(Vec<ToolRow>),
    /// A module was taken.
    Module(Box<ModuleReport>),
    /// The module of this file was not taken.
    ModuleRefused(String, Refusal),
    /// Fresh generators, packed.
    Seeded(ArrayBuffer),
    /// A tool ran; the packed step when it returned.
    Tried(Tried, Option<ArrayBuffer>),
    /// What was typed cannot be used.
    BadInput(String),
    /// A replay's step did not end, or the worker was lost while it ran.
    RunLost(Lost),
}

/// Why the worker is gone.
#[derive(Clone, Debug)]
pub enum Lost {
    /// It said nothing for [`DEADLINE_MILLIS`].
    Deadline,
    /// It died.
    Death(Death),
}

impl Lost {
    /// In words, as what became of a step: "stopped after 5 s".
    pub fn sentence(&self) -> String {
        match self {
            Self::Deadline => format!("stopped after {} s", DEADLINE_MILLIS / 1000),
            Self::Death(death) => format!("the tools worker was lost: {}", death.detail()),
        }
    }
}

/// What a message was for.
#[derive(Clone, Debug)]
enum Work {
    Run,
    /// A module that the user brought: its file and its bytes, and whether it replaces.
    Module(String, ArrayBuffer, bool),
    /// A module that a fresh worker is given again.
    Again,
    Drop(String),
    Try,
    Other,
}

struct Module {
    file: String,
    bytes: ArrayBuffer,
    replaces: bool,
    sha256: String,
}

struct Live {
    worker: Worker,
    blob_url: Option<String>,
    is_ready: Cell<bool>,
    outbox: RefCell<Vec<(Array, Array)>>,
    _handlers: [Closure<dyn FnMut(Event)>; 2],
}

impl Drop for Live {
    fn drop(&mut self) {
        self.worker.set_onmessage(None);
        self.worker.set_onerror(None);
        self.worker.set_onmessageerror(None);
        self.worker.terminate();
        if let Some(url) = &self.blob_url {
            // An object URL that cannot be revoked costs a few bytes until the page goes.
            let _ = Url::revoke_object_url(url);
        }
    }
}

struct Inner {
    url: String,
    listener: Box<dyn Fn(Told)>,
    live: RefCell<Option<Live>>,
    modules: RefCell<Vec<Module>>,
    under_way: RefCell<BTreeMap<u32, Work>>,
    last_id: Cell<u32>,
    /// Ends the worker when nothing is heard in time.
    deadline: RefCell<Option<Timeout>>,
}

/// The tools worker.
#[derive(Clone)]
pub struct Toolbox(Rc<Inner>);

impl Toolbox {
    /// A toolbox whose worker file has this absolute address. Nothing is started yet.
    pub fn new(url: String, listener: impl Fn(Told) + 'static) -> Self {
        Self(Rc::new(Inner {
            url,
            listener: Box::new(listener),
            live: RefCell::new(None),
            modules: RefCell::new(Vec::new()),
            under_way: RefCell::new(BTreeMap::new()),
            last_id: Cell::new(0),
            deadline: RefCell::new(None),
        }))
    }

    /// Asks which tools there are; starts the worker.
    pub fn list(&self) {
        self.0.send(&ToolsRequest::List, None, Work::Other);
    }

    /// Runs packed steps.
    pub fn run(&self, first: u32, is_careful: bool, payload: ArrayBuffer) {
        self.0.send(&ToolsRequest::Run { first, is_careful }, Some(payload), Work::Run);
    }

    /// Brings a module.
    pub fn add_module(&self, file: String, bytes: ArrayBuffer, replaces: bool) {
        let request = ToolsRequest::AddModule { name: file.clone(), replaces };
        let copy = bytes.slice(0);
        self.0.send(&request, Some(copy), Work::Module(file, bytes, replaces));
    }

    /// Takes a module out.
    pub fn drop_module(&self, sha256: String) {
        self.0.send(&ToolsRequest::DropModule { sha256: sha256.clone() }, None, Work::Drop(sha256));
    }

    /// Brings a module again, so that its tools replace those of the same name.
    pub fn replace_with(&self, sha256: &str) {
        let found = self
            .0
            .modules
            .borrow()
            .iter()
            .find(|module| module.sha256 == sha256)
            .map(|module| (module.file.clone(), module.bytes.clone()));
        if let Some((file, bytes)) = found {
            self.add_module(file, bytes, true);
        }
    }

    /// Fresh generators.
    pub fn seed(&self, seed: String) {
        self.0.send(&ToolsRequest::Seed { seed }, None, Work::Other);
    }

    /// Runs a tool once. The payload is copied.
    pub fn try_tool(&self, is_after_step: bool, tool: String, args: String, seed: String, entry: &ArrayBuffer) {
        let request = ToolsRequest::Try { is_after_step, tool, args, seed };
        self.0.send(&request, Some(entry.slice(0)), Work::Try);
    }

    /// Ends the worker; what it was doing is forgotten. The next message starts another.
    pub fn end(&self) {
        self.0.end();
    }
}

impl Inner {
    fn end(&self) {
        self.live.borrow_mut().take();
        self.under_way.borrow_mut().clear();
        self.deadline.borrow_mut().take();
    }

    fn next_id(&self) -> u32 {
        self.last_id.set(self.last_id.get().wrapping_add(1).max(1));
        self.last_id.get()
    }

    fn send(self: &Rc<Self>, request: &ToolsRequest, payload: Option<ArrayBuffer>, work: Work) {
        if self.live.borrow().is_none() {
            match self.start() {
                Ok(live) => *self.live.borrow_mut() = Some(live),
                Err(death) => return self.tell_lost(vec![work], &Lost::Death(death)),
            }
            let again: Vec<(String, ArrayBuffer, bool)> = self
                .modules
                .borrow()
                .iter()
                .map(|module| (module.file.clone(), module.bytes.slice(0), module.replaces))
                .collect();
            for (name, bytes, replaces) in again {
                self.post(&ToolsRequest::AddModule { name, replaces }, Some(bytes), Work::Again);
            }
        }
        self.post(request, payload, work);
    }

    fn post(self: &Rc<Self>, request: &ToolsRequest, payload: Option<ArrayBuffer>, work: Work) {
        let bytes = match postcard::to_stdvec(request) {
            Ok(bytes) => bytes,
            Err(error) => return self.lose(&Lost::Death(Death::Crashed(error.to_string()))),
        };
        let id = self.next_id();
        self.under_way.borrow_mut().insert(id, work);
        let head = Uint8Array::from(bytes.as_slice()).buffer();
        let transfer = Array::of1(&head);
        if let Some(payload) = &payload {
            transfer.push(payload);
        }
        let payload = payload.map_or(JsValue::UNDEFINED, JsValue::from);
        let message = Array::of3(&JsValue::from(id), &head, &payload);
        let outcome = match &*self.live.borrow() {
            Some(live) if live.is_ready.get() => live.worker.post_message_with_transfer(&message, &transfer),
            Some(live) => {
                live.outbox.borrow_mut().push((message, transfer));
                Ok(())
            }
            None => Ok(()),
        };
        match outcome {
            Ok(()) => self.wind(),
            Err(error) => self.lose(&Lost::Death(Death::Crashed(super::bridge::error_text(&error)))),
        }
    }

    /// Sets the deadline anew while something is under way and the worker runs.
    fn wind(self: &Rc<Self>) {
        let is_ready = self.live.borrow().as_ref().is_some_and(|live| live.is_ready.get());
        let is_busy = is_ready && !self.under_way.borrow().is_empty();
        let weak: Weak<Self> = Rc::downgrade(self);
        let timeout = is_busy.then(|| {
            Timeout::new(DEADLINE_MILLIS, move || {
                if let Some(inner) = weak.upgrade() {
                    inner.lose(&Lost::Deadline);
                }
            })
        });
        *self.deadline.borrow_mut() = timeout;
    }

    /// The worker is lost: it is ended, and whoever waits for it is told.
    fn lose(&self, lost: &Lost) {
        let works: Vec<Work> = std::mem::take(&mut *self.under_way.borrow_mut()).into_values().collect();
        // Not taken here: this may be its own call.
        if let Some(timeout) = self.deadline.borrow_mut().take() {
            timeout.forget();
        }
        self.live.borrow_mut().take();
        self.tell_lost(works, lost);
    }

    fn tell_lost(&self, works: Vec<Work>, lost: &Lost) {
        for work in works {
            match work {
                Work::Run => (self.listener)(Told::RunLost(lost.clone())),
                Work::Module(file, ..) => {
                    let what = match lost {
                        Lost::Deadline => format!("The module was {} while it described itself.", lost.sentence()),
                        Lost::Death(death) => death.sentence(),
                    };
                    let refusal = Refusal {
                        kind: "module-broken".to_owned(),
                        what,
                        place: String::new(),
                        advice: "Mend the module and drop it again.".to_owned(),
                    };
                    (self.listener)(Told::ModuleRefused(file, refusal));
                }
                Work::Try => (self.listener)(Told::BadInput(format!("The tool was {}.", lost.sentence()))),
                Work::Again | Work::Drop(_) => {}
                Work::Other => {
                    (self.listener)(Told::BadInput(format!("The tools are not at hand: {}.", lost.sentence())));
                }
            }
        }
    }

    fn start(self: &Rc<Self>) -> Result<Live, Death> {
        let (worker, blob_url) = start_worker(&self.url)?;
        let handler = |act: fn(&Rc<Self>, &Event)| {
            let weak: Weak<Self> = Rc::downgrade(self);
            Closure::<dyn FnMut(Event)>::new(move |event: Event| {
                if let Some(inner) = weak.upgrade() {
                    act(&inner, &event);
                }
            })
        };
        let on_message = handler(|inner, event| {
            if let Some(event) = event.dyn_ref::<MessageEvent>() {
                inner.heard(event);
            }
        });
        let on_error = handler(|inner, event| {
            event.prevent_default();
            let detail = event.dyn_ref::<ErrorEvent>().map(ErrorEvent::message).unwrap_or_default();
            let is_ready = inner.live.borrow().as_ref().is_some_and(|live| live.is_ready.get());
            let death = if is_ready { Death::Crashed(detail) } else { Death::Unstartable(detail) };
            inner.lose_later(Lost::Death(death));
        });
        worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
        worker.set_onmessageerror(Some(on_error.as_ref().unchecked_ref()));
        Ok(Live {
            worker,
            blob_url,
            is_ready: Cell::new(false),
            outbox: RefCell::new(Vec::new()),
            _handlers: [on_message, on_error],
        })
    }

    /// Ending the worker drops its handlers; that must not happen inside one of them.
    fn lose_later(self: &Rc<Self>, lost: Lost) {
        let inner = Rc::clone(self);
        Timeout::new(0, move || inner.lose(&lost)).forget();
    }

    fn heard(self: &Rc<Self>, event: &MessageEvent) {
        let parts: Array = event.data().unchecked_into();
        let id = parts.get(0).as_f64().unwrap_or_default() as u32;
        let payload: Option<ArrayBuffer> = parts.get(2).dyn_into().ok();
        let reply = match postcard::from_bytes::<ToolsReply>(&Uint8Array::new(&parts.get(1)).to_vec()) {
            Ok(reply) => reply,
            Err(error) => return self.lose_later(Lost::Death(Death::Crashed(error.to_string()))),
        };
        match reply {
            ToolsReply::Ready => {
                if let Some(live) = &*self.live.borrow() {
                    live.is_ready.set(true);
                    for (message, transfer) in live.outbox.borrow_mut().drain(..) {
                        // A message that cannot be sent is missed at its deadline.
                        let _ = live.worker.post_message_with_transfer(&message, &transfer);
                    }
                }
                return self.wind();
            }
            ToolsReply::Panicked(text) => return self.lose_later(Lost::Death(Death::Panicked(text))),
            _ => {}
        }
        let is_partial = matches!(reply, ToolsReply::Began { .. } | ToolsReply::Outcomes { is_last: false, .. });
        let work = if is_partial {
            self.under_way.borrow().get(&id).cloned()
        } else {
            self.under_way.borrow_mut().remove(&id)
        };
        self.wind();
        // What was forgotten meanwhile is not told.
        let Some(work) = work else { return };
        let told = match (reply, work) {
            (ToolsReply::Began { step }, _) => Told::Began(step),
            (ToolsReply::Outcomes { next, is_last }, _) => {
                let Some(payload) = payload else { return };
                Told::Outcomes { next, is_last, payload }
            }
            (ToolsReply::Tools(rows), Work::Drop(sha256)) => {
                self.modules.borrow_mut().retain(|module| module.sha256 != sha256);
                Told::Tools(rows)
            }
            (ToolsReply::Tools(rows), _) => Told::Tools(rows),
            (ToolsReply::Module(report), Work::Module(file, bytes, replaces)) => {
                let sha256 = report.module.sha256.clone();
                self.modules.borrow_mut().retain(|module| module.sha256 != sha256);
                self.modules.borrow_mut().push(Module { file, bytes, replaces, sha256 });
                Told::Module(Box::new(report))
            }
            (ToolsReply::ModuleRefused(refusal), Work::Module(file, ..)) => Told::ModuleRefused(file, refusal),
            (ToolsReply::Seeded, _) => {
                let Some(payload) = payload else { return };
                Told::Seeded(payload)
            }
            (ToolsReply::Tried(tried), _) => Told::Tried(tried, payload),
            (ToolsReply::BadInput(why), _) => Told::BadInput(why),
            (ToolsReply::Module(_) | ToolsReply::ModuleRefused(_) | ToolsReply::Ready | ToolsReply::Panicked(_), _) => {
                return;
            }
        };
        (self.listener)(told);
    }
}
