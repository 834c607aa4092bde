//! Tool modules that a user brings (ABI 1): what may run, what they say of themselves, and the messages of a call.
//!
//! Running them is another's business: this file looks at bytes and texts alone, so that all of it is tested natively.
//!
//! Invariant: a module that passes [`check`] imports nothing, so it can read no clock, no file and no randomness; its memory
//! has an upper bound; and nothing of it runs before the first call of an exported function.
//!
//! Invariant: whatever a module answers becomes a value, a recorded failure or a refusal; it is never believed about a size.

use sha2::{Digest as _, Sha256};
use wasmparser::{ExternalKind, FuncType, Parser, Payload, SubType, ValType, Validator, WasmFeatures};

use crate::model::protocol::Refusal;

use super::error::PyError;
use super::json::{Layout, loads, to_json};
use super::replay::Outcome;
use super::rng_state::RngState;
use super::value::{Object, Value};

/// The largest module: 16 MiB. A Rust module of one tool has some 50 KB; validating takes time in the size.
pub const MAX_MODULE_BYTES: u64 = 16 << 20;

/// The largest memory that a module may ask for, in pages of 64 KiB: 256 MiB, so that a module and the page fit together.
pub const MAX_MEMORY_PAGES: u64 = 4096;

/// The largest answer of a module: 32 MiB, more than the largest result that a trace of the stated size is likely to hold.
pub const MAX_ANSWER_BYTES: u64 = 32 << 20;

/// Tools that one module may bring.
pub const MAX_TOOLS: usize = 200;

/// Longest name, version or sentence that a module gives, in bytes.
const MAX_NAME_BYTES: usize = 400;

/// The version of the interface that this build speaks.
pub const ABI: i32 = 1;

/// What every module exports, beside its memory.
const EXPORTS: [(&str, &[ValType], ValType); 4] = [
    ("tapedeck_abi", &[], ValType::I32),
    ("tapedeck_alloc", &[ValType::I32], ValType::I32),
    ("tapedeck_describe", &[], ValType::I64),
    ("tapedeck_call", &[ValType::I32, ValType::I32], ValType::I64),
];

/// SHA-256 in lower-case hex.
pub fn sha256_hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn refusal(kind: &str, what: impl Into<String>, advice: impl Into<String>) -> Refusal {
    Refusal { kind: kind.to_owned(), what: what.into(), place: String::new(), advice: advice.into() }
}

/// Looks at a module before anything of it runs.
///
/// # Errors
/// Why it is not taken, and what to do, each cause with a sentence of its own.
pub fn check(bytes: &[u8]) -> Result<(), Refusal> {
    if bytes.len() as u64 > MAX_MODULE_BYTES {
        return Err(refusal(
            "module-too-large",
            format!("The module has {} bytes; one of at most {MAX_MODULE_BYTES} is taken.", bytes.len()),
            "Build it for size (in Rust: a release build with opt-level = \"s\" and strip = true).",
        ));
    }
    if !bytes.starts_with(b"\0asm") {
        return Err(refusal(
            "not-wasm",
            "This is no WebAssembly module: it does not begin with the bytes 00 61 73 6d.",
            "Drop the .wasm file that the compiler wrote.",
        ));
    }
    look(bytes)?;
    let features = WasmFeatures::WASM2 & !WasmFeatures::MEMORY64;
    Validator::new_with_features(features).validate_all(bytes).map_err(|error| invalid(&error))?;
    Ok(())
}

/// The sections that decide: imports, the start function, the memory, the exports. Done before validation, for their own words.
fn look(bytes: &[u8]) -> Result<(), Refusal> {
    let mut types: Vec<Option<FuncType>> = Vec::new();
    let mut functions: Vec<u32> = Vec::new();
    let mut exports: Vec<(String, ExternalKind, u32)> = Vec::new();
    let mut memories = 0_usize;
    for payload in Parser::new(0).parse_all(bytes) {
        match payload.map_err(|error| invalid(&error))? {
            Payload::Version { encoding: wasmparser::Encoding::Component, .. } => {
                return Err(refusal(
                    "module-component",
                    "This is a WebAssembly component; a tool is a core module.",
                    "Build for wasm32-unknown-unknown, without wrapping it as a component.",
                ));
            }
            Payload::TypeSection(section) => {
                for group in section {
                    for kind in group.map_err(|error| invalid(&error))?.into_types() {
                        types.push(function_type(kind));
                    }
                }
            }
            Payload::ImportSection(section) => {
                if let Some(import) = section.into_imports().next() {
                    let import = import.map_err(|error| invalid(&error))?;
                    return Err(refusal(
                        "module-import",
                        format!(
                            "The module imports {}.{}; a tool imports nothing, so that it cannot read a clock, a file or a random source.",
                            import.module, import.name
                        ),
                        "Build for wasm32-unknown-unknown without WASI or JavaScript bindings, and leave out what asks the host.",
                    ));
                }
            }
            Payload::FunctionSection(section) => {
                for index in section {
                    functions.push(index.map_err(|error| invalid(&error))?);
                }
            }
            Payload::MemorySection(section) => {
                for memory in section {
                    let memory = memory.map_err(|error| invalid(&error))?;
                    memories += 1;
                    check_memory(&memory)?;
                }
            }
            Payload::ExportSection(section) => {
                for export in section {
                    let export = export.map_err(|error| invalid(&error))?;
                    exports.push((export.name.to_owned(), export.kind, export.index));
                }
            }
            Payload::StartSection { .. } => {
                return Err(refusal(
                    "module-start",
                    "The module has a start function, which would run before anything was asked of it.",
                    "Build it without one: a library without `main` has none.",
                ));
            }
            _ => {}
        }
    }
    if memories == 0 || !exports.iter().any(|(name, kind, _)| name == "memory" && *kind == ExternalKind::Memory) {
        return Err(refusal(
            "module-memory",
            "The module exports no memory of the name `memory`.",
            "Export it: Rust and Clang do so by themselves for wasm32-unknown-unknown.",
        ));
    }
    for (name, params, result) in EXPORTS {
        let export = exports.iter().find(|(other, kind, _)| other == name && *kind == ExternalKind::Func);
        let Some((.., index)) = export else {
            return Err(refusal(
                "module-export",
                format!(
                    "The module exports no function `{name}`; ABI {ABI} needs tapedeck_abi, tapedeck_alloc, tapedeck_describe and tapedeck_call."
                ),
                "Use the tool SDK, or write the four functions as docs/tool-modules.md shows.",
            ));
        };
        // Nothing is imported, so functions are counted from the module's own first.
        let kind = functions.get(*index as usize).and_then(|index| types.get(*index as usize)).and_then(Option::as_ref);
        if !kind.is_some_and(|kind| kind.params() == params && kind.results() == [result]) {
            return Err(refusal(
                "module-export",
                format!(
                    "The module's `{name}` has another signature than ABI {ABI} says: {}.",
                    signature(params, result)
                ),
                "Use the tool SDK, or write the four functions as docs/tool-modules.md shows.",
            ));
        }
    }
    Ok(())
}

fn function_type(kind: SubType) -> Option<FuncType> {
    match kind.composite_type.inner {
        wasmparser::CompositeInnerType::Func(kind) => Some(kind),
        _ => None,
    }
}

fn signature(params: &[ValType], result: ValType) -> String {
    let params: Vec<String> = params.iter().map(ToString::to_string).collect();
    format!("({}) -> {result}", params.join(", "))
}

fn check_memory(memory: &wasmparser::MemoryType) -> Result<(), Refusal> {
    if memory.memory64 {
        return Err(refusal(
            "module-memory64",
            "The module has a 64-bit memory (memory64), which browsers do not agree on.",
            "Build for wasm32.",
        ));
    }
    if memory.shared {
        return Err(refusal(
            "module-threads",
            "The module has a shared memory (threads): what it computes could depend on who runs first.",
            "Build without threads and atomics.",
        ));
    }
    let Some(maximum) = memory.maximum else {
        return Err(refusal(
            "module-memory-maximum",
            "The module's memory has no maximum, so it could take all there is.",
            "Link with --max-memory=16777216 (in Rust: RUSTFLAGS=\"-C link-arg=--max-memory=16777216\"; in C: -Wl,--max-memory=16777216).",
        ));
    };
    if maximum > MAX_MEMORY_PAGES {
        return Err(refusal(
            "module-memory-maximum",
            format!(
                "The module's memory may grow to {maximum} pages; at most {MAX_MEMORY_PAGES} pages of 64 KiB are given."
            ),
            "Link with a smaller --max-memory.",
        ));
    }
    Ok(())
}

/// What the validator says, with the words of a person where the cause is a feature.
fn invalid(error: &wasmparser::BinaryReaderError) -> Refusal {
    let message = error.message();
    let place = format!("byte {}", error.offset());
    let mut refusal = if message.contains("relaxed SIMD") {
        refusal(
            "module-relaxed-simd",
            "The module uses relaxed SIMD, whose results differ from machine to machine.",
            "Build without the target feature relaxed-simd.",
        )
    } else if message.contains("threads") || message.contains("atomic") || message.contains("shared memor") {
        refusal(
            "module-threads",
            "The module uses threads (atomics): what it computes could depend on who runs first.",
            "Build without threads and atomics.",
        )
    } else if message.contains("memory64") || message.contains("64-bit memor") {
        refusal(
            "module-memory64",
            "The module has a 64-bit memory (memory64), which browsers do not agree on.",
            "Build for wasm32.",
        )
    } else {
        refusal(
            "module-invalid",
            format!("This is no valid module: {message}."),
            "Build it again; if it was copied, copy it again. Newer proposals than WebAssembly 2.0 are not taken.",
        )
    };
    refusal.place = place;
    refusal
}

/// What a module says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its tools.
    pub tools: Vec<ToolDescription>,
}

/// What a module says of one tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolDescription {
    /// Its name.
    pub name: String,
    /// Its arguments, as far as it says.
    pub params: Vec<String>,
    /// Whether it takes a seed.
    pub takes_seed: bool,
    /// Whether it is given the generators' state, and gives it back.
    pub takes_rng: bool,
    /// What it does, in a sentence.
    pub about: String,
}

impl ToolDescription {
    /// How it is called.
    pub fn signature(&self) -> String {
        let mut params = self.params.clone();
        if self.takes_seed && !params.iter().any(|param| param == "seed") {
            params.push("seed".to_owned());
        }
        format!("{}({})", self.name, params.join(", "))
    }
}

/// Reads what `tapedeck_describe` answered:
/// `{"name": …, "version": …, "tools": [{"name": …, "params": […], "seed": false, "rng": false, "about": …}]}`.
///
/// # Errors
/// What is wrong with it, in a sentence.
pub fn parse_description(bytes: &[u8]) -> Result<Description, String> {
    let value = loads(bytes).map_err(|error| format!("what it says of itself is not JSON: {error}"))?.value;
    let text = |of: &Value, key: &str, otherwise: Option<&str>| match of.get(key) {
        Some(Value::Text(text)) if text.as_bytes().len() <= MAX_NAME_BYTES => Ok(text.to_string()),
        None if otherwise.is_some() => Ok(otherwise.unwrap_or_default().to_owned()),
        _ => Err(format!("what it says of itself has no text `{key}` of at most {MAX_NAME_BYTES} bytes")),
    };
    let flag = |of: &Value, key: &str| match of.get(key) {
        None | Some(Value::Bool(false)) => Ok(false),
        Some(Value::Bool(true)) => Ok(true),
        _ => Err(format!("what it says of itself has a `{key}` that is neither true nor false")),
    };
    let tools = value.get("tools").and_then(Value::as_array).ok_or("what it says of itself has no list `tools`")?;
    if tools.is_empty() || tools.len() > MAX_TOOLS {
        return Err(format!("it names {} tools; 1 to {MAX_TOOLS} are taken", tools.len()));
    }
    let mut described: Vec<ToolDescription> = Vec::with_capacity(tools.len());
    for tool in tools.iter() {
        let name = text(&tool, "name", None)?;
        if name.is_empty() || described.iter().any(|other| other.name == name) {
            return Err(format!("it names a tool {name:?} that is empty or stands twice"));
        }
        let params = match tool.get("params") {
            None => Vec::new(),
            Some(Value::Array(params)) if params.len() <= MAX_TOOLS => params
                .iter()
                .map(|param| param.as_str().filter(|param| param.len() <= MAX_NAME_BYTES).map(str::to_owned))
                .collect::<Option<Vec<_>>>()
                .ok_or("what it says of itself has a `params` that is no list of names")?,
            Some(_) => return Err("what it says of itself has a `params` that is no list of names".to_owned()),
        };
        described.push(ToolDescription {
            name,
            params,
            takes_seed: flag(&tool, "seed")?,
            takes_rng: flag(&tool, "rng")?,
            about: text(&tool, "about", Some(""))?,
        });
    }
    Ok(Description { name: text(&value, "name", None)?, version: text(&value, "version", Some(""))?, tools: described })
}

/// The request of a call: `{"tool": …, "args": {…}, "seed": … or null, "rng": … or null}`, every number exact.
///
/// # Errors
/// What keeps the arguments from being written as JSON.
pub fn call_request(
    tool: &ToolDescription,
    args: &Object,
    seed: Option<&Value>,
    rng: &RngState,
) -> Result<String, PyError> {
    let request = Value::object([
        ("tool", Value::text(tool.name.as_str())),
        ("args", Value::from(args.clone())),
        ("seed", seed.cloned().unwrap_or(Value::Null)),
        ("rng", if tool.takes_rng { rng.capture() } else { Value::Null }),
    ]);
    to_json(&request, Layout::Compact)
}

/// Reads the answer of a call: `{"result": …}` or `{"error": {"type": …, "message": …}}`, and `"rng"`, the exit state, where
/// the tool takes the generators.
pub fn parse_answer(tool: &ToolDescription, bytes: &[u8], rng: &mut RngState) -> Outcome {
    let value = match loads(bytes) {
        Ok(parsed) => parsed.value,
        Err(error) => return Outcome::Refused(format!("the module's answer is not JSON: {error}")),
    };
    let Value::Object(mut object) = value else {
        return Outcome::Refused("the module's answer is no JSON object".to_owned());
    };
    if tool.takes_rng {
        match object.get("rng").map(RngState::restore) {
            Some(Ok(state)) => *rng = state,
            Some(Err(error)) => {
                return Outcome::Refused(format!("the module gave back a generator state that is none: {error}"));
            }
            None => return Outcome::Refused("the module gave no generator state back".to_owned()),
        }
    }
    match (object.remove("result"), object.remove("error")) {
        (Some(result), None) => Outcome::Returned(result),
        (None, Some(error)) => match (error.get("type").and_then(Value::as_str), error.get("message")) {
            (Some(kind), Some(Value::Text(message))) => Outcome::Raised(PyError::new(kind, message.clone())),
            _ => Outcome::Refused("the module's `error` has no texts `type` and `message`".to_owned()),
        },
        _ => Outcome::Refused("the module's answer has not exactly one of `result` and `error`".to_owned()),
    }
}

/// Where an answer lies: the pointer and the length of `(ptr << 32) | len`.
///
/// # Errors
/// A sentence: outside the memory, over the request, or larger than [`MAX_ANSWER_BYTES`].
pub fn answer_range(packed: u64, memory: u64, request: Option<(u64, u64)>) -> Result<(u32, u32), String> {
    let (at, len) = ((packed >> 32) as u32, packed as u32);
    let end = u64::from(at) + u64::from(len);
    if u64::from(len) > MAX_ANSWER_BYTES {
        return Err(format!("the module's answer has {len} bytes; at most {MAX_ANSWER_BYTES} are taken"));
    }
    if end > memory {
        return Err(format!("the module's answer lies outside its memory (bytes {at} to {end} of {memory})"));
    }
    if let Some((start, size)) = request
        && u64::from(at) < start + size
        && start < end
    {
        return Err(format!(
            "the module's answer (bytes {at} to {end}) lies over the request (bytes {start} to {})",
            start + size
        ));
    }
    Ok((at, len))
}

#[cfg(test)]
#[path = "module_tests.rs"]
mod tests;
