//! The document: what the boot script left on it, its colours, animation frames.
//!
//! Invariant: a page without a part that is asked for here (no boot tag, no window) is told apart from one with it; nothing panics.

use std::cell::RefCell;
use std::rc::Rc;

use wasm_bindgen::prelude::*;
use web_sys::{Document, Element, HtmlElement, Url, Window};

/// The window.
pub fn window() -> Option<Window> {
    web_sys::window()
}

/// The document.
pub fn document() -> Option<Document> {
    window()?.document()
}

/// An address relative to the page, made absolute.
pub fn absolute(address: &str) -> Option<String> {
    let base = document()?.base_uri().ok()??;
    Some(Url::new_with_base(address, &base).ok()?.href())
}

/// The absolute address of the reader worker's file, which the boot tag names (`data-worker`).
pub fn worker_url() -> Option<String> {
    let boot = document()?.get_element_by_id("boot")?;
    absolute(&boot.get_attribute("data-worker")?)
}

/// The absolute address of the tools worker's file, which the boot tag names (`data-tools`).
pub fn tools_url() -> Option<String> {
    let boot = document()?.get_element_by_id("boot")?;
    absolute(&boot.get_attribute("data-tools")?)
}

/// Sets or removes the attribute that overrules the system's colours.
pub fn set_theme(theme: Option<&str>) {
    let Some(root) = document().and_then(|document| document.document_element()) else { return };
    // Neither fails for a constant attribute name.
    let _ = match theme {
        Some(theme) => root.set_attribute("data-theme", theme),
        None => root.remove_attribute("data-theme"),
    };
}

/// Sets a CSS custom property on an element, which the Content-Security-Policy lets pass (a `style` attribute would not).
pub fn set_property(element: &Element, name: &str, value: &str) {
    if let Some(element) = element.dyn_ref::<HtmlElement>() {
        // It fails only for a property that cannot be set, which a custom property is not.
        let _ = element.style().set_property(name, value);
    }
}

/// Whether the user asked for less motion.
pub fn prefers_reduced_motion() -> bool {
    window()
        .and_then(|window| window.match_media("(prefers-reduced-motion: reduce)").ok().flatten())
        .is_some_and(|query| query.matches())
}

type FrameClosure = Rc<RefCell<Option<Closure<dyn FnMut(f64)>>>>;

/// A request for an animation frame, cancelled when dropped.
pub struct AnimationFrame {
    id: i32,
    _closure: FrameClosure,
}

impl Drop for AnimationFrame {
    fn drop(&mut self) {
        if let Some(window) = window() {
            // It may have run already.
            let _ = window.cancel_animation_frame(self.id);
        }
    }
}

/// Runs a function once, with the next animation frame; it is given the frame's time in milliseconds.
pub fn on_animation_frame(run: impl FnOnce(f64) + 'static) -> Option<AnimationFrame> {
    let mut run = Some(run);
    let closure = Closure::<dyn FnMut(f64)>::new(move |time: f64| {
        if let Some(run) = run.take() {
            run(time);
        }
    });
    let id = window()?.request_animation_frame(closure.as_ref().unchecked_ref()).ok()?;
    Some(AnimationFrame { id, _closure: Rc::new(RefCell::new(Some(closure))) })
}
