//! Tapes: opening, state, history.

use serde::Deserialize;
use tapedeck_core::model::protocol::{HistoryQuery, JumpQuery, StateQuery, StreamId};
use tapedeck_core::model::{Pos, RowWindow};
use tapedeck_core::tape::{Tape as CoreTape, TapeBuilder, check_replay};
use wasm_bindgen::prelude::*;

use crate::error::{error, refused, to_js};

/// How many rows an answer holds when the caller names no window.
const DEFAULT_ROWS: u32 = 1000;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** Which rows of a long list: `count` rows from row `first` on. */
export interface RowWindow { first?: number; count?: number }
/** What is asked of a position. */
export interface StateOptions { filter?: string; bindings?: RowWindow; events?: RowWindow; frames?: RowWindow }
/** Text of a recording; `lossy` when bytes that are not UTF-8 were replaced. */
export interface Text { text: string; lossy: boolean }
/** A value's text as the tape has it (at most 240 bytes of it), never rounded. */
export interface ValueText { text: string; bytes: number; lossy: boolean; cut: "No" | "Perhaps" | "Yes" }
export type Label = "Oscillating" | "Diverging" | "Improving" | "Converged" | "Equilibrium" | "Stable" | "Moving";
export interface BindingRow {
  stream: number; name: Text; value: ValueText; byte: number; assigned_at: number; label: Label | null;
  assigns: number; function: Text | null; serial: number; changed: boolean; cautions: unknown[];
}
export interface EventRow { byte: number; input: string | null; name: Text; value: ValueText; stream: number | null }
export interface FrameRow { serial: number; function: Text; depth: number; entered: number; left: number }
export interface State {
  pos: number; line: number; function: Text | null; events_total: number; events: EventRow[];
  bindings_total: number; bindings: BindingRow[]; frames_total: number; frames: FrameRow[];
}
export interface HistoryRow { ordinal: number; pos: number; line: number; byte: number; value: ValueText; label: Label | null }
export interface History {
  stream: number; name: Text; function: Text | null; serial: number; total: number; so_far: number; first: number; rows: HistoryRow[];
}
export interface TapeSummary {
  name: string; bytes: number; runtime: Text; has_labels: boolean; positions: number; assigns: number; bindings: number;
  nondet: number; records: number; frames: number; sessions: number; issues: [string, number][]; notes: string[];
}
"#;

#[wasm_bindgen]
extern "C" {
    /// `StateOptions` of the TypeScript types.
    #[wasm_bindgen(typescript_type = "StateOptions | undefined")]
    pub type StateOptions;
    /// `RowWindow` of the TypeScript types.
    #[wasm_bindgen(typescript_type = "RowWindow | undefined")]
    pub type RowWindowOption;
    /// `State` of the TypeScript types.
    #[wasm_bindgen(typescript_type = "State")]
    pub type State;
    /// `History` of the TypeScript types.
    #[wasm_bindgen(typescript_type = "History")]
    pub type History;
    /// `TapeSummary` of the TypeScript types.
    #[wasm_bindgen(typescript_type = "TapeSummary")]
    pub type TapeSummary;
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct WindowOption {
    first: Option<u32>,
    count: Option<u32>,
}

impl WindowOption {
    fn window(&self) -> RowWindow {
        RowWindow { first: self.first.unwrap_or(0), count: self.count.unwrap_or(DEFAULT_ROWS) }
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Options {
    filter: String,
    bindings: WindowOption,
    events: WindowOption,
    frames: WindowOption,
}

fn options<T: Default + for<'de> Deserialize<'de>>(value: JsValue) -> Result<T, JsValue> {
    if value.is_undefined() || value.is_null() {
        return Ok(T::default());
    }
    serde_wasm_bindgen::from_value(value)
        .map_err(|problem| error("usage", &format!("These options do not fit: {problem}.")))
}

/// An opened tape.
#[wasm_bindgen]
pub struct Tape(CoreTape);

#[wasm_bindgen]
impl Tape {
    /// Opens a tape from its bytes.
    ///
    /// # Errors
    /// Throws when the OPEN gate refuses it; `kind` is `empty`, `no-header`, `malformed-header`, `format`, `runtime`,
    /// `carriage-return` or `too-large`.
    pub fn open(bytes: Vec<u8>, name: Option<String>) -> Result<Tape, JsValue> {
        TapeBuilder::from_vec(bytes)
            .and_then(|builder| builder.finish(name.unwrap_or_default(), Vec::new()))
            .map(Tape)
            .map_err(|refusal| refused(&refusal))
    }

    /// Throws unless every session header names format 2 and exactly this runtime: the gate for replaying.
    ///
    /// # Errors
    /// As the sentence says.
    #[wasm_bindgen(js_name = checkReplay)]
    pub fn check_replay(bytes: &[u8], runtime: &str) -> Result<(), JsValue> {
        check_replay(bytes, runtime.as_bytes()).map_err(|refusal| refused(&refusal.refusal(1)))
    }

    /// What the tape holds.
    ///
    /// # Errors
    /// Only when the page is out of memory.
    pub fn summary(&self) -> Result<TapeSummary, JsValue> {
        to_js(&self.0.summary()).map(JsCast::unchecked_into)
    }

    /// What is true at a position (0-based).
    ///
    /// # Errors
    /// Throws when there is no such position, `kind` `position`.
    pub fn state(&mut self, pos: u32, options: StateOptions) -> Result<State, JsValue> {
        let wanted: Options = self::options(options.into())?;
        let query = StateQuery {
            pos: Pos(pos),
            bindings: wanted.bindings.window(),
            filter: wanted.filter,
            events: wanted.events.window(),
            frames: wanted.frames.window(),
        };
        let state = self.0.state(&query).map_err(|sentence| error("position", &sentence))?;
        to_js(&state).map(JsCast::unchecked_into)
    }

    /// The binding that a name means at a position: the number to ask `history` with, or `undefined`.
    pub fn resolve(&self, pos: u32, name: &str) -> Option<u32> {
        self.0.resolve(Pos(pos), name.as_bytes()).map(|stream| stream.0)
    }

    /// The assignments of a binding over the whole tape; `so_far` counts those up to `pos`.
    ///
    /// # Errors
    /// Throws when there is no such binding, `kind` `binding`.
    pub fn history(&self, stream: u32, pos: u32, rows: RowWindowOption) -> Result<History, JsValue> {
        let rows: WindowOption = options(rows.into())?;
        let query = HistoryQuery { stream: StreamId(stream), pos: Pos(pos), rows: rows.window(), sparkline: 0 };
        let history = self.0.history(&query).map_err(|sentence| error("binding", &sentence))?;
        to_js(&history).map(JsCast::unchecked_into)
    }

    /// The next position (or the one before, `back`) at which the binding was assigned; `undefined` when there is none.
    #[wasm_bindgen(js_name = nextChange)]
    pub fn next_change(&self, stream: u32, pos: u32, back: bool) -> Option<u32> {
        use tapedeck_core::model::protocol::{Direction, JumpTarget};
        let direction = if back { Direction::Back } else { Direction::Forward };
        let query = JumpQuery { from: Pos(pos), direction, target: JumpTarget::Change(StreamId(stream)) };
        self.0.jump(&query).pos.map(|pos| pos.0)
    }
}
