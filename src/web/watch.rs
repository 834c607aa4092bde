//! Told when an element's size, the screen's pixels or the system's preferences change.

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, MediaQueryList, ResizeObserver};

/// Calls back when an element's size changes, and once at the beginning. Dropping it ends that.
pub struct SizeWatch {
    observer: ResizeObserver,
    _told: Closure<dyn FnMut()>,
}

impl SizeWatch {
    /// Watches `element`; `None` where the browser cannot.
    pub fn new(element: &Element, told: impl FnMut() + 'static) -> Option<Self> {
        let told: Closure<dyn FnMut()> = Closure::new(told);
        let observer = ResizeObserver::new(told.as_ref().unchecked_ref()).ok()?;
        observer.observe(element);
        Some(Self { observer, _told: told })
    }
}

impl Drop for SizeWatch {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}

/// Calls back when a media query begins or ceases to hold. Dropping it ends that.
pub struct MediaWatch {
    list: MediaQueryList,
    told: Closure<dyn FnMut()>,
}

impl MediaWatch {
    /// Watches a query such as `(prefers-color-scheme: dark)`; `None` where the browser cannot.
    pub fn new(query: &str, told: impl FnMut() + 'static) -> Option<Self> {
        let list = web_sys::window()?.match_media(query).ok()??;
        let told: Closure<dyn FnMut()> = Closure::new(told);
        list.add_event_listener_with_callback("change", told.as_ref().unchecked_ref()).ok()?;
        Some(Self { list, told })
    }

    /// Whether it holds now.
    pub fn holds(&self) -> bool {
        self.list.matches()
    }
}

impl Drop for MediaWatch {
    fn drop(&mut self) {
        // It fails for no listener at all: an unknown one is ignored.
        let _ = self.list.remove_event_listener_with_callback("change", self.told.as_ref().unchecked_ref());
    }
}
