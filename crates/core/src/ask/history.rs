//! The language's own questions about the past, answered from the tape at a position.
//!
//! Bare forms speak of the binding that the name means at the position; `prev of`, `at` and `when` speak of the name's
//! assignments in all scopes merged, as the language's history does. Invariant: nothing after the position is looked at.

use std::ops::ControlFlow;

use crate::bytes::Watch;
use crate::model::protocol::{AskedName, AskedResult, AskedState, AskedValue, Cut, Text, ValueText};
use crate::model::{ByteOffset, Pos, RowWindow};
use crate::tape::answer::{MAX_ROWS, is_hidden};
use crate::tape::{Tape, cnum, value};

use super::parse::{Interrogative, Moment, Name};

/// Names between two calls of the watcher.
const STRIDE: usize = 256;
/// The change of entropy at which `how` has fallen to 0.
const HOW_SCALE: f64 = 0.001;

/// The assignments that a question speaks of, in tape order, none after the position.
struct History<'a> {
    tape: &'a Tape,
    offsets: &'a [u32],
}

impl<'a> History<'a> {
    /// The assignments of a name in all scopes.
    fn merged(tape: &'a Tape, pos: Pos, name: &str) -> Self {
        let offsets = tape.ix.names.find(&tape.bytes, name.as_bytes()).map(|id| tape.by_name(id)).unwrap_or_default();
        let end = tape.end_of(pos);
        Self { tape, offsets: offsets.get(..offsets.partition_point(|offset| *offset < end)).unwrap_or_default() }
    }

    /// The assignments of the binding that a name means.
    fn binding(tape: &'a Tape, pos: Pos, name: &str) -> Self {
        let offsets = tape.resolve(pos, name.as_bytes()).map(|stream| {
            let run = tape.ix.assigns.get(tape.run(stream.0)).unwrap_or_default();
            run.get(..tape.assigns_before(stream.0, tape.end_of(pos))).unwrap_or_default()
        });
        Self { tape, offsets: offsets.unwrap_or_default() }
    }

    fn len(&self) -> usize {
        self.offsets.len()
    }

    /// The latest assignment whose line is not above `line`.
    fn latest_at(&self, line: i32) -> Option<usize> {
        self.offsets.iter().rposition(|offset| self.line_of(*offset) <= line)
    }

    /// How many assignments have a line not above `line`.
    fn count_at(&self, line: i32) -> usize {
        // Both columns are in tape order: a merge, no search.
        let mut pos = 0;
        let mut count = 0;
        for &offset in self.offsets {
            while self.tape.ix.line_offsets.get(pos + 1).is_some_and(|start| *start <= offset) {
                pos += 1;
            }
            count += usize::from(self.tape.ix.lines.get(pos).copied().unwrap_or(0) <= line);
        }
        count
    }

    fn pos_of(&self, offset: u32) -> Pos {
        self.tape.pos_of(ByteOffset(offset))
    }

    fn line_of(&self, offset: u32) -> i32 {
        self.tape.line_at(self.pos_of(offset))
    }

    /// The number of the `i`-th assignment, when it is one.
    fn number(&self, i: usize) -> Option<f64> {
        let text = self.tape.parts_of(*self.offsets.get(i)?).1;
        if cnum::is_number(text) { cnum::strtod(text).map(|(number, _)| value::clamp(number)) } else { None }
    }
}

/// The entropy that the observer gives a number.
pub(super) fn entropy(number: f64) -> f64 {
    let p = 1.0 / (1.0 + number.abs());
    if number == 0.0 || p <= 0.0 || p >= 1.0 { 0.0 } else { -(p * p.log2() + (1.0 - p) * (1.0 - p).log2()) }
}

/// Answers one of the language's questions.
pub(super) fn about(tape: &Tape, pos: Pos, what: Interrogative, name: &Name, moment: Moment) -> AskedValue {
    let text = name.text.as_str();
    let merged = moment != Moment::Now || what == Interrogative::Prev;
    let history = if merged { History::merged(tape, pos, text) } else { History::binding(tape, pos, text) };
    // The assignment that the question speaks of, by its number from 0.
    let meant = match moment {
        Moment::Now => history.len().checked_sub(1),
        Moment::AtLine(line) => history.latest_at(line),
        Moment::Ordinal(n) => n.checked_sub(1).and_then(|n| usize::try_from(n).ok()).filter(|n| *n < history.len()),
    };
    let when = match moment {
        Moment::Now => String::new(),
        Moment::AtLine(line) => format!(" at line {line}"),
        Moment::Ordinal(n) => format!(" at assignment {n}"),
    };
    let place = |i: usize| {
        let offset = history.offsets.get(i).copied().unwrap_or(0);
        let pos = history.pos_of(offset);
        (pos, tape.line_at(pos), offset)
    };
    let answer = |sentence: String, result: AskedResult, i: Option<usize>| {
        let at = i.map(place);
        AskedValue { sentence, result, at: at.map(|at| at.0), line: at.map(|at| at.1) }
    };
    let value_of = |i: usize, subject: &str| {
        let (pos, line, offset) = place(i);
        let text = tape.parts_of(offset).1;
        let shown = ValueText::of_assignment(text);
        let len = len_of(text);
        let mut sentence = format!(
            "{subject} was {} (assigned at position {}, recorded at line {line}; assignment {} of {} so far).",
            shown.text,
            pos.one_based(),
            i + 1,
            history.len()
        );
        if what == Interrogative::What
            && moment == Moment::Now
            && let Some(len) = len
        {
            sentence.push_str(&format!(" A bare `what is` in the language gives its length, {len}."));
        }
        if shown.cut != Cut::No {
            sentence.push_str(" The tape may hold only the beginning of this string.");
        }
        answer(sentence, AskedResult::Value { value: shown, byte: ByteOffset(offset), len }, Some(i))
    };
    let none = |sentence: String| answer(sentence, AskedResult::Null, None);
    let not_yet = || match (history.len(), moment) {
        (0, Moment::Now) if what != Interrogative::Prev => {
            format!("`{text}` means nothing at this position: no visible scope has assigned it yet.")
        }
        (0, _) => format!("`{text}` was not assigned up to this position."),
        (n, Moment::Ordinal(_)) => format!("This has not happened yet: `{text}` was assigned {n} times so far."),
        (_, _) => format!("`{text}` was not assigned{when} up to this position."),
    };
    match what {
        Interrogative::Who => answer(
            format!("Its name is `{text}`."),
            AskedResult::Name(Text { text: text.to_owned(), lossy: false }),
            meant,
        ),
        Interrogative::What => meant.map_or_else(|| none(not_yet()), |i| value_of(i, &format!("`{text}`{when}"))),
        Interrogative::Prev => match meant.and_then(|i| i.checked_sub(1)) {
            Some(i) => value_of(i, &format!("The value of `{text}` before the one{when}")),
            None if meant.is_some() => none(format!("There is no value of `{text}` before its first.")),
            None => none(not_yet()),
        },
        Interrogative::When if history.len() == 0 => none(not_yet()),
        Interrogative::When => match moment {
            Moment::Now => counted(text, history.len(), "so far", &answer, meant),
            Moment::AtLine(line) => {
                counted(text, history.count_at(line), &format!("at lines up to {line}"), &answer, meant)
            }
            Moment::Ordinal(n) if meant.is_some() => {
                let sentence = meant.map(place).map_or_else(String::new, |(pos, line, _)| {
                    format!("Assignment {n} of `{text}` was at position {}, recorded at line {line}.", pos.one_based())
                });
                answer(sentence, AskedResult::Number(n as f64), meant)
            }
            Moment::Ordinal(_) => none(not_yet()),
        },
        Interrogative::Where | Interrogative::Why | Interrogative::How => {
            let Some(i) = meant else { return none(not_yet()) };
            let change = || match i.checked_sub(1) {
                None => history.number(i).map(|_| 0.0),
                Some(before) => Some(entropy(history.number(i)?) - entropy(history.number(before)?)),
            };
            let (number, what) = match what {
                Interrogative::Where => (history.number(i).map(entropy), "The entropy"),
                Interrogative::Why => (change(), "The change of entropy"),
                _ => (change().map(|change| 1.0 - (change.abs() / HOW_SCALE).min(1.0)), "The steadiness"),
            };
            match number {
                Some(number) => {
                    answer(format!("{what} of `{text}`{when} is {number}."), AskedResult::Number(number), meant)
                }
                None => answer(
                    format!(
                        "{what} of `{text}`{when} is not on the tape: it is told of numbers only, and needs the value in full."
                    ),
                    AskedResult::NotOnTape,
                    meant,
                ),
            }
        }
    }
}

fn counted(
    text: &str,
    count: usize,
    which: &str,
    answer: &dyn Fn(String, AskedResult, Option<usize>) -> AskedValue,
    meant: Option<usize>,
) -> AskedValue {
    let times = if count == 1 { "once".to_owned() } else { format!("{count} times") };
    answer(format!("`{text}` was assigned {times} {which}."), AskedResult::Number(count as f64), meant)
}

/// What a bare `what is` gives for a string or a container: its length. `None` for other values, and when it is not known.
fn len_of(text: &[u8]) -> Option<u64> {
    if text.starts_with(b"\"") {
        return match (value::cut_of_short(text), value::read(text).as_deref()) {
            (Cut::No, Ok([value::Token::Str(text)])) => Some(text.len() as u64),
            _ => None,
        };
    }
    let inside = [&b"<list:"[..], b"<dict:", b"<buffer:"].iter().find_map(|marker| text.strip_prefix(*marker))?;
    core::str::from_utf8(inside.strip_suffix(b">")?).ok()?.parse().ok()
}

/// Answers `state_at of LINE`; `None` when the watcher cancels.
pub(super) fn state_at(tape: &Tape, pos: Pos, line: i32, rows: RowWindow, watch: &mut dyn Watch) -> Option<AskedState> {
    let end = tape.end_of(pos);
    let total = tape.ix.names.len();
    let mut found: Vec<(u32, u32)> = Vec::new();
    for id in 0..total as u32 {
        if (id as usize).is_multiple_of(STRIDE) && watch.advance(u64::from(id), total as u64) == ControlFlow::Break(())
        {
            return None;
        }
        if is_hidden(tape.name_bytes(id)) {
            continue;
        }
        let offsets = tape.by_name(id);
        let offsets = offsets.get(..offsets.partition_point(|offset| *offset < end)).unwrap_or_default();
        let history = History { tape, offsets };
        if let Some(&offset) = history.latest_at(line).and_then(|i| offsets.get(i)) {
            found.push((id, offset));
        }
    }
    let row = |&(id, offset): &(u32, u32)| {
        let pos = tape.pos_of(ByteOffset(offset));
        AskedName {
            name: Text::from_bytes(tape.name_bytes(id)),
            value: ValueText::of_assignment(tape.parts_of(offset).1),
            byte: ByteOffset(offset),
            pos,
            line: tape.line_at(pos),
        }
    };
    let window = rows.limited(MAX_ROWS).clamp(found.len());
    Some(AskedState {
        total: found.len() as u32,
        rows: found.get(window).unwrap_or_default().iter().map(row).collect(),
    })
}
