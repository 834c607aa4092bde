//! Walking dropped folders.
//!
//! Invariant: a folder that cannot be listed, or that holds more than a page can show, is said to be so; what was found is
//! used all the same.

use js_sys::{Array, Function, Promise};
use tapedeck_core::bytes::limits::MAX_ENTRIES;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{File, FileSystemDirectoryEntry, FileSystemEntry, FileSystemFileEntry};

use super::deck::Document;

/// The files of folders.
#[derive(Debug, Default)]
pub struct Walked {
    /// The files; the names are paths below the folder, or with the folder's name when there are several.
    pub documents: Vec<Document>,
    /// What was left out, in sentences.
    pub notes: Vec<String>,
}

/// Walks folders.
pub async fn walk(folders: Vec<FileSystemEntry>, is_alone: bool) -> Walked {
    let mut walked = Walked::default();
    let mut waiting: Vec<(String, FileSystemEntry)> =
        folders.into_iter().map(|folder| (if is_alone { String::new() } else { folder.name() }, folder)).collect();
    let mut unreadable = Vec::new();
    while let Some((path, entry)) = waiting.pop() {
        if walked.documents.len() >= MAX_ENTRIES {
            walked.notes.push(format!("The folder holds more than {MAX_ENTRIES} files; only the first are listed."));
            break;
        }
        if entry.is_directory() {
            match children(entry.unchecked_ref()).await {
                Ok(children) => waiting.extend(children.into_iter().map(|child| {
                    let name = child.name();
                    (if path.is_empty() { name } else { format!("{path}/{name}") }, child)
                })),
                Err(_) => unreadable.push(path),
            }
        } else {
            match file(entry.unchecked_ref()).await {
                Ok(file) => walked.documents.push(Document::new(path, file.into())),
                Err(_) => unreadable.push(path),
            }
        }
    }
    if !unreadable.is_empty() {
        walked.notes.push(format!("The browser could not read {}.", unreadable.join(", ")));
    }
    walked.documents.sort_by(|one, other| one.name.cmp(&other.name));
    walked
}

/// What a folder holds. The browser hands it out in parts of about a hundred, the last of which is empty.
async fn children(folder: &FileSystemDirectoryEntry) -> Result<Vec<FileSystemEntry>, JsValue> {
    let reader = folder.create_reader();
    let mut children = Vec::new();
    loop {
        let mut failed = None;
        let part =
            promise(|told, refused| failed = reader.read_entries_with_callback_and_callback(told, refused).err());
        if let Some(error) = failed {
            return Err(error);
        }
        let part: Array = JsFuture::from(part).await?.unchecked_into();
        if part.length() == 0 {
            return Ok(children);
        }
        children.extend(part.iter().map(JsValue::unchecked_into::<FileSystemEntry>));
    }
}

async fn file(entry: &FileSystemFileEntry) -> Result<File, JsValue> {
    let file = promise(|told, refused| entry.file_with_callback_and_callback(told, refused));
    Ok(JsFuture::from(file).await?.unchecked_into())
}

fn promise(mut ask: impl FnMut(&Function, &Function)) -> Promise {
    Promise::new(&mut |told, refused| ask(&told, &refused))
}
