//! The words of the Ask language: each with the bytes at which it stands, so that an error can point at it.

use core::ops::Range;

use super::AskError;

/// What a word is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    /// A name or a keyword; which of them, its place decides.
    Word(String),
    /// A name in backquotes: never a keyword.
    Quoted(String),
    /// `@line`: about the position itself.
    Here(String),
    Number(f64),
    Text(Vec<u8>),
    /// `==`, `(`, …
    Sign(&'static str),
    End,
}

/// One word.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) at: Range<usize>,
}

/// Signs that are part of the language, longer ones first, and what to say of those that are not.
const SIGNS: [(&str, Option<&str>); 17] = [
    ("==", None),
    ("!=", None),
    ("<=", None),
    (">=", None),
    ("<", None),
    (">", None),
    ("(", None),
    (")", None),
    ("-", None),
    ("&&", Some("write `and`")),
    ("||", Some("write `or`")),
    ("=", Some("write `==` to compare")),
    ("!", Some("write `not`, or `!=`")),
    ("+", Some("there is no arithmetic here; compare the value itself")),
    ("*", Some("there is no arithmetic here; compare the value itself")),
    ("/", Some("there is no arithmetic here; compare the value itself")),
    ("[", Some("the tape does not hold what is inside a list")),
];

/// Cuts a text into words; the last is always [`Kind::End`].
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, AskError> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = text.get(at..).unwrap_or_default();
        let next_is_digit = rest.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
        let (kind, len) = if c.is_whitespace() {
            at += c.len_utf8();
            continue;
        } else if c.is_ascii_digit() || (c == '.' && next_is_digit) {
            number(rest, at)?
        } else if is_name_char(c) {
            let len = rest.find(|c| !is_name_char(c)).unwrap_or(rest.len());
            (Kind::Word(rest.get(..len).unwrap_or_default().to_owned()), len)
        } else if c == '"' || c == '\'' {
            string(rest, c, at)?
        } else if c == '@' {
            let word = rest.get(1..).unwrap_or_default();
            let len = word.find(|c| !is_name_char(c)).unwrap_or(word.len());
            (Kind::Here(word.get(..len).unwrap_or_default().to_owned()), len + 1)
        } else if c == '`' {
            let inside = rest.get(1..).unwrap_or_default();
            let Some(len) = inside.find('`') else {
                return Err(AskError::new(
                    at..text.len(),
                    "This name in backquotes has no end: close it with `` ` ``.",
                ));
            };
            (Kind::Quoted(inside.get(..len).unwrap_or_default().to_owned()), len + 2)
        } else {
            sign(rest, c, at)?
        };
        tokens.push(Token { kind, at: at..at + len });
        at += len;
    }
    tokens.push(Token { kind: Kind::End, at: at..at });
    Ok(tokens)
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn number(rest: &str, at: usize) -> Result<(Kind, usize), AskError> {
    // All that could belong to a number, so that `5x` is pointed at as a whole.
    let mut len = 0;
    let mut last = ' ';
    for c in rest.chars() {
        let is_sign_of_exponent = matches!(c, '+' | '-') && matches!(last, 'e' | 'E');
        if !(is_name_char(c) || c == '.' || is_sign_of_exponent) {
            break;
        }
        len += c.len_utf8();
        last = c;
    }
    let text = rest.get(..len).unwrap_or_default();
    match text.parse::<f64>() {
        Ok(value) => Ok((Kind::Number(value), len)),
        Err(_) => Err(AskError::new(at..at + len, format!("{text:?} is neither a number nor a name."))),
    }
}

fn string(rest: &str, quote: char, at: usize) -> Result<(Kind, usize), AskError> {
    let mut bytes = Vec::new();
    let mut chars = rest.char_indices().skip(1);
    while let Some((i, c)) = chars.next() {
        if c == quote {
            return Ok((Kind::Text(bytes), i + 1));
        }
        if c != '\\' {
            bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            continue;
        }
        match chars.next() {
            Some((_, escape @ ('"' | '\'' | '\\'))) => bytes.push(escape as u8),
            Some((_, 'n')) => bytes.push(b'\n'),
            Some((_, 'r')) => bytes.push(b'\r'),
            Some((_, 't')) => bytes.push(b'\t'),
            Some((from, 'x')) => {
                let digits = rest.get(from + 1..from + 3).filter(|digits| digits.is_ascii());
                let Some(byte) = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) else {
                    let range = at + i..at + from + 1;
                    return Err(AskError::new(range, "Two hex digits must follow `\\x`."));
                };
                bytes.push(byte);
                chars.next();
                chars.next();
            }
            Some((end, other)) => {
                let range = at + i..at + end + other.len_utf8();
                return Err(AskError::new(range, "Strings know the escapes \\\" \\\\ \\n \\r \\t and \\xNN."));
            }
            None => break,
        }
    }
    Err(AskError::new(at..at + rest.len(), "This string has no closing quote."))
}

fn sign(rest: &str, c: char, at: usize) -> Result<(Kind, usize), AskError> {
    match SIGNS.iter().find(|(sign, _)| rest.starts_with(sign)) {
        Some((sign, None)) => Ok((Kind::Sign(sign), sign.len())),
        Some((sign, Some(advice))) => {
            Err(AskError::new(at..at + sign.len(), format!("`{sign}` is not used here: {advice}.")))
        }
        None => Err(AskError::new(at..at + c.len_utf8(), format!("{c:?} has no meaning here."))),
    }
}
