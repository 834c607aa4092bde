//! Tool modules for Tapedeck: write plain functions, get a WebAssembly module that replays the steps of a trace (ABI 1).
//!
//! ```
//! tapedeck_tool::tools! {
//!     name: "units", version: "1.0";
//!
//!     /// Degrees Fahrenheit of degrees Celsius.
//!     fn fahrenheit(celsius: f64) -> f64 { celsius * 9.0 / 5.0 + 32.0 }
//! }
//! # fn main() {
//! let answer = tapedeck_module().call(br#"{"tool": "fahrenheit", "args": {"celsius": 100}, "seed": null, "rng": null}"#);
//! assert_eq!(answer, r#"{"result":212.0}"#);
//! # }
//! ```
//!
//! An argument named `seed` makes the tool accept a step's seed. An argument of type [`Rng`] gives it the step's generators. A tool
//! that returns `Result<_, Failure>` can fail as a Python tool raises. Arguments that are missing or not known fail with the
//! `TypeError` that Python gives.
//!
//! Invariant: a module built with this imports nothing from its host, so its answers depend on the request alone.

#[doc(hidden)]
pub mod memory;
mod rng;
mod value;

use tapedeck_core::trace::json::{Layout, loads, to_json};
use tapedeck_core::trace::rng_state::RngState;
use tapedeck_core::trace::{Key, PyError};

pub use rng::Rng;
pub use tapedeck_core::trace::{Array, Float, Int, Object, Text, Value};
pub use value::{FromArgument, FromValue, IntoAnswer, IntoValue};

/// The version of the interface between a module and Tapedeck.
pub const ABI: i32 = 1;

/// Why a tool gives no result: what a Python tool would have raised, which a trace records as a failed step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure(PyError);

impl Failure {
    /// A failure with the name of a Python exception and its message.
    pub fn new(kind: &str, message: impl Into<Text>) -> Failure {
        Failure(PyError::new(kind, message))
    }
}

impl From<PyError> for Failure {
    fn from(error: PyError) -> Failure {
        Failure(error)
    }
}

/// One call of a tool.
pub struct Call {
    args: Object,
    rng: Option<Rng>,
}

impl Call {
    /// An argument by name.
    pub fn arg(&self, name: &str) -> Option<&Value> {
        self.args.get(name)
    }

    /// The step's generators, if the tool asked for them.
    pub fn rng(&self) -> Option<&Rng> {
        self.rng.as_ref()
    }
}

/// An argument of a tool.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// True when the call may leave it out.
    pub is_optional: bool,
    /// True for the generators, which are no argument of the call.
    pub is_rng: bool,
}

impl Param {
    /// The argument `name` of type `T`.
    pub fn of<T: FromArgument>(name: &'static str) -> Param {
        Param { name, is_optional: T::IS_OPTIONAL, is_rng: T::IS_RNG }
    }
}

/// A tool of a module; made by [`tools!`].
#[derive(Clone, Debug)]
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    /// Its arguments.
    pub params: Vec<Param>,
    /// The function.
    pub run: fn(&Call) -> Result<Value, Failure>,
}

impl Tool {
    fn named(&self) -> impl Iterator<Item = &Param> {
        self.params.iter().filter(|p| !p.is_rng)
    }

    fn takes_rng(&self) -> bool {
        self.params.iter().any(|p| p.is_rng)
    }

    /// The `TypeError` of Python's call rules, if the arguments break them.
    fn check(&self, args: &Object) -> Result<(), Failure> {
        for (key, _) in args.iter() {
            let name = key.as_text().cloned().unwrap_or_default();
            if !self.named().any(|p| name == p.name) {
                let message = format!("{}() got an unexpected keyword argument '{name}'", self.name);
                return Err(Failure::new("TypeError", message));
            }
        }
        let missing: Vec<String> = self
            .named()
            .filter(|p| !p.is_optional && args.get(p.name).is_none())
            .map(|p| format!("'{}'", p.name))
            .collect();
        let names = match missing.as_slice() {
            [] => return Ok(()),
            [one] => one.clone(),
            [one, two] => format!("{one} and {two}"),
            [most @ .., last] => format!("{}, and {last}", most.join(", ")),
        };
        let arguments = if missing.len() == 1 { "argument" } else { "arguments" };
        let message = format!("{}() missing {} required positional {arguments}: {names}", self.name, missing.len());
        Err(Failure::new("TypeError", message))
    }
}

/// A module: its name, its version and its tools; made by [`tools!`].
#[derive(Clone, Debug)]
pub struct Module {
    /// Its name.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
    /// Its tools.
    pub tools: Vec<Tool>,
}

impl Module {
    /// The answer of `tapedeck_describe`, as JSON.
    pub fn describe(&self) -> String {
        let tools = self.tools.iter().map(|tool| {
            Value::object([
                ("name", Value::text(tool.name)),
                ("params", Value::array(tool.named().map(|p| Value::text(p.name)).collect())),
                ("seed", Value::Bool(tool.named().any(|p| p.name == "seed"))),
                ("rng", Value::Bool(tool.takes_rng())),
                ("about", Value::text(tool.about.trim())),
            ])
        });
        written(&Value::object([
            ("name", Value::text(self.name)),
            ("version", Value::text(self.version)),
            ("tools", Value::array(tools.collect())),
        ]))
    }

    /// The answer of `tapedeck_call` to a request, both JSON:
    /// `{"tool", "args", "seed", "rng"}` and `{"result"}` or `{"error"}`, with `rng` where the tool takes the generators.
    pub fn call(&self, request: &[u8]) -> String {
        let failed = |failure: Failure, rng: Option<Value>| {
            let error = failure.0.failure_result();
            let error = error.get("error").cloned().unwrap_or(Value::Null);
            answer(("error", error), rng)
        };
        let request = match loads(request) {
            Ok(parsed) => parsed.value,
            Err(error) => return failed(Failure::new("ValueError", format!("the request is not JSON: {error}")), None),
        };
        let name = request.get("tool").and_then(Value::as_str).unwrap_or_default();
        let Some(tool) = self.tools.iter().find(|tool| tool.name == name) else {
            return failed(Failure::new("KeyError", format!("'{name}'")), None);
        };
        let mut args = request.get("args").and_then(Value::as_object).cloned().unwrap_or_default();
        if let Some(seed) = request.get("seed").filter(|seed| !seed.is_null()) {
            args.insert(Key::from("seed"), seed.clone());
        }
        let rng = if tool.takes_rng() {
            match RngState::restore(request.get("rng").unwrap_or(&Value::Null)) {
                Ok(state) => Some(Rng::new(state)),
                Err(error) => return failed(error.into(), None),
            }
        } else {
            None
        };
        let call = Call { args, rng };
        let result = tool.check(&call.args).and_then(|()| (tool.run)(&call));
        let exit = call.rng.map(|rng| rng.capture());
        match result {
            Ok(value) => answer(("result", value), exit),
            Err(failure) => failed(failure, exit),
        }
    }
}

fn answer(outcome: (&str, Value), rng: Option<Value>) -> String {
    written(&Value::object([outcome].into_iter().chain(rng.map(|rng| ("rng", rng)))))
}

/// JSON; what cannot be written (an integer of more than 4300 digits) becomes the failure that Python gives.
fn written(value: &Value) -> String {
    to_json(value, Layout::Compact)
        .unwrap_or_else(|error| to_json(&error.failure_result(), Layout::Compact).unwrap_or_else(|_| "{}".to_owned()))
}

/// Makes a tool module of plain functions; see the crate's documentation.
#[macro_export]
macro_rules! tools {
    (
        name: $name:expr, version: $version:expr;
        $(
            $(#[doc = $about:literal])+
            fn $tool:ident($($arg:ident: $kind:ty),* $(,)?) -> $result:ty $body:block
        )+
    ) => {
        $(
            $(#[doc = $about])+
            fn $tool($($arg: $kind),*) -> $result $body
        )+

        /// The module: what it is and what it answers.
        pub fn tapedeck_module() -> $crate::Module {
            $crate::Module {
                name: $name,
                version: $version,
                tools: vec![$(
                    $crate::Tool {
                        name: stringify!($tool),
                        about: concat!($($about),+),
                        params: vec![$($crate::Param::of::<$kind>(stringify!($arg))),*],
                        run: |_call| {
                            $(let $arg = <$kind as $crate::FromArgument>::from_argument(_call, stringify!($arg))?;)*
                            $crate::IntoAnswer::into_answer($tool($($arg),*))
                        },
                    }
                ),+],
            }
        }

        /// What the module exports (ABI 1).
        #[cfg(target_arch = "wasm32")]
        mod tapedeck_exports {
            #[unsafe(no_mangle)]
            extern "C" fn tapedeck_abi() -> i32 {
                $crate::ABI
            }

            #[unsafe(no_mangle)]
            extern "C" fn tapedeck_alloc(len: i32) -> i32 {
                $crate::memory::alloc(len)
            }

            #[unsafe(no_mangle)]
            extern "C" fn tapedeck_describe() -> i64 {
                $crate::memory::give(super::tapedeck_module().describe())
            }

            #[unsafe(no_mangle)]
            extern "C" fn tapedeck_call(ptr: i32, len: i32) -> i64 {
                $crate::memory::give(super::tapedeck_module().call(&$crate::memory::take(ptr, len)))
            }
        }
    };
}
