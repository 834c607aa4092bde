//! What every component may reach without being handed it: sending an action, and the doors.
//!
//! Invariant: the context never changes while the page lives, so reading it renders nothing anew.

use std::rc::Rc;

use yew::prelude::*;

use tapedeck_core::model::protocol_trace::Export;

use super::state::{Action, State, reduce};
use crate::web::deck::Document;
use crate::web::files::Delivery;

/// The reducer's state, as Yew wants it.
#[derive(Debug, Default, PartialEq)]
pub struct Page(pub State);

impl Reducible for Page {
    type Action = Action;
    fn reduce(self: Rc<Self>, action: Action) -> Rc<Self> {
        Rc::new(Self(reduce(&self.0, action)))
    }
}

/// A way into the page.
#[derive(Clone, Debug)]
pub enum Door {
    /// Ask the user for files.
    Pick,
    /// These came (picked, dropped, pasted).
    Files(Delivery),
    /// This text came (pasted).
    Text(String),
    /// The sample tape and its source.
    Sample,
    /// Open again what failed.
    Again,
    /// Give the opening up.
    Cancel,
}

/// Something that is done with a trace, outside the reducer.
#[derive(Clone, Debug)]
pub enum Work {
    /// Replay all steps, or one.
    Replay {
        /// Only this step.
        only: Option<u32>,
        /// How many steps there are.
        total: u32,
    },
    /// End the replay.
    CancelReplay,
    /// Show another trace of the document.
    Choose(u32),
    /// Save a file.
    Export(Export),
    /// Compare with the trace of this file.
    CompareWith(Document),
    /// Show or hide the tools.
    ToggleTools,
    /// Let a module (by its SHA-256) replace tools of the same name.
    ReplaceWith(String),
    /// Take a module out.
    DropModule(String),
    /// Begin a recording.
    BeginSession {
        /// The request.
        request: String,
        /// The seed of both generators.
        seed: String,
    },
    /// Name the recording's request.
    NameRequest(String),
    /// Run a tool.
    Try {
        /// Which one.
        tool: String,
        /// Its arguments as JSON.
        args: String,
        /// Its seed as JSON; empty for none.
        seed: String,
    },
    /// Add the step that was tried last.
    AddTried,
}

/// What every component may reach.
#[derive(Clone, PartialEq)]
pub struct Context {
    /// Sends an action to the reducer.
    pub send: Callback<Action>,
    /// Goes through a door.
    pub door: Callback<Door>,
    /// Does something with a trace.
    pub work: Callback<Work>,
}

/// The context; outside the page (a component under test without a provider) sending does nothing.
#[hook]
pub fn use_page() -> Context {
    use_context::<Context>().unwrap_or_else(|| Context {
        send: Callback::noop(),
        door: Callback::noop(),
        work: Callback::noop(),
    })
}

/// A callback that sends the same action whatever the event.
pub fn sends<E>(send: &Callback<Action>, action: Action) -> Callback<E> {
    let send = send.clone();
    Callback::from(move |_| send.emit(action.clone()))
}
