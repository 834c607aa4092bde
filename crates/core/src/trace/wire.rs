//! Steps and states packed for the way between the reader and the tools worker.
//!
//! A private format of two workers of one build: it needs no versions, only a check of everything that is read. Lists of words
//! (generator states) that a message holds more than once are written once: most steps of a trace name the same states.
//!
//! Invariant: what is unpacked is what was packed, to the spelling of each float; broken bytes give `None`, never a panic.

use std::collections::HashMap;
use std::sync::Arc;

use super::error::PyError;
use super::json::MAX_DEPTH;
use super::model::TraceStep;
use super::replay::{Cause, NotReplayed, StepVerdict, ToolSource};
use super::text::Text;
use super::value::{Array, Float, Int, Key, Object, Value};

/// What the tools worker says of one step. Of a step that is identical nothing needs to travel.
#[derive(Clone, Debug)]
pub enum Ran {
    /// All ten fields agree.
    Identical,
    /// Something differs.
    Different {
        /// The step as it was replayed.
        replayed: Box<TraceStep>,
        /// Why, where it could be proven.
        cause: Option<Cause>,
    },
    /// A NaN or an infinity keeps mixle from comparing.
    NotComparable {
        /// The step as it was replayed.
        replayed: Box<TraceStep>,
    },
    /// It was not replayed.
    NotReplayed(NotReplayed),
}

impl From<StepVerdict> for Ran {
    fn from(verdict: StepVerdict) -> Ran {
        match verdict {
            StepVerdict::Identical => Ran::Identical,
            StepVerdict::Different { replayed, cause, .. } => Ran::Different { replayed, cause },
            StepVerdict::NotComparable { replayed, .. } => Ran::NotComparable { replayed },
            StepVerdict::NotReplayed(reason) => Ran::NotReplayed(reason),
        }
    }
}

/// The outcome of one step.
#[derive(Clone, Debug)]
pub struct RanStep {
    /// The step (0-based).
    pub step: u32,
    /// What came of it.
    pub ran: Ran,
    /// Where its tool comes from, when there is one.
    pub source: Option<ToolSource>,
}

/// Packs one message.
#[derive(Debug, Default)]
pub struct Packer {
    out: Vec<u8>,
    /// Kept alive, so that an address names one list as long as the message is being packed.
    words: Vec<Arc<[u32]>>,
    places: HashMap<usize, usize>,
}

impl Packer {
    /// An empty message.
    pub fn new() -> Packer {
        Packer::default()
    }

    /// Bytes so far.
    pub fn len(&self) -> usize {
        self.out.len()
    }

    /// True before anything was packed.
    pub fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    /// The message.
    pub fn finish(self) -> Vec<u8> {
        self.out
    }

    fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.out.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.out.push(number as u8);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.out.extend_from_slice(bytes);
    }

    /// Packs a value.
    pub fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.out.push(0),
            Value::Bool(false) => self.out.push(1),
            Value::Bool(true) => self.out.push(2),
            Value::Int(int) => match int.as_i64() {
                Some(small) => {
                    self.out.push(3);
                    self.out.extend_from_slice(&small.to_le_bytes());
                }
                None => {
                    self.out.push(4);
                    self.bytes(int.to_string().as_bytes());
                }
            },
            Value::Float(float) => match float.spelled() {
                None => {
                    self.out.push(5);
                    self.out.extend_from_slice(&float.get().to_bits().to_le_bytes());
                }
                Some(spelled) => {
                    self.out.push(6);
                    self.out.extend_from_slice(&float.get().to_bits().to_le_bytes());
                    self.bytes(spelled.as_bytes());
                }
            },
            Value::Text(text) => {
                self.out.push(7);
                self.bytes(text.as_bytes());
            }
            Value::Array(array) => match array.as_words() {
                Some(words) => self.words(words),
                None => {
                    self.out.push(10);
                    self.number(array.len() as u64);
                    array.as_values().unwrap_or_default().iter().for_each(|item| self.value(item));
                }
            },
            Value::Object(object) => {
                self.out.push(11);
                self.object(object);
            }
        }
    }

    fn words(&mut self, words: &Arc<[u32]>) {
        let address = words.as_ptr() as usize;
        if let Some(place) = self.places.get(&address) {
            let place = *place as u64;
            self.out.push(8);
            self.number(place);
            return;
        }
        self.places.insert(address, self.words.len());
        self.words.push(Arc::clone(words));
        self.out.push(9);
        self.number(words.len() as u64);
        self.out.reserve(words.len() * 4);
        for word in words.iter() {
            self.out.extend_from_slice(&word.to_le_bytes());
        }
    }

    fn object(&mut self, object: &Object) {
        self.number(object.len() as u64);
        for (key, value) in object.iter() {
            self.value(&key.to_value());
            self.value(value);
        }
    }

    /// Packs a step.
    pub fn step(&mut self, step: &TraceStep) {
        self.object(&step.args);
        for value in [
            &step.tool,
            &step.seed,
            &step.result,
            &step.action,
            &step.state_before,
            &step.state_after,
            &step.rng_state_before,
            &step.rng_state_after,
            &step.succeeded,
        ] {
            self.value(value);
        }
    }

    fn error(&mut self, error: &PyError) {
        self.bytes(error.kind.as_bytes());
        self.bytes(error.message.as_bytes());
    }

    /// Packs an outcome.
    pub fn ran(&mut self, ran: &RanStep) {
        self.number(u64::from(ran.step));
        match &ran.ran {
            Ran::Identical => self.out.push(0),
            Ran::Different { replayed, cause } => {
                self.out.push(1);
                self.step(replayed);
                match cause {
                    None => self.out.push(0),
                    Some(Cause::Libm { moved, calls }) => {
                        self.out.push(1);
                        self.number(*moved as u64);
                        self.number(*calls as u64);
                    }
                }
            }
            Ran::NotComparable { replayed } => {
                self.out.push(2);
                self.step(replayed);
            }
            Ran::NotReplayed(reason) => {
                self.out.push(3);
                match reason {
                    NotReplayed::NoState => self.out.push(0),
                    NotReplayed::UnknownTool(name) => {
                        self.out.push(1);
                        self.bytes(name.as_bytes());
                    }
                    NotReplayed::Unhashable(kind) => {
                        self.out.push(2);
                        self.bytes(kind.as_bytes());
                    }
                    NotReplayed::SeedRefused(name) => {
                        self.out.push(3);
                        self.bytes(name.as_bytes());
                    }
                    NotReplayed::BadState(error) => {
                        self.out.push(4);
                        self.error(error);
                    }
                    NotReplayed::Refused(why) => {
                        self.out.push(5);
                        self.bytes(why.as_bytes());
                    }
                    NotReplayed::Stopped => self.out.push(6),
                }
            }
        }
        match &ran.source {
            None => self.out.push(0),
            Some(ToolSource::Shipped) => self.out.push(1),
            Some(ToolSource::Module { name, sha256 }) => {
                self.out.push(2);
                self.bytes(name.as_bytes());
                self.bytes(sha256.as_bytes());
            }
        }
    }
}

/// Unpacks one message.
#[derive(Debug)]
pub struct Unpacker<'a> {
    rest: &'a [u8],
    words: Vec<Arc<[u32]>>,
}

impl<'a> Unpacker<'a> {
    /// A message.
    pub fn new(bytes: &'a [u8]) -> Unpacker<'a> {
        Unpacker { rest: bytes, words: Vec::new() }
    }

    /// True at the end.
    pub fn is_done(&self) -> bool {
        self.rest.is_empty()
    }

    fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.rest.split_at_checked(len)?;
        self.rest = rest;
        Some(head)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1)?.first().copied()
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    fn eight(&mut self) -> Option<[u8; 8]> {
        self.take(8)?.try_into().ok()
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let len = usize::try_from(self.number()?).ok()?;
        self.take(len)
    }

    fn string(&mut self) -> Option<String> {
        std::str::from_utf8(self.bytes()?).ok().map(str::to_owned)
    }

    fn text(&mut self) -> Option<Text> {
        Text::from_generalized_utf8(self.bytes()?)
    }

    /// How many items follow; more than bytes are left is a broken message.
    fn count(&mut self) -> Option<usize> {
        usize::try_from(self.number()?).ok().filter(|count| *count <= self.rest.len())
    }

    /// Unpacks a value.
    pub fn value(&mut self) -> Option<Value> {
        self.value_at(0)
    }

    fn value_at(&mut self, depth: usize) -> Option<Value> {
        // As deep as the reader reads, and a little more: a tool may wrap its arguments.
        if depth > MAX_DEPTH + 8 {
            return None;
        }
        Some(match self.byte()? {
            0 => Value::Null,
            1 => Value::Bool(false),
            2 => Value::Bool(true),
            3 => Value::int(i64::from_le_bytes(self.eight()?)),
            4 => Value::Int(Int::from_digits(std::str::from_utf8(self.bytes()?).ok()?)?),
            5 => Value::float(f64::from_bits(u64::from_le_bytes(self.eight()?))),
            6 => {
                let value = f64::from_bits(u64::from_le_bytes(self.eight()?));
                let spelled = self.string()?;
                Value::Float(Float::with_spelling(value, &spelled, &mut String::new()))
            }
            7 => Value::Text(self.text()?),
            8 => {
                let place = usize::try_from(self.number()?).ok()?;
                Value::Array(Array::from_words(Arc::clone(self.words.get(place)?)))
            }
            9 => {
                let len = usize::try_from(self.number()?).ok()?;
                let bytes = self.take(len.checked_mul(4)?)?;
                let words: Arc<[u32]> = bytes
                    .chunks_exact(4)
                    .map(|word| word.try_into().map(u32::from_le_bytes).unwrap_or_default())
                    .collect();
                self.words.push(Arc::clone(&words));
                Value::Array(Array::from_words(words))
            }
            10 => {
                let count = self.count()?;
                let mut items = Vec::with_capacity(count);
                for _ in 0..count {
                    items.push(self.value_at(depth + 1)?);
                }
                Value::array(items)
            }
            11 => Value::from(self.object_at(depth + 1)?),
            _ => return None,
        })
    }

    fn object_at(&mut self, depth: usize) -> Option<Object> {
        let count = self.count()?;
        let mut entries = Vec::with_capacity(count);
        for _ in 0..count {
            let key = Key::from_value(&self.value_at(depth)?).ok()?;
            entries.push((key, self.value_at(depth)?));
        }
        // The other side had each key once.
        Some(Object::from_unique(entries))
    }

    /// Unpacks a step.
    pub fn step(&mut self) -> Option<TraceStep> {
        let args = self.object_at(1)?;
        let mut step = TraceStep::new(self.value()?, args);
        step.seed = self.value()?;
        step.result = self.value()?;
        step.action = self.value()?;
        step.state_before = self.value()?;
        step.state_after = self.value()?;
        step.rng_state_before = self.value()?;
        step.rng_state_after = self.value()?;
        step.succeeded = self.value()?;
        Some(step)
    }

    /// Unpacks an outcome.
    pub fn ran(&mut self) -> Option<RanStep> {
        let step = u32::try_from(self.number()?).ok()?;
        let ran = match self.byte()? {
            0 => Ran::Identical,
            1 => {
                let replayed = Box::new(self.step()?);
                let cause = match self.byte()? {
                    0 => None,
                    1 => Some(Cause::Libm {
                        moved: usize::try_from(self.number()?).ok()?,
                        calls: usize::try_from(self.number()?).ok()?,
                    }),
                    _ => return None,
                };
                Ran::Different { replayed, cause }
            }
            2 => Ran::NotComparable { replayed: Box::new(self.step()?) },
            3 => Ran::NotReplayed(match self.byte()? {
                0 => NotReplayed::NoState,
                1 => NotReplayed::UnknownTool(self.string()?),
                2 => NotReplayed::Unhashable(if self.string()? == "dict" { "dict" } else { "list" }),
                3 => NotReplayed::SeedRefused(self.string()?),
                4 => NotReplayed::BadState(PyError { kind: self.string()?, message: self.text()? }),
                5 => NotReplayed::Refused(self.string()?),
                6 => NotReplayed::Stopped,
                _ => return None,
            }),
            _ => return None,
        };
        let source = match self.byte()? {
            0 => None,
            1 => Some(ToolSource::Shipped),
            2 => Some(ToolSource::Module { name: self.string()?, sha256: self.string()? }),
            _ => return None,
        };
        Some(RanStep { step, ran, source })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use proptest::prelude::*;

    use super::*;
    use crate::trace::json::{Layout, loads, to_json};
    use crate::trace::model::ExecutionTrace;

    const TRACE: &str = r#"{"request": "r", "steps": [{"tool": "t", "args": {"a": [1, 1.0, true, null, 1e400, -0.0, 9007199254740993,
        1000000000000000000000000000000], "\ud800": "\ud83d\ude00 \udc00"}, "seed": 1E2, "result": {"x": {"y": []}},
        "rng_state_before": [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17], "rng_state_after": [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17],
        "succeeded": null}]}"#;

    fn step() -> TraceStep {
        ExecutionTrace::from_json(loads(TRACE.as_bytes()).unwrap().value).unwrap().steps.remove(0)
    }

    fn verbatim(step: &TraceStep) -> String {
        to_json(&step.to_json(), Layout::Verbatim).unwrap()
    }

    #[test]
    fn a_step_comes_back_to_the_spelling_and_states_are_shared() {
        let step = step();
        let mut packer = Packer::new();
        packer.step(&step);
        let bytes = packer.finish();
        let mut unpacker = Unpacker::new(&bytes);
        let back = unpacker.step().unwrap();
        assert!(unpacker.is_done());
        assert_eq!(verbatim(&back), verbatim(&step));
        let words = |value: &Value| Arc::clone(value.as_array().unwrap().as_words().unwrap());
        assert!(Arc::ptr_eq(&words(&back.rng_state_before), &words(&back.rng_state_after)));
    }

    #[test]
    fn integer_keys_stay_integers() {
        let mut packer = Packer::new();
        let object: Object =
            [(Key::Int(Int::from(2)), Value::Null), (Key::Null, Value::Bool(true))].into_iter().collect();
        packer.value(&Value::from(object));
        let bytes = packer.finish();
        let back = Unpacker::new(&bytes).value().unwrap();
        let keys: Vec<String> = back.as_object().unwrap().iter().map(|(k, _)| format!("{k:?}")).collect();
        assert_eq!(keys, [format!("{:?}", Key::Int(Int::from(2))), "Null".to_owned()]);
    }

    #[test]
    fn outcomes_come_back() {
        let reasons = [
            NotReplayed::NoState,
            NotReplayed::UnknownTool("'x'".into()),
            NotReplayed::Unhashable("dict"),
            NotReplayed::SeedRefused("'y'".into()),
            NotReplayed::BadState(PyError::new("ValueError", "bad")),
            NotReplayed::Refused("stopped after 5 s".into()),
            NotReplayed::Stopped,
        ];
        let module = ToolSource::Module { name: "m 1".into(), sha256: "00".into() };
        let mut all: Vec<RanStep> = reasons
            .iter()
            .map(|reason| RanStep { step: 7, ran: Ran::NotReplayed(reason.clone()), source: Some(module.clone()) })
            .collect();
        let cause = Some(Cause::Libm { moved: 1, calls: 300 });
        all.push(RanStep { step: 8, ran: Ran::Identical, source: None });
        all.push(RanStep {
            step: 300,
            ran: Ran::Different { replayed: Box::new(step()), cause },
            source: Some(ToolSource::Shipped),
        });
        all.push(RanStep { step: 301, ran: Ran::NotComparable { replayed: Box::new(step()) }, source: None });
        let mut packer = Packer::new();
        all.iter().for_each(|ran| packer.ran(ran));
        let bytes = packer.finish();
        let mut unpacker = Unpacker::new(&bytes);
        for ran in &all {
            assert_eq!(format!("{:?}", unpacker.ran().unwrap()), format!("{ran:?}"));
        }
        assert!(unpacker.is_done());
        for end in 0..bytes.len() {
            let mut cut = Unpacker::new(&bytes[..end]);
            let read = std::iter::from_fn(|| if cut.is_done() { None } else { cut.ran() }).count();
            assert!(read < all.len());
        }
    }

    proptest! {
        #[test]
        fn broken_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Unpacker::new(&bytes).ran();
            let _ = Unpacker::new(&bytes).step();
        }
    }
}
