//! The keys of the whole page.

use gloo::events::{EventListener, EventListenerOptions};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, KeyboardEvent};
use yew::prelude::*;

use crate::app::context::{Context, Door};
use crate::app::keys::{Command, Press, command};
use crate::app::state::{Action, Dialog};

/// Binds the key table to the window. A key that a component handled itself (it called `preventDefault`) is left alone.
#[hook]
pub fn use_keyboard(has_tape: bool, dialog: Dialog, context: &Context) {
    let context = context.clone();
    use_effect_with((has_tape, dialog), move |&(has_tape, dialog)| {
        let listener = web_sys::window().map(|window| {
            let options = EventListenerOptions::enable_prevent_default();
            EventListener::new_with_options(&window, "keydown", options, move |event| {
                if let Some(event) = event.dyn_ref::<KeyboardEvent>() {
                    pressed(event, has_tape, dialog, &context);
                }
            })
        });
        move || drop(listener)
    });
}

fn pressed(event: &KeyboardEvent, has_tape: bool, dialog: Dialog, context: &Context) {
    if event.default_prevented() || event.is_composing() {
        return;
    }
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let is = |names: &[&str]| target.as_ref().is_some_and(|target| names.contains(&target.tag_name().as_str()));
    let is_editable = target
        .as_ref()
        .and_then(|target| target.dyn_ref::<HtmlElement>())
        .is_some_and(HtmlElement::is_content_editable);
    let press = Press {
        key: &event.key(),
        ctrl: event.ctrl_key() || event.meta_key(),
        shift: event.shift_key(),
        alt: event.alt_key(),
        in_field: is_editable || is(&["INPUT", "TEXTAREA", "SELECT"]),
        on_button: is(&["BUTTON", "A", "SUMMARY"]),
    };
    let Some(command) = command(press, has_tape) else { return };
    // A dialog keeps the keys to itself; `?` closes the sheet that it opened.
    if dialog != Dialog::None && command != Command::Help {
        return;
    }
    event.prevent_default();
    let send = |action| context.send.emit(action);
    match command {
        Command::Step(by) => send(Action::Step(by)),
        Command::First => send(Action::First),
        Command::Last => send(Action::Last),
        Command::Change(direction) => send(Action::ToChange(direction)),
        Command::Continue(direction) => send(Action::Continue(direction)),
        Command::Play => send(Action::PlayToggled),
        Command::Pin => send(Action::SelectedPinToggled),
        Command::Zoom(factor) => send(Action::Zoomed(factor)),
        Command::Pan(parts) => send(Action::Paged(parts)),
        Command::Fit => send(Action::Fitted),
        Command::Open => context.door.emit(Door::Pick),
        Command::Help => {
            send(Action::DialogShown(if dialog == Dialog::Keys { Dialog::None } else { Dialog::Keys }));
        }
    }
}
