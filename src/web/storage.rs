//! What the page remembers between visits (`localStorage`): sizes of panels and colours, nothing of a recording.
//!
//! Invariant: a browser that forbids storage, or that is full, costs the memory and nothing else.

use web_sys::Storage;

fn storage() -> Option<Storage> {
    web_sys::window()?.local_storage().ok()?
}

/// What was remembered under this key.
pub fn get(key: &str) -> Option<String> {
    storage()?.get_item(&format!("tapedeck.{key}")).ok()?
}

/// Remembers a text under this key.
pub fn set(key: &str, value: &str) {
    if let Some(storage) = storage() {
        // Full or forbidden: the panel is as large as by default next time.
        let _ = storage.set_item(&format!("tapedeck.{key}"), value);
    }
}
