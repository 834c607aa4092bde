//! A comparison in words and rows: the first divergence, its likely cause, the stretches, the bindings side by side.

use std::collections::HashMap;

use crate::ask::thin;
use crate::model::protocol::{
    BindingRow, Block, BlockKind, CompareAnswer, CompareQuery, CompareVerdict, ComparedBindings, ComparedBindingsQuery,
    ComparedRow, Divergence, InputCategory, InputDifference, Side, StateQuery, ValueText,
};
use crate::model::{ByteOffset, IssueKind, Pos, RowWindow};
use crate::tape::answer::MAX_ROWS;
use crate::tape::{Tape, value};
use crate::timeline::grouped;

use super::causes::Pair;
use super::{Comparison, span};

impl Comparison {
    /// What the page shows of the comparison of these two tapes.
    pub fn answer(&self, left: &Tape, right: &Tape, query: &CompareQuery) -> CompareAnswer {
        let verdict = self.verdict(left, right);
        let first = self.divergence(left, right);
        let differing: Vec<Block> = self.blocks.iter().copied().filter(|block| block.kind != BlockKind::Same).collect();
        let sum = |kinds: &[BlockKind], len: fn(&Block) -> u32| {
            self.blocks.iter().filter(|block| kinds.contains(&block.kind)).map(len).sum::<u32>()
        };
        let unpaired = [BlockKind::Lines, BlockKind::Unaligned];
        let (cause, cause_sentence) = self.cause(left, right, verdict);
        let inputs = query.inputs.limited(MAX_ROWS).clamp(self.causes.inputs.len());
        let rows = self.causes.inputs.get(inputs).unwrap_or_default();
        let window = query.blocks.limited(MAX_ROWS).clamp(differing.len());
        let marks = |tape: &Tape, of: fn(&Block) -> (u32, u32)| {
            // What only the other side has is a tick at the place where it would stand.
            let last = tape.positions().saturating_sub(1);
            let span = |(first, len): (u32, u32)| (first.min(last), (first + len.max(1) - 1).min(last));
            let spans: Vec<(u32, u32)> = differing.iter().map(of).map(span).collect();
            thin(spans.len(), tape.positions(), query.marks, |i| spans.get(i).copied().unwrap_or((0, 0)))
        };
        CompareAnswer {
            verdict,
            sentence: self.sentence(left, right, verdict, first.as_ref()),
            notes: notes(left, right),
            cause,
            cause_sentence,
            same: sum(&[BlockKind::Same], |block| block.left_len),
            values: sum(&[BlockKind::Values], |block| block.left_len),
            left_only: sum(&unpaired, |block| block.left_len),
            right_only: sum(&unpaired, |block| block.right_len),
            blocks_total: differing.len() as u32,
            blocks: differing.get(window).unwrap_or_default().to_vec(),
            inputs_total: self.causes.inputs_total,
            inputs: rows.iter().map(|pair| input_rows(left, right, *pair)).collect(),
            partner: self.partner(query.side, query.pos),
            marks_left: marks(left, |block| (block.left, block.left_len)),
            marks_right: marks(right, |block| (block.right, block.right_len)),
            first,
        }
    }

    fn verdict(&self, left: &Tape, right: &Tape) -> CompareVerdict {
        if self.is_identical() {
            return CompareVerdict::Identical;
        }
        let unaligned = self.blocks.iter().filter(|block| block.kind == BlockKind::Unaligned);
        let (a, b) = unaligned.fold((0, 0), |(a, b), block| (a + block.left_len, b + block.right_len));
        if a > left.positions() / 2 || b > right.positions() / 2 {
            return CompareVerdict::TooDifferent;
        }
        for side in [Side::Right, Side::Left] {
            if self.is_cut(left, right, side) {
                return CompareVerdict::CutShort(side);
            }
        }
        CompareVerdict::Differ
    }

    /// Whether one side is the beginning of the other. Its last record may be torn: as a position of another line, or as a
    /// value that is the beginning of the other's.
    fn is_cut(&self, left: &Tape, right: &Tape, side: Side) -> bool {
        let (cut, whole) = if side == Side::Left { (left, right) } else { (right, left) };
        let first = self.blocks.first().filter(|block| block.kind == BlockKind::Same);
        let same = first.map_or(0, |block| block.left_len);
        let Some(last) = cut.positions().checked_sub(1) else { return whole.positions() > 0 };
        if same > last {
            return whole.positions() > cut.positions();
        }
        if same < last || whole.positions() <= last {
            return false;
        }
        // Only the last position differs. Its frame may be told by a record that was cut off, so it is not looked at.
        let is_torn = cut.ix.issues.count(IssueKind::NoFinalNewline) > 0;
        let is_line = cut.line_at(Pos(last)) == whole.line_at(Pos(last));
        let is_empty = cut.events_at(Pos(last), 0).0 == 0;
        (is_line && is_beginning(cut, last, whole, last, is_torn)) || (is_torn && is_empty)
    }

    /// Where the two first differ.
    fn divergence(&self, left: &Tape, right: &Tape) -> Option<Divergence> {
        let number = self.blocks.iter().position(|block| block.kind != BlockKind::Same)?;
        let block = self.blocks.get(number)?;
        let before = number.checked_sub(1).and_then(|i| self.blocks.get(i));
        let last_equal =
            before.map(|block| (Pos(block.left + block.left_len - 1), Pos(block.right + block.right_len - 1)));
        let at = |tape: &Tape, pos: u32| (pos < tape.positions()).then_some(Pos(pos));
        let (a, b) = (at(left, block.left), at(right, block.right));
        let sentence = match block.kind {
            BlockKind::Values => self.first_value(left, right, block),
            _ => {
                let goes = |tape: &Tape, pos: Option<Pos>, side: &str| match pos {
                    Some(pos) => {
                        let function = tape.function_of(tape.scope_at(pos));
                        let function = match function {
                            b"" => String::new(),
                            function => format!(" in {}", String::from_utf8_lossy(function)),
                        };
                        format!("the {side} goes to line {}{function}", tape.line_at(pos))
                    }
                    None => format!("the {side} has ended"),
                };
                format!("Then {}, {}.", goes(left, a, "left"), goes(right, b, "right"))
            }
        };
        Some(Divergence { last_equal, left: a, right: b, kind: block.kind, sentence })
    }

    /// The first record that differs in a stretch of equal lines.
    fn first_value(&self, left: &Tape, right: &Tape, block: &Block) -> String {
        let line = left.line_at(Pos(block.left));
        let Some(pair) = self.causes.first_record else {
            return format!("On line {line} the same records come in another order.");
        };
        let told = |tape: &Tape, byte: Option<u32>, side: &str| match byte {
            Some(byte) => {
                let (_, text) = tape.parts_of(byte);
                format!("{} on the {side}", value::preview(text, value::cut_of_short(text)).text)
            }
            None => format!("nothing on the {side}"),
        };
        let any = pair.left.map(|byte| left.record_at(byte)).or(pair.right.map(|byte| right.record_at(byte)));
        let (name, _) = crate::tape::index::split_record(any.unwrap_or_default());
        let name = String::from_utf8_lossy(name);
        let (left, right) = (told(left, pair.left, "left"), told(right, pair.right, "right"));
        match any.and_then(<[u8]>::first) {
            Some(b'N') => format!("On line {line} the input `{name}` gave {left} and {right}."),
            _ => format!("On line {line} `{name}` becomes {left} and {right}."),
        }
    }

    fn cause(&self, left: &Tape, right: &Tape, verdict: CompareVerdict) -> (Option<InputDifference>, String) {
        if verdict == CompareVerdict::Identical {
            return (None, String::new());
        }
        if let CompareVerdict::CutShort(_) = verdict {
            return (None, "Up to the cut nothing differs.".to_owned());
        }
        let first = self.causes.inputs.first().filter(|_| self.causes.input_is_first());
        let Some(pair) = first else {
            let mut sentence =
                "No input differs before the first divergence, so its cause is not on the tapes: other sources, \
                                threads, or what no builtin records."
                    .to_owned();
            if self.causes.inputs_total > 0 {
                sentence.push_str(" The inputs that differ came later.");
            }
            return (None, sentence);
        };
        let difference = input_rows(left, right, *pair);
        let row = difference.left.as_ref().or(difference.right.as_ref());
        let sentence = row.map_or_else(String::new, |row| {
            let told = |row: &Option<_>, side: &str| match row {
                Some(crate::model::protocol::InputRow { value, .. }) => format!("{} on the {side}", shortened(value)),
                None => format!("nothing on the {side}"),
            };
            let mut sentence = format!(
                "The likely cause: `{}` at position {} (line {}) gave {} and {}.",
                row.function.text,
                grouped(row.pos.one_based()),
                if difference.left.is_some() { left.line_at(row.pos) } else { right.line_at(row.pos) },
                told(&difference.left, "left"),
                told(&difference.right, "right")
            );
            if row.category == InputCategory::Time {
                sentence.push_str(" A clock differs in every run: look at the next inputs that differ too.");
            }
            sentence
        });
        (Some(difference), sentence)
    }

    fn sentence(&self, left: &Tape, right: &Tape, verdict: CompareVerdict, first: Option<&Divergence>) -> String {
        let place =
            |tape: &Tape, pos: Pos| format!("position {} (line {})", grouped(pos.one_based()), tape.line_at(pos));
        let upto = match first.and_then(|first| first.last_equal) {
            Some((a, b)) if a == b => format!("The runs are equal up to {}.", place(left, a)),
            Some((a, b)) => {
                format!("The runs are equal up to {} on the left and {} on the right.", place(left, a), place(right, b))
            }
            None => "The runs differ from their first position on.".to_owned(),
        };
        match verdict {
            CompareVerdict::Identical => format!(
                "The runs are identical: {} positions, every line, frame, value and input.",
                grouped(left.positions().into())
            ),
            CompareVerdict::CutShort(side) => {
                let (cut, whole, name) = match side {
                    Side::Left => (left, right, "left"),
                    Side::Right => (right, left, "right"),
                };
                let end = match cut.positions().checked_sub(1) {
                    Some(last) => format!("it ends at {}", place(cut, Pos(last))),
                    None => "it has no position".to_owned(),
                };
                format!(
                    "The {name} recording is cut short: {end}, the other goes on to position {}. {upto}",
                    grouped(whole.positions().into())
                )
            }
            CompareVerdict::Differ => match first {
                Some(first) => format!("{upto} {}", first.sentence),
                None => upto,
            },
            CompareVerdict::TooDifferent => format!(
                "{upto} After that they are too different to align: more than {} positions would have to be taken out or put in.",
                grouped(self.bounds.edits as u64)
            ),
        }
    }
}

fn shortened(value: &ValueText) -> String {
    const CHARS: usize = 60;
    match value.text.char_indices().nth(CHARS) {
        Some((end, _)) => format!("{}…", value.text.get(..end).unwrap_or_default()),
        None => value.text.clone(),
    }
}

fn notes(left: &Tape, right: &Tape) -> Vec<String> {
    let mut notes = Vec::new();
    if left.runtime() != right.runtime() {
        notes.push(format!(
            "The runtimes differ: {:?} on the left, {:?} on the right. What differs may come from that.",
            String::from_utf8_lossy(left.runtime()),
            String::from_utf8_lossy(right.runtime())
        ));
    }
    notes
}

/// Whether the events of a position of `cut` are the first of those of a position of `whole`; when `is_torn`, its last may be
/// the beginning of a record.
fn is_beginning(cut: &Tape, own: u32, whole: &Tape, other: u32, is_torn: bool) -> bool {
    let ((start, end), (other_start, other_end)) = (span(cut, own), span(whole, other));
    let mut longer = whole.events_in(other_start, other_end).map(|byte| whole.record_at(byte));
    let mut events = cut.events_in(start, end).map(|byte| cut.record_at(byte)).peekable();
    while let Some(event) = events.next() {
        let Some(record) = longer.next() else { return false };
        let is_last = events.peek().is_none();
        if event != record && !(is_torn && is_last && record.starts_with(event)) {
            return false;
        }
    }
    true
}

fn input_rows(left: &Tape, right: &Tape, pair: Pair) -> InputDifference {
    InputDifference {
        left: pair.left.and_then(|i| left.input_row(i as usize)),
        right: pair.right.and_then(|i| right.input_row(i as usize)),
    }
}

/// The bindings of both tapes, each at a position of its own, side by side: those that differ first, and then in the order of
/// the left, the right's own last.
///
/// # Errors
/// A sentence when there is no such position.
pub fn bindings(left: &mut Tape, right: &mut Tape, query: &ComparedBindingsQuery) -> Result<ComparedBindings, String> {
    let all = RowWindow { first: 0, count: MAX_ROWS };
    let state = |tape: &mut Tape, pos| {
        tape.state(&StateQuery { pos, bindings: all, ..StateQuery::default() }).map(|state| state.bindings)
    };
    let (mine, yours) = (state(left, query.left)?, state(right, query.right)?);
    let key = |row: &BindingRow| (row.name.clone(), row.function.clone());
    let places: HashMap<_, usize> = yours.iter().enumerate().map(|(i, row)| (key(row), i)).collect();
    let mut yours: Vec<Option<BindingRow>> = yours.into_iter().map(Some).collect();
    let mut rows: Vec<ComparedRow> = Vec::new();
    for row in mine {
        let other = places.get(&key(&row)).and_then(|i| yours.get_mut(*i)).and_then(Option::take);
        let differs = match &other {
            None => Some(true),
            Some(other) => differs(left, row.byte, right, other.byte),
        };
        rows.push(ComparedRow { left: Some(row), right: other, differs });
    }
    rows.extend(yours.into_iter().flatten().map(|row| ComparedRow {
        left: None,
        right: Some(row),
        differs: Some(true),
    }));
    rows.sort_by_key(|row| match row.differs {
        Some(true) => 0,
        None => 1,
        Some(false) => 2,
    });
    let differing = rows.iter().filter(|row| row.differs == Some(true)).count() as u32;
    let total = rows.len();
    let window = query.rows.limited(MAX_ROWS).clamp(total);
    Ok(ComparedBindings {
        total: total as u32,
        differing,
        rows: rows.into_iter().skip(window.start).take(window.len()).collect(),
    })
}

/// Whether two assigned values differ; `None` when they are spelled alike but not held in full.
fn differs(left: &Tape, a: ByteOffset, right: &Tape, b: ByteOffset) -> Option<bool> {
    use crate::model::protocol::Cut;
    let (a, b) = (left.parts_of(a.0).1, right.parts_of(b.0).1);
    if a != b {
        return Some(true);
    }
    let is_whole = value::cut_of_short(a) == Cut::No && value::read(a).is_ok();
    is_whole.then_some(false)
}
