//! Writing to the clipboard.

use js_sys::Reflect;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

/// Puts a text on the clipboard; `false` where the browser does not let the page (no HTTPS, no permission).
pub async fn copy(text: &str) -> bool {
    let Some(window) = web_sys::window() else { return false };
    let navigator = window.navigator();
    // On a page without HTTPS there is no clipboard at all, and calling it would throw.
    let exists = Reflect::get(&navigator, &JsValue::from_str("clipboard")).is_ok_and(|clipboard| clipboard.is_object());
    exists && JsFuture::from(navigator.clipboard().write_text(text)).await.is_ok()
}
