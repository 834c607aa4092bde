//! Values as a tape spells them, read back the way replay reads them.
//!
//! A value is read into a flat list of tokens and never by recursion: an `N` record may nest as deep as its bytes allow.
//! Invariant: [`read`] accepts exactly what the real reader serves (corpus `values.json`).

use std::collections::HashMap;

use crate::model::protocol::{Cut, Text, ValueText, ValueTree};

use super::cnum;

/// How deep a tree for the page goes; a deeper value is shown as raw text.
const MAX_TREE_DEPTH: usize = 100;
/// The depth beyond which the language's own `json_encode` raises.
const MAX_JSON_DEPTH: usize = 200;
/// Escaped bytes of a string that an `A` record keeps.
pub(crate) const SHORT_STRING_BYTES: usize = 60;

/// One token of a value, in the order of the tape.
#[derive(Clone, Debug, PartialEq)]
pub enum Token {
    /// `null`.
    Null,
    /// A number; `true` and `false` are the numbers 1 and 0. The range is its text within the value.
    Number {
        /// The double, after the runtime's clamp: NaN is 0, the infinities are ±1e308.
        value: f64,
        /// Where its text stands in the value.
        text: core::ops::Range<usize>,
    },
    /// A string, its escapes undone, cut at its first `\x00`.
    Str(Vec<u8>),
    /// `[`.
    ListStart,
    /// `b[`.
    BufferStart,
    /// `]`, of a list or a buffer.
    ListEnd,
    /// `{`.
    DictStart,
    /// A key of a dict.
    Key(Vec<u8>),
    /// `}`.
    DictEnd,
}

/// Why a value cannot be read back, and at which byte of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{why} at byte {at} of the value")]
pub struct Unreadable {
    /// What stands in the way.
    pub why: &'static str,
    /// The byte of the value at which reading stopped.
    pub at: usize,
}

/// What is being read inside a container.
#[derive(Clone, Copy, PartialEq)]
enum Container {
    List,
    Buffer,
    Dict,
}

/// Reads a whole value as replay does.
///
/// # Errors
/// [`Unreadable`] for whatever the real reader would not serve: the live source then runs instead.
pub fn read(bytes: &[u8]) -> Result<Vec<Token>, Unreadable> {
    let mut reader = Reader { bytes, at: 0, tokens: Vec::new() };
    reader.whole()?;
    Ok(reader.tokens)
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    tokens: Vec<Token>,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn spaces(&mut self) {
        while self.peek() == Some(b' ') {
            self.at += 1;
        }
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn fail<T>(&self, why: &'static str) -> Result<T, Unreadable> {
        Err(Unreadable { why, at: self.at })
    }

    fn whole(&mut self) -> Result<(), Unreadable> {
        let mut open: Vec<Container> = Vec::new();
        loop {
            // Here a value is due.
            self.spaces();
            let container = match self.peek() {
                Some(b'[') if open.last() != Some(&Container::Buffer) => Some((Container::List, 1, Token::ListStart)),
                Some(b'{') if open.last() != Some(&Container::Buffer) => Some((Container::Dict, 1, Token::DictStart)),
                Some(b'b') if self.bytes.get(self.at + 1) == Some(&b'[') && open.last() != Some(&Container::Buffer) => {
                    Some((Container::Buffer, 2, Token::BufferStart))
                }
                _ => None,
            };
            if let Some((container, width, token)) = container {
                self.at += width;
                self.tokens.push(token);
                self.spaces();
                let end = if container == Container::Dict { b'}' } else { b']' };
                if self.eat(end) {
                    self.tokens.push(if container == Container::Dict { Token::DictEnd } else { Token::ListEnd });
                } else {
                    open.push(container);
                    if container == Container::Dict {
                        self.key()?;
                    }
                    continue;
                }
            } else {
                self.scalar(open.last() == Some(&Container::Buffer))?;
            }
            // A value has ended: close what closes, or go on to the next member.
            loop {
                self.spaces();
                let Some(&container) = open.last() else {
                    return if self.at == self.bytes.len() { Ok(()) } else { self.fail("something follows the value") };
                };
                if self.eat(b',') {
                    if container == Container::Dict {
                        self.spaces();
                        self.key()?;
                    }
                    break;
                }
                if !self.eat(if container == Container::Dict { b'}' } else { b']' }) {
                    return self.fail("a comma or a closing bracket is missing");
                }
                self.tokens.push(if container == Container::Dict { Token::DictEnd } else { Token::ListEnd });
                open.pop();
            }
        }
    }

    fn key(&mut self) -> Result<(), Unreadable> {
        if self.peek() != Some(b'"') {
            return self.fail("a quoted key is missing");
        }
        let key = self.string()?;
        self.tokens.push(Token::Key(key));
        self.spaces();
        if self.eat(b':') { Ok(()) } else { self.fail("the colon after a key is missing") }
    }

    fn scalar(&mut self, numbers_only: bool) -> Result<(), Unreadable> {
        if !numbers_only {
            if self.peek() == Some(b'"') {
                let string = self.string()?;
                self.tokens.push(Token::Str(string));
                return Ok(());
            }
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            for (word, token) in [
                (&b"null"[..], Token::Null),
                (b"true", Token::Number { value: 1.0, text: self.at..self.at + 4 }),
                (b"false", Token::Number { value: 0.0, text: self.at..self.at + 5 }),
            ] {
                if rest.starts_with(word) {
                    self.at += word.len();
                    self.tokens.push(token);
                    return Ok(());
                }
            }
        }
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        match cnum::strtod(rest) {
            Some((value, read)) => {
                let blank = rest.iter().take_while(|byte| cnum::is_space(**byte)).count();
                self.tokens.push(Token::Number { value: clamp(value), text: self.at + blank..self.at + read });
                self.at += read;
                Ok(())
            }
            None if rest.is_empty() => self.fail("a value is missing"),
            None if rest.starts_with(b"<") => self.fail("a marker stands for a value that is not on the tape"),
            None if rest.starts_with("…".as_bytes()) => self.fail("the record was truncated"),
            None => self.fail("this is no value"),
        }
    }

    fn string(&mut self) -> Result<Vec<u8>, Unreadable> {
        self.at += 1;
        let mut string = Vec::new();
        loop {
            let Some(byte) = self.peek() else { return self.fail("the string has no closing quote") };
            self.at += 1;
            match byte {
                b'"' => break,
                b'\\' => {
                    let Some(escape) = self.peek() else { return self.fail("the escape is incomplete") };
                    let unescaped = match escape {
                        b'"' | b'\\' => escape,
                        b'n' => b'\n',
                        b'r' => b'\r',
                        b'x' => {
                            let digit = |at: usize| self.bytes.get(at).and_then(|byte| (*byte as char).to_digit(16));
                            let (Some(high), Some(low)) = (digit(self.at + 1), digit(self.at + 2)) else {
                                return self.fail("two hex digits must follow \\x");
                            };
                            self.at += 2;
                            (high * 16 + low) as u8
                        }
                        _ => return self.fail("this escape is not one of the tape's"),
                    };
                    self.at += 1;
                    string.push(unescaped);
                }
                _ => string.push(byte),
            }
        }
        // The runtime's strings end at a NUL.
        if let Some(end) = memchr::memchr(0, &string) {
            string.truncate(end);
        }
        Ok(string)
    }
}

/// The runtime's clamp of numbers: NaN is 0, infinities are ±1e308.
pub(crate) fn clamp(value: f64) -> f64 {
    if value.is_nan() { 0.0 } else { value.clamp(-1e308, 1e308) }
}

/// The value as the language's `json_encode` gives it (numbers in their shortest form, which reads back to the same
/// double; buffers are `null`); bytes that are not UTF-8 stay as they are.
///
/// # Errors
/// `None` when it nests deeper than the 200 levels at which `json_encode` raises.
pub fn to_json(tokens: &[Token]) -> Option<Vec<u8>> {
    struct Open<'a> {
        items: Vec<(Option<&'a [u8]>, Vec<u8>)>,
        places: HashMap<&'a [u8], usize>,
        key: Option<&'a [u8]>,
        buffer: bool,
    }
    let open = |buffer| Open { items: Vec::new(), places: HashMap::new(), key: None, buffer };
    let mut stack: Vec<Open> = vec![open(false)];
    for token in tokens {
        let done = match token {
            Token::Null => b"null".to_vec(),
            Token::Number { value, .. } => json_number(*value).into_bytes(),
            Token::Str(string) => json_string(string),
            Token::Key(key) => {
                stack.last_mut()?.key = Some(key);
                continue;
            }
            Token::ListStart | Token::BufferStart | Token::DictStart => {
                if stack.len() > MAX_JSON_DEPTH {
                    return None;
                }
                stack.push(open(*token == Token::BufferStart));
                continue;
            }
            Token::ListEnd | Token::DictEnd => {
                let open = stack.pop()?;
                if open.buffer {
                    b"null".to_vec()
                } else {
                    let is_dict = *token == Token::DictEnd;
                    let mut out = vec![if is_dict { b'{' } else { b'[' }];
                    for (i, (key, item)) in open.items.iter().enumerate() {
                        if i > 0 {
                            out.push(b',');
                        }
                        if let Some(key) = key {
                            out.extend(json_string(key));
                            out.push(b':');
                        }
                        out.extend_from_slice(item);
                    }
                    out.push(if is_dict { b'}' } else { b']' });
                    out
                }
            }
        };
        let open = stack.last_mut()?;
        let key = open.key.take();
        // A repeated key keeps its first place and its last value.
        let next = open.items.len();
        let place = key.map_or(next, |key| *open.places.entry(key).or_insert(next));
        match open.items.get_mut(place) {
            Some((_, value)) => *value = done,
            None => open.items.push((key, done)),
        }
    }
    stack.pop()?.items.pop().map(|(_, json)| json)
}

fn json_number(value: f64) -> String {
    let value = if value == 0.0 { 0.0 } else { value };
    if value != 0.0 && !(1e-5..1e17).contains(&value.abs()) { format!("{value:e}") } else { format!("{value}") }
}

fn json_string(bytes: &[u8]) -> Vec<u8> {
    let mut out = vec![b'"'];
    for &byte in bytes {
        match byte {
            b'"' | b'\\' => out.extend([b'\\', byte]),
            b'\n' => out.extend(b"\\n"),
            b'\r' => out.extend(b"\\r"),
            b'\t' => out.extend(b"\\t"),
            0x08 => out.extend(b"\\b"),
            0x0c => out.extend(b"\\f"),
            0..0x20 => out.extend(format!("\\u{byte:04x}").into_bytes()),
            _ => out.push(byte),
        }
    }
    out.push(b'"');
    out
}

/// The kind of a value as the language's `type of` names it.
pub fn type_name(tokens: &[Token]) -> &'static str {
    match tokens.first() {
        None | Some(Token::Null) => "none",
        Some(Token::Number { .. }) => "num",
        Some(Token::Str(_)) => "str",
        Some(Token::BufferStart) => "buffer",
        Some(Token::DictStart | Token::Key(_) | Token::DictEnd) => "dict",
        Some(Token::ListStart | Token::ListEnd) => "list",
    }
}

/// The value as a tree for the page; `None` when it nests deeper than a page can show, or when nothing is there.
pub(crate) fn to_tree(value: &[u8], tokens: &[Token]) -> Option<ValueTree> {
    let text_of = |range: &core::ops::Range<usize>| {
        String::from_utf8_lossy(value.get(range.clone()).unwrap_or_default()).into_owned()
    };
    let mut stack: Vec<(ValueTree, Option<Text>)> = Vec::new();
    let mut key: Option<Text> = None;
    for token in tokens {
        let done = match token {
            Token::Key(bytes) => {
                key = Some(Text::from_bytes(bytes));
                continue;
            }
            Token::ListStart | Token::BufferStart | Token::DictStart => {
                if stack.len() >= MAX_TREE_DEPTH {
                    return None;
                }
                let empty = match token {
                    Token::ListStart => ValueTree::List(Vec::new()),
                    Token::BufferStart => ValueTree::Buffer(Vec::new()),
                    _ => ValueTree::Dict(Vec::new()),
                };
                stack.push((empty, key.take()));
                continue;
            }
            Token::Null => ValueTree::Null,
            Token::Number { text, .. } => ValueTree::Number(text_of(text)),
            Token::Str(bytes) => ValueTree::Str(Text::from_bytes(bytes)),
            Token::ListEnd | Token::DictEnd => {
                let (tree, its_key) = stack.pop()?;
                key = its_key;
                tree
            }
        };
        match stack.last_mut() {
            None => return Some(done),
            Some((ValueTree::List(items), _)) => items.push(done),
            Some((ValueTree::Buffer(items), _)) => {
                if let ValueTree::Number(text) = done {
                    items.push(text);
                }
            }
            Some((ValueTree::Dict(items), _)) => items.push((key.take().unwrap_or_default(), done)),
            Some(_) => return None,
        }
    }
    None
}

/// Whether the tape holds less of an `A` value than the program had.
pub(crate) fn cut_of_short(value: &[u8]) -> Cut {
    let Some(body) = value.strip_prefix(b"\"") else { return Cut::No };
    let body = body.strip_suffix(b"\"").unwrap_or(body);
    if body.len() < SHORT_STRING_BYTES {
        Cut::No
    } else if body.ends_with("…".as_bytes()) {
        Cut::Yes
    } else {
        Cut::Perhaps
    }
}

/// Whether the tape holds less of an `N` value than the program had (`…<truncated>` or `…<truncated:N>` at its end).
pub(crate) fn cut_of_full(value: &[u8]) -> Cut {
    let tail = value.get(value.len().saturating_sub(48)..).unwrap_or_default();
    let Some(at) = memchr::memmem::rfind(tail, "…<truncated".as_bytes()) else { return Cut::No };
    let rest = tail.get(at + "…<truncated".len()..).unwrap_or_default();
    let marked = rest == b">" || (rest.first() == Some(&b':') && rest.last() == Some(&b'>'));
    if marked { Cut::Yes } else { Cut::No }
}

/// The beginning of a value, for a row of a list.
pub(crate) fn preview(value: &[u8], cut: Cut) -> ValueText {
    let shown = value.get(..ValueText::PREVIEW_BYTES).unwrap_or(value);
    // A preview may end inside a character; that is not what `lossy` means.
    let text = String::from_utf8_lossy(shown).into_owned();
    let text = if shown.len() < value.len() { text.trim_end_matches('\u{fffd}').to_owned() } else { text };
    ValueText {
        lossy: text.contains('\u{fffd}') && core::str::from_utf8(shown).is_err(),
        text,
        bytes: value.len() as u32,
        cut,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn json(text: &str) -> Option<String> {
        read(text.as_bytes()).ok().and_then(|tokens| to_json(&tokens)).map(|json| String::from_utf8(json).unwrap())
    }

    #[test]
    fn values_are_read_as_replay_reads_them() {
        assert_eq!(json("[ 1 ,\t2, {\"a\": 1, \"b\": [], \"a\": true}]").unwrap(), "[1,2,{\"a\":1,\"b\":[]}]");
        assert_eq!(json("b[1, 2]").unwrap(), "null");
        for bad in ["[1,]", "[,1]", "{1: 2}", "<fn>", "[<fn>]", "b[null]", "b [1]", "\"a\\t\"", "5\t", "", " ", "truex"]
        {
            assert_eq!(json(bad), None, "{bad}");
        }
    }

    #[test]
    fn nesting_as_deep_as_the_bytes_allow_is_read_without_recursion() {
        let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
        let tokens = read(deep.as_bytes()).unwrap();
        assert_eq!(tokens.len(), 400_000);
        assert_eq!(to_json(&tokens), None);
        assert_eq!(to_tree(deep.as_bytes(), &tokens), None);
    }

    #[test]
    fn a_tree_keeps_the_digits() {
        let text = br#"{"k": [0.10000000000000001, "a\xc3\xa9"]}"#;
        let tree = to_tree(text, &read(text).unwrap()).unwrap();
        let ValueTree::Dict(items) = tree else { unreachable!() };
        let number = ValueTree::Number("0.10000000000000001".into());
        let string = ValueTree::Str(Text { text: "aé".into(), lossy: false });
        assert_eq!(items, [(Text { text: "k".into(), lossy: false }, ValueTree::List(vec![number, string]))]);
    }
}
