//! Animation frames, one at a time.

use std::cell::Cell;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;

/// Calls back in the next animation frame, once for any number of requests. Dropping it cancels.
pub struct Frames {
    draw: Closure<dyn FnMut(f64)>,
    waiting: Rc<Cell<Option<i32>>>,
}

impl Frames {
    /// `draw` is given the time of the animation frame, in milliseconds.
    pub fn new(mut draw: impl FnMut(f64) + 'static) -> Self {
        let waiting = Rc::new(Cell::new(None));
        let draw = Closure::new({
            let waiting = Rc::clone(&waiting);
            move |time: f64| {
                waiting.set(None);
                draw(time);
            }
        });
        Self { draw, waiting }
    }

    /// Asks for the next animation frame.
    pub fn request(&self) {
        if self.waiting.get().is_none()
            && let Some(window) = web_sys::window()
        {
            self.waiting.set(window.request_animation_frame(self.draw.as_ref().unchecked_ref()).ok());
        }
    }
}

impl Drop for Frames {
    fn drop(&mut self) {
        if let (Some(id), Some(window)) = (self.waiting.take(), web_sys::window()) {
            // It fails for no id at all: an unknown one is ignored.
            let _ = window.cancel_animation_frame(id);
        }
    }
}
