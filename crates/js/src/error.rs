//! Errors as JavaScript sees them.

use js_sys::{Error, Reflect};
use serde::Serialize;
use tapedeck_core::model::protocol::Refusal;
use wasm_bindgen::prelude::*;

/// An `Error` with a message and a `kind`.
pub(crate) fn error(kind: &str, message: &str) -> JsValue {
    let error = Error::new(message);
    // A fresh Error object takes any property.
    let _ = Reflect::set(&error, &"kind".into(), &kind.into());
    error.into()
}

/// A refusal as an `Error`: what, where, what to do.
pub(crate) fn refused(refusal: &Refusal) -> JsValue {
    let place = if refusal.place.is_empty() { String::new() } else { format!(" ({})", refusal.place) };
    error(&refusal.kind, &format!("{}{place} {}", refusal.what, refusal.advice))
}

/// A value as plain objects, its large integers as BigInt.
pub(crate) fn to_js<T: Serialize>(value: &T) -> Result<JsValue, JsValue> {
    let serializer = serde_wasm_bindgen::Serializer::json_compatible().serialize_large_number_types_as_bigints(true);
    value.serialize(&serializer).map_err(|problem| error("internal", &problem.to_string()))
}
