//! The address of the page: its fragment, and the places that Back returns to.
//!
//! Invariant: only the fragment is ever changed, so nothing is sent anywhere.

use wasm_bindgen::JsValue;

/// The fragment, `#` included; empty when there is none.
pub fn fragment() -> String {
    web_sys::window().and_then(|window| window.location().hash().ok()).unwrap_or_default()
}

/// The address without its fragment.
pub fn base() -> String {
    let href = web_sys::window().and_then(|window| window.location().href().ok()).unwrap_or_default();
    href.split('#').next().unwrap_or_default().to_owned()
}

/// Changes the fragment in place.
pub fn replace(fragment: &str) {
    if let Some(history) = web_sys::window().and_then(|window| window.history().ok()) {
        // A browser that allows no change (too many, or a page without a history) keeps the address as it is.
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(fragment));
    }
}

/// Changes the fragment; Back returns to the one before.
pub fn push(fragment: &str) {
    if let Some(history) = web_sys::window().and_then(|window| window.history().ok()) {
        // As above.
        let _ = history.push_state_with_url(&JsValue::NULL, "", Some(fragment));
    }
}
