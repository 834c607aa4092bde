//! Conditions on the inputs (nondet records): `all inputs where fn == "env_get" and len(value) > 3`.
//!
//! Their values are on the tape in full, so that the length of a list is known too; only what was truncated is unknown.

use std::borrow::Cow;
use std::ops::ControlFlow;

use crate::bytes::Watch;
use crate::model::Pos;
use crate::model::protocol::Cut;
use crate::tape::Tape;
use crate::tape::value::{self, Token};

use super::eval::{Truth, Val};
use super::parse::{Expr, Here, Term};

/// Records between two calls of the watcher.
const STRIDE: usize = 1 << 14;

/// Which inputs fulfil a condition, by their numbers from 0, and how many could not be decided; `None` when cancelled.
pub(super) fn inputs(tape: &Tape, condition: Option<&Expr>, watch: &mut dyn Watch) -> Option<(Vec<u32>, u32)> {
    let total = tape.ix.input_offsets.len();
    let Some(condition) = condition else { return Some(((0..total as u32).collect(), 0)) };
    let (mut found, mut undecided) = (Vec::new(), 0);
    for (i, &byte) in tape.ix.input_offsets.iter().enumerate() {
        if i.is_multiple_of(STRIDE) && watch.advance(i as u64, total as u64) == ControlFlow::Break(()) {
            return None;
        }
        let (function, value) = tape.parts_of(byte);
        match (Input { tape, i, function, value }).truth(condition) {
            Truth::True => found.push(i as u32),
            Truth::Unknown => undecided += 1,
            Truth::False | Truth::Absent => {}
        }
    }
    Some((found, undecided))
}

struct Input<'a> {
    tape: &'a Tape,
    i: usize,
    function: &'a [u8],
    value: &'a [u8],
}

impl Input<'_> {
    fn truth(&self, condition: &Expr) -> Truth {
        match condition {
            Expr::And(parts) => Truth::all(parts.iter().map(|part| self.truth(part))),
            Expr::Or(parts) => Truth::any(parts.iter().map(|part| self.truth(part))),
            Expr::Not(part) => self.truth(part).not(),
            Expr::Compare(op, left, right) => self.val(left).compare(*op, &self.val(right)),
            // The parser makes none of these for inputs.
            Expr::Changed(_) | Expr::Assigned(_) | Expr::Bound(_) => Truth::Absent,
        }
    }

    fn val<'b>(&'b self, term: &'b Term) -> Val<'b> {
        let pos = Pos(self.tape.ix.input_positions.get(self.i).copied().unwrap_or(0));
        match term {
            Term::Number(number) => Val::Number(*number),
            Term::Text(text) => Val::Text(Cow::Borrowed(text)),
            Term::Null => Val::Null,
            Term::Here(Here::Function) => Val::Text(Cow::Borrowed(self.function)),
            Term::Here(Here::Category) => Val::Text(Cow::Borrowed(self.tape.category(self.i).title().as_bytes())),
            Term::Here(Here::Line) => Val::Number(f64::from(self.tape.line_at(pos))),
            Term::Here(Here::Pos) => Val::Number(pos.one_based() as f64),
            Term::Here(Here::Ordinal) => Val::Number(self.i as f64 + 1.0),
            Term::Here(Here::Value) if value::cut_of_full(self.value) != Cut::No => Val::Unknown,
            Term::Here(Here::Value) => Val::of_text(self.value),
            Term::Len(inside) if matches!(**inside, Term::Here(Here::Value)) => match self.val(inside) {
                Val::Unknown => self.items(),
                held => held.len(),
            },
            Term::Len(inside) => self.val(inside).len(),
            Term::Here(Here::Depth) | Term::Value(_) | Term::Any(_) | Term::Prev(_) | Term::Label(_) => Val::Absent,
        }
    }

    /// The items of a list, dict or buffer that is held in full.
    fn items(&self) -> Val<'static> {
        if value::cut_of_full(self.value) != Cut::No {
            return Val::Unknown;
        }
        let Ok(tokens) = value::read(self.value) else { return Val::Unknown };
        let (mut depth, mut items) = (0_usize, 0_usize);
        let mut keys: Vec<&[u8]> = Vec::new();
        for token in &tokens {
            match token {
                Token::ListStart | Token::BufferStart | Token::DictStart => {
                    items += usize::from(depth == 1);
                    depth += 1;
                }
                Token::ListEnd | Token::DictEnd => depth -= 1,
                Token::Key(key) if depth == 1 => keys.push(key),
                Token::Key(_) => {}
                Token::Null | Token::Number { .. } | Token::Str(_) => items += usize::from(depth == 1),
            }
        }
        if !keys.is_empty() {
            // A repeated key is one entry.
            keys.sort_unstable();
            keys.dedup();
            items = keys.len();
        }
        Val::Number(items as f64)
    }
}
