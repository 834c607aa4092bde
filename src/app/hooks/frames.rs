//! Time that runs by itself.

use std::cell::RefCell;
use std::rc::Rc;

use yew::prelude::*;

use crate::app::state::Action;
use crate::web::page::{AnimationFrame, on_animation_frame};

type Slot = Rc<RefCell<Option<AnimationFrame>>>;

/// While time runs, tells the reducer with every animation frame how much of it passed.
#[hook]
pub fn use_playing(is_playing: bool, send: &Callback<Action>) {
    let send = send.clone();
    use_effect_with(is_playing, move |is_playing| {
        let slot: Slot = Rc::default();
        if *is_playing {
            next(&slot, None, send);
        }
        // Dropping the awaited frame ends the chain.
        move || drop(slot.borrow_mut().take())
    });
}

fn next(slot: &Slot, before: Option<f64>, send: Callback<Action>) {
    let again = Rc::clone(slot);
    let frame = on_animation_frame(move |now| {
        if let Some(before) = before {
            send.emit(Action::Ticked(now - before));
        }
        if again.borrow().is_some() {
            next(&again, Some(now), send);
        }
    });
    *slot.borrow_mut() = frame;
}
