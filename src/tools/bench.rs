//! The tools at hand: those that ship, and those of the modules that the user brought.
//!
//! Invariant: a module's tool takes the place of another of the same name only when the user asked for that.

use tapedeck_core::model::protocol::Refusal;
use tapedeck_core::model::protocol_tools::{ModuleName, ModuleReport, ToolRow};
use tapedeck_core::trace::module::{
    Description, ToolDescription, call_request, check, parse_answer, parse_description, sha256_hex,
};
use tapedeck_core::trace::replay::{Cause, Outcome, ToolBox, ToolSource};
use tapedeck_core::trace::rng_state::RngState;
use tapedeck_core::trace::{Object, TraceStep, Value};
use tapedeck_tools::{Shipped, TOOLS};

use super::engine::Engine;

/// Modules that may be at hand at the same time; more would be a mistake.
const MAX_MODULES: usize = 32;

struct Loaded {
    engine: Engine,
    description: Description,
    name: ModuleName,
    replaces: bool,
}

/// All tools.
#[derive(Default)]
pub(super) struct Bench {
    shipped: Shipped,
    /// In the order in which they were brought.
    modules: Vec<Loaded>,
}

impl Bench {
    /// The module's tool of this name, if it is a module's that answers to it.
    fn of_module(&self, tool: &str) -> Option<(&Loaded, &ToolDescription)> {
        let find = |loaded: &'_ &Loaded| loaded.description.tools.iter().any(|own| own.name == tool);
        // One that replaces comes first, the newest of them; then what ships; then the oldest module.
        let replacing = self.modules.iter().rev().filter(|loaded| loaded.replaces).find(find);
        let is_shipped = self.shipped.accepts_seed(tool).is_some();
        let loaded = replacing.or_else(|| self.modules.iter().find(find).filter(|_| !is_shipped))?;
        loaded.description.tools.iter().find(|own| own.name == tool).map(|own| (loaded, own))
    }

    /// Whether a tool is a module's.
    pub(super) fn is_of_module(&self, tool: &str) -> bool {
        self.of_module(tool).is_some()
    }

    /// Takes a module.
    ///
    /// # Errors
    /// Why it is not taken.
    pub(super) fn add(&mut self, file: String, bytes: &[u8], replaces: bool) -> Result<ModuleReport, Refusal> {
        check(bytes)?;
        let broken = |why: String| Refusal {
            kind: "module-broken".to_owned(),
            what: format!("The module was not taken: {why}."),
            place: String::new(),
            advice: "Mend the module and drop it again; docs/tool-modules.md shows the four functions.".to_owned(),
        };
        let engine = Engine::compile(bytes).map_err(broken)?;
        let description = engine.describe().and_then(|text| parse_description(&text)).map_err(broken)?;
        let name = ModuleName {
            name: description.name.clone(),
            version: description.version.clone(),
            sha256: sha256_hex(bytes),
        };
        self.remove(&name.sha256);
        if self.modules.len() >= MAX_MODULES {
            return Err(broken(format!("{MAX_MODULES} modules are at hand already")));
        }
        self.modules.push(Loaded { engine, description: description.clone(), name: name.clone(), replaces });
        let (tools, shadowed) = description
            .tools
            .iter()
            .map(|tool| tool.name.clone())
            .partition(|tool| self.of_module(tool).is_some_and(|(loaded, _)| loaded.name.sha256 == name.sha256));
        Ok(ModuleReport { module: name, file, tools, shadowed, all: self.rows() })
    }

    /// Takes a module out.
    pub(super) fn remove(&mut self, sha256: &str) {
        self.modules.retain(|loaded| loaded.name.sha256 != sha256);
    }

    /// The tools that answer to their name.
    pub(super) fn rows(&self) -> Vec<ToolRow> {
        let shipped = TOOLS.iter().filter(|tool| !self.is_of_module(tool.name)).map(|tool| ToolRow {
            name: tool.name.to_owned(),
            signature: tool.signature(),
            description: tool.about.to_owned(),
            takes_seed: tool.accepts_seed(),
            module: None,
        });
        let brought =
            self.modules.iter().flat_map(|loaded| loaded.description.tools.iter().map(move |tool| (loaded, tool)));
        let brought = brought
            .filter(|(loaded, tool)| {
                self.of_module(&tool.name).is_some_and(|(own, _)| own.name.sha256 == loaded.name.sha256)
            })
            .map(|(loaded, tool)| ToolRow {
                name: tool.name.clone(),
                signature: tool.signature(),
                description: tool.about.clone(),
                takes_seed: tool.takes_seed,
                module: Some(loaded.name.clone()),
            });
        shipped.chain(brought).collect()
    }
}

impl ToolBox for Bench {
    fn accepts_seed(&self, tool: &str) -> Option<bool> {
        match self.of_module(tool) {
            Some((_, tool)) => Some(tool.takes_seed),
            None => self.shipped.accepts_seed(tool),
        }
    }

    fn call(&mut self, tool: &str, args: &mut Object, seed: Option<&Value>, rng: &mut RngState) -> Outcome {
        let Some((loaded, description)) = self.of_module(tool) else {
            return self.shipped.call(tool, args, seed, rng);
        };
        let request = match call_request(description, args, seed, rng) {
            Ok(request) => request,
            Err(error) => return Outcome::Refused(format!("the arguments cannot be written as JSON ({error})")),
        };
        match loaded.engine.call(request.as_bytes()) {
            Ok(answer) => parse_answer(description, &answer, rng),
            Err(why) => Outcome::Refused(why),
        }
    }

    fn prove_cause(&mut self, recorded: &TraceStep, replayed: &TraceStep) -> Option<Cause> {
        if self.is_of_module(recorded.tool.as_str()?) { None } else { self.shipped.prove_cause(recorded, replayed) }
    }

    fn source(&self, tool: &str) -> ToolSource {
        match self.of_module(tool) {
            Some((loaded, _)) => ToolSource::Module {
                name: format!("{} {}", loaded.name.name, loaded.name.version).trim_end().to_owned(),
                sha256: loaded.name.sha256.clone(),
            },
            None => ToolSource::Shipped,
        }
    }
}
