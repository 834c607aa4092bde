//! The replay cursor: what a builtin gets from a tape, call by call.

use tapedeck_core::tape::cursor::{Cursor as CoreCursor, Install, NameRule};
use wasm_bindgen::prelude::*;

use crate::error::{refused, to_js};

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** What a call of a builtin gets. `json` is JSON text: parse it with a reader that keeps what you need. */
export interface Taken {
  fn: string; outcome: "tape" | "live" | "raises" | "exit3"; record?: string; json?: string; unreadable?: boolean;
  exhausted?: boolean; warning?: { expected: string; got: string }; why?: "name" | "header" | "before"; recorded?: string; message?: string;
}
"#;

#[wasm_bindgen]
extern "C" {
    /// `Taken` of the TypeScript types.
    #[wasm_bindgen(typescript_type = "Taken")]
    pub type TakenObject;
}

/// A tape put in place for replay.
#[wasm_bindgen]
pub struct Cursor(CoreCursor<Vec<u8>>);

#[wasm_bindgen]
impl Cursor {
    /// Puts a tape in place, declared to be of `runtime`. `strict` makes a differing builtin's name fatal; `streaming` tests
    /// later session headers only when a take reaches them, as `EIGS_REPLAY` does.
    ///
    /// # Errors
    /// Throws when the REPLAY gate refuses the tape.
    #[wasm_bindgen(constructor)]
    pub fn new(bytes: Vec<u8>, runtime: &str, strict: bool, streaming: bool) -> Result<Cursor, JsValue> {
        let install = if streaming { Install::Streaming } else { Install::InMemory };
        let rule = if strict { NameRule::Strict } else { NameRule::Lenient };
        CoreCursor::install(bytes, runtime.as_bytes(), install, rule)
            .map(Cursor)
            .map_err(|refusal| refused(&refusal.refusal(1)))
    }

    /// What a call of `builtin` gets.
    ///
    /// # Errors
    /// Only when the page is out of memory.
    pub fn take(&mut self, builtin: &str) -> Result<TakenObject, JsValue> {
        let taken = self.0.take(builtin.as_bytes());
        to_js(&self.0.report(builtin.as_bytes(), &taken)).map(JsCast::unchecked_into)
    }

    /// Whether the tape may still serve.
    #[wasm_bindgen(getter, js_name = isOn)]
    pub fn is_on(&self) -> bool {
        self.0.is_on()
    }
}
