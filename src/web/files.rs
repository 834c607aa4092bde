//! Files from every door: the picker, a drop, the clipboard, the sample that lies beside the page.
//!
//! Invariant: a file's bytes are not touched here; they go to the reader as they are.

use js_sys::Array;
use tapedeck_core::model::protocol::Refusal;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, DataTransfer, File, FileList, Response};

use super::bridge::error_text;
use super::deck::Document;

/// What came through a door.
#[derive(Clone, Debug, Default)]
pub struct Delivery {
    /// The files.
    pub documents: Vec<Document>,
    /// Names of folders among them, which this door cannot read.
    pub folders: Vec<String>,
}

impl From<File> for Document {
    fn from(file: File) -> Self {
        Self { name: file.name(), blob: file.into() }
    }
}

/// The files of a picker.
pub fn from_list(list: &FileList) -> Delivery {
    let documents = (0..list.length()).filter_map(|at| list.get(at)).map(Document::from).collect();
    Delivery { documents, folders: Vec::new() }
}

/// What was dropped or pasted. Must be called while the event is handled: afterwards the list is empty.
pub fn from_transfer(transfer: &DataTransfer) -> Delivery {
    let mut delivery = Delivery::default();
    let items = transfer.items();
    for at in 0..items.length() {
        let Some(item) = items.get(at).filter(|item| item.kind() == "file") else { continue };
        let folder = item.webkit_get_as_entry().ok().flatten().filter(web_sys::FileSystemEntry::is_directory);
        match (folder, item.get_as_file()) {
            (Some(entry), _) => delivery.folders.push(entry.name()),
            (None, Ok(Some(file))) => delivery.documents.push(file.into()),
            (None, _) => {}
        }
    }
    if delivery.documents.is_empty()
        && delivery.folders.is_empty()
        && let Some(files) = transfer.files()
    {
        return from_list(&files);
    }
    delivery
}

/// Text as a file of this name. `None` when the browser will not make one.
pub fn from_text(name: &str, text: &str) -> Option<Document> {
    let parts = Array::of1(&JsValue::from_str(text));
    let blob = Blob::new_with_str_sequence(&parts).ok()?;
    Some(Document { name: name.to_owned(), blob })
}

/// Whether a drag carries files.
pub fn carries_files(transfer: &DataTransfer) -> bool {
    transfer.types().includes(&JsValue::from_str("Files"), 0)
}

/// Fetches a file that lies beside the page.
///
/// # Errors
/// Why it could not be had.
pub async fn fetch(address: &str, name: &str) -> Result<Document, Refusal> {
    let refusal = |what: String| Refusal {
        kind: "unavailable".to_owned(),
        what,
        place: String::new(),
        advice: "Check the connection, or that the page's folder was copied whole, and try again.".to_owned(),
    };
    let Some(window) = super::page::window() else {
        return Err(refusal("There is no window.".to_owned()));
    };
    let response = JsFuture::from(window.fetch_with_str(address))
        .await
        .map_err(|error| refusal(format!("{name} could not be fetched: {}.", error_text(&error))))?;
    let response: Response = response.unchecked_into();
    if !response.ok() {
        return Err(refusal(format!("{name} could not be fetched: the server answers {}.", response.status())));
    }
    let promise = response.blob().map_err(|error| refusal(error_text(&error)))?;
    let blob = JsFuture::from(promise)
        .await
        .map_err(|error| refusal(format!("{name} arrived only in part: {}.", error_text(&error))))?;
    Ok(Document { name: name.to_owned(), blob: blob.unchecked_into() })
}
