//! One reader worker: starting it, talking to it, noticing its death.
//!
//! A worker is started from a blob of two statements that imports the built file: a worker from a URL would stand outside
//! the page's Content-Security-Policy, one from a blob inherits it. What is sent before the worker says `Ready` would be
//! lost, so it is kept until then.
//!
//! Invariant: after the first sign of death (an error event, a panic, an unreadable message, eight silent seconds) the worker
//! is terminated, its handlers are gone, and nothing more is heard of it. A worker that panicked still answers, from a broken
//! state; it must never be asked again.

use std::cell::RefCell;
use std::rc::{Rc, Weak};

use gloo::timers::callback::Interval;
use js_sys::{Array, Uint8Array};
use tapedeck_core::model::protocol::{Answer, Progress, Question, Refusal, Reply, Request, SourceSummary, TapeSummary};
use tapedeck_core::model::protocol_trace::{TraceReply, TraceSummary};
use wasm_bindgen::prelude::*;
use web_sys::{Blob, BlobPropertyBag, ErrorEvent, Event, MessageEvent, Url, Worker};

use super::questions::{BEAT_MILLIS, Pulse, Questions};

/// What a worker says, or what became of it.
#[derive(Debug)]
pub enum Heard {
    /// How far the opening is.
    Progress(Progress),
    /// The recording is open.
    Opened(Box<TapeSummary>),
    /// The recording is a trace, and open; also after it changed.
    OpenedTrace(Box<TraceSummary>),
    /// What the reader says of an open trace, with its payload.
    Trace(TraceReply, Option<js_sys::ArrayBuffer>),
    /// The recording, or the source, was not taken.
    Refused(Refusal),
    /// The source was taken.
    Source(Box<SourceSummary>),
    /// The answer to a question.
    Answer(Box<Question>, Box<Answer>),
    /// The worker is lost, and why. Nothing follows.
    Died(Death),
}

/// How a worker was lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Death {
    /// It could not be started (a missing file, a policy).
    Unstartable(String),
    /// It panicked, with this text.
    Panicked(String),
    /// The browser reports an error in it: out of memory, out of stack, a trap.
    Crashed(String),
    /// It says nothing any more.
    Silent,
}

impl Death {
    /// What the browser or the worker said.
    pub fn detail(&self) -> String {
        match self {
            Self::Unstartable(detail) if detail.is_empty() => {
                "its file is missing, or the browser blocked it".to_owned()
            }
            Self::Unstartable(detail) | Self::Panicked(detail) | Self::Crashed(detail) => detail.clone(),
            Self::Silent => "it does not answer".to_owned(),
        }
    }

    /// What happened, in a sentence.
    pub fn sentence(&self) -> String {
        match self {
            Self::Unstartable(detail) if detail.is_empty() => {
                "The reader could not be started: its file is missing, or the browser blocked it.".to_owned()
            }
            Self::Unstartable(detail) => format!("The reader could not be started: {detail}."),
            Self::Panicked(text) => format!("The reader stopped at an error of its own: {text}."),
            Self::Crashed(detail) => format!(
                "The reader stopped: it ran out of memory or stack, or met an error of its own. The browser says: {detail}."
            ),
            Self::Silent => "The reader has not answered for 8 seconds and was stopped.".to_owned(),
        }
    }
}

type Listener = Rc<dyn Fn(Heard)>;
type Handler = Closure<dyn FnMut(Event)>;

struct Life {
    is_ready: bool,
    is_over: bool,
    outbox: Vec<(u32, JsValue, Option<JsValue>)>,
    questions: Questions,
    pulse: Pulse,
    listener: Option<Listener>,
}

struct Inner {
    worker: Worker,
    blob_url: Option<String>,
    life: RefCell<Life>,
    /// Dropped with the bridge, which removes them from the worker.
    handlers: RefCell<Vec<Handler>>,
    beat: RefCell<Option<Interval>>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        silence(&self.worker);
        self.worker.terminate();
        if let Some(url) = &self.blob_url {
            // An object URL that cannot be revoked costs a few bytes until the page goes.
            let _ = Url::revoke_object_url(url);
        }
    }
}

fn silence(worker: &Worker) {
    worker.set_onmessage(None);
    worker.set_onerror(None);
    worker.set_onmessageerror(None);
}

/// Starts a worker, from a blob that imports the file; returns it with the blob's address, to be revoked.
///
/// # Errors
/// The browser's words when it refuses to make a worker at all.
pub(super) fn start_worker(worker_url: &str) -> Result<(Worker, Option<String>), Death> {
    let words = |error: JsValue| Death::Unstartable(error_text(&error));
    if worker_url.starts_with("blob:") {
        return Ok((Worker::new(worker_url).map_err(words)?, None));
    }
    let url = js_sys::JSON::stringify(&JsValue::from_str(worker_url)).map_err(words)?;
    let script = format!("self.__base={url};importScripts({url});");
    let options = BlobPropertyBag::new();
    options.set_type("text/javascript");
    let parts = Array::of1(&JsValue::from_str(&script));
    let blob = Blob::new_with_str_sequence_and_options(&parts, &options).map_err(words)?;
    let blob_url = Url::create_object_url_with_blob(&blob).map_err(words)?;
    Ok((Worker::new(&blob_url).map_err(words)?, Some(blob_url)))
}

/// A running reader worker. Dropping it ends the worker.
#[derive(Clone)]
pub struct Bridge(Rc<Inner>);

impl Bridge {
    /// Starts a worker whose file has this absolute address. What it says goes to the listener set by [`Bridge::listen`].
    ///
    /// # Errors
    /// The browser's words when it refuses to make a worker at all.
    pub fn start(worker_url: &str) -> Result<Self, Death> {
        let (worker, blob_url) = start_worker(worker_url)?;
        let life = Life {
            is_ready: false,
            is_over: false,
            outbox: Vec::new(),
            questions: Questions::default(),
            pulse: Pulse::default(),
            listener: None,
        };
        let inner = Rc::new(Inner {
            worker,
            blob_url,
            life: RefCell::new(life),
            handlers: RefCell::new(Vec::new()),
            beat: RefCell::new(None),
        });
        attach(&inner);
        Ok(Self(inner))
    }

    /// From now on the listener hears what the worker says.
    pub fn listen(&self, listener: impl Fn(Heard) + 'static) {
        self.0.life.borrow_mut().listener = Some(Rc::new(listener));
    }

    /// Whether the worker is lost.
    pub fn is_over(&self) -> bool {
        self.0.life.borrow().is_over
    }

    /// Sends a request with a payload (a `Blob`, or an `ArrayBuffer`, which is transferred).
    pub fn send(&self, request: &Request, payload: Option<JsValue>) {
        let id = self.0.life.borrow_mut().questions.next_id();
        self.0.post(id, request, payload);
    }

    /// Puts a question; when one of its kind is under way it waits, and replaces one that waited.
    pub fn ask(&self, question: Question) {
        let now = {
            let mut life = self.0.life.borrow_mut();
            if life.is_over { None } else { life.questions.ask(question) }
        };
        if let Some((id, question)) = now {
            self.0.post(id, &Request::Ask(question), None);
        }
    }

    /// Ends the worker; nothing more is heard of it.
    pub fn end(&self) {
        self.0.end();
    }
}

impl Inner {
    fn post(&self, id: u32, request: &Request, payload: Option<JsValue>) {
        let head = match serde_wasm_bindgen::to_value(request) {
            Ok(head) => head,
            Err(error) => return self.die(Death::Crashed(error.to_string())),
        };
        let is_ready = {
            let mut life = self.life.borrow_mut();
            if life.is_over {
                return;
            }
            if !life.is_ready {
                life.outbox.push((id, head.clone(), payload.clone()));
            }
            life.is_ready
        };
        if is_ready {
            self.deliver(id, &head, payload);
        }
    }

    fn deliver(&self, id: u32, head: &JsValue, payload: Option<JsValue>) {
        let payload = payload.unwrap_or(JsValue::UNDEFINED);
        let transfer = Array::new();
        if payload.is_instance_of::<js_sys::ArrayBuffer>() {
            transfer.push(&payload);
        }
        let message = Array::of3(&JsValue::from(id), head, &payload);
        if let Err(error) = self.worker.post_message_with_transfer(&message, &transfer) {
            self.die(Death::Crashed(error_text(&error)));
        }
    }

    fn tell(&self, heard: Heard) {
        let listener = self.life.borrow().listener.clone();
        if let Some(listener) = listener {
            listener(heard);
        }
    }

    fn end(&self) {
        {
            let mut life = self.life.borrow_mut();
            life.is_over = true;
            life.outbox.clear();
            life.listener = None;
        }
        silence(&self.worker);
        self.worker.terminate();
        self.beat.borrow_mut().take();
    }

    fn die(&self, death: Death) {
        let listener = {
            let mut life = self.life.borrow_mut();
            if life.is_over {
                return;
            }
            let death_is_at_start = !life.is_ready;
            life.is_over = true;
            life.listener.take().map(|listener| (listener, death_is_at_start))
        };
        self.end();
        if let Some((listener, is_at_start)) = listener {
            listener(Heard::Died(match death {
                Death::Crashed(detail) if is_at_start => Death::Unstartable(detail),
                death => death,
            }));
        }
    }

    fn heard(&self, event: &MessageEvent) {
        self.life.borrow_mut().pulse.heard();
        let parts: Array = event.data().unchecked_into();
        let id = parts.get(0).as_f64().unwrap_or_default() as u32;
        let bytes = Uint8Array::new(&parts.get(1)).to_vec();
        let reply = match postcard::from_bytes::<Reply>(&bytes) {
            Ok(reply) => reply,
            Err(error) => {
                return self.die(Death::Crashed(format!("its message could not be read ({error}); reload the page")));
            }
        };
        match reply {
            Reply::Ready => {
                let outbox = {
                    let mut life = self.life.borrow_mut();
                    life.is_ready = true;
                    std::mem::take(&mut life.outbox)
                };
                for (id, head, payload) in outbox {
                    self.deliver(id, &head, payload);
                }
            }
            Reply::Pong => {}
            Reply::Progress(progress) => {
                if progress.is_silent {
                    self.life.borrow_mut().pulse.silence_announced(progress.total);
                }
                self.tell(Heard::Progress(progress));
            }
            Reply::Opened(summary) => self.tell(Heard::Opened(summary)),
            Reply::OpenedTrace(summary) => self.tell(Heard::OpenedTrace(summary)),
            Reply::Trace(reply) => self.tell(Heard::Trace(reply, parts.get(2).dyn_into().ok())),
            Reply::Refused(refusal) => self.tell(Heard::Refused(refusal)),
            Reply::Source(source) => self.tell(Heard::Source(Box::new(source))),
            Reply::Panicked(text) => self.die(Death::Panicked(text)),
            Reply::Answer(answer) => {
                let (question, next) = {
                    let mut life = self.life.borrow_mut();
                    let question = life.questions.answered(id);
                    let next = question.as_ref().and_then(|question| life.questions.release(question.kind()));
                    (question, next)
                };
                if let Some((id, question)) = next {
                    self.post(id, &Request::Ask(question), None);
                }
                if let Some(question) = question {
                    self.tell(Heard::Answer(Box::new(question), answer));
                }
            }
        }
    }

    fn beat(&self) {
        if self.life.borrow_mut().pulse.beat() {
            return self.die(Death::Silent);
        }
        let (is_ready, id) = {
            let mut life = self.life.borrow_mut();
            (life.is_ready, life.questions.next_id())
        };
        if is_ready {
            self.post(id, &Request::Ping, None);
        }
    }
}

fn attach(inner: &Rc<Inner>) {
    let handler = |act: fn(&Inner, &Event)| {
        let weak: Weak<Inner> = Rc::downgrade(inner);
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
        // It is told on the page; the console need not repeat it.
        event.prevent_default();
        // For a file that cannot be loaded the browser sends a plain event without a message.
        let detail = event.dyn_ref::<ErrorEvent>().map(ErrorEvent::message).unwrap_or_default();
        inner.die(Death::Crashed(detail));
    });
    let on_message_error = handler(|inner, _| {
        inner.die(Death::Crashed("a message could not be read".to_owned()));
    });
    inner.worker.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    inner.worker.set_onerror(Some(on_error.as_ref().unchecked_ref()));
    inner.worker.set_onmessageerror(Some(on_message_error.as_ref().unchecked_ref()));
    inner.handlers.borrow_mut().extend([on_message, on_error, on_message_error]);
    let weak = Rc::downgrade(inner);
    let beat = Interval::new(BEAT_MILLIS, move || {
        if let Some(inner) = weak.upgrade() {
            inner.beat();
        }
    });
    *inner.beat.borrow_mut() = Some(beat);
}

/// The words of a JavaScript error.
pub fn error_text(error: &JsValue) -> String {
    match error.dyn_ref::<js_sys::Error>() {
        Some(error) => String::from(error.message()),
        None => error.as_string().unwrap_or_else(|| format!("{error:?}")),
    }
}
