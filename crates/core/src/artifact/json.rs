//! A small JSON reader for test results.
//!
//! It is not the reader of traces (see `trace::json`, which keeps every digit and refuses what Python refuses): EigenScript's
//! test runner escapes only `"` and `\` in its strings, so a path with a tab in it is no strict JSON, and must still be read.
//!
//! Invariant: it recurses no deeper than [`MAX_JSON_DEPTH`].

use crate::bytes::limits::MAX_JSON_DEPTH;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Null,
    Bool(bool),
    /// The number's text.
    Number(String),
    Text(String),
    List(Vec<Value>),
    Object(Vec<(String, Value)>),
}

/// Why a text is no JSON.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("The test results are no JSON from byte {byte} on: {why}.")]
pub(super) struct JsonError {
    byte: usize,
    why: &'static str,
}

impl Value {
    /// Reads the value that `bytes` begin with. What follows it is not looked at: a log may.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, JsonError> {
        Parser { bytes, at: 0 }.value(0)
    }

    /// The value of a key of an object (the last, when it occurs twice).
    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        match self {
            Self::Object(pairs) => pairs.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    pub(super) fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Number(text) => text.parse().ok(),
            _ => None,
        }
    }
}

struct Parser<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Parser<'_> {
    fn error(&self, why: &'static str) -> JsonError {
        JsonError { byte: self.at, why }
    }

    fn peek(&mut self) -> Option<u8> {
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        self.bytes.get(self.at).copied()
    }

    fn expect(&mut self, byte: u8, why: &'static str) -> Result<(), JsonError> {
        if self.peek() == Some(byte) {
            self.at += 1;
            Ok(())
        } else {
            Err(self.error(why))
        }
    }

    fn value(&mut self, depth: u32) -> Result<Value, JsonError> {
        if depth > MAX_JSON_DEPTH {
            return Err(self.error("it nests deeper than test results do"));
        }
        match self.peek() {
            None => Err(self.error("it breaks off")),
            Some(b'"') => self.string().map(Value::Text),
            Some(b'[') => {
                self.at += 1;
                let mut items = Vec::new();
                if self.peek() == Some(b']') {
                    self.at += 1;
                    return Ok(Value::List(items));
                }
                loop {
                    items.push(self.value(depth + 1)?);
                    if self.peek() == Some(b',') {
                        self.at += 1;
                        continue;
                    }
                    self.expect(b']', "a list has neither `,` nor `]` here")?;
                    return Ok(Value::List(items));
                }
            }
            Some(b'{') => {
                self.at += 1;
                let mut pairs = Vec::new();
                if self.peek() == Some(b'}') {
                    self.at += 1;
                    return Ok(Value::Object(pairs));
                }
                loop {
                    if self.peek() != Some(b'"') {
                        return Err(self.error("an object has no key here"));
                    }
                    let key = self.string()?;
                    self.expect(b':', "there is no `:` behind a key")?;
                    pairs.push((key, self.value(depth + 1)?));
                    if self.peek() == Some(b',') {
                        self.at += 1;
                        continue;
                    }
                    self.expect(b'}', "an object has neither `,` nor `}` here")?;
                    return Ok(Value::Object(pairs));
                }
            }
            Some(_) => {
                let rest = self.bytes.get(self.at..).unwrap_or_default();
                let len = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(byte)).count();
                let word = rest.get(..len).unwrap_or_default();
                let value = match word {
                    b"null" => Value::Null,
                    b"true" => Value::Bool(true),
                    b"false" => Value::Bool(false),
                    [b'-' | b'0'..=b'9', ..] => Value::Number(String::from_utf8_lossy(word).into_owned()),
                    _ => return Err(self.error("no value begins so")),
                };
                self.at += len;
                Ok(value)
            }
        }
    }

    /// A string; the opening quote is next.
    fn string(&mut self) -> Result<String, JsonError> {
        self.at += 1;
        let mut out = Vec::new();
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let len = memchr::memchr2(b'"', b'\\', rest)
                .ok_or(JsonError { byte: self.bytes.len(), why: "a string does not end" })?;
            out.extend_from_slice(rest.get(..len).unwrap_or_default());
            self.at += len + 1;
            if rest.get(len) == Some(&b'"') {
                return Ok(String::from_utf8_lossy(&out).into_owned());
            }
            let escape = self.bytes.get(self.at).copied().ok_or_else(|| self.error("a string does not end"))?;
            self.at += 1;
            match escape {
                b'n' => out.push(b'\n'),
                b'r' => out.push(b'\r'),
                b't' => out.push(b'\t'),
                b'b' => out.push(8),
                b'f' => out.push(12),
                b'u' => {
                    let mut unit = self.hex4()?;
                    if (0xd800..0xdc00).contains(&unit)
                        && self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(b"\\u"))
                    {
                        self.at += 2;
                        let low = self.hex4()?;
                        unit = if (0xdc00..0xe000).contains(&low) {
                            0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00)
                        } else {
                            0xfffd
                        };
                    }
                    let character = char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER);
                    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                }
                other => out.push(other),
            }
        }
    }

    fn hex4(&mut self) -> Result<u32, JsonError> {
        let digits = self.bytes.get(self.at..self.at + 4).and_then(|digits| std::str::from_utf8(digits).ok());
        let unit = digits
            .and_then(|digits| u32::from_str_radix(digits, 16).ok())
            .ok_or_else(|| self.error("`\\u` has no four hex digits behind it"))?;
        self.at += 4;
        Ok(unit)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn strings_with_every_escape_and_raw_control_bytes() {
        let value = Value::parse(b"\"a\\\"b\\\\c\\n\\u00e9\\ud83d\\ude00\\ud800x\tq\"").unwrap();
        assert_eq!(value.as_str(), Some("a\"b\\c\né😀\u{fffd}x\tq"));
    }

    #[test]
    fn depth_is_bounded() {
        let deep = "[".repeat(1_000_000);
        assert!(Value::parse(deep.as_bytes()).unwrap_err().to_string().contains("deeper"));
    }

    #[test]
    fn every_cut_is_an_error() {
        let whole = br#"{"a":[1,-2.5,true,null,"x\u0041"],"b":{}}"#;
        assert!(Value::parse(whole).is_ok());
        for len in 0..whole.len() {
            assert!(Value::parse(&whole[..len]).is_err(), "{len}");
        }
    }
}
