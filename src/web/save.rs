//! Saving a file: the browser's own download, of bytes that never left the page.

use js_sys::Array;
use wasm_bindgen::prelude::*;
use web_sys::{Blob, BlobPropertyBag, HtmlAnchorElement, Url};

use super::page;

/// How long the bytes are kept for the download to begin, in milliseconds; browsers take them in the same turn or soon after.
const KEEP_MILLIS: u32 = 10_000;

/// Offers bytes (an `ArrayBuffer`) as a download of this name. `false` when the browser will not.
pub fn save(name: &str, media: &str, bytes: &JsValue) -> bool {
    let options = BlobPropertyBag::new();
    options.set_type(media);
    let attempt = || {
        let blob = Blob::new_with_buffer_source_sequence_and_options(&Array::of1(bytes), &options).ok()?;
        let url = Url::create_object_url_with_blob(&blob).ok()?;
        let anchor = page::document()?.create_element("a").ok()?.dyn_into::<HtmlAnchorElement>().ok()?;
        anchor.set_href(&url);
        anchor.set_download(name);
        anchor.click();
        gloo::timers::callback::Timeout::new(KEEP_MILLIS, move || {
            // An object URL that cannot be revoked costs memory until the page goes.
            let _ = Url::revoke_object_url(&url);
        })
        .forget();
        Some(())
    };
    attempt().is_some()
}
