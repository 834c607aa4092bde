//! The one pass over a tape's bytes that makes its index.
//!
//! Bytes come in chunks of any size; lines are taken as they become whole. Invariant: how the bytes were cut into chunks
//! changes nothing in the result, and no content of a line can make this fail except a session header that does not pass
//! the OPEN gate.

use std::collections::HashMap;

use crate::model::protocol::{Cut, InputCategory, Refusal};
use crate::model::{ByteOffset, Issue, IssueKind, Pos};

use super::header::{self, GateError};
use super::index::{EventMark, Frame, FrameSpan, Index, IssueLog, Tape};
use super::intern::{Interner, hash_pair};
use super::words::{after_digits, leading_digits, mask, number_of, word};
use super::{cnum, value};

/// The largest tape: byte offsets are 32 bits wide. WebAssembly's own limit for one piece of memory is half of that.
pub const MAX_TAPE_BYTES: u64 = if usize::BITS == 32 { i32::MAX as u64 } else { u32::MAX as u64 };

/// How many bytes are looked at together. Properties of the block (is there a NUL? a byte above 0x7f?) spare the lines a test each.
const BLOCK_BYTES: usize = 1 << 16;
/// Positions of a block whose events are counted together (the minimap's resolution).
pub(super) const EVENT_BLOCK: u32 = 256;
/// Within one position, every so many events a place is remembered, so that a position with millions of them can be windowed.
pub(super) const EVENT_MARK: u32 = 4096;
/// Lines between remembered (byte, line of the file) pairs.
const LINE_MARK: u32 = 1 << 14;
/// `serials` is a plain table for serials up to this many times the number of frames; larger ones go to a map.
const SERIAL_SLACK: u32 = 8;
const NONE: u32 = u32::MAX;

/// Makes a [`Tape`] from bytes that come in chunks.
#[derive(Debug, Default)]
pub struct TapeBuilder {
    bytes: Vec<u8>,
    /// Start of the first line that was not taken yet.
    line_start: usize,
    /// Up to here the bytes were searched for line feeds.
    scanned: usize,
    /// What the bytes since `line_start` hold that lines must be tested for.
    suspicious: Suspicion,
    total_hint: u64,
    reserved: bool,
    parser: Parser,
}

/// What a block of bytes holds that its lines must be tested for.
#[derive(Clone, Copy, Debug, Default)]
struct Suspicion {
    nul: bool,
    high: bool,
    carriage_return: bool,
}

impl Suspicion {
    // Each of the functions on the way of every byte stands alone and returns often: WebAssembly engines run a function's quick first
    // translation until it is entered again, and only then the good one.
    #[inline(never)]
    fn of(block: &[u8]) -> Self {
        // One pass without branches, which the compiler turns into vector code.
        let (mut all, mut nul, mut carriage_return) = (0_u8, 0_u8, 0_u8);
        for &byte in block {
            all |= byte;
            nul |= u8::from(byte == 0);
            carriage_return |= u8::from(byte == b'\r');
        }
        Self { nul: nul != 0, high: all >= 0x80, carriage_return: carriage_return != 0 }
    }

    fn any(self) -> bool {
        self.nul | self.high | self.carriage_return
    }

    fn or(self, other: Self) -> Self {
        Self {
            nul: self.nul | other.nul,
            high: self.high | other.high,
            carriage_return: self.carriage_return | other.carriage_return,
        }
    }
}

impl TapeBuilder {
    /// A builder for a tape of about `total_bytes` (0 when the size is not known): with it, no column is copied while it grows.
    pub fn new(total_bytes: u64) -> Self {
        let mut builder = Self { total_hint: total_bytes, ..Self::default() };
        let capacity = total_bytes.min(MAX_TAPE_BYTES) as usize;
        // When the memory is not there, growing step by step may still fit what really comes.
        let _ = builder.bytes.try_reserve_exact(capacity);
        builder
    }

    /// Bytes taken so far.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether no byte was taken yet.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Takes the next bytes.
    ///
    /// # Errors
    /// A [`Refusal`] when the tape grows past [`MAX_TAPE_BYTES`] or the memory there is, or when a header does not pass the OPEN gate.
    pub fn push(&mut self, chunk: &[u8]) -> Result<(), Refusal> {
        self.make_room(chunk.len())?;
        self.bytes.extend_from_slice(chunk);
        self.take_lines()
    }

    /// Takes the next `len` bytes, which `fill` writes straight into the tape's memory: no copy of a chunk is made.
    ///
    /// # Errors
    /// As [`TapeBuilder::push`].
    pub fn push_with(&mut self, len: usize, fill: impl FnOnce(&mut [u8])) -> Result<(), Refusal> {
        self.make_room(len)?;
        let start = self.bytes.len();
        self.bytes.resize(start + len, 0);
        fill(self.bytes.get_mut(start..).unwrap_or_default());
        self.take_lines()
    }

    /// Takes a whole tape that is already in memory, without copying it; nothing may have been pushed before.
    ///
    /// # Errors
    /// As [`TapeBuilder::push`].
    pub fn from_vec(bytes: Vec<u8>) -> Result<Self, Refusal> {
        if bytes.len() as u64 > MAX_TAPE_BYTES {
            return Err(too_large(bytes.len() as u64));
        }
        let mut builder = Self { total_hint: bytes.len() as u64, bytes, ..Self::default() };
        builder.take_lines()?;
        Ok(builder)
    }

    fn make_room(&mut self, more: usize) -> Result<(), Refusal> {
        let wanted = self.bytes.len() as u64 + more as u64;
        if wanted > MAX_TAPE_BYTES {
            return Err(too_large(wanted));
        }
        self.bytes.try_reserve(more).map_err(|_| out_of_memory(wanted))
    }

    fn take_lines(&mut self) -> Result<(), Refusal> {
        while self.scanned < self.bytes.len() {
            let block_end = self.bytes.len().min(self.scanned + BLOCK_BYTES);
            let block = self.bytes.get(self.scanned..block_end).unwrap_or_default();
            self.suspicious = self.suspicious.or(Suspicion::of(block));
            self.take_block(block_end).map_err(|error| self.parser.refusal(&error))?;
            if self.parser.runtime.is_none() && self.bytes.first() != Some(&b'V') {
                // No need to wait for the end of a first line that is no header: it may be a megabyte away.
                let start = self.bytes.get(..16.min(self.bytes.len())).unwrap_or_default();
                if let Err(error) = header::parse(header::up_to_nul(start), 0) {
                    return Err(error.refusal(1));
                }
            }
            if self.line_start > self.scanned {
                // A line ended in this block: what was seen before it is settled, only the unfinished tail must be remembered.
                self.suspicious = Suspicion::of(self.bytes.get(self.line_start..block_end).unwrap_or_default());
            }
            self.scanned = block_end;
            self.reserve();
        }
        Ok(())
    }

    /// Takes the lines that end before `block_end`.
    #[inline(never)]
    fn take_block(&mut self, block_end: usize) -> Result<(), GateError> {
        let tape = self.bytes.get(..block_end).unwrap_or_default();
        loop {
            if !self.suspicious.any() && self.parser.runtime.is_some() {
                self.line_start = self.parser.ordinary_lines(tape, self.line_start);
            }
            // The next line is out of the ordinary, or unfinished; its beginning may have been searched before.
            let from = self.line_start.max(self.scanned);
            let Some(feed) = memchr::memchr(b'\n', tape.get(from..).unwrap_or_default()) else { return Ok(()) };
            let end = from + feed;
            self.parser.line(tape, self.line_start, end, self.suspicious)?;
            self.line_start = end + 1;
        }
    }

    /// Once the first blocks have shown how many records a byte gives, makes room for all of them at once.
    fn reserve(&mut self) {
        const SAMPLE_BYTES: usize = 1 << 20;
        if self.reserved || self.scanned < SAMPLE_BYTES || self.total_hint <= self.scanned as u64 {
            return;
        }
        self.reserved = true;
        // 3 % more than the sample promises; what is left over is given back at the end.
        let factor = (self.total_hint as f64 / self.scanned as f64 - 1.0) * 1.03;
        self.parser.reserve(factor);
    }

    /// Takes what is left (a last line without a line feed) and builds the index.
    ///
    /// # Errors
    /// A [`Refusal`] when the tape is empty or has no header, when its last line is a torn header, or when the memory for the index is not there.
    pub fn finish(mut self, name: String, notes: Vec<String>) -> Result<Tape, Refusal> {
        if self.bytes.is_empty() {
            return Err(GateError::Empty.refusal(1));
        }
        if self.line_start < self.bytes.len() {
            let (start, end) = (self.line_start, self.bytes.len());
            self.parser.line(&self.bytes, start, end, self.suspicious).map_err(|error| self.parser.refusal(&error))?;
            self.parser.issue(IssueKind::NoFinalNewline, start);
        }
        self.bytes.shrink_to_fit();
        let index = self.parser.finish();
        Ok(Tape::new(name, self.bytes, notes, index))
    }
}

fn too_large(bytes: u64) -> Refusal {
    Refusal {
        kind: "too-large".to_owned(),
        what: format!("This tape has {bytes} bytes; Tapedeck opens tapes of up to {MAX_TAPE_BYTES} bytes."),
        place: String::new(),
        advice: "Record a shorter run, or cut the tape after a line feed (keep its first line) and open the part."
            .to_owned(),
    }
}

/// The refusal for a tape whose size is already known to be over [`MAX_TAPE_BYTES`], before any byte is read.
pub fn refuse_size(bytes: u64) -> Option<Refusal> {
    (bytes > MAX_TAPE_BYTES).then(|| too_large(bytes))
}

fn out_of_memory(bytes: u64) -> Refusal {
    Refusal {
        kind: "out-of-memory".to_owned(),
        what: format!("There is no memory for {bytes} bytes."),
        place: String::new(),
        advice: "Close other tabs and open the file again, or cut the tape after a line feed (keep its first line)."
            .to_owned(),
    }
}

/// What a name was last seen to do, so that the next record of a loop is recognised without hashing.
#[derive(Clone, Copy, Debug)]
struct NameState {
    /// The name that followed last time.
    next: u32,
    /// The frame and stream of its last assignment.
    frame: u32,
    stream: u32,
    /// Its length and its first eight bytes (fewer: zeros behind them), so that most names are compared at once.
    len: u32,
    head: u64,
}

#[derive(Clone, Copy, Debug)]
struct Stream {
    frame: u32,
    name: u32,
    assigns: u32,
}

/// The growing columns and the state of the reader.
#[derive(Debug, Default)]
struct Parser {
    /// The first header's runtime, once there was one.
    runtime: Option<Vec<u8>>,
    sessions: u32,
    records: u32,
    file_lines: u32,
    line_marks: Vec<(u32, u32)>,

    line_offsets: Vec<u32>,
    lines: Vec<i32>,
    events: u32,
    events_here: u32,
    event_blocks: Vec<u32>,
    event_marks: Vec<EventMark>,

    /// The frame that the last `S` named; 0 before any.
    scope: u32,
    /// The last frame other than 0 that a record carried.
    nonzero_scope: u32,
    /// The scope that the last record carried.
    carried_scope: u32,
    scope_starts: Vec<u32>,
    scope_frames: Vec<u32>,
    frames: Vec<Frame>,
    stack: Vec<u32>,
    rows: Vec<Vec<FrameSpan>>,
    serials: Vec<u32>,
    far_serials: HashMap<u32, u32>,
    functions: Interner,

    names: Interner,
    name_states: Vec<NameState>,
    last_name: u32,
    streams: Vec<Stream>,
    stream_slots: Vec<u32>,
    /// Per `A` record in tape order: where it starts, and its stream (the top bit: the value is a number).
    assigns: Vec<(u32, u32)>,

    builtins: Interner,
    builtin_categories: Vec<InputCategory>,
    input_offsets: Vec<u32>,
    input_positions: Vec<u32>,
    input_categories: Vec<u8>,

    issues: IssueLog,
}

/// Marks an assignment of a number in `assigns`.
const NUMERIC: u32 = 1 << 31;
/// Marks an entry of `scope_frames` that carries scope 0; the rest of it is the last frame other than 0.
pub(crate) const ZERO_SCOPE: u32 = 1 << 31;

impl Parser {
    /// Takes ordinary lines from `at` on as long as they come, and returns where the first other one starts. Ordinary are `L` with a
    /// line number of up to five digits, and `A` with the name that followed the last one before and a decimal number. What is
    /// ordinary here gives the same as [`Parser::line`] would; nothing may be asked of it that the block's bytes are suspected of.
    #[inline(never)]
    fn ordinary_lines(&mut self, tape: &[u8], mut at: usize) -> usize {
        const POSITION: u16 = u16::from_le_bytes(*b"L ");
        const ASSIGN: u16 = u16::from_le_bytes(*b"A ");
        while let Some(start) = word(tape, at) {
            let next = match start as u16 {
                POSITION => self.ordinary_position(start, at),
                ASSIGN => self.ordinary_assign(tape, at),
                _ => None,
            };
            let Some(next) = next else { break };
            at = next;
        }
        at
    }

    fn ordinary_position(&mut self, start: u64, at: usize) -> Option<usize> {
        let rest = start >> 16;
        let digits = leading_digits(rest);
        if digits == 0 || (rest >> (8 * digits)) as u8 != b'\n' {
            return None;
        }
        let line = number_of(rest, digits) as i32;
        if line < 1 {
            return None;
        }
        self.count_file_line(at);
        self.add_position(line, at);
        Some(at + 2 + digits + 1)
    }

    fn ordinary_assign(&mut self, tape: &[u8], at: usize) -> Option<usize> {
        let name = self.name_states.get(self.last_name as usize)?.next;
        let state = *self.name_states.get(name as usize)?;
        let len = state.len as usize;
        let name_start = at + 2;
        if word(tape, name_start)? & mask(len) != state.head
            || tape.get(name_start + len) != Some(&b'=')
            || (len > 8 && tape.get(name_start..name_start + len)? != self.names.bytes(tape, name))
        {
            return None;
        }
        let value = name_start + len + 1;
        let first = value + usize::from(tape.get(value) == Some(&b'-'));
        let mut end = after_digits(tape, first)?;
        if end == first {
            return None;
        }
        if tape.get(end) == Some(&b'.') {
            end = after_digits(tape, end + 1)?;
        }
        if tape.get(end) == Some(&b'e') {
            let signed = usize::from(matches!(tape.get(end + 1), Some(b'+' | b'-')));
            let exponent = end + 1 + signed;
            end = after_digits(tape, exponent)?;
            if end == exponent {
                return None;
            }
        }
        if tape.get(end) != Some(&b'\n') {
            return None;
        }
        self.count_file_line(at);
        self.last_name = name;
        let stream = if state.frame == self.scope { state.stream } else { self.stream_of(name) };
        self.add_assign(stream, NUMERIC, at);
        Some(end + 1)
    }

    fn count_file_line(&mut self, start: usize) {
        if self.file_lines.is_multiple_of(LINE_MARK) {
            self.line_marks.push((start as u32, self.file_lines));
        }
        self.file_lines += 1;
    }

    /// Takes any line, without its line feed.
    #[inline(never)]
    fn line(&mut self, tape: &[u8], start: usize, end: usize, suspicious: Suspicion) -> Result<(), GateError> {
        self.count_file_line(start);
        let mut line = tape.get(start..end).unwrap_or_default();
        if suspicious.nul && line.contains(&0) {
            self.issue(IssueKind::NulByte, start);
            line = header::up_to_nul(line);
        }
        if suspicious.high && core::str::from_utf8(line).is_err() {
            self.issue(IssueKind::InvalidUtf8, start);
        }
        if suspicious.carriage_return && line.last() == Some(&b'\r') {
            self.issue(IssueKind::CarriageReturn, start);
        }
        if self.runtime.is_none() {
            return self.header(line, start);
        }
        match line {
            [b'A', _, ..] => self.assign(tape, line, start),
            [b'L', _, rest @ ..] => self.position(rest, start),
            [b'N', _, ..] => self.input(tape, line, start),
            [b'S', _, rest @ ..] => self.scope(tape, rest, start),
            [b'V', ..] => return self.header(line, start),
            [] => self.issue(IssueKind::Blank, start),
            [b'A' | b'L' | b'N' | b'S'] => self.issue(IssueKind::Torn, start),
            _ => self.issue(IssueKind::Unknown, start),
        }
        Ok(())
    }

    fn header(&mut self, line: &[u8], start: usize) -> Result<(), GateError> {
        let header = header::parse(line, start)?;
        header::check_open(header, self.runtime.as_deref(), start)?;
        if self.runtime.is_none() {
            self.runtime = Some(header.runtime.to_vec());
            // Frame 0 is scope 0: what comes before any `S`.
            self.frames.push(Frame { serial: 0, depth: 0, parent: 0, function: NONE, row: NONE, entered: 0 });
        } else {
            self.issue(IssueKind::Seam, start);
        }
        self.sessions += 1;
        self.records += 1;
        self.carry(start);
        Ok(())
    }

    fn refusal(&self, error: &GateError) -> Refusal {
        error.refusal(u64::from(self.file_lines))
    }

    /// The position to which a record now belongs.
    fn here(&self) -> u32 {
        (self.line_offsets.len() as u32).saturating_sub(1)
    }

    fn issue(&mut self, kind: IssueKind, byte: usize) {
        let pos = Pos(self.here());
        self.issues.add(Issue { kind, byte: ByteOffset(byte as u32), pos });
    }

    /// A record carries the scope of the last `S`: notes where that changes.
    fn carry(&mut self, start: usize) {
        if self.carried_scope != self.scope {
            self.carried_scope = self.scope;
            self.scope_starts.push(start as u32);
            if self.scope == 0 {
                self.scope_frames.push(self.nonzero_scope | ZERO_SCOPE);
            } else {
                self.nonzero_scope = self.scope;
                self.scope_frames.push(self.scope);
            }
        }
    }

    fn position(&mut self, rest: &[u8], start: usize) {
        self.add_position(cnum::atoi(rest), start);
    }

    fn add_position(&mut self, line: i32, start: usize) {
        self.line_offsets.push(start as u32);
        if line < 1 {
            self.issue(IssueKind::OddLine, start);
        }
        if (self.lines.len() as u32).is_multiple_of(EVENT_BLOCK) {
            self.event_blocks.push(self.events);
        }
        self.lines.push(line);
        self.events_here = 0;
        self.records += 1;
        self.carry(start);
    }

    fn count_event(&mut self, start: usize) {
        self.events += 1;
        self.events_here += 1;
        if self.events_here.is_multiple_of(EVENT_MARK) {
            self.event_marks.push(EventMark { ordinal: self.events_here - 1, byte: start as u32 });
        }
        self.records += 1;
        self.carry(start);
    }

    fn assign(&mut self, tape: &[u8], line: &[u8], start: usize) {
        let rest = line.get(2..).unwrap_or_default();
        let predicted = self.name_states.get(self.last_name as usize).map_or(NONE, |state| state.next);
        let (name, name_len) = match self.names.get(predicted).map(|range| range.of(tape)) {
            Some(seen) if rest.get(seen.len()) == Some(&b'=') && rest.starts_with(seen) => (predicted, seen.len()),
            _ => {
                let Some(name_len) = memchr::memchr(b'=', rest) else {
                    return self.issue(IssueKind::Torn, start);
                };
                let name = self.names.intern(tape, start + 2, name_len);
                if name as usize == self.name_states.len() {
                    let head = rest.get(..name_len.min(8)).unwrap_or_default();
                    let head = head.iter().rev().fold(0, |head, byte| head << 8 | u64::from(*byte));
                    let len = name_len as u32;
                    self.name_states.push(NameState { next: NONE, frame: NONE, stream: 0, len, head });
                }
                if let Some(last) = self.name_states.get_mut(self.last_name as usize) {
                    last.next = name;
                }
                (name, name_len)
            }
        };
        self.last_name = name;
        let value = rest.get(name_len + 1..).unwrap_or_default();
        let stream = self.stream_of(name);
        let numeric = if cnum::is_number(value) { NUMERIC } else { 0 };
        if value.len() >= value::SHORT_STRING_BYTES && value::cut_of_short(value) != Cut::No {
            self.issue(IssueKind::CutString, start);
        }
        self.add_assign(stream, numeric, start);
    }

    fn add_assign(&mut self, stream: u32, numeric: u32, start: usize) {
        if let Some(stream) = self.streams.get_mut(stream as usize) {
            stream.assigns += 1;
        }
        self.assigns.push((start as u32, stream | numeric));
        self.count_event(start);
    }

    fn stream_of(&mut self, name: u32) -> u32 {
        let scope = self.scope;
        if let Some(state) = self.name_states.get(name as usize)
            && state.frame == scope
        {
            return state.stream;
        }
        let stream = self.find_stream(scope, name);
        if let Some(state) = self.name_states.get_mut(name as usize) {
            (state.frame, state.stream) = (scope, stream);
        }
        stream
    }

    fn find_stream(&mut self, frame: u32, name: u32) -> u32 {
        if (self.streams.len() + 1) * 2 > self.stream_slots.len() {
            let size = (self.stream_slots.len() * 2).max(256);
            let mut slots = vec![0_u32; size];
            for (id, stream) in self.streams.iter().enumerate() {
                let mut at = hash_pair(stream.frame, stream.name) as usize & (size - 1);
                while slots.get(at).is_some_and(|slot| *slot != 0) {
                    at = (at + 1) & (size - 1);
                }
                if let Some(slot) = slots.get_mut(at) {
                    *slot = id as u32 + 1;
                }
            }
            self.stream_slots = slots;
        }
        let mask = self.stream_slots.len() - 1;
        let mut at = hash_pair(frame, name) as usize & mask;
        loop {
            let Some(slot) = self.stream_slots.get_mut(at) else { return 0 };
            if *slot == 0 {
                self.streams.push(Stream { frame, name, assigns: 0 });
                *slot = self.streams.len() as u32;
                return *slot - 1;
            }
            let id = *slot - 1;
            if self.streams.get(id as usize).is_some_and(|seen| seen.frame == frame && seen.name == name) {
                return id;
            }
            at = (at + 1) & mask;
        }
    }

    fn input(&mut self, tape: &[u8], line: &[u8], start: usize) {
        let rest = line.get(2..).unwrap_or_default();
        let Some(name_len) = memchr::memchr(b'=', rest) else {
            return self.issue(IssueKind::Torn, start);
        };
        let builtin = self.builtins.intern(tape, start + 2, name_len);
        if builtin as usize == self.builtin_categories.len() {
            self.builtin_categories.push(category_of(rest.get(..name_len).unwrap_or_default()));
        }
        let category = self.builtin_categories.get(builtin as usize).copied().unwrap_or(InputCategory::Unknown);
        if value::cut_of_full(rest.get(name_len + 1..).unwrap_or_default()) != Cut::No {
            self.issue(IssueKind::TruncatedInput, start);
        }
        self.input_offsets.push(start as u32);
        self.input_positions.push(self.here());
        self.input_categories.push(category as u8);
        self.count_event(start);
    }

    /// `rest` is `fn depth serial`. See "Frames" in the format's description for the rules.
    fn scope(&mut self, tape: &[u8], rest: &[u8], start: usize) {
        let Some(name_len) = memchr::memchr(b' ', rest) else {
            return self.issue(IssueKind::Torn, start);
        };
        let numbers = rest.get(name_len + 1..).unwrap_or_default();
        let depth = cnum::atoi(numbers);
        let serial = match memchr::memchr(b' ', numbers) {
            Some(space) => cnum::strtoul32(numbers.get(space + 1..).unwrap_or_default()),
            None => 0,
        };
        self.records += 1;
        let frame = match self.frame_of(serial) {
            Some(frame) => frame,
            None => {
                let function = self.functions.intern(tape, start + 2, name_len);
                let frame = self.frames.len() as u32;
                self.frames.push(Frame { serial, depth, parent: NONE, function, row: NONE, entered: self.here() });
                self.remember_serial(serial, frame);
                frame
            }
        };
        if serial == 0 && self.frames.first().is_some_and(|frame| frame.function == NONE) {
            let function = self.functions.intern(tape, start + 2, name_len);
            if let Some(zero) = self.frames.first_mut() {
                (zero.depth, zero.function) = (depth, function);
            }
        }
        self.enter(frame, depth);
        self.scope = frame;
    }

    fn enter(&mut self, frame: u32, depth: i32) {
        let row = self.frames.get(frame as usize).map_or(NONE, |frame| frame.row);
        if row != NONE {
            while self.stack.len() > row as usize + 1 {
                self.leave();
            }
            return;
        }
        // What stands at this depth or deeper ended without assigning again.
        while let Some(&top) = self.stack.last()
            && self.frames.get(top as usize).is_some_and(|top| top.depth >= depth)
        {
            self.leave();
        }
        let (here, row) = (self.here(), self.stack.len());
        let parent = self.stack.last().copied().unwrap_or(0);
        if let Some(frame) = self.frames.get_mut(frame as usize) {
            if frame.parent == NONE {
                frame.parent = parent;
            }
            frame.row = row as u32;
        }
        self.stack.push(frame);
        if row == self.rows.len() {
            self.rows.push(Vec::new());
        }
        if let Some(spans) = self.rows.get_mut(row) {
            spans.push(FrameSpan { first: here, last: NONE, frame });
        }
    }

    /// Pops the top of the stack: it was left at the last position before this one.
    fn leave(&mut self) {
        let last = self.here().saturating_sub(1);
        let Some(frame) = self.stack.pop() else { return };
        if let Some(frame) = self.frames.get_mut(frame as usize) {
            frame.row = NONE;
        }
        if let Some(span) = self.rows.get_mut(self.stack.len()).and_then(|spans| spans.last_mut()) {
            span.last = last.max(span.first);
        }
    }

    fn frame_of(&self, serial: u32) -> Option<u32> {
        if serial == 0 {
            return Some(0);
        }
        match self.serials.get(serial as usize) {
            Some(&frame) if frame != 0 => Some(frame),
            _ if self.far_serials.is_empty() => None,
            _ => self.far_serials.get(&serial).copied(),
        }
    }

    fn remember_serial(&mut self, serial: u32, frame: u32) {
        if serial < (frame + 128).saturating_mul(SERIAL_SLACK) {
            if self.serials.len() <= serial as usize {
                self.serials.resize(serial as usize + 1, 0);
            }
            if let Some(slot) = self.serials.get_mut(serial as usize) {
                *slot = frame;
            }
        } else {
            self.far_serials.insert(serial, frame);
        }
    }

    fn reserve(&mut self, factor: f64) {
        // A failed reservation is no error: the column then grows as it needs.
        fn more<T>(column: &mut Vec<T>, factor: f64) {
            let _ = column.try_reserve_exact((column.len() as f64 * factor) as usize);
        }
        more(&mut self.line_offsets, factor);
        more(&mut self.lines, factor);
        more(&mut self.assigns, factor);
        more(&mut self.scope_starts, factor);
        more(&mut self.scope_frames, factor);
        more(&mut self.frames, factor);
        more(&mut self.input_offsets, factor);
        more(&mut self.input_positions, factor);
        more(&mut self.input_categories, factor);
    }

    /// Sorts the assignments into histories and gives back what only the building needed.
    fn finish(mut self) -> Index {
        let last = self.here();
        for spans in &mut self.rows {
            spans.shrink_to_fit();
            if let Some(span) = spans.last_mut()
                && span.last == NONE
            {
                span.last = last;
            }
        }
        for frame in &mut self.frames {
            if frame.parent == NONE {
                frame.parent = 0;
            }
        }
        for column in [&mut self.line_offsets, &mut self.scope_starts, &mut self.scope_frames] {
            column.shrink_to_fit();
        }
        self.lines.shrink_to_fit();
        self.frames.shrink_to_fit();
        drop((core::mem::take(&mut self.stream_slots), core::mem::take(&mut self.serials)));

        // Streams, frame by frame; within a frame in the order of their first assignments, which is the order of their numbers.
        let streams = core::mem::take(&mut self.streams);
        let frame_streams = starts(self.frames.len(), streams.iter().map(|stream| stream.frame), |_| 1);
        let mut next = frame_streams.clone();
        let mut place_of: Vec<u32> = vec![0; streams.len()];
        let mut stream_names: Vec<u32> = vec![0; streams.len()];
        let mut stream_frames: Vec<u32> = vec![0; streams.len()];
        let mut stream_starts: Vec<u32> = vec![0; streams.len() + 1];
        for (place, stream) in place_of.iter_mut().zip(&streams) {
            *place = take_place(&mut next, stream.frame);
            set(&mut stream_names, *place, stream.name);
            set(&mut stream_frames, *place, stream.frame);
            set(&mut stream_starts, *place + 1, stream.assigns);
        }
        drop(next);
        let mut sum = 0;
        for start in &mut stream_starts {
            sum += *start;
            *start = sum;
        }

        // Assignments by stream, and by name over all scopes: two counting sorts.
        let total = self.assigns.len();
        let weight = |i: usize| streams.get(i).map_or(0, |stream| stream.assigns);
        let name_starts = starts(self.names.len(), streams.iter().map(|stream| stream.name), weight);
        let mut histories = Histories {
            place_of: &place_of,
            streams: &streams,
            next_of_stream: stream_starts.clone(),
            next_of_name: name_starts.clone(),
            assigns: vec![0; total],
            by_name: vec![0; total],
            numeric: vec![0; total.div_ceil(64)],
        };
        for part in self.assigns.chunks(1 << 14) {
            histories.sort_in(part);
        }
        let Histories { assigns, by_name, numeric, .. } = histories;
        self.names.shrink();
        self.input_offsets.shrink_to_fit();
        self.input_positions.shrink_to_fit();
        self.input_categories.shrink_to_fit();
        self.issues.sort();
        Index {
            runtime: self.runtime.unwrap_or_default(),
            sessions: self.sessions,
            records: self.records,
            line_marks: self.line_marks,
            line_offsets: self.line_offsets,
            lines: self.lines,
            event_blocks: self.event_blocks,
            event_marks: self.event_marks,
            scope_starts: self.scope_starts,
            scope_frames: self.scope_frames,
            frames: self.frames,
            rows: self.rows,
            functions: self.functions,
            names: self.names,
            stream_names,
            stream_frames,
            stream_starts,
            frame_streams,
            assigns,
            numeric,
            name_starts,
            by_name,
            input_offsets: self.input_offsets,
            input_positions: self.input_positions,
            input_categories: self.input_categories,
            issues: self.issues,
        }
    }
}

/// The assignments as they are sorted, by stream and by name.
struct Histories<'a> {
    /// Where a stream stands among all streams once these are grouped by frame.
    place_of: &'a [u32],
    streams: &'a [Stream],
    next_of_stream: Vec<u32>,
    next_of_name: Vec<u32>,
    assigns: Vec<u32>,
    by_name: Vec<u32>,
    numeric: Vec<u64>,
}

impl Histories<'_> {
    /// Sorts the next assignments of the tape in.
    #[inline(never)]
    fn sort_in(&mut self, part: &[(u32, u32)]) {
        for &(offset, tagged) in part {
            let stream = (tagged & !NUMERIC) as usize;
            let place = self.place_of.get(stream).copied().unwrap_or(0);
            let at = take_place(&mut self.next_of_stream, place);
            set(&mut self.assigns, at, offset);
            if tagged & NUMERIC != 0
                && let Some(word) = self.numeric.get_mut(at as usize / 64)
            {
                *word |= 1 << (at % 64);
            }
            let name = self.streams.get(stream).map_or(0, |stream| stream.name);
            set(&mut self.by_name, take_place(&mut self.next_of_name, name), offset);
        }
    }
}

/// Prefix sums of how often (or how much) each of `0..n` occurs: `n + 1` starts of runs.
fn starts(n: usize, keys: impl Iterator<Item = u32>, weight: impl Fn(usize) -> u32) -> Vec<u32> {
    let mut starts = vec![0_u32; n + 1];
    for (i, key) in keys.enumerate() {
        if let Some(count) = starts.get_mut(key as usize + 1) {
            *count += weight(i);
        }
    }
    let mut sum = 0;
    for start in &mut starts {
        sum += *start;
        *start = sum;
    }
    starts
}

fn take_place(next: &mut [u32], key: u32) -> u32 {
    next.get_mut(key as usize).map_or(0, |next| {
        *next += 1;
        *next - 1
    })
}

fn set(column: &mut [u32], at: u32, value: u32) {
    if let Some(cell) = column.get_mut(at as usize) {
        *cell = value;
    }
}

/// The category of a recorded builtin.
pub(crate) fn category_of(builtin: &[u8]) -> InputCategory {
    match builtin {
        b"random" | b"random_int" | b"random_normal" | b"random_hex" => InputCategory::Random,
        b"monotonic_ns" | b"monotonic_ms" | b"clock_unix" => InputCategory::Time,
        b"env_get" | b"read_text" | b"read_bytes" | b"read_bytes_buf" | b"read_line" | b"is_dir" | b"file_exists"
        | b"ls" | b"getcwd" | b"exe_path" | b"mkdir" => InputCategory::Files,
        b"args" => InputCategory::Process,
        b"http_post" | b"http_request_body" | b"http_session_id" | b"http_request_headers" => InputCategory::Http,
        b"net_listen" | b"net_port" | b"net_accept" | b"net_dial" | b"net_recv" | b"net_send" => InputCategory::Network,
        b"audio_capture_open" | b"audio_capture_read" | b"audio_stream_queued" | b"gfx_read" => InputCategory::Media,
        b"eigen_generate" => InputCategory::Model,
        _ => InputCategory::Unknown,
    }
}
