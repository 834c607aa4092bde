//! Conditions over all of time, from the columns of the index.
//!
//! A condition can change its truth only where a name it speaks of is assigned or where the scope changes. Those places come
//! sorted from the index; the condition is computed there and holds until the next. Invariant: a record is read only when it
//! assigns a name of the condition, and then once; and what the tape does not hold in full is never taken for false.

use core::cmp::Ordering;
use std::borrow::Cow;
use std::ops::ControlFlow;

use crate::bytes::Watch;
use crate::model::Pos;
use crate::model::protocol::{Cut, Label};
use crate::tape::Tape;
use crate::tape::build::ZERO_SCOPE;
use crate::tape::observer::{self, NUMBERS_THAT_MATTER};
use crate::tape::{cnum, value};

use super::AskError;
use super::parse::{Expr, Here, Name, Op, Term};

/// Distinct names of one condition: each takes a number a frame while it is computed.
const MAX_NAMES: usize = 16;
/// Places between two calls of the watcher.
const STRIDE: u64 = 1 << 16;
const NONE: u32 = u32::MAX;

/// What a condition is at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Truth {
    /// It holds.
    True,
    /// It does not.
    False,
    /// The tape does not hold enough to decide: a string that may be cut, a container, a withheld label.
    Unknown,
    /// It speaks of a name that means nothing here: no hit, and nothing to decide.
    Absent,
}

impl Truth {
    fn of(is_true: bool) -> Self {
        if is_true { Self::True } else { Self::False }
    }

    pub(super) fn not(self) -> Self {
        match self {
            Self::True => Self::False,
            Self::False => Self::True,
            other => other,
        }
    }

    /// What settles the whole wins, then what could still settle it, then what is missing.
    pub(super) fn all(parts: impl Iterator<Item = Self>) -> Self {
        let mut whole = Self::True;
        for part in parts {
            match part {
                Self::False => return Self::False,
                Self::Unknown => whole = Self::Unknown,
                Self::Absent if whole == Self::True => whole = Self::Absent,
                Self::Absent | Self::True => {}
            }
        }
        whole
    }

    pub(super) fn any(parts: impl Iterator<Item = Self>) -> Self {
        Self::all(parts.map(Self::not)).not()
    }
}

/// A value as far as the tape holds it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Val<'a> {
    /// There is none.
    Absent,
    /// The tape does not hold it in full.
    Unknown,
    Null,
    Number(f64),
    Text(Cow<'a, [u8]>),
}

impl<'a> Val<'a> {
    /// The value of an `A` record.
    pub(super) fn of_assignment(text: &'a [u8]) -> Self {
        if value::cut_of_short(text) != Cut::No { Self::Unknown } else { Self::of_text(text) }
    }

    /// A value that is spelled in full.
    pub(super) fn of_text(text: &'a [u8]) -> Self {
        if cnum::is_number(text) {
            return cnum::strtod(text).map_or(Self::Unknown, |(number, _)| Self::Number(number));
        }
        match text {
            b"null" => Self::Null,
            b"true" => Self::Number(1.0),
            b"false" => Self::Number(0.0),
            [b'"', body @ .., b'"'] if !body.contains(&b'\\') && !body.contains(&b'"') => {
                Self::Text(Cow::Borrowed(body))
            }
            [b'"', ..] => match value::read(text).as_deref() {
                Ok([value::Token::Str(text)]) => Self::Text(Cow::Owned(text.clone())),
                _ => Self::Unknown,
            },
            _ => Self::Unknown,
        }
    }

    /// The length of a string; other values that are held in full have none.
    pub(super) fn len(&self) -> Val<'static> {
        match self {
            Self::Text(text) => Val::Number(text.len() as f64),
            Self::Unknown => Val::Unknown,
            Self::Absent | Self::Null | Self::Number(_) => Val::Absent,
        }
    }

    pub(super) fn compare(&self, op: Op, other: &Self) -> Truth {
        let by = |order: Option<Ordering>| match op {
            Op::Eq => order == Some(Ordering::Equal),
            Op::Ne => order != Some(Ordering::Equal),
            Op::Lt => order == Some(Ordering::Less),
            Op::Le => matches!(order, Some(Ordering::Less | Ordering::Equal)),
            Op::Gt => order == Some(Ordering::Greater),
            Op::Ge => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        };
        match (self, other) {
            (Self::Absent, _) | (_, Self::Absent) => Truth::Absent,
            (Self::Unknown, _) | (_, Self::Unknown) => Truth::Unknown,
            (Self::Number(a), Self::Number(b)) => Truth::of(by(a.partial_cmp(b))),
            (Self::Text(a), Self::Text(b)) => Truth::of(by(Some(a.cmp(b)))),
            // Values of different kinds are unequal and have no order.
            (a, b) => Truth::of(if a == b { op == Op::Eq } else { op == Op::Ne }),
        }
    }
}

/// A copy that borrows nothing.
fn held(value: &Val<'_>) -> Val<'static> {
    match value {
        Val::Absent => Val::Absent,
        Val::Unknown => Val::Unknown,
        Val::Null => Val::Null,
        Val::Number(number) => Val::Number(*number),
        Val::Text(text) => Val::Text(Cow::Owned(text.to_vec())),
    }
}

fn len(value: &Val<'_>) -> Val<'static> {
    value.len()
}

/// Positions `first..=last`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The first position.
    pub first: u32,
    /// The last position.
    pub last: u32,
}

/// Where a condition holds, and where that could not be decided.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hits {
    /// Where it holds: sorted, disjoint, not adjacent.
    pub holds: Vec<Stretch>,
    /// Where it could not be decided: likewise.
    pub undecided: Vec<Stretch>,
}

impl Hits {
    /// How many positions a list of stretches covers.
    pub fn positions(stretches: &[Stretch]) -> u64 {
        stretches.iter().map(|stretch| u64::from(stretch.last - stretch.first) + 1).sum()
    }

    /// What the condition is at a position; what is neither held nor undecided is false.
    pub fn at(&self, pos: u32) -> Truth {
        if contains(&self.holds, pos) {
            Truth::True
        } else if contains(&self.undecided, pos) {
            Truth::Unknown
        } else {
            Truth::False
        }
    }

    /// The nearest position before `pos` (after it) that lies in one of the stretches.
    pub fn near(stretches: &[Stretch], pos: u32, back: bool) -> Option<u32> {
        if back {
            let at = stretches.partition_point(|stretch| stretch.first < pos).checked_sub(1)?;
            stretches.get(at).map(|stretch| stretch.last.min(pos - 1))
        } else {
            let at = stretches.partition_point(|stretch| stretch.last <= pos);
            stretches.get(at).map(|stretch| stretch.first.max(pos + 1))
        }
    }

    fn add(&mut self, truth: Truth, first: u32, last: u32) {
        let stretches = match truth {
            Truth::True => &mut self.holds,
            Truth::Unknown => &mut self.undecided,
            Truth::False | Truth::Absent => return,
        };
        match stretches.last_mut() {
            Some(stretch) if stretch.last + 1 == first => stretch.last = last,
            _ => stretches.push(Stretch { first, last }),
        }
    }
}

fn contains(stretches: &[Stretch], pos: u32) -> bool {
    let at = stretches.partition_point(|stretch| stretch.last < pos);
    stretches.get(at).is_some_and(|stretch| stretch.first <= pos)
}

/// Why a condition was not computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EvalError {
    /// The question is at fault.
    Ask(AskError),
    /// The watcher said so.
    Cancelled,
}

/// Computes where a condition holds.
///
/// # Errors
/// [`EvalError::Ask`] when it speaks of a name that is not on the tape, or of too many; [`EvalError::Cancelled`].
pub fn hits(tape: &Tape, condition: &Expr, watch: &mut dyn Watch) -> Result<Hits, EvalError> {
    let mut sweep = Sweep::new(tape);
    let root = sweep.compile(condition).map_err(EvalError::Ask)?;
    if root.needs_scope() {
        for name in &mut sweep.names {
            name.link(tape);
        }
        sweep.is_scoped = true;
    }
    sweep.run(&root, watch)
}

/// A condition with its names found.
enum Node {
    And(Vec<Node>),
    Or(Vec<Node>),
    Not(Box<Node>),
    Compare(Op, Source, Source),
    Changed(Source),
    Assigned(Source),
    Bound(usize),
}

/// Where a term's value comes from. Names are numbers of [`Sweep::names`].
enum Source {
    Number(f64),
    Text(Vec<u8>),
    Null,
    Value(usize),
    Any(usize),
    Prev(usize),
    Label(usize),
    Len(Box<Source>),
    Here(Here),
}

impl Node {
    fn each_source(&self, visit: &mut dyn FnMut(&Source, bool)) {
        match self {
            Self::And(parts) | Self::Or(parts) => parts.iter().for_each(|part| part.each_source(visit)),
            Self::Not(part) => part.each_source(visit),
            Self::Compare(_, left, right) => {
                visit(left, false);
                visit(right, false);
            }
            Self::Changed(source) | Self::Assigned(source) => visit(source, true),
            Self::Bound(name) => visit(&Source::Value(*name), false),
        }
    }

    fn needs_scope(&self) -> bool {
        let mut found = false;
        self.each_source(&mut |source, _| {
            found |= matches!(
                source.innermost(),
                Source::Value(_) | Source::Label(_) | Source::Here(Here::Function | Here::Depth)
            );
        });
        found
    }

    /// Whether it can be true at one position and false at the next with nothing in between.
    fn is_momentary(&self) -> bool {
        let mut found = false;
        self.each_source(&mut |_, momentary| found |= momentary);
        found
    }

    /// Whether every position differs from the one before.
    fn needs_every_position(&self) -> bool {
        let mut found = false;
        self.each_source(&mut |source, _| {
            found |= matches!(source.innermost(), Source::Here(Here::Line | Here::Pos));
        });
        found
    }
}

impl Source {
    fn innermost(&self) -> &Self {
        let mut source = self;
        while let Self::Len(inside) = source {
            source = inside;
        }
        source
    }
}

/// One binding's assignments, as far as the sweep has come.
#[derive(Clone, Copy, Debug)]
struct Slot {
    stream: u32,
    frame: u32,
    assigns: u32,
    /// The last assignment, and the last one before the position of that.
    last: u32,
    before: u32,
    /// The position of the last assignment.
    pos: u32,
    /// While it is not assigned: what the name means instead, as found when so many scopes had assigned it.
    outer: u32,
    outer_at: u32,
}

impl Slot {
    fn new(stream: u32, frame: u32) -> Self {
        Self { stream, frame, assigns: 0, last: NONE, before: NONE, pos: NONE, outer: NONE, outer_at: NONE }
    }

    fn assign(&mut self, byte: u32, pos: u32) {
        if self.pos != pos {
            (self.before, self.pos) = (self.last, pos);
        }
        self.last = byte;
        self.assigns += 1;
    }
}

/// The newest numbers of one stream, kept while it is the one that changes.
#[derive(Debug)]
struct LabelFold {
    stream: u32,
    assigns: u32,
    newest_first: [f64; NUMBERS_THAT_MATTER],
    n: usize,
    label: Option<Label>,
}

/// A name of the condition.
struct Tracked<'a> {
    id: u32,
    /// Its assignments over all scopes.
    offsets: &'a [u32],
    next: usize,
    /// All scopes merged.
    merged: Slot,
    /// One for each scope that assigns it, by frame.
    slots: Vec<Slot>,
    /// For each frame, the slot of the nearest scope on its chain that ever assigns the name.
    nearest: Vec<u32>,
    /// How many of them were assigned so far.
    first_assigns: u32,
    /// What the name means at the position.
    current: u32,
    /// The slot to which the last assignment went.
    warm: u32,
    value: Cache<'a>,
    before: Cache<'a>,
    any: Cache<'a>,
    any_before: Cache<'a>,
    prev: Cache<'a>,
    label: LabelFold,
    label_before: (u32, u32, Option<Label>),
}

/// The value of the record read last.
struct Cache<'a> {
    byte: u32,
    value: Val<'a>,
}

impl<'a> Cache<'a> {
    fn new() -> Self {
        Self { byte: NONE, value: Val::Absent }
    }

    fn read(&mut self, tape: &'a Tape, byte: u32) -> &Val<'a> {
        if self.byte != byte {
            self.byte = byte;
            self.value = if byte == NONE { Val::Absent } else { Val::of_assignment(tape.parts_of(byte).1) };
        }
        &self.value
    }
}

impl<'a> Tracked<'a> {
    fn new(tape: &'a Tape, id: u32) -> Self {
        Self {
            id,
            offsets: tape.by_name(id),
            next: 0,
            merged: Slot::new(NONE, NONE),
            slots: Vec::new(),
            nearest: Vec::new(),
            first_assigns: 0,
            current: NONE,
            warm: NONE,
            value: Cache::new(),
            before: Cache::new(),
            any: Cache::new(),
            any_before: Cache::new(),
            prev: Cache::new(),
            label: LabelFold { stream: NONE, assigns: 0, newest_first: [0.0; NUMBERS_THAT_MATTER], n: 0, label: None },
            label_before: (NONE, 0, None),
        }
    }

    /// Finds the scopes that assign the name, and for every frame the nearest of them.
    fn link(&mut self, tape: &Tape) {
        for (stream, (&name, &frame)) in tape.ix.stream_names.iter().zip(&tape.ix.stream_frames).enumerate() {
            if name == self.id {
                // Streams are grouped by frame: the slots come sorted.
                self.slots.push(Slot::new(stream as u32, frame));
            }
        }
        let mut own = 0;
        for (frame, info) in tape.ix.frames.iter().enumerate() {
            let slot = if self.slots.get(own).is_some_and(|slot| slot.frame as usize == frame) {
                own += 1;
                own as u32 - 1
            } else if frame == 0 {
                NONE
            } else {
                // A frame's parent was on the stack before it: it has a lower number.
                self.nearest.get(info.parent as usize).copied().unwrap_or(NONE)
            };
            self.nearest.push(slot);
        }
    }

    /// The slot that the name means in a scope: the innermost one that was assigned already.
    fn resolve(&mut self, tape: &Tape, scope: u32) {
        let nearest = |frame: u32| self.nearest.get(frame as usize).copied().unwrap_or(NONE);
        let start = nearest(scope);
        let mut slot = start;
        while let Some(found) = self.slots.get(slot as usize).filter(|found| found.assigns == 0) {
            slot = if found.outer_at == self.first_assigns {
                found.outer
            } else if found.frame == 0 {
                NONE
            } else {
                nearest(tape.ix.frames.get(found.frame as usize).map_or(0, |frame| frame.parent))
            };
        }
        self.current = slot;
        // The way is remembered until a scope assigns the name for the first time: a deep recursion would walk it at each call.
        let mut walked = start;
        while let Some(found) = self.slots.get_mut(walked as usize).filter(|found| found.assigns == 0) {
            if found.outer_at == self.first_assigns {
                break;
            }
            (found.outer, found.outer_at) = (slot, self.first_assigns);
            let frame = found.frame;
            let parent = tape.ix.frames.get(frame as usize).map_or(0, |frame| frame.parent);
            walked = if frame == 0 { NONE } else { self.nearest.get(parent as usize).copied().unwrap_or(NONE) };
        }
    }

    fn slot(&self) -> Option<&Slot> {
        self.slots.get(self.current as usize)
    }

    /// Takes the next assignment, made in `scope`.
    fn take(&mut self, byte: u32, pos: u32, scope: u32) {
        self.next += 1;
        self.merged.assign(byte, pos);
        if self.slots.is_empty() {
            return;
        }
        if self.slots.get(self.warm as usize).is_none_or(|slot| slot.frame != scope) {
            self.warm = self.slots.binary_search_by_key(&scope, |slot| slot.frame).map_or(NONE, |slot| slot as u32);
        }
        if let Some(slot) = self.slots.get_mut(self.warm as usize) {
            self.first_assigns += u32::from(slot.assigns == 0);
            slot.assign(byte, pos);
        }
    }

    /// The label of what the name means now; `None` when no number was assigned.
    fn label(&mut self, tape: &Tape) -> Option<Label> {
        let slot = *self.slots.get(self.current as usize)?;
        let fold = &mut self.label;
        if (fold.stream, fold.assigns) == (slot.stream, slot.assigns) {
            return fold.label;
        }
        if fold.stream == slot.stream && fold.assigns + 1 == slot.assigns {
            let text = tape.parts_of(slot.last).1;
            if let (true, Some((number, _))) = (cnum::is_number(text), cnum::strtod(text)) {
                fold.newest_first.copy_within(..NUMBERS_THAT_MATTER - 1, 1);
                if let Some(newest) = fold.newest_first.first_mut() {
                    *newest = number;
                }
                fold.n = (fold.n + 1).min(NUMBERS_THAT_MATTER);
            }
        } else {
            (fold.newest_first, fold.n) = tape.newest_numbers(slot.stream, slot.assigns as usize);
        }
        (fold.stream, fold.assigns) = (slot.stream, slot.assigns);
        fold.label = fold.newest_first.get(..fold.n).and_then(observer::label);
        fold.label
    }

    /// The label that it had before the assignments of the position.
    fn label_before(&mut self, tape: &Tape) -> Option<Label> {
        let slot = *self.slots.get(self.current as usize)?;
        if (self.label_before.0, self.label_before.1) != (slot.stream, slot.before) {
            let label = (slot.before != NONE)
                .then(|| tape.label_after(slot.stream, tape.assigns_before(slot.stream, slot.before + 1)))
                .flatten();
            self.label_before = (slot.stream, slot.before, label);
        }
        self.label_before.2
    }
}

/// The pass over the places where something changes.
struct Sweep<'a> {
    tape: &'a Tape,
    names: Vec<Tracked<'a>>,
    is_scoped: bool,
    pos: u32,
    next_scope: usize,
    /// The scope that a record carries now, and the one shown (the last other than 0).
    carried: u32,
    shown: u32,
}

impl<'a> Sweep<'a> {
    fn new(tape: &'a Tape) -> Self {
        Self { tape, names: Vec::new(), is_scoped: false, pos: 0, next_scope: 0, carried: 0, shown: 0 }
    }

    fn name(&mut self, name: &Name) -> Result<usize, AskError> {
        let Some(id) = self.tape.ix.names.find(&self.tape.bytes, name.text.as_bytes()) else {
            let near = super::complete::nearest_name(self.tape, &name.text);
            let hint = near.map(|near| format!(" Did you mean `{near}`?")).unwrap_or_default();
            let message = format!("No binding of this tape is called `{}`.{hint}", name.text);
            return Err(AskError::new(name.at.clone(), message));
        };
        if let Some(known) = self.names.iter().position(|known| known.id == id) {
            return Ok(known);
        }
        if self.names.len() == MAX_NAMES {
            return Err(AskError::new(name.at.clone(), format!("A condition speaks of at most {MAX_NAMES} names.")));
        }
        self.names.push(Tracked::new(self.tape, id));
        Ok(self.names.len() - 1)
    }

    fn compile(&mut self, expr: &Expr) -> Result<Node, AskError> {
        let mut each = |parts: &[Expr]| parts.iter().map(|part| self.compile(part)).collect::<Result<Vec<_>, _>>();
        Ok(match expr {
            Expr::And(parts) => Node::And(each(parts)?),
            Expr::Or(parts) => Node::Or(each(parts)?),
            Expr::Not(part) => Node::Not(Box::new(self.compile(part)?)),
            Expr::Compare(op, left, right) => Node::Compare(*op, self.source(left)?, self.source(right)?),
            Expr::Changed(term) => Node::Changed(self.source(term)?),
            Expr::Assigned(term) => Node::Assigned(self.source(term)?),
            Expr::Bound(Term::Value(name)) => Node::Bound(self.name(name)?),
            // The parser makes no other.
            Expr::Bound(_) => Node::And(Vec::new()),
        })
    }

    fn source(&mut self, term: &Term) -> Result<Source, AskError> {
        Ok(match term {
            Term::Number(number) => Source::Number(*number),
            Term::Text(text) => Source::Text(text.clone()),
            Term::Null => Source::Null,
            Term::Value(name) => Source::Value(self.name(name)?),
            Term::Any(name) => Source::Any(self.name(name)?),
            Term::Prev(name) => Source::Prev(self.name(name)?),
            Term::Label(name) => Source::Label(self.name(name)?),
            Term::Len(inside) => Source::Len(Box::new(self.source(inside)?)),
            Term::Here(here) => Source::Here(*here),
        })
    }

    fn run(mut self, root: &Node, watch: &mut dyn Watch) -> Result<Hits, EvalError> {
        let mut hits = Hits::default();
        let positions = self.tape.positions();
        if positions == 0 {
            return Ok(hits);
        }
        let (momentary, every) = (root.is_momentary(), root.needs_every_position());
        let mut places = 0_u64;
        loop {
            places += 1;
            if places.is_multiple_of(STRIDE)
                && watch.advance(u64::from(self.pos), u64::from(positions)) == ControlFlow::Break(())
            {
                return Err(EvalError::Cancelled);
            }
            self.take_events();
            let truth = self.truth(root);
            let next = if every { self.pos + 1 } else { self.next_place(positions) };
            if momentary && next > self.pos + 1 {
                // What is said of the assignments of a position is over at the next.
                hits.add(truth, self.pos, self.pos);
                self.pos += 1;
                let truth = self.truth(root);
                hits.add(truth, self.pos, next - 1);
            } else {
                hits.add(truth, self.pos, next - 1);
            }
            if next >= positions {
                return Ok(hits);
            }
            self.pos = next;
        }
    }

    /// Takes everything that belongs to the position: records before the next `L`.
    fn take_events(&mut self) {
        let end = self.tape.end_of(Pos(self.pos));
        loop {
            let next_scope = if self.is_scoped {
                self.tape.ix.scope_starts.get(self.next_scope).copied().filter(|byte| *byte < end).unwrap_or(NONE)
            } else {
                NONE
            };
            let mut byte = next_scope;
            let mut from = None;
            for (i, name) in self.names.iter().enumerate() {
                match name.offsets.get(name.next) {
                    Some(&offset) if offset < end && offset < byte => (byte, from) = (offset, Some(i)),
                    _ => {}
                }
            }
            if byte == NONE {
                break;
            }
            if byte == next_scope {
                // A record that carries a new scope counts to it: the scope changes first.
                let frame = self.tape.ix.scope_frames.get(self.next_scope).copied().unwrap_or(0);
                self.next_scope += 1;
                self.carried = if frame & ZERO_SCOPE == 0 { frame } else { 0 };
                self.shown = frame & !ZERO_SCOPE;
            } else if let Some(name) = from.and_then(|i| self.names.get_mut(i)) {
                name.take(byte, self.pos, self.carried);
            }
        }
        if self.is_scoped {
            for name in &mut self.names {
                name.resolve(self.tape, self.shown);
            }
        }
    }

    /// The next position at which something happens; `positions` when nothing does.
    fn next_place(&self, positions: u32) -> u32 {
        let mut byte = NONE;
        if self.is_scoped {
            byte = self.tape.ix.scope_starts.get(self.next_scope).copied().unwrap_or(NONE);
        }
        for name in &self.names {
            byte = name.offsets.get(name.next).map_or(byte, |offset| byte.min(*offset));
        }
        if byte == NONE {
            return positions;
        }
        // Galloping: the place is near more often than not.
        let starts = &self.tape.ix.line_offsets;
        let from = self.pos as usize + 1;
        let mut step = 1;
        while starts.get(from + step - 1).is_some_and(|start| *start <= byte) {
            step *= 2;
        }
        let low = from + step / 2;
        let range = starts.get(low..(from + step).min(starts.len())).unwrap_or_default();
        ((low + range.partition_point(|start| *start <= byte)) as u32 - 1).max(self.pos + 1)
    }

    fn truth(&mut self, node: &Node) -> Truth {
        match node {
            Node::And(parts) => Truth::all(parts.iter().map(|part| self.truth(part))),
            Node::Or(parts) => Truth::any(parts.iter().map(|part| self.truth(part))),
            Node::Not(part) => self.truth(part).not(),
            Node::Compare(op, left, right) => {
                // The common case without a copy: a name and a constant.
                match right {
                    Source::Number(number) => {
                        let right = Val::Number(*number);
                        self.with(left, |left| left.compare(*op, &right))
                    }
                    Source::Text(text) => {
                        let right = Val::Text(Cow::Borrowed(text));
                        self.with(left, |left| left.compare(*op, &right))
                    }
                    _ => {
                        let right = self.with(right, held);
                        self.with(left, |left| left.compare(*op, &right))
                    }
                }
            }
            Node::Changed(source) => self.changed(source),
            Node::Assigned(source) => match self.slot(source) {
                None => Truth::Absent,
                Some(slot) => Truth::of(slot.pos == self.pos),
            },
            Node::Bound(name) => Truth::of(self.names.get(*name).is_some_and(|name| name.slot().is_some())),
        }
    }

    fn slot(&self, source: &Source) -> Option<Slot> {
        match source {
            Source::Value(name) | Source::Label(name) => self.names.get(*name)?.slot().copied(),
            Source::Any(name) => self.names.get(*name).map(|name| name.merged).filter(|slot| slot.assigns > 0),
            _ => None,
        }
    }

    fn changed(&mut self, source: &Source) -> Truth {
        let Some(slot) = self.slot(source) else { return Truth::Absent };
        if slot.pos != self.pos {
            return Truth::False;
        }
        let (tape, has_labels) = (self.tape, self.tape.has_labels);
        let Some(name) = (match source {
            Source::Value(name) | Source::Any(name) | Source::Label(name) => self.names.get_mut(*name),
            _ => None,
        }) else {
            return Truth::Absent;
        };
        if matches!(source, Source::Label(_)) {
            return if has_labels { Truth::of(name.label(tape) != name.label_before(tape)) } else { Truth::Unknown };
        }
        if slot.before == NONE {
            return Truth::True;
        }
        let (now, before) = if matches!(source, Source::Value(_)) {
            (name.value.read(tape, slot.last), name.before.read(tape, slot.before))
        } else {
            (name.any.read(tape, slot.last), name.any_before.read(tape, slot.before))
        };
        match now.compare(Op::Ne, before) {
            // What is not held in full may still be seen to differ: by what is held of it.
            Truth::Unknown if tape.parts_of(slot.last).1 != tape.parts_of(slot.before).1 => Truth::True,
            truth => truth,
        }
    }

    /// Not generic, so that `len(len(x))` is no endless chain of instances; the parser bounds how deep it goes.
    fn len_of(&mut self, source: &Source) -> Val<'static> {
        self.with(source, len)
    }

    fn with<R>(&mut self, source: &Source, then: impl FnOnce(&Val) -> R) -> R {
        let tape = self.tape;
        match source {
            Source::Number(number) => then(&Val::Number(*number)),
            Source::Text(text) => then(&Val::Text(Cow::Borrowed(text))),
            Source::Null => then(&Val::Null),
            Source::Value(name) => match self.names.get_mut(*name) {
                Some(name) => {
                    let byte = name.slot().map_or(NONE, |slot| slot.last);
                    then(name.value.read(tape, byte))
                }
                None => then(&Val::Absent),
            },
            Source::Any(name) => match self.names.get_mut(*name) {
                Some(name) => then(name.any.read(tape, name.merged.last)),
                None => then(&Val::Absent),
            },
            Source::Prev(name) => match self.names.get_mut(*name) {
                Some(name) => {
                    let byte = name.next.checked_sub(2).and_then(|i| name.offsets.get(i)).copied().unwrap_or(NONE);
                    then(name.prev.read(tape, byte))
                }
                None => then(&Val::Absent),
            },
            Source::Label(name) => match self.names.get_mut(*name) {
                Some(name) if name.slot().is_none() => then(&Val::Absent),
                Some(_) if !tape.has_labels => then(&Val::Unknown),
                Some(name) => match name.label(tape) {
                    Some(label) => then(&Val::Text(Cow::Borrowed(label.word().as_bytes()))),
                    None => then(&Val::Null),
                },
                None => then(&Val::Absent),
            },
            Source::Len(inside) => {
                let len = self.len_of(inside);
                then(&len)
            }
            Source::Here(here) => {
                let value = match here {
                    Here::Line => Val::Number(f64::from(tape.line_at(Pos(self.pos)))),
                    Here::Pos => Val::Number(f64::from(self.pos) + 1.0),
                    Here::Function if tape.function_id(self.shown) != NONE => {
                        Val::Text(Cow::Borrowed(tape.function_of(self.shown)))
                    }
                    Here::Depth if tape.function_id(self.shown) != NONE => {
                        Val::Number(tape.ix.frames.get(self.shown as usize).map_or(0.0, |frame| f64::from(frame.depth)))
                    }
                    _ => Val::Absent,
                };
                then(&value)
            }
        }
    }
}
