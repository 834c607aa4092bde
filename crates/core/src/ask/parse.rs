//! The grammar of the Ask language (docs/ask.md), as a parser by recursive descent.
//!
//! Words are keywords only where a keyword can stand: `count count > 3` counts where the binding `count` is above 3.
//! Invariant: nesting and the number of terms are bounded, so that no question can exhaust the stack.

use core::ops::Range;

use crate::model::protocol::Label;

use super::AskError;
use super::token::{Kind, Token, tokens};

/// How deep parentheses and `not` may nest.
const MAX_DEPTH: usize = 64;
/// Comparisons in one condition.
const MAX_TERMS: usize = 256;

/// A question, understood.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    /// One of the language's own questions about a name.
    About {
        /// Which.
        what: Interrogative,
        /// The name.
        name: Name,
        /// About which moment.
        moment: Moment,
    },
    /// `state_at of LINE`.
    StateAt(i32),
    /// A condition over all positions.
    Condition {
        /// What is wanted of it.
        verb: Verb,
        /// The condition.
        condition: Expr,
        /// Where it starts in the question.
        starts_at: usize,
    },
    /// `all inputs`, with a condition on each.
    Inputs(Option<Expr>),
    /// `line 10 if x > 3`: a breakpoint.
    Breakpoint {
        /// The line.
        line: i32,
        /// What must hold there.
        condition: Option<Expr>,
        /// Where that starts in the question.
        starts_at: usize,
    },
}

/// A name and where it stands in the question. Equal names are equal wherever they stand.
#[derive(Clone, Debug)]
pub struct Name {
    /// The name.
    pub text: String,
    /// Its bytes in the question.
    pub at: Range<usize>,
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

/// The questions of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Interrogative {
    What,
    Who,
    When,
    Where,
    Why,
    How,
    Prev,
}

/// The moment a question is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// The position at which it is asked.
    Now,
    /// `at LINE`.
    AtLine(i32),
    /// `when N`: the N-th assignment.
    Ordinal(i64),
}

/// What is wanted of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// The first position at which it holds.
    First,
    /// The last one.
    Last,
    /// How many there are.
    Count,
    /// All of them.
    All,
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Op {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// A condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Expr {
    /// Every part holds.
    And(Vec<Expr>),
    /// Some part holds.
    Or(Vec<Expr>),
    /// The part does not hold.
    Not(Box<Expr>),
    /// Two terms compare so.
    Compare(Op, Term, Term),
    /// The term has another value here than at the position before (an assignment made it so).
    Changed(Term),
    /// The binding is assigned at this position.
    Assigned(Term),
    /// The binding is visible here.
    Bound(Term),
}

/// Something that has a value at a position.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    /// A number.
    Number(f64),
    /// A string.
    Text(Vec<u8>),
    /// `null`.
    Null,
    /// The binding that a name means at a position.
    Value(Name),
    /// The last assignment of a name in any scope.
    Any(Name),
    /// The assignment before that one.
    Prev(Name),
    /// The trajectory label of the binding that a name means.
    Label(Name),
    /// The length of a string in bytes (of an input also: the items of a list, dict or buffer).
    Len(Box<Term>),
    /// `@line` and the like: about the position (or the input) itself.
    Here(Here),
}

/// What the position, or the input, says of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Here {
    /// The line.
    Line,
    /// The number of the position, counted from 1.
    Pos,
    /// The function of the innermost frame; of an input, its builtin.
    Function,
    /// The depth of the innermost frame.
    Depth,
    /// The value of an input.
    Value,
    /// The category of an input.
    Category,
    /// The number of an input, counted from 1.
    Ordinal,
}

/// Reads a question.
///
/// # Errors
/// An [`AskError`] that points at the word which does not fit.
pub fn parse(text: &str) -> Result<Ask, AskError> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0, depth: 0, terms: 0, of_inputs: false };
    let ask = parser.ask()?;
    parser.end()?;
    Ok(ask)
}

/// Reads a condition alone.
///
/// # Errors
/// An [`AskError`] that points at the word which does not fit.
pub fn parse_condition(text: &str) -> Result<Expr, AskError> {
    let mut parser = Parser { tokens: tokens(text)?, at: 0, depth: 0, terms: 0, of_inputs: false };
    let condition = parser.or()?;
    parser.end()?;
    Ok(condition)
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    terms: usize,
    /// Whether names are the fields of an input.
    of_inputs: bool,
}

impl Parser {
    fn kind(&self, ahead: usize) -> &Kind {
        self.tokens.get(self.at + ahead).map_or(&Kind::End, |token| &token.kind)
    }

    fn range(&self) -> Range<usize> {
        self.tokens.get(self.at).or(self.tokens.last()).map_or(0..0, |token| token.at.clone())
    }

    fn is_word(&self, ahead: usize, word: &str) -> bool {
        matches!(self.kind(ahead), Kind::Word(found) if found == word)
    }

    fn is_sign(&self, sign: &str) -> bool {
        matches!(self.kind(0), Kind::Sign(found) if *found == sign)
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.is_word(0, word);
        self.at += usize::from(found);
        found
    }

    fn eat_sign(&mut self, sign: &str) -> bool {
        let found = self.is_sign(sign);
        self.at += usize::from(found);
        found
    }

    fn fail<T>(&self, message: impl Into<String>) -> Result<T, AskError> {
        Err(AskError::new(self.range(), message))
    }

    fn end(&self) -> Result<(), AskError> {
        match self.kind(0) {
            Kind::End => Ok(()),
            Kind::Word(word) if word == "is" => self.fail("Write `==` to compare; `is` belongs to `what is x`."),
            Kind::Word(word) if word == "at" || word == "when" => {
                self.fail(format!("`{word}` belongs to a question such as `what is x {word} 5`, not to a condition."))
            }
            _ => self.fail("The question is complete before this word; join conditions with `and` or `or`."),
        }
    }

    fn ask(&mut self) -> Result<Ask, AskError> {
        let interrogative = match self.kind(0) {
            Kind::Word(word) => match word.as_str() {
                "what" => Some(Interrogative::What),
                "who" => Some(Interrogative::Who),
                "when" => Some(Interrogative::When),
                "where" => Some(Interrogative::Where),
                "why" => Some(Interrogative::Why),
                "how" => Some(Interrogative::How),
                _ => None,
            },
            Kind::End => return self.fail("Ask something: `what is x`, `first x > 10`, `all inputs`."),
            _ => None,
        };
        if let Some(what) = interrogative
            && self.is_word(1, "is")
        {
            self.at += 2;
            return self.about(what);
        }
        // `prev of x` is a question; `prev of x == 3` a condition.
        if self.is_word(0, "prev") && self.is_word(1, "of") && !self.is_compared(3) {
            self.at += 2;
            return self.about(Interrogative::Prev);
        }
        if self.is_word(0, "state_at") && self.is_word(1, "of") {
            self.at += 2;
            return Ok(Ask::StateAt(self.line()?));
        }
        if self.is_word(0, "all") && self.is_word(1, "inputs") && !self.is_compared(2) {
            self.at += 2;
            if *self.kind(0) == Kind::End {
                return Ok(Ask::Inputs(None));
            }
            if !self.eat_word("where") {
                return self.fail("After `all inputs` only `where` and a condition can follow.");
            }
            self.of_inputs = true;
            return Ok(Ask::Inputs(Some(self.or()?)));
        }
        if self.is_word(0, "line") && matches!(self.kind(1), Kind::Number(_)) {
            self.at += 1;
            let line = self.line()?;
            let has_condition = self.eat_word("if");
            let starts_at = self.range().start;
            let condition = if has_condition { Some(self.or()?) } else { None };
            return Ok(Ask::Breakpoint { line, condition, starts_at });
        }
        let verb = match self.kind(0) {
            Kind::Word(word) if !self.is_compared(1) => match word.as_str() {
                "first" => Some(Verb::First),
                "last" => Some(Verb::Last),
                "count" => Some(Verb::Count),
                "all" => Some(Verb::All),
                _ => None,
            },
            _ => None,
        };
        self.at += usize::from(verb.is_some());
        let starts_at = self.range().start;
        Ok(Ask::Condition { verb: verb.unwrap_or(Verb::All), condition: self.or()?, starts_at })
    }

    /// Whether the word before `ahead` is used as a name: a comparison, `changed` or the end follows it.
    fn is_compared(&self, ahead: usize) -> bool {
        match self.kind(ahead) {
            Kind::Sign(sign) => !matches!(*sign, "(" | "-"),
            Kind::Word(word) => {
                let is_last = |ahead| match self.kind(ahead) {
                    Kind::End => true,
                    Kind::Sign(sign) => *sign == ")",
                    Kind::Word(word) => word == "and" || word == "or",
                    _ => false,
                };
                matches!(word.as_str(), "changed" | "assigned") && is_last(ahead + 1)
            }
            _ => false,
        }
    }

    fn about(&mut self, what: Interrogative) -> Result<Ask, AskError> {
        let name = self.name("the name to ask about")?;
        let moment = if self.eat_word("at") {
            Moment::AtLine(self.line()?)
        } else if self.eat_word("when") {
            Moment::Ordinal(self.integer("the number of an assignment, counted from 1")?)
        } else {
            Moment::Now
        };
        Ok(Ask::About { what, name, moment })
    }

    fn line(&mut self) -> Result<i32, AskError> {
        let range = self.range();
        let line = self.integer("a line number")?;
        i32::try_from(line).map_err(|_| AskError::new(range, "No tape has a line of this number."))
    }

    fn integer(&mut self, what: &str) -> Result<i64, AskError> {
        let minus = self.eat_sign("-");
        match *self.kind(0) {
            Kind::Number(number) if number.fract() == 0.0 && number.abs() < 9e15 => {
                self.at += 1;
                Ok(if minus { -(number as i64) } else { number as i64 })
            }
            _ => self.fail(format!("Here {what} is expected.")),
        }
    }

    fn name(&mut self, what: &str) -> Result<Name, AskError> {
        let at = self.range();
        match self.kind(0) {
            Kind::Word(text) | Kind::Quoted(text) => {
                let name = Name { text: text.clone(), at };
                self.at += 1;
                Ok(name)
            }
            _ => self.fail(format!("Here {what} is expected.")),
        }
    }

    fn or(&mut self) -> Result<Expr, AskError> {
        let first = self.and()?;
        if !self.is_word(0, "or") {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.eat_word("or") {
            parts.push(self.and()?);
        }
        Ok(Expr::Or(parts))
    }

    fn and(&mut self) -> Result<Expr, AskError> {
        let first = self.not()?;
        if !self.is_word(0, "and") {
            return Ok(first);
        }
        let mut parts = vec![first];
        while self.eat_word("and") {
            parts.push(self.not()?);
        }
        Ok(Expr::And(parts))
    }

    fn not(&mut self) -> Result<Expr, AskError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.fail(format!("This nests more than {MAX_DEPTH} deep."));
        }
        let condition = if self.is_word(0, "not") && !self.is_compared(1) {
            self.at += 1;
            Expr::Not(Box::new(self.not()?))
        } else if self.eat_sign("(") {
            let inside = self.or()?;
            if !self.eat_sign(")") {
                return self.fail("A closing parenthesis is missing here.");
            }
            inside
        } else {
            self.comparison()?
        };
        self.depth -= 1;
        Ok(condition)
    }

    fn comparison(&mut self) -> Result<Expr, AskError> {
        self.terms += 1;
        if self.terms > MAX_TERMS {
            return self.fail(format!("A condition has at most {MAX_TERMS} comparisons."));
        }
        if self.is_word(0, "bound") && matches!(self.kind(1), Kind::Sign("(")) {
            self.at += 1;
            let name = self.in_parentheses("the name of a binding")?;
            return Ok(Expr::Bound(Term::Value(name)));
        }
        let start = self.range();
        let left = self.term()?;
        let sign = self.range();
        let op = match self.kind(0) {
            Kind::Sign("==") => Op::Eq,
            Kind::Sign("!=") => Op::Ne,
            Kind::Sign("<") => Op::Lt,
            Kind::Sign("<=") => Op::Le,
            Kind::Sign(">") => Op::Gt,
            Kind::Sign(">=") => Op::Ge,
            Kind::Word(word) if word == "changed" || word == "assigned" => {
                let is_change = word == "changed";
                let fits = match &left {
                    Term::Value(_) | Term::Any(_) => true,
                    Term::Label(_) => is_change,
                    _ => false,
                };
                if !fits {
                    return self.fail("Only a name, `any(name)` or `label(name)` can be said to change.");
                }
                self.at += 1;
                return Ok(if is_change { Expr::Changed(left) } else { Expr::Assigned(left) });
            }
            Kind::Word(word) if word == "is" => {
                return self.fail("Write `==` to compare; `is` belongs to `what is x`.");
            }
            _ => {
                let range =
                    start.start..self.tokens.get(self.at.saturating_sub(1)).map_or(start.end, |last| last.at.end);
                return Err(AskError::new(
                    range,
                    "This alone is no condition: compare it (`x > 10`), say `x changed`, or ask `what is x`.",
                ));
            }
        };
        self.at += 1;
        let right_at = self.range();
        let right = self.term()?;
        check_label(&left, &right, &right_at)?;
        check_label(&right, &left, &start)?;
        if matches!(self.kind(0), Kind::Sign("==" | "!=" | "<" | "<=" | ">" | ">=")) {
            return Err(AskError::new(
                sign.start..self.range().end,
                "Comparisons do not chain: write `a < b and b < c`.",
            ));
        }
        Ok(Expr::Compare(op, left, right))
    }

    fn in_parentheses(&mut self, what: &str) -> Result<Name, AskError> {
        if !self.eat_sign("(") {
            return self.fail("An opening parenthesis is missing here.");
        }
        let name = self.name(what)?;
        if !self.eat_sign(")") {
            return self.fail("A closing parenthesis is missing here.");
        }
        Ok(name)
    }

    fn term(&mut self) -> Result<Term, AskError> {
        let at = self.range();
        let is_called = matches!(self.kind(1), Kind::Sign("("));
        match self.kind(0).clone() {
            Kind::Number(number) => {
                self.at += 1;
                Ok(Term::Number(number))
            }
            Kind::Sign("-") => {
                self.at += 1;
                match *self.kind(0) {
                    Kind::Number(number) => {
                        self.at += 1;
                        Ok(Term::Number(-number))
                    }
                    _ => self.fail("After `-` a number is expected: there is no arithmetic here."),
                }
            }
            Kind::Text(text) => {
                self.at += 1;
                Ok(Term::Text(text))
            }
            Kind::Quoted(text) => {
                self.at += 1;
                self.named(Name { text, at })
            }
            Kind::Here(word) => {
                self.at += 1;
                match word.as_str() {
                    "line" => Ok(Term::Here(Here::Line)),
                    "pos" => Ok(Term::Here(Here::Pos)),
                    "fn" if !self.of_inputs => Ok(Term::Here(Here::Function)),
                    "depth" if !self.of_inputs => Ok(Term::Here(Here::Depth)),
                    _ => Err(AskError::new(
                        at,
                        "A position has `@line`, `@pos`, `@fn` and `@depth`; this is none of them.",
                    )),
                }
            }
            Kind::Word(word) => match word.as_str() {
                "len" if is_called => {
                    self.at += 2;
                    self.depth += 1;
                    if self.depth > MAX_DEPTH {
                        return self.fail(format!("This nests more than {MAX_DEPTH} deep."));
                    }
                    let inside = self.term()?;
                    self.depth -= 1;
                    if !self.eat_sign(")") {
                        return self.fail("A closing parenthesis is missing here.");
                    }
                    Ok(Term::Len(Box::new(inside)))
                }
                "any" | "label" if is_called && !self.of_inputs => {
                    self.at += 1;
                    let name = self.in_parentheses("the name of a binding")?;
                    Ok(if word == "any" { Term::Any(name) } else { Term::Label(name) })
                }
                "prev" if self.is_word(1, "of") && !self.of_inputs => {
                    self.at += 2;
                    Ok(Term::Prev(self.name("the name of a binding")?))
                }
                "and" | "or" => {
                    self.fail(format!("`{word}` joins two conditions; the one before or after it is missing."))
                }
                "null" | "true" | "false" => {
                    self.at += 1;
                    Ok(match word.as_str() {
                        "null" => Term::Null,
                        word => Term::Number(f64::from(u8::from(word == "true"))),
                    })
                }
                _ if is_called => self.fail(format!(
                    "There is no function `{word}`: the functions are `any(x)`, `label(x)`, `len(x)` and `bound(x)`."
                )),
                _ => {
                    self.at += 1;
                    self.named(Name { text: word, at })
                }
            },
            Kind::End => self.fail("A name, a number or a string is missing here."),
            Kind::Sign(sign) => self.fail(format!("Before `{sign}` a name, a number or a string is expected.")),
        }
    }

    fn named(&self, name: Name) -> Result<Term, AskError> {
        if !self.of_inputs {
            return Ok(Term::Value(name));
        }
        let here = match name.text.as_str() {
            "fn" | "function" => Here::Function,
            "value" => Here::Value,
            "category" => Here::Category,
            "line" => Here::Line,
            "pos" => Here::Pos,
            "n" => Here::Ordinal,
            _ => {
                return Err(AskError::new(
                    name.at,
                    "An input has `fn`, `value`, `category`, `line`, `pos` and `n`; this is none of them.",
                ));
            }
        };
        Ok(Term::Here(here))
    }
}

/// A label is compared with one of the seven words.
fn check_label(label: &Term, word: &Term, at: &Range<usize>) -> Result<(), AskError> {
    if let (Term::Label(_), Term::Text(text)) = (label, word)
        && !Label::ALL.iter().any(|label| label.word().as_bytes() == text)
    {
        let words: Vec<&str> = Label::ALL.iter().map(|label| label.word()).collect();
        return Err(AskError::new(at.clone(), format!("No label has this name: they are {}.", words.join(", "))));
    }
    Ok(())
}
