//! Reading a file or a buffer into a tape or a document of traces.
//!
//! Invariant: a file is never taken for whole when it was not: a short read, another size at the end, or a read that fails
//! is a refusal that says so.

use std::ops::ControlFlow;

use js_sys::{ArrayBuffer, Promise, Uint8Array};
use tapedeck_core::bytes::{Container, Kind, Limits, UnpackError, Unwatched, Watch, decode, gunzip, sniff_start};
use tapedeck_core::model::protocol::{Progress, Refusal};
use tapedeck_core::tape::{self, Tape, TapeBuilder};
use tapedeck_core::trace::answer::{self, TraceDeck};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, File, FileReaderSync, MessageChannel};

/// How much is read at once: about 30 ms of work, after which other messages have their turn.
const SLICE_BYTES: f64 = 8_388_608.0;

/// The last stage, in which the index is finished in one piece.
const INDEXING: &str = "Indexing";

/// How many bytes at the start tell what a file is.
const SNIFF_BYTES: u32 = 65_536;

/// Progress of unpacking is told at most once in this many bytes.
const TELL_BYTES: u64 = 4 << 20;

/// The largest source that is taken, in bytes: it is shown line by line, and no program's text is near it.
const MAX_SOURCE_BYTES: f64 = 16_777_216.0;

fn refusal(kind: &str, what: String, place: String, advice: &str) -> Refusal {
    Refusal { kind: kind.to_owned(), what, place, advice: advice.to_owned() }
}

/// What was opened.
pub(super) enum Opened {
    /// A tape.
    Tape(Box<Tape>),
    /// A document of traces.
    Trace(Box<TraceDeck>),
}

impl From<Tape> for Opened {
    fn from(tape: Tape) -> Self {
        Self::Tape(Box::new(tape))
    }
}

/// Reads and indexes the payload of an `Open` request.
///
/// # Errors
/// Why it is not opened: what the tape's gate says, a size over the limit, or a file that cannot be read or changes meanwhile.
pub(super) async fn open(name: String, payload: JsValue, progress: &dyn Fn(Progress)) -> Result<Opened, Refusal> {
    match payload.dyn_into::<ArrayBuffer>() {
        Ok(buffer) => open_buffer(name, &buffer, progress),
        Err(payload) => match payload.dyn_into::<Blob>() {
            Ok(blob) => open_blob(name, &blob, progress).await,
            Err(_) => Err(refusal(
                "unreadable",
                "The page sent neither a file nor bytes.".to_owned(),
                String::new(),
                "Reload the page and open the file again.",
            )),
        },
    }
}

fn open_buffer(name: String, buffer: &ArrayBuffer, progress: &dyn Fn(Progress)) -> Result<Opened, Refusal> {
    let bytes = Uint8Array::new(buffer);
    let start = bytes.subarray(0, bytes.length().min(SNIFF_BYTES)).to_vec();
    match door(sniff_start(&start), &name)? {
        Door::Straight => {
            let mut builder = TapeBuilder::new(u64::from(bytes.length()));
            builder.push_with(bytes.length() as usize, |space| bytes.copy_to(space))?;
            builder.finish(name, Vec::new()).map(Opened::from)
        }
        Door::Trace => open_trace(name, &bytes.to_vec(), Vec::new(), progress),
        Door::Unwrap => open_unwrapped(name, bytes.to_vec(), &mut Unwatched, progress),
    }
}

async fn open_blob(name: String, blob: &Blob, progress: &dyn Fn(Progress)) -> Result<Opened, Refusal> {
    let mut file = SlicedFile::new(blob)?;
    if let Some(refusal) = tape::refuse_size(file.total as u64) {
        return Err(refusal);
    }
    let total = file.total;
    let said = |done: f64, stage: &str| {
        progress(Progress { stage: stage.to_owned(), done, total, is_silent: stage == INDEXING });
    };
    said(0.0, "Reading");
    let Some(first) = file.next()? else {
        return TapeBuilder::new(0).finish(name, Vec::new()).map(Opened::from);
    };
    let start = first.subarray(0, first.length().min(SNIFF_BYTES)).to_vec();
    let door = door(sniff_start(&start), &name)?;
    if let (Door::Trace, Some(refusal)) = (&door, answer::refuse_size(total as u64)) {
        return Err(refusal);
    }
    let mut taker = match door {
        Door::Straight => Taker::Builder(Box::new(TapeBuilder::new(total as u64))),
        Door::Unwrap | Door::Trace => Taker::Whole(Vec::new()),
    };
    let mut slice = Some(first);
    while let Some(bytes) = slice {
        match &mut taker {
            Taker::Builder(builder) => builder.push_with(bytes.length() as usize, |space| bytes.copy_to(space))?,
            Taker::Whole(whole) => {
                let at = whole.len();
                if whole.try_reserve_exact(bytes.length() as usize).is_err() {
                    return Err(out_of_memory(total));
                }
                whole.resize(at + bytes.length() as usize, 0);
                bytes.copy_to(whole.get_mut(at..).unwrap_or_default());
            }
        }
        said(file.at, "Reading");
        next_turn().await;
        slice = file.next()?;
    }
    file.check_unchanged()?;
    match taker {
        Taker::Builder(builder) => {
            said(total, INDEXING);
            next_turn().await;
            builder.finish(name, Vec::new()).map(Opened::from)
        }
        Taker::Whole(whole) if matches!(door, Door::Trace) => {
            said(0.0, "Reading the trace");
            next_turn().await;
            open_trace(name, &whole, Vec::new(), progress)
        }
        Taker::Whole(whole) => {
            said(0.0, "Unpacking");
            next_turn().await;
            let mut told = 0;
            // Unpacking cannot yield, but what it posts reaches the page at once: the page sees that it lives.
            let mut watch = |done: u64, total: u64| {
                if done - told >= TELL_BYTES {
                    told = done;
                    progress(Progress {
                        stage: "Unpacking".to_owned(),
                        done: done as f64,
                        total: total as f64,
                        is_silent: false,
                    });
                }
                ControlFlow::Continue(())
            };
            open_unwrapped(name, whole, &mut watch, progress)
        }
    }
}

/// Where the slices of a file go.
enum Taker {
    /// Straight into the tape.
    Builder(Box<TapeBuilder>),
    /// Into one buffer, to be unwrapped when it is whole.
    Whole(Vec<u8>),
}

/// How a file of some kind is taken.
enum Door {
    /// As it is: a tape, or something whose refusal the tape's own gate words best.
    Straight,
    /// Whole, as JSON: a trace, or something whose refusal the JSON reader words best.
    Trace,
    /// Unwrapped first (gzip, another text encoding).
    Unwrap,
}

fn door(kind: Kind, name: &str) -> Result<Door, Refusal> {
    let is_json_name = || {
        let name = name.to_ascii_lowercase();
        [".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz"].iter().any(|ending| name.ends_with(ending))
    };
    match kind {
        Kind::Trace | Kind::Json => Ok(Door::Trace),
        Kind::Text if is_json_name() => Ok(Door::Trace),
        Kind::Tape | Kind::Empty | Kind::Text | Kind::Other => Ok(Door::Straight),
        Kind::Container(Container::Gzip) | Kind::Encoded(_) => Ok(Door::Unwrap),
        Kind::Known(known) => Err(refusal(
            "not-a-tape",
            format!("This is {}, not a tape.", known.with_article()),
            "byte 0".to_owned(),
            known.advice(),
        )),
        kind @ Kind::Container(_) => Err(refusal(
            "not-a-tape",
            format!("This is {}, not a tape.", kind.with_article()),
            "byte 0".to_owned(),
            "Unpack it and open the tape that it holds.",
        )),
        kind => Err(refusal(
            "not-a-tape",
            format!("This is {}, not a tape.", kind.with_article()),
            "byte 0".to_owned(),
            "Open the tape that EigenScript wrote (EIGS_TRACE=run.tape); its first line starts with \"V 2\".",
        )),
    }
}

/// Opens bytes that are gzip or text in another encoding; both may lie around one another.
fn open_unwrapped(
    name: String,
    whole: Vec<u8>,
    watch: &mut dyn Watch,
    progress: &dyn Fn(Progress),
) -> Result<Opened, Refusal> {
    let limits = Limits::default();
    let mut bytes = whole;
    let mut notes: Vec<String> = Vec::new();
    for _ in 0..limits.nesting {
        match sniff_start(bytes.get(..SNIFF_BYTES as usize).unwrap_or(&bytes)) {
            Kind::Container(Container::Gzip) => {
                let packed = bytes.len();
                let unpacked = gunzip(&bytes, &limits, watch).map_err(|error| unpack_refusal(&error))?;
                notes.push(format!(
                    "Unpacked from gzip: {packed} bytes became {}. Byte positions are those of the unpacked tape.",
                    unpacked.bytes.len()
                ));
                notes.extend(unpacked.notes.iter().map(ToString::to_string));
                bytes = unpacked.bytes;
            }
            Kind::Encoded(encoding) => {
                let decoded = decode(&bytes, encoding).map_err(|error| unpack_refusal(&error))?;
                notes.push(decoded.note.to_string());
                bytes = decoded.bytes.into_owned();
            }
            kind => match door(kind, &name)? {
                Door::Trace => return open_trace(name, &bytes, notes, progress),
                Door::Straight | Door::Unwrap => {
                    let total = bytes.len() as f64;
                    progress(Progress { stage: INDEXING.to_owned(), done: total, total, is_silent: true });
                    return TapeBuilder::from_vec(bytes)?.finish(name, notes).map(Opened::from);
                }
            },
        }
    }
    Err(refusal(
        "nesting",
        format!("The file is packed more than {} times over.", limits.nesting),
        String::new(),
        "Unpack it on your machine and open the tape.",
    ))
}

fn open_trace(name: String, bytes: &[u8], notes: Vec<String>, progress: &dyn Fn(Progress)) -> Result<Opened, Refusal> {
    let total = bytes.len() as f64;
    // Reading JSON cannot yield, but what it posts reaches the page at once: the page sees that it lives.
    let mut told = |done: usize| {
        progress(Progress { stage: "Reading the trace".to_owned(), done: done as f64, total, is_silent: true });
    };
    TraceDeck::open(name, bytes, notes, &mut told).map(|deck| Opened::Trace(Box::new(deck)))
}

fn unpack_refusal(error: &UnpackError) -> Refusal {
    refusal(error.code(), error.to_string(), String::new(), error.advice())
}

fn out_of_memory(bytes: f64) -> Refusal {
    refusal(
        "out-of-memory",
        format!("There is no memory for {bytes} bytes."),
        String::new(),
        "Close other tabs and open the file again, or unpack it on your machine first.",
    )
}

/// A file read slice by slice.
struct SlicedFile<'a> {
    blob: &'a Blob,
    reader: FileReaderSync,
    /// The size when reading began.
    total: f64,
    modified: Option<f64>,
    at: f64,
}

impl<'a> SlicedFile<'a> {
    fn new(blob: &'a Blob) -> Result<Self, Refusal> {
        let reader = FileReaderSync::new().map_err(|error| unreadable(&error, 0.0))?;
        Ok(Self {
            blob,
            reader,
            total: blob.size(),
            modified: blob.dyn_ref::<File>().map(File::last_modified),
            at: 0.0,
        })
    }

    /// The next slice; `None` at the end.
    fn next(&mut self) -> Result<Option<Uint8Array>, Refusal> {
        if self.at >= self.total {
            return Ok(None);
        }
        let end = (self.at + SLICE_BYTES).min(self.total);
        let slice = self.blob.slice_with_f64_and_f64(self.at, end).map_err(|error| unreadable(&error, self.at))?;
        let buffer = self.reader.read_as_array_buffer(&slice).map_err(|error| unreadable(&error, self.at))?;
        let bytes = Uint8Array::new(&buffer);
        if f64::from(bytes.length()) != end - self.at {
            return Err(changed(format!(
                "The file changed while it was read: {} bytes were expected here and {} came.",
                end - self.at,
                bytes.length()
            )));
        }
        self.at = end;
        Ok(Some(bytes))
    }

    /// The file must be at its end what it was at its beginning. A `File` is a snapshot: a browser that notices a change
    /// refuses the read; this catches what it lets through.
    fn check_unchanged(&self) -> Result<(), Refusal> {
        let modified = self.blob.dyn_ref::<File>().map(File::last_modified);
        if self.blob.size() != self.total || modified != self.modified {
            return Err(changed("The file changed while it was read.".to_owned()));
        }
        Ok(())
    }
}

fn changed(what: String) -> Refusal {
    refusal("changed", what, String::new(), "Wait until the program that writes it has ended, then open it again.")
}

/// What a failed read means. Browsers throw `NotReadableError` when the file on disk is no longer the one that was chosen,
/// and `NotFoundError` when it is gone.
fn unreadable(error: &JsValue, at: f64) -> Refusal {
    let name = js_sys::Reflect::get(error, &JsValue::from_str("name")).ok().and_then(|name| name.as_string());
    let place = format!("byte {at}");
    match name.as_deref() {
        Some("NotReadableError") => Refusal {
            place,
            ..changed("The file changed while it was read, or the browser may no longer read it.".to_owned())
        },
        Some("NotFoundError") => refusal(
            "unreadable",
            "The file is gone: it was moved or deleted after it was chosen (or it is a folder).".to_owned(),
            place,
            "Choose it again where it is now.",
        ),
        _ => refusal(
            "unreadable",
            format!("The browser could not read the file ({}).", name.unwrap_or_else(|| "no reason given".to_owned())),
            place,
            "Check that you may read the file, then open it again.",
        ),
    }
}

/// The bytes of a source file.
///
/// # Errors
/// A [`Refusal`] when it cannot be read or is far too large to be a source.
pub(super) fn read_source(payload: &JsValue) -> Result<Vec<u8>, Refusal> {
    let Some(blob) = payload.dyn_ref::<Blob>() else {
        return Err(refusal(
            "unreadable",
            "The page sent no file.".to_owned(),
            String::new(),
            "Reload the page and drop the source again.",
        ));
    };
    if blob.size() > MAX_SOURCE_BYTES {
        return Err(refusal(
            "too-large",
            format!("This source has {} bytes; sources of up to {MAX_SOURCE_BYTES} bytes are shown.", blob.size()),
            String::new(),
            "Check that it is the program's text and not a recording.",
        ));
    }
    let mut file = SlicedFile::new(blob)?;
    let mut bytes = Vec::new();
    while let Some(slice) = file.next()? {
        bytes.extend_from_slice(&slice.to_vec());
    }
    file.check_unchanged()?;
    Ok(bytes)
}

/// The bytes of another document of traces.
///
/// # Errors
/// A [`Refusal`] when it cannot be read or is over the limit for traces.
pub(super) fn read_whole(payload: &JsValue) -> Result<Vec<u8>, Refusal> {
    let Some(blob) = payload.dyn_ref::<Blob>() else {
        return Err(refusal(
            "unreadable",
            "The page sent no file.".to_owned(),
            String::new(),
            "Reload the page and choose the file again.",
        ));
    };
    if let Some(refusal) = answer::refuse_size(blob.size() as u64) {
        return Err(refusal);
    }
    let mut file = SlicedFile::new(blob)?;
    let mut bytes = Vec::new();
    while let Some(slice) = file.next()? {
        bytes.extend_from_slice(&slice.to_vec());
    }
    file.check_unchanged()?;
    Ok(bytes)
}

/// Lets other messages have their turn. A message channel does so at once, while nested timers are held back by 4 ms.
async fn next_turn() {
    let promise = Promise::new(&mut |resolve, _| {
        let Ok(channel) = MessageChannel::new() else {
            let _ = resolve.call0(&JsValue::UNDEFINED);
            return;
        };
        channel.port1().set_onmessage(Some(&resolve));
        if channel.port2().post_message(&JsValue::UNDEFINED).is_err() {
            let _ = resolve.call0(&JsValue::UNDEFINED);
        }
    });
    // It never rejects.
    let _ = JsFuture::from(promise).await;
}
