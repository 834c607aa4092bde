//! What is measured inside a wasm instance: copying a tape into it, reading it, and asking it.
//!
//! Each instance is used for one tape and then thrown away, so that every measurement meets fresh memory and fresh code, as an
//! opening does.
//!
//! Invariant: the clock is read around exactly what a figure's name says; what a figure does not name happens before or after.
#![cfg(target_arch = "wasm32")]

use std::cell::RefCell;

use js_sys::Uint8Array;
use tapedeck_core::model::protocol::StateQuery;
use tapedeck_core::model::{Pos, RowWindow};
use tapedeck_core::tape::{Tape, TapeBuilder};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// The worker's clock, in milliseconds.
    #[wasm_bindgen(js_namespace = performance)]
    fn now() -> f64;
}

thread_local! {
    static TAPE: RefCell<Option<Tape>> = const { RefCell::new(None) };
}

fn memory_bytes() -> f64 {
    let memory: js_sys::WebAssembly::Memory = wasm_bindgen::memory().unchecked_into();
    let buffer: js_sys::ArrayBuffer = memory.buffer().unchecked_into();
    f64::from(buffer.byte_length())
}

/// Milliseconds that the first copy of the bytes into memory takes that was just grown for them. Growing is not counted: it is
/// where the memory is promised; the copy is where it is given.
#[wasm_bindgen]
pub fn first_copy_ms(bytes: &Uint8Array) -> f64 {
    let mut space: Vec<u8> = Vec::with_capacity(bytes.length() as usize);
    let room = &mut space.spare_capacity_mut()[..bytes.length() as usize];
    let start = now();
    bytes.copy_to_uninit(room);
    now() - start
}

/// Reads a tape that lies in this instance's memory and keeps it; returns the figures as JSON.
///
/// # Errors
/// When the tape is refused, in the refusal's words.
#[wasm_bindgen]
pub fn read(bytes: &Uint8Array) -> Result<String, JsError> {
    let refused = |refusal: tapedeck_core::model::protocol::Refusal| JsError::new(&refusal.what);
    let bytes = bytes.to_vec();
    let tape_bytes = bytes.len();
    let start = now();
    let builder = TapeBuilder::from_vec(bytes).map_err(refused)?;
    let parsed = now();
    let tape = builder.finish("bench.tape".to_owned(), Vec::new()).map_err(refused)?;
    let indexed = now();
    // Wasm memory never shrinks, so what it is now is the most that it was.
    let peak = memory_bytes() - tape_bytes as f64;
    let summary = tape.summary();
    TAPE.set(Some(tape));
    let figures = serde_json::json!({
        "parse_ms": parsed - start,
        "index_ms": indexed - parsed,
        "bytes": tape_bytes,
        "records": summary.records,
        "positions": summary.positions,
        "frames": summary.frames,
        "bindings": summary.bindings,
        "index_bytes": summary.index_bytes,
        "peak_bytes": peak,
    });
    Ok(figures.to_string())
}

/// Milliseconds that the state at each of the positions takes: the first `rows` bindings, events and frames, as the page asks.
///
/// # Errors
/// When no tape was read, or it has no such position.
#[wasm_bindgen]
pub fn state_ms(positions: &[u32], rows: u32) -> Result<Vec<f64>, JsError> {
    TAPE.with_borrow_mut(|tape| {
        let tape = tape.as_mut().ok_or_else(|| JsError::new("no tape was read"))?;
        let rows = RowWindow { first: 0, count: rows };
        positions
            .iter()
            .map(|&pos| {
                let query =
                    StateQuery { pos: Pos(pos), bindings: rows, filter: String::new(), events: rows, frames: rows };
                let start = now();
                let answer = tape.state(&query);
                let took = now() - start;
                answer.map(|_| took).map_err(|error| JsError::new(&error))
            })
            .collect()
    })
}
