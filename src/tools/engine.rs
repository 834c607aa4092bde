//! Running a tool module with the browser's own WebAssembly.
//!
//! Invariant: a module is given no imports, and every call gets an instance of its own, so nothing is carried from one step
//! to the next. Whatever it throws, answers or points at becomes a sentence.

use js_sys::WebAssembly::{Instance, Memory, Module};
use js_sys::{BigInt, Function, Object, Reflect, Uint8Array};
use tapedeck_core::trace::module::{ABI, answer_range};
use wasm_bindgen::prelude::*;

/// A compiled module.
#[derive(Debug)]
pub(super) struct Engine {
    module: Module,
}

/// One instance, good for one call.
struct Fresh {
    exports: Object,
    memory: Memory,
}

impl Engine {
    /// Compiles a module that passed `module::check`.
    pub(super) fn compile(bytes: &[u8]) -> Result<Engine, String> {
        let module = Module::new(&Uint8Array::from(bytes))
            .map_err(|error| format!("the browser does not compile it: {}", words(&error)))?;
        Ok(Engine { module })
    }

    fn fresh(&self) -> Result<Fresh, String> {
        let instance = Instance::new(&self.module, &Object::new())
            .map_err(|error| format!("the browser does not start the module: {}", words(&error)))?;
        let exports = instance.exports();
        let memory = Reflect::get(&exports, &JsValue::from_str("memory"))
            .ok()
            .and_then(|memory| memory.dyn_into::<Memory>().ok())
            .ok_or("the module exports no memory")?;
        Ok(Fresh { exports, memory })
    }

    /// Checks the interface's version and asks what the module holds.
    pub(super) fn describe(&self) -> Result<Vec<u8>, String> {
        let fresh = self.fresh()?;
        let abi = fresh.invoke("tapedeck_abi", &[])?.as_f64().unwrap_or_default();
        if abi != f64::from(ABI) {
            return Err(format!("it speaks version {abi} of the interface; this page speaks {ABI}"));
        }
        let packed = packed(&fresh.invoke("tapedeck_describe", &[])?)?;
        fresh.read(packed, None)
    }

    /// Calls a tool: the request and the answer are JSON.
    pub(super) fn call(&self, request: &[u8]) -> Result<Vec<u8>, String> {
        let fresh = self.fresh()?;
        let len = u32::try_from(request.len()).map_err(|_| "the arguments are too large for the module".to_owned())?;
        let len_value = JsValue::from(len);
        let at = fresh.invoke("tapedeck_alloc", &[&len_value])?.as_f64().unwrap_or(-1.0);
        // A 32-bit result comes as a signed number.
        let at = (at as i64 as u32) as f64;
        let bytes = Uint8Array::new(&fresh.memory.buffer());
        let memory = bytes.length();
        if at + f64::from(len) > f64::from(memory) {
            return Err(format!(
                "the module's tapedeck_alloc gave a place outside its memory (byte {at}, {len} bytes wanted, {memory} there)"
            ));
        }
        bytes.set(&Uint8Array::from(request), at as u32);
        let packed = packed(&fresh.invoke("tapedeck_call", &[&JsValue::from(at as u32), &len_value])?)?;
        fresh.read(packed, Some((at as u64, u64::from(len))))
    }
}

impl Fresh {
    fn invoke(&self, name: &str, args: &[&JsValue]) -> Result<JsValue, String> {
        let function = Reflect::get(&self.exports, &JsValue::from_str(name))
            .ok()
            .and_then(|function| function.dyn_into::<Function>().ok())
            .ok_or_else(|| format!("the module exports no function {name}"))?;
        let this = JsValue::UNDEFINED;
        let result = match args {
            [] => function.call0(&this),
            [one] => function.call1(&this, one),
            [one, two, ..] => function.call2(&this, one, two),
        };
        result.map_err(|error| format!("the module trapped in {name}: {}", words(&error)))
    }

    fn read(&self, packed: u64, request: Option<(u64, u64)>) -> Result<Vec<u8>, String> {
        // The memory may have grown, so its buffer is looked at anew.
        let bytes = Uint8Array::new(&self.memory.buffer());
        let (at, len) = answer_range(packed, u64::from(bytes.length()), request)?;
        Ok(bytes.subarray(at, at + len).to_vec())
    }
}

/// A 64-bit result as JavaScript gives it.
fn packed(value: &JsValue) -> Result<u64, String> {
    let big = value.dyn_ref::<BigInt>().ok_or("the module's answer is no 64-bit number")?;
    u64::try_from(BigInt::as_uint_n(64.0, big)).map_err(|_| "the module's answer is no 64-bit number".to_owned())
}

/// The words of what was thrown: `RuntimeError: unreachable`.
fn words(error: &JsValue) -> String {
    match error.dyn_ref::<js_sys::Error>() {
        Some(error) => format!("{}: {}", String::from(error.name()), String::from(error.message())),
        None => format!("{error:?}"),
    }
}
