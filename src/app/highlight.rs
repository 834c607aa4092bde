//! Colours for a line of EigenScript source.
//!
//! Invariant: the parts of a line, joined, are the line; colouring never hides or changes a character.

/// What a part of a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    /// Anything else.
    Plain,
    /// A word of the language.
    Keyword,
    /// A quoted string.
    Text,
    /// A number.
    Number,
    /// From `#` to the end of the line.
    Comment,
}

impl Token {
    /// The class that colours it.
    pub fn class(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Keyword => Some("kw"),
            Self::Text => Some("str"),
            Self::Number => Some("num"),
            Self::Comment => Some("com"),
        }
    }
}

/// Words of the language that structure a program.
const KEYWORDS: [&str; 26] = [
    "and", "as", "at", "break", "catch", "continue", "define", "elif", "else", "eval", "for", "if", "import", "in",
    "is", "local", "loop", "not", "of", "or", "return", "try", "unless", "until", "when", "while",
];

/// The parts of a line.
pub fn parts(line: &str) -> Vec<(Token, &str)> {
    let mut parts = Vec::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let (token, len) = match first {
            '#' => (Token::Comment, rest.len()),
            '"' => (Token::Text, string_len(rest)),
            '0'..='9' => (Token::Number, span(rest, |c| c.is_ascii_alphanumeric() || c == '.')),
            c if is_word(c) => {
                let len = span(rest, is_word);
                let is_keyword = rest.get(..len).is_some_and(|word| KEYWORDS.contains(&word));
                (if is_keyword { Token::Keyword } else { Token::Plain }, len)
            }
            _ => (Token::Plain, span(rest, |c| !is_word(c) && c != '#' && c != '"')),
        };
        let (part, after) = rest.split_at(len);
        parts.push((token, part));
        rest = after;
    }
    parts
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn span(text: &str, keep: impl Fn(char) -> bool) -> usize {
    text.find(|c| !keep(c)).unwrap_or(text.len())
}

fn string_len(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_told_apart() {
        let line = "    local seen is real + 0.4 # drift \"x\"";
        let found: Vec<_> = parts(line).into_iter().filter(|(token, _)| *token != Token::Plain).collect();
        assert_eq!(
            found,
            [
                (Token::Keyword, "local"),
                (Token::Keyword, "is"),
                (Token::Number, "0.4"),
                (Token::Comment, "# drift \"x\"")
            ]
        );
    }

    #[test]
    fn nothing_is_lost() {
        for line in ["", "\"open", "a \"q\\\"r\" b", "é ü # ß", "x1 is 1e5", "\"\\", "日本 is \"語\""] {
            assert_eq!(parts(line).into_iter().map(|(_, part)| part).collect::<String>(), line);
        }
    }

    #[test]
    fn a_hash_inside_a_string_is_no_comment() {
        assert!(parts("s is \"a # b\"").iter().all(|(token, _)| *token != Token::Comment));
    }
}
