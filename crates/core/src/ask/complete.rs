//! Suggestions while a question is typed, and the name that was probably meant.

use crate::model::protocol::{CompleteAnswer, CompleteQuery, Label};
use crate::tape::Tape;
use crate::tape::answer::is_hidden;

/// Suggestions of one answer at the most, whatever was asked.
const MOST: usize = 100;
/// Names that are compared with a misspelled one.
const COMPARED_NAMES: u32 = 20_000;
/// Names longer than this are not compared: the work grows with the square.
const COMPARED_BYTES: usize = 64;

const WORDS: [&str; 26] = [
    "what is ",
    "who is ",
    "when is ",
    "where is ",
    "why is ",
    "how is ",
    "prev of ",
    "state_at of ",
    "first ",
    "last ",
    "count ",
    "all ",
    "all inputs",
    "all inputs where ",
    "line ",
    "and ",
    "or ",
    "not ",
    "any(",
    "label(",
    "len(",
    "bound(",
    "changed",
    "assigned",
    "@line",
    "@fn",
];

/// What could stand at a place of a question.
pub(super) fn complete(tape: &Tape, query: &CompleteQuery) -> CompleteAnswer {
    let mut at = (query.at as usize).min(query.text.len());
    while !query.text.is_char_boundary(at) {
        at -= 1;
    }
    let before = query.text.get(..at).unwrap_or_default();
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '@';
    let start = before.char_indices().rev().take_while(|(_, c)| is_part(*c)).last().map_or(at, |(i, _)| i);
    let typed = before.get(start..).unwrap_or_default();
    let lead = before.get(..start).unwrap_or_default().trim_end();
    let most = (query.most as usize).min(MOST);
    let mut words: Vec<String> = Vec::new();
    let mut suggest = |word: &str| {
        if words.len() < most
            && starts_with(word, typed)
            && word.trim_end() != typed
            && !words.iter().any(|known| known == word)
        {
            words.push(word.to_owned());
        }
    };
    let in_string = lead.ends_with('"');
    if in_string {
        // Inside a string: the words that a string is compared with.
        if lead.contains("label(") {
            Label::ALL.iter().for_each(|label| suggest(label.word()));
        }
        if lead.contains("fn") {
            for id in 0..tape.ix.functions.len().min(COMPARED_NAMES as usize) as u32 {
                suggest(&String::from_utf8_lossy(tape.ix.functions.bytes(&tape.bytes, id)));
            }
        }
    } else {
        // A keyword first only where one is likely: at the start, or when something is typed.
        if lead.is_empty() || !typed.is_empty() {
            WORDS.iter().for_each(|word| suggest(word));
        }
        for id in 0..(tape.ix.names.len() as u32).min(COMPARED_NAMES) {
            let name = tape.name_bytes(id);
            if let Ok(name) = core::str::from_utf8(name)
                && (!is_hidden(name.as_bytes()) || typed.starts_with('_'))
            {
                suggest(name);
            }
        }
    }
    CompleteAnswer { start: start as u32, end: at as u32, words }
}

fn starts_with(word: &str, typed: &str) -> bool {
    word.get(..typed.len()).is_some_and(|start| start.eq_ignore_ascii_case(typed))
}

/// The name of the tape that is nearest to a misspelled one, when one is near.
pub(super) fn nearest_name(tape: &Tape, name: &str) -> Option<String> {
    let allowed = if name.len() < 5 { 1 } else { 2 };
    if name.len() > COMPARED_BYTES {
        return None;
    }
    (0..(tape.ix.names.len() as u32).min(COMPARED_NAMES))
        .filter_map(|id| {
            let known = tape.name_bytes(id);
            let known = core::str::from_utf8(known).ok().filter(|known| known.len().abs_diff(name.len()) <= allowed)?;
            let distance = distance(name.as_bytes(), known.as_bytes());
            (distance <= allowed).then_some((distance, known))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, known)| known.to_owned())
}

/// Letters to change, add, drop or swap with the next.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let at = |row: &[usize], j: usize| row.get(j).copied().unwrap_or(usize::MAX / 2);
            let mut best = (at(&last, j) + usize::from(x != y)).min(at(&last, j + 1) + 1).min(at(&row, j) + 1);
            let is_swap = i > 0 && j > 0 && a.get(i - 1) == Some(y) && b.get(j - 1) == Some(x);
            if is_swap {
                best = best.min(at(&before_last, j - 1) + 1);
            }
            row.push(best);
        }
        before_last = core::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or(0)
}
