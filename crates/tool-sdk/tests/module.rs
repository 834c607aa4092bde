//! The example module, built for WebAssembly and run: it passes the page's check, imports nothing, and answers as its functions do.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::{Path, PathBuf};
use std::process::Command;

use tapedeck_core::trace::json::{Layout, loads, to_json};
use tapedeck_core::trace::module::{
    ToolDescription, answer_range, call_request, check, parse_answer, parse_description,
};
use tapedeck_core::trace::replay::Outcome;
use tapedeck_core::trace::{Object, Value};
use tapedeck_tools::{mt, seeded_state};
use wasmi::{Engine, Instance, Linker, Memory, Module, Store};

/// Builds the module and returns its path.
fn built() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let output = Command::new(env!("CARGO"))
        .current_dir(root)
        .args(["run", "--quiet", "--package", "xtask", "--", "module"])
        .output()
        .expect("cargo can be started");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    PathBuf::from(text.lines().last().expect("the chore prints the path"))
}

/// A fresh instance of a module, as the page makes one for each step.
struct Running {
    store: Store<()>,
    instance: Instance,
    memory: Memory,
}

impl Running {
    fn new(bytes: &[u8]) -> Running {
        let engine = Engine::default();
        let module = Module::new(&engine, bytes).unwrap();
        let mut store = Store::new(&engine, ());
        // Nothing is linked: a module that imported anything could not be instantiated.
        let instance = Linker::new(&engine).instantiate_and_start(&mut store, &module).unwrap();
        let memory = instance.get_memory(&store, "memory").unwrap();
        Running { store, instance, memory }
    }

    fn read(&self, packed: i64, request: Option<(u64, u64)>) -> Vec<u8> {
        let data = self.memory.data(&self.store);
        let (at, len) = answer_range(packed.cast_unsigned(), data.len() as u64, request).unwrap();
        data[at as usize..(at + len) as usize].to_vec()
    }

    fn abi(&mut self) -> i32 {
        let abi = self.instance.get_typed_func::<(), i32>(&self.store, "tapedeck_abi").unwrap();
        abi.call(&mut self.store, ()).unwrap()
    }

    fn describe(&mut self) -> Vec<u8> {
        let describe = self.instance.get_typed_func::<(), i64>(&self.store, "tapedeck_describe").unwrap();
        let packed = describe.call(&mut self.store, ()).unwrap();
        self.read(packed, None)
    }

    fn call(&mut self, request: &[u8]) -> Vec<u8> {
        let alloc = self.instance.get_typed_func::<i32, i32>(&self.store, "tapedeck_alloc").unwrap();
        let call = self.instance.get_typed_func::<(i32, i32), i64>(&self.store, "tapedeck_call").unwrap();
        let len = i32::try_from(request.len()).unwrap();
        let at = alloc.call(&mut self.store, len).unwrap();
        self.memory.write(&mut self.store, at.cast_unsigned() as usize, request).unwrap();
        let packed = call.call(&mut self.store, (at, len)).unwrap();
        self.read(packed, Some((u64::from(at.cast_unsigned()), request.len() as u64)))
    }
}

fn dumps(value: &Value) -> String {
    to_json(value, Layout::Compact).unwrap()
}

fn shown(outcome: Outcome) -> String {
    match outcome {
        Outcome::Returned(value) => dumps(&value),
        Outcome::Raised(error) => error.to_string(),
        Outcome::Refused(reason) => format!("refused: {reason}"),
    }
}

#[test]
fn the_example_is_built_checked_and_run() {
    let path = built();
    let bytes = std::fs::read(&path).unwrap();
    check(&bytes).unwrap_or_else(|refusal| panic!("{refusal:?}"));
    assert!(bytes.len() < 400_000, "the module has {} bytes", bytes.len());

    let mut running = Running::new(&bytes);
    assert_eq!(running.abi(), 1);
    let description = running.describe();
    assert_eq!(String::from_utf8_lossy(&description), tool_module_description());
    let description = parse_description(&description).unwrap();
    assert_eq!((description.name.as_str(), description.version.as_str()), ("example", "1.2.0"));
    let signatures: Vec<String> = description.tools.iter().map(ToolDescription::signature).collect();
    assert_eq!(signatures, ["fahrenheit(celsius)", "initials(text, separator)", "dice(n, seed)", "draw(n)"]);
    assert_eq!(description.tools[0].about, "Degrees Fahrenheit of degrees Celsius.");

    let call = |tool: &str, args: &str, seed: Option<Value>| {
        let tool = description.tools.iter().find(|other| other.name == tool).unwrap();
        let args: Object = loads(args.as_bytes()).unwrap().value.as_object().unwrap().clone();
        let mut rng = seeded_state(9);
        let request = call_request(tool, &args, seed.as_ref(), &rng).unwrap();
        let answer = Running::new(&bytes).call(request.as_bytes());
        (shown(parse_answer(tool, &answer, &mut rng)), rng)
    };
    assert_eq!(call("fahrenheit", r#"{"celsius": 36.6}"#, None).0, "97.88000000000001");
    assert_eq!(call("fahrenheit", r#"{"celsius": 100}"#, None).0, "212.0");
    let wrong = call("fahrenheit", r#"{"celsius": "hot"}"#, None).0;
    assert_eq!(wrong, "TypeError: argument 'celsius' must be a number, not str");
    let missing = call("fahrenheit", "{}", None).0;
    assert_eq!(missing, "TypeError: fahrenheit() missing 1 required positional argument: 'celsius'");
    let unknown = call("fahrenheit", r#"{"celsius": 1, "kelvin": 2}"#, None).0;
    assert_eq!(unknown, "TypeError: fahrenheit() got an unexpected keyword argument 'kelvin'");
    assert_eq!(call("initials", r#"{"text": "Ada Lovelace Ω"}"#, None).0, r#""AL\u03a9""#);
    assert_eq!(call("initials", r#"{"text": "a b", "separator": "."}"#, None).0, r#""a.b""#);
    assert_eq!(call("initials", r#"{"text": " "}"#, None).0, "ValueError: the text has no words");
    // random.seed(7); [random.randrange(6) + 1 for _ in range(5)]
    assert_eq!(call("dice", r#"{"n": 5}"#, Some(Value::int(7))).0, "[3,2,4,6,1]");

    // The step's generator moves as it does natively, to the last word.
    let (drawn, exit) = call("draw", r#"{"n": 700}"#, None);
    let mut native = seeded_state(9);
    let expected = Value::array((0..700).map(|_| Value::float(mt::next_double(&mut native.python.mt))).collect());
    assert_eq!(drawn, dumps(&expected));
    assert_eq!(dumps(&exit.capture()), dumps(&native.capture()));
}

/// What the module says of itself when its functions are called natively.
fn tool_module_description() -> String {
    tool_module::tapedeck_module().describe()
}
