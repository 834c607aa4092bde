//! What every component may reach without being handed it: sending an action, and the doors.
//!
//! Invariant: the context never changes while the page lives, so reading it renders nothing anew.

use std::rc::Rc;

use yew::prelude::*;

use super::state::{Action, State, reduce};
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

/// What every component may reach.
#[derive(Clone, PartialEq)]
pub struct Context {
    /// Sends an action to the reducer.
    pub send: Callback<Action>,
    /// Goes through a door.
    pub door: Callback<Door>,
}

/// The context; outside the page (a component under test without a provider) sending does nothing.
#[hook]
pub fn use_page() -> Context {
    use_context::<Context>().unwrap_or_else(|| Context { send: Callback::noop(), door: Callback::noop() })
}

/// A callback that sends the same action whatever the event.
pub fn sends<E>(send: &Callback<Action>, action: Action) -> Callback<E> {
    let send = send.clone();
    Callback::from(move |_| send.emit(action.clone()))
}
