//! The command language of `eigenscript --step`: the same commands, the same positions, the same words.
//!
//! A command is a function of the tape, a position and the breakpoints, so that the page, which holds both of those, needs no
//! session kept for it. Invariant: for every command the answer's lines are what EigenScript 0.40.0 prints (corpus `session`),
//! up to [`MAX_LINES`] of them.

use crate::model::protocol::{StepAnswer, StepQuery, Text};
use crate::model::{ByteOffset, Pos};

use super::cnum;
use super::index::Tape;

/// Breakpoints that the stepper keeps.
pub const MAX_BREAKPOINTS: usize = 64;
/// Lines of one answer; a further line then says how many are left out. (`p` on a tape of a million names.)
pub const MAX_LINES: usize = 10_000;
/// Assignments that `t` lists.
const TRAJECTORY_ROWS: usize = 20;

const HELP: [&str; 10] = [
    "commands:",
    "  s [n], <enter>   step forward (n lines)",
    "  b [n]            step backward",
    "  br <line>        set breakpoint; br  lists; del <line> removes",
    "  c / rc           continue forward / backward to a breakpoint",
    "  j <line> / jb <line>  jump to next / previous stop at <line>",
    "  p [name]         bindings here (value + trajectory label)",
    "  t <name>         a binding's trajectory up to here",
    "  i                tape info",
    "  q                quit",
];

/// Whether a text typed into the Ask bar is a command of the stepper and not a question: nothing at all, one word, or a
/// command's word followed by what that command takes.
pub fn is_command(text: &str) -> bool {
    let mut words = text.split([' ', '\t']).filter(|word| !word.is_empty());
    let (Some(command), Some(argument)) = (words.next(), words.next()) else {
        // One word is a command, known or not, unless it can only be the start of an expression.
        return !text.contains(['(', '=', '<', '>', '!', '"']);
    };
    if words.next().is_some() {
        return false;
    }
    match command {
        "s" | "b" | "br" | "del" | "j" | "jb" => {
            let digits = argument.strip_prefix(['-', '+']).unwrap_or(argument);
            !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
        }
        "p" | "t" => !argument.starts_with(['=', '<', '>', '!']),
        _ => false,
    }
}

/// The answer while it is made.
struct Session<'a> {
    tape: &'a mut Tape,
    pos: Pos,
    breakpoints: Vec<i32>,
    out: Vec<Vec<u8>>,
}

impl Tape {
    /// What the stepper says when it starts: the banner and the first stop.
    pub fn step_start(&mut self) -> StepAnswer {
        let mut session = Session { tape: self, pos: Pos(0), breakpoints: Vec::new(), out: Vec::new() };
        let banner = session.banner();
        session.out.push(banner.into_bytes());
        session.stop();
        session.answer(false)
    }

    /// Runs one command of the stepper.
    ///
    /// # Errors
    /// A sentence when the tape has no position, or not the one named.
    pub fn step(&mut self, query: &StepQuery) -> Result<StepAnswer, String> {
        if self.positions() == 0 {
            return Err("This tape has no line events (L records): there is nothing to step.".to_owned());
        }
        if query.pos.0 >= self.positions() {
            let (pos, positions) = (query.pos.one_based(), self.positions());
            return Err(format!("Position {pos} is past the end: the tape has {positions}."));
        }
        let breakpoints = query.breakpoints.clone();
        let mut session = Session { tape: self, pos: query.pos, breakpoints, out: Vec::new() };
        let has_quit = session.run(query.command.as_bytes());
        Ok(session.answer(has_quit))
    }
}

impl Session<'_> {
    fn answer(mut self, has_quit: bool) -> StepAnswer {
        if self.out.len() > MAX_LINES {
            let more = self.out.len() - MAX_LINES;
            self.out.truncate(MAX_LINES);
            self.out.push(format!("… {more} more lines are not shown").into_bytes());
        }
        StepAnswer {
            pos: self.pos,
            breakpoints: self.breakpoints,
            lines: self.out.iter().map(|line| Text::from_bytes(line)).collect(),
            has_quit,
        }
    }

    fn say(&mut self, line: impl Into<Vec<u8>>) {
        self.out.push(line.into());
    }

    fn run(&mut self, command: &[u8]) -> bool {
        let command = command.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let mut words = command.split(|byte| matches!(byte, b' ' | b'\t')).filter(|word| !word.is_empty());
        let (word, argument) = (words.next(), words.next());
        match (word.unwrap_or(b"s"), argument) {
            (b"s", _) => self.step_by(argument, true),
            (b"b", _) => self.step_by(argument, false),
            (b"c", _) => self.continue_to(true),
            (b"rc", _) => self.continue_to(false),
            (b"br", Some(line)) => self.set_breakpoint(cnum::atoi(line)),
            (b"br", None) => self.list_breakpoints(),
            (b"del", Some(line)) => self.delete_breakpoint(cnum::atoi(line)),
            (b"j", Some(line)) => self.jump(cnum::atoi(line), true),
            (b"jb", Some(line)) => self.jump(cnum::atoi(line), false),
            (b"p", Some(name)) => self.binding(name),
            (b"p", None) => self.bindings(),
            (b"t", Some(name)) => self.trajectory(name),
            (b"i", _) => {
                let at = format!("{}; at step {}/{}", self.banner(), self.pos.one_based(), self.tape.positions());
                self.say(at);
            }
            (b"h" | b"help", _) => HELP.into_iter().for_each(|line| self.say(line)),
            (b"q" | b"quit", _) => return true,
            (unknown, _) => self.say([b"unknown command '", unknown, b"' (h for help)"].concat()),
        }
        false
    }

    fn banner(&self) -> String {
        let ix = &self.tape.ix;
        format!(
            "tape {}: {} steps, {} assigns ({} bindings), {} nondet records",
            self.tape.name,
            self.tape.positions(),
            ix.assigns.len(),
            ix.stream_names.len(),
            ix.input_offsets.len()
        )
    }

    /// The stop at the position: its line, the source of that line, and what happened there.
    fn stop(&mut self) {
        let (pos, line) = (self.pos, self.tape.line_at(self.pos));
        self.say(format!("step {}/{}  line {line}", pos.one_based(), self.tape.positions()));
        let source = self.tape.source.as_ref();
        let text =
            usize::try_from(line).ok().and_then(|line| line.checked_sub(1)).and_then(|line| source?.lines.get(line));
        if let Some(text) = text {
            let shown = format!("  | {text}");
            self.say(shown);
        }
        let start = self.tape.ix.line_offsets.get(pos.0 as usize).copied().unwrap_or(0);
        let events: Vec<u32> = self.tape.events_in(start, self.tape.end_of(pos)).take(MAX_LINES).collect();
        for byte in events {
            let record = self.tape.record_at(byte);
            let shown =
                [b"  ", record.get(..1).unwrap_or_default(), b" ", record.get(2..).unwrap_or_default()].concat();
            self.say(shown);
        }
    }

    fn step_by(&mut self, argument: Option<&[u8]>, forward: bool) {
        let by = argument.map_or(1, cnum::atoi).max(1).unsigned_abs();
        let last = self.tape.positions() - 1;
        let to = if forward { self.pos.0.saturating_add(by).min(last) } else { self.pos.0.saturating_sub(by) };
        if to == self.pos.0 {
            return self.say(if forward { "at end of tape" } else { "at start of tape" });
        }
        self.pos = Pos(to);
        self.stop();
    }

    fn continue_to(&mut self, forward: bool) {
        let mut lines = self.breakpoints.clone();
        lines.sort_unstable();
        match self.tape.find_line(self.pos, !forward, |line| lines.binary_search(&line).is_ok()) {
            Some(pos) => self.pos = Pos(pos),
            None if forward => {
                self.say("no breakpoint hit — at end of tape");
                self.pos = Pos(self.tape.positions() - 1);
            }
            None => {
                self.say("no breakpoint hit — at start of tape");
                self.pos = Pos(0);
            }
        }
        self.stop();
    }

    fn set_breakpoint(&mut self, line: i32) {
        if self.breakpoints.len() >= MAX_BREAKPOINTS {
            return self.say(format!("breakpoint table full ({MAX_BREAKPOINTS})"));
        }
        self.breakpoints.push(line);
        self.say(format!("breakpoint at line {line}"));
    }

    fn list_breakpoints(&mut self) {
        if self.breakpoints.is_empty() {
            self.say("no breakpoints");
        }
        for line in self.breakpoints.clone() {
            self.say(format!("breakpoint at line {line}"));
        }
    }

    fn delete_breakpoint(&mut self, line: i32) {
        match self.breakpoints.iter().position(|at| *at == line) {
            Some(i) => {
                // The last one takes its place, as in the real stepper: the order of the list shows it.
                self.breakpoints.swap_remove(i);
                self.say(format!("deleted breakpoint at line {line}"));
            }
            None => self.say(format!("no breakpoint at line {line}")),
        }
    }

    fn jump(&mut self, line: i32, forward: bool) {
        match self.tape.find_line(self.pos, !forward, |at| at == line) {
            Some(pos) => {
                self.pos = Pos(pos);
                self.stop();
            }
            None => {
                let which = if forward { "later" } else { "earlier" };
                self.say(format!("no {which} occurrence of line {line}"));
            }
        }
    }

    fn bindings(&mut self) {
        let (scope, end) = (self.tape.scope_at(self.pos), self.tape.end_of(self.pos));
        let visible = self.tape.visible_bindings(scope, end, b"");
        if visible.is_empty() {
            return self.say("no bindings yet");
        }
        for (i, (stream, assigns)) in visible.into_iter().enumerate() {
            // Rows past the bound are only counted.
            let row = if i < MAX_LINES { self.binding_line(stream, assigns as usize) } else { Vec::new() };
            self.say(row);
        }
    }

    fn no_binding(&mut self, name: &[u8]) {
        self.say([b"no binding '", name, b"' at this point"].concat());
    }

    fn binding(&mut self, name: &[u8]) {
        let Some(stream) = self.tape.resolve(self.pos, name) else { return self.no_binding(name) };
        let assigns = self.tape.assigns_before(stream.0, self.tape.end_of(self.pos));
        let row = self.binding_line(stream.0, assigns);
        self.say(row);
    }

    /// `name = value  [label]  (n assigns)  {in function}`.
    fn binding_line(&self, stream: u32, assigns: usize) -> Vec<u8> {
        let at = self.tape.run(stream).start + assigns.saturating_sub(1);
        let (name, value) = self.tape.parts_of(self.tape.ix.assigns.get(at).copied().unwrap_or(0));
        let mut row = [name, b" = ", value].concat();
        if let Some(label) = self.tape.label_after(stream, assigns) {
            row.extend_from_slice(format!("  [{}]", label.word()).as_bytes());
        }
        row.extend_from_slice(format!("  ({})", counted(assigns)).as_bytes());
        if let Some((function, _)) = self.inner_scope(stream) {
            row.extend_from_slice(&[b"  {in ", function, b"}"].concat());
        }
        row
    }

    /// The function and serial of a stream's scope, when its depth is above 0.
    fn inner_scope(&self, stream: u32) -> Option<(&[u8], u32)> {
        let frame = self.tape.ix.stream_frames.get(stream as usize).copied()?;
        let info = self.tape.ix.frames.get(frame as usize).filter(|info| info.depth > 0)?;
        Some((self.tape.function_of(frame), info.serial))
    }

    fn trajectory(&mut self, name: &[u8]) {
        let Some(stream) = self.tape.resolve(self.pos, name) else { return self.no_binding(name) };
        let stream = stream.0;
        let total = self.tape.assigns_before(stream, self.tape.end_of(self.pos));
        if let Some((function, serial)) = self.inner_scope(stream) {
            let head = [b"(", name, b" in ", function, format!(", frame #{serial})").as_bytes()].concat();
            self.say(head);
        }
        self.say([name, format!(": {}", counted(total)).as_bytes()].concat());
        let first = total.saturating_sub(TRAJECTORY_ROWS);
        if first > 0 {
            self.say(format!("  … {first} earlier assign(s) elided"));
        }
        let start = self.tape.run(stream).start;
        for i in first..total {
            let byte = self.tape.ix.assigns.get(start + i).copied().unwrap_or(0);
            let line = self.tape.line_at(self.tape.pos_of(ByteOffset(byte)));
            let mut row = format!("  #{:<3} line {line:<5} ", i + 1).into_bytes();
            row.extend_from_slice(self.tape.parts_of(byte).1);
            let label = if self.tape.is_numeric(start + i) { self.tape.label_after(stream, i + 1) } else { None };
            if let Some(label) = label {
                row.extend_from_slice(format!("   [{}]", label.word()).as_bytes());
            }
            self.say(row);
        }
    }
}

fn counted(assigns: usize) -> String {
    format!("{assigns} assign{}", if assigns == 1 { "" } else { "s" })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::build::TapeBuilder;
    use super::*;

    fn lines(answer: &StepAnswer) -> Vec<&str> {
        answer.lines.iter().map(|line| line.text.as_str()).collect()
    }

    #[test]
    fn a_table_of_breakpoints_is_full_at_64_and_keeps_the_order_of_the_stepper() {
        let bytes = b"V 2 0.40.0\nL 1\nA x=1\nL 2\nL 3\n".to_vec();
        let mut tape = TapeBuilder::from_vec(bytes).unwrap().finish("a.tape".into(), vec![]).unwrap();
        let mut ask = |pos, breakpoints: &[i32], command: &str| {
            let query = StepQuery { pos: Pos(pos), breakpoints: breakpoints.to_vec(), command: command.into() };
            tape.step(&query).unwrap()
        };
        let full: Vec<i32> = (0..64).collect();
        assert_eq!(lines(&ask(0, &full, "br 9")), ["breakpoint table full (64)"]);
        let answer = ask(0, &[5, 6, 7], "del 5");
        assert_eq!(
            (lines(&answer), answer.breakpoints.as_slice()),
            (vec!["deleted breakpoint at line 5"], &[7, 6][..])
        );
        assert_eq!(lines(&ask(0, &[], "br")), ["no breakpoints"]);
        let answer = ask(0, &[3], "  c\textra words");
        assert_eq!((answer.pos, lines(&answer)), (Pos(2), vec!["step 3/3  line 3"]));
        assert!(ask(0, &[], "q").has_quit);
        assert_eq!(lines(&ask(0, &[], "h")).len(), 10);
        assert!(tape.step(&StepQuery { pos: Pos(3), ..StepQuery::default() }).is_err());
    }

    #[test]
    fn commands_are_told_from_questions() {
        for command in ["", "s", "s 3", "b -4", "wat", "j", "j 12", "p x", "t __x__", "  rc ", "h"] {
            assert!(is_command(command), "{command}");
        }
        for question in
            ["s > 3", "b == 4", "x>3", "p == 1", "what is x", "count x changed", "c and s", "t < 3", "any(x)"]
        {
            assert!(!is_command(question), "{question}");
        }
    }
}
