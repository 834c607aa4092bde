//! The reader: one pass, no recursion, Python's errors.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::ops::ControlFlow;
use std::sync::Arc;

use super::decode::{Decoded, Encoding, decode, line_and_column};
use super::error::{JsonError, JsonErrorKind};
use super::{MAX_DEPTH, MAX_INT_DIGITS};
use crate::trace::text::{Text, TextBuf};
use crate::trace::value::{Array, COMPACT_MIN, Float, Int, Key, Object, Value};

/// Bytes between two progress reports: about 10 ms of work.
const PROGRESS_STEP: usize = 1 << 20;

/// Duplicate keys that are listed; the rest are only counted.
const MAX_DUPLICATES: usize = 100;

/// A document that was read.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The value.
    pub value: Value,
    /// The encoding of the bytes.
    pub encoding: Encoding,
    /// Keys that stood twice in one object, the first hundred of them. The last value won, as in Python.
    pub duplicates: Vec<DuplicateKey>,
    /// How many such keys there were in all.
    pub duplicate_count: usize,
}

/// A key that stood in its object before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DuplicateKey {
    /// The key.
    pub key: Text,
    /// Byte of the input where it stands again, from 0.
    pub byte: usize,
    /// Line, from 1.
    pub line: usize,
    /// Column in code points, from 1.
    pub column: usize,
}

/// What the reader may be asked for.
#[derive(Default)]
pub struct ReadOptions<'a> {
    /// Called about every megabyte with the bytes done; `Break` stops the reading.
    pub progress: Option<&'a mut dyn FnMut(usize) -> ControlFlow<()>>,
}

/// `json.loads(bytes)`.
///
/// # Errors
/// A [`JsonError`] with Python's message and the place.
pub fn loads(bytes: &[u8]) -> Result<Parsed, JsonError> {
    loads_with(bytes, ReadOptions::default())
}

/// `json.loads(bytes)` with progress.
///
/// # Errors
/// A [`JsonError`] with Python's message and the place, or [`JsonErrorKind::Cancelled`].
pub fn loads_with(bytes: &[u8], options: ReadOptions<'_>) -> Result<Parsed, JsonError> {
    read(&decode(bytes)?, options)
}

/// `json.loads(str)`: the text is known, so a byte order mark in front is an error.
///
/// # Errors
/// A [`JsonError`] with Python's message and the place.
pub fn text_loads(text: &Text) -> Result<Parsed, JsonError> {
    let decoded = Decoded { text: text.as_bytes().into(), encoding: Encoding::Utf8, bom_len: 0 };
    if text.as_bytes().starts_with("\u{feff}".as_bytes()) {
        return Err(place(&decoded, Fault::syntax("Unexpected UTF-8 BOM (decode using utf-8-sig)", 0)));
    }
    read(&decoded, ReadOptions::default())
}

fn read(decoded: &Decoded<'_>, options: ReadOptions<'_>) -> Result<Parsed, JsonError> {
    let mut reader = Reader {
        text: &decoded.text,
        at: 0,
        next_report: if options.progress.is_some() { PROGRESS_STEP } else { usize::MAX },
        progress: options.progress,
        shared: HashMap::new(),
        hasher: RandomState::new(),
        scratch: String::new(),
        duplicates: Vec::new(),
        duplicate_count: 0,
    };
    let value = reader.document().map_err(|fault| place(decoded, fault))?;
    let duplicates = reader
        .duplicates
        .into_iter()
        .map(|(key, at)| {
            let (line, column) = line_and_column(&decoded.text, at);
            DuplicateKey { key, byte: decoded.source_byte(at), line, column }
        })
        .collect();
    Ok(Parsed { value, encoding: decoded.encoding, duplicates, duplicate_count: reader.duplicate_count })
}

/// A fault at a byte of the decoded text; the place is worked out once, at the end.
struct Fault {
    kind: JsonErrorKind,
    message: String,
    at: usize,
}

impl Fault {
    fn syntax(message: &str, at: usize) -> Fault {
        Fault { kind: JsonErrorKind::Syntax, message: message.into(), at }
    }
}

fn place(decoded: &Decoded<'_>, fault: Fault) -> JsonError {
    let (line, column) = line_and_column(&decoded.text, fault.at);
    let before = decoded.text.get(..fault.at).unwrap_or(&decoded.text);
    JsonError {
        kind: fault.kind,
        message: fault.message,
        char_pos: before.iter().filter(|b| (**b & 0xC0) != 0x80).count(),
        line,
        column,
        byte: decoded.source_byte(fault.at),
    }
}

/// A list or an object that is still open.
enum Open {
    Array(Vec<Value>),
    Object { entries: Vec<(Key, Value)>, places: Vec<usize>, key: Text },
}

struct Reader<'a, 'p> {
    text: &'a [u8],
    at: usize,
    next_report: usize,
    progress: Option<&'p mut dyn FnMut(usize) -> ControlFlow<()>>,
    /// Lists of words seen so far, by their hash: states repeat from step to step.
    shared: HashMap<u64, Arc<[u32]>>,
    hasher: RandomState,
    scratch: String,
    duplicates: Vec<(Text, usize)>,
    duplicate_count: usize,
}

impl Reader<'_, '_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn skip_blank(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn document(&mut self) -> Result<Value, Fault> {
        let mut open: Vec<Open> = Vec::new();
        self.skip_blank();
        'value: loop {
            if self.at >= self.next_report {
                self.report()?;
            }
            let mut done = match self.peek() {
                Some(b'{') => {
                    self.deeper(open.len(), "object")?;
                    self.at += 1;
                    self.skip_blank();
                    if self.peek() == Some(b'}') {
                        self.at += 1;
                        Value::from(Object::new())
                    } else {
                        let mut places = Vec::new();
                        let key = self.key(&mut places)?;
                        open.push(Open::Object { entries: Vec::new(), places, key });
                        continue 'value;
                    }
                }
                Some(b'[') => {
                    self.deeper(open.len(), "array")?;
                    if let Some(words) = self.words() {
                        Value::Array(Array::from_words(words))
                    } else {
                        self.at += 1;
                        self.skip_blank();
                        if self.peek() == Some(b']') {
                            self.at += 1;
                            Value::array(Vec::new())
                        } else {
                            open.push(Open::Array(Vec::new()));
                            continue 'value;
                        }
                    }
                }
                _ => self.scalar()?,
            };
            // A value is complete: hand it to what is open around it, and close that too when it ends here.
            loop {
                let Some(top) = open.last_mut() else {
                    self.skip_blank();
                    if self.at < self.text.len() {
                        return Err(Fault::syntax("Extra data", self.at));
                    }
                    return Ok(done);
                };
                self.skip_blank();
                let next = self.peek();
                match top {
                    Open::Array(items) => {
                        items.push(done);
                        match next {
                            Some(b',') => {
                                self.at += 1;
                                self.skip_blank();
                                continue 'value;
                            }
                            Some(b']') => {
                                self.at += 1;
                                done = Value::array(std::mem::take(items));
                                open.pop();
                            }
                            _ => return Err(Fault::syntax("Expecting ',' delimiter", self.at)),
                        }
                    }
                    Open::Object { entries, places, key } => {
                        entries.push((Key::Text(std::mem::take(key)), done));
                        match next {
                            Some(b',') => {
                                self.at += 1;
                                self.skip_blank();
                                *key = self.key(places)?;
                                continue 'value;
                            }
                            Some(b'}') => {
                                self.at += 1;
                                let (entries, places) = (std::mem::take(entries), std::mem::take(places));
                                open.pop();
                                done = Value::from(Object::from_unique(self.unique(entries, &places)));
                            }
                            _ => return Err(Fault::syntax("Expecting ',' delimiter", self.at)),
                        }
                    }
                }
            }
        }
    }

    fn report(&mut self) -> Result<(), Fault> {
        self.next_report = self.at + PROGRESS_STEP;
        match self.progress.as_mut().map(|report| report(self.at)) {
            Some(ControlFlow::Break(())) => {
                Err(Fault { kind: JsonErrorKind::Cancelled, message: "reading was stopped".into(), at: self.at })
            }
            _ => Ok(()),
        }
    }

    fn deeper(&self, depth: usize, what: &str) -> Result<(), Fault> {
        if depth < MAX_DEPTH {
            return Ok(());
        }
        let message = format!("maximum recursion depth exceeded while decoding a JSON {what} from a unicode string");
        Err(Fault { kind: JsonErrorKind::TooDeep, message, at: self.at })
    }

    /// A key with its colon; leaves the reader at the value.
    fn key(&mut self, places: &mut Vec<usize>) -> Result<Text, Fault> {
        if self.peek() != Some(b'"') {
            return Err(Fault::syntax("Expecting property name enclosed in double quotes", self.at));
        }
        places.push(self.at);
        let key = self.string()?;
        self.skip_blank();
        if self.peek() != Some(b':') {
            return Err(Fault::syntax("Expecting ':' delimiter", self.at));
        }
        self.at += 1;
        self.skip_blank();
        Ok(key)
    }

    /// Each key once, at its first place and with its last value.
    fn unique(&mut self, mut entries: Vec<(Key, Value)>, places: &[usize]) -> Vec<(Key, Value)> {
        let text_of = |i: usize| entries.get(i).and_then(|(k, _)| k.as_text()).map(Text::as_bytes).unwrap_or_default();
        let mut order: Vec<usize> = (0..entries.len()).collect();
        if entries.len() <= 12 {
            let repeats = (1..entries.len()).any(|i| (0..i).any(|j| text_of(i) == text_of(j)));
            if !repeats {
                entries.shrink_to_fit();
                return entries;
            }
        }
        order.sort_by(|a, b| text_of(*a).cmp(text_of(*b)).then(a.cmp(b)));
        // For each place: where its key stood first, and whether a later one takes over.
        let mut first_of: Vec<usize> = (0..entries.len()).collect();
        for pair in order.windows(2) {
            if let [a, b] = *pair
                && text_of(a) == text_of(b)
                && let Some(first) = first_of.get(a).copied()
                && let Some(slot) = first_of.get_mut(b)
            {
                *slot = first;
            }
        }
        let mut kept: Vec<(Key, Value)> = Vec::with_capacity(entries.len());
        let mut new_place: Vec<usize> = Vec::with_capacity(entries.len());
        for (i, (key, value)) in entries.into_iter().enumerate() {
            let first = first_of.get(i).copied().unwrap_or(i);
            if first == i {
                new_place.push(kept.len());
                kept.push((key, value));
                continue;
            }
            let target = new_place.get(first).copied().unwrap_or(0);
            new_place.push(target);
            self.duplicate_count += 1;
            if self.duplicates.len() < MAX_DUPLICATES
                && let Key::Text(text) = &key
            {
                self.duplicates.push((text.clone(), places.get(i).copied().unwrap_or(0)));
            }
            if let Some(slot) = kept.get_mut(target) {
                slot.1 = value;
            }
        }
        kept.shrink_to_fit();
        kept
    }

    /// A list of at least [`COMPACT_MIN`] plain integers below 2^32, read at once; `None`, with nothing consumed, for any other.
    fn words(&mut self) -> Option<Arc<[u32]>> {
        let text = self.text;
        let mut at = self.at + 1;
        let mut words: Vec<u32> = Vec::new();
        let blank = |at: &mut usize| {
            while matches!(text.get(*at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
                *at += 1;
            }
        };
        loop {
            blank(&mut at);
            let start = at;
            let mut word = 0_u64;
            while let Some(digit @ b'0'..=b'9') = text.get(at) {
                word = word * 10 + u64::from(digit - b'0');
                at += 1;
                if at - start > 10 {
                    return None;
                }
            }
            if at == start || (at - start > 1 && text.get(start) == Some(&b'0')) {
                return None;
            }
            words.push(u32::try_from(word).ok()?);
            blank(&mut at);
            match text.get(at)? {
                b',' => at += 1,
                b']' => break,
                _ => return None,
            }
        }
        if words.len() < COMPACT_MIN {
            return None;
        }
        self.at = at + 1;
        let hash = self.hasher.hash_one(&words);
        if let Some(known) = self.shared.get(&hash)
            && **known == *words
        {
            return Some(Arc::clone(known));
        }
        let words: Arc<[u32]> = words.into();
        self.shared.insert(hash, Arc::clone(&words));
        Some(words)
    }

    fn scalar(&mut self) -> Result<Value, Fault> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let named = [
            (&b"null"[..], Value::Null),
            (b"true", Value::Bool(true)),
            (b"false", Value::Bool(false)),
            (b"NaN", Value::float(f64::NAN)),
            (b"Infinity", Value::float(f64::INFINITY)),
            (b"-Infinity", Value::float(f64::NEG_INFINITY)),
        ];
        match rest.first() {
            Some(b'"') => return self.string().map(Value::Text),
            Some(b'n' | b't' | b'f' | b'N' | b'I') => {}
            Some(b'-') if rest.get(1) == Some(&b'I') => {}
            Some(b'-' | b'0'..=b'9') => return self.number(),
            _ => return Err(Fault::syntax("Expecting value", self.at)),
        }
        for (name, value) in named {
            if rest.starts_with(name) {
                self.at += name.len();
                return Ok(value);
            }
        }
        Err(Fault::syntax("Expecting value", self.at))
    }

    fn number(&mut self) -> Result<Value, Fault> {
        let start = self.at;
        let mut at = start + usize::from(self.peek() == Some(b'-'));
        let digits = |at: &mut usize| {
            let from = *at;
            while matches!(self.text.get(*at), Some(b'0'..=b'9')) {
                *at += 1;
            }
            *at > from
        };
        let first_digit = at;
        match self.text.get(at) {
            Some(b'0') => at += 1,
            Some(b'1'..=b'9') => {
                digits(&mut at);
            }
            _ => return Err(Fault::syntax("Expecting value", start)),
        }
        let int_end = at;
        let mut is_float = false;
        if self.text.get(at) == Some(&b'.') {
            let mut after = at + 1;
            if digits(&mut after) {
                is_float = true;
                at = after;
            }
        }
        if matches!(self.text.get(at), Some(b'e' | b'E')) {
            let mut after = at + 1;
            if matches!(self.text.get(after), Some(b'+' | b'-')) {
                after += 1;
            }
            if digits(&mut after) {
                is_float = true;
                at = after;
            }
        }
        self.at = at;
        // Digits, a point, a sign and an e: always UTF-8.
        let spelled = self.text.get(start..at).and_then(|b| std::str::from_utf8(b).ok()).unwrap_or_default();
        if is_float {
            // Rust reads decimals to the nearest double, ties to even, and overflows to infinity, as Python does.
            let value = spelled.parse().unwrap_or(f64::NAN);
            return Ok(Value::Float(Float::with_spelling(value, spelled, &mut self.scratch)));
        }
        let count = int_end - first_digit;
        if count > MAX_INT_DIGITS {
            let message = format!(
                "Exceeds the limit (4300 digits) for integer string conversion: value has {count} digits; \
                 use sys.set_int_max_str_digits() to increase the limit"
            );
            return Err(Fault { kind: JsonErrorKind::TooManyDigits, message, at: start });
        }
        Int::from_digits(spelled).map(Value::Int).ok_or_else(|| Fault::syntax("Expecting value", start))
    }

    /// A string from its opening quote; leaves the reader behind the closing one.
    fn string(&mut self) -> Result<Text, Fault> {
        let open = self.at;
        self.at += 1;
        let mut buf: Option<TextBuf> = None;
        loop {
            let run = self.text.get(self.at..).unwrap_or_default();
            let len = run.iter().position(|b| *b == b'"' || *b == b'\\' || *b < 0x20);
            let Some(len) = len else {
                return Err(Fault::syntax("Unterminated string starting at", open));
            };
            // Cut at ASCII bytes only: a run of a checked text is itself checked.
            let piece = run.get(..len).unwrap_or_default();
            self.at += len;
            match run.get(len) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(match buf {
                        None => Text::from_checked(piece.into()),
                        Some(mut buf) => {
                            buf.push_checked(piece);
                            buf.finish()
                        }
                    });
                }
                Some(b'\\') => {
                    let buf = buf.get_or_insert_default();
                    buf.push_checked(piece);
                    let c = self.escape(open)?;
                    buf.push(c);
                }
                _ => return Err(Fault::syntax("Invalid control character at", self.at)),
            }
        }
    }

    /// An escape from its backslash, a surrogate pair as one code point.
    fn escape(&mut self, open: usize) -> Result<u32, Fault> {
        let backslash = self.at;
        let Some(kind) = self.text.get(backslash + 1) else {
            return Err(Fault::syntax("Unterminated string starting at", open));
        };
        self.at += 2;
        Ok(match kind {
            b'"' => 0x22,
            b'\\' => 0x5C,
            b'/' => 0x2F,
            b'b' => 8,
            b'f' => 12,
            b'n' => 10,
            b'r' => 13,
            b't' => 9,
            b'u' => {
                // Python wants a character behind the four digits, and says this rather than "unterminated" when there is none.
                let high = self
                    .hex4()
                    .filter(|_| self.at < self.text.len())
                    .ok_or_else(|| Fault::syntax("Invalid \\uXXXX escape", backslash + 1))?;
                if (0xD800..0xDC00).contains(&high) && self.text.get(self.at..self.at + 2) == Some(b"\\u") {
                    let second = self.at;
                    self.at += 2;
                    match self.hex4() {
                        Some(low) if (0xDC00..0xE000).contains(&low) && self.at < self.text.len() => {
                            return Ok(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00));
                        }
                        _ => self.at = second,
                    }
                }
                high
            }
            _ => return Err(Fault::syntax("Invalid \\escape", backslash)),
        })
    }

    fn hex4(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at..self.at + 4)?;
        let mut value = 0;
        for digit in digits {
            value = value * 16 + char::from(*digit).to_digit(16)?;
        }
        self.at += 4;
        Some(value)
    }
}
