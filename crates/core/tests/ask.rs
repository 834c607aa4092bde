//! The Ask language: its words and errors, its three-valued answers, and 1,000 random conditions on random tapes against a
//! scan that knows no index: every position, and every conditional continue and reverse-continue.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::HashMap;
use std::ops::ControlFlow;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tapedeck_core::ask::{Asker, EvalError, Expr, Here, Op, Term, Truth, hits, parse, parse_condition};
use tapedeck_core::bytes::Unwatched;
use tapedeck_core::model::protocol::{
    Answer, AskAnswer, AskQuery, AskedHits, AskedResult, Breakpoint, CompleteQuery, Direction, JumpQuery, JumpTarget,
    Question, SearchKind, SearchQuery,
};
use tapedeck_core::model::{Pos, RowWindow};
use tapedeck_core::tape::observer::{self, NUMBERS_THAT_MATTER};
use tapedeck_core::tape::write::{TapeWriter, Value};
use tapedeck_core::tape::{Tape, TapeBuilder};

const ALL: RowWindow = RowWindow { first: 0, count: 10_000 };

fn open(bytes: &[u8]) -> Tape {
    TapeBuilder::from_vec(bytes.to_vec()).unwrap().finish("t".into(), Vec::new()).unwrap()
}

fn ask(tape: &Tape, pos: u32, text: &str) -> AskAnswer {
    let query = AskQuery { text: text.into(), pos: Pos(pos), rows: ALL, marks: 100 };
    Asker::new().ask(tape, &query, &mut Unwatched)
}

fn ask_hits(tape: &Tape, pos: u32, text: &str) -> AskedHits {
    match ask(tape, pos, text) {
        AskAnswer::Hits(hits) => hits,
        other => panic!("{text}: {other:?}"),
    }
}

/// The words at which an error points, and what it says.
fn error(text: &str) -> (String, String) {
    let error = parse(text).expect_err(text);
    (text[error.at].to_owned(), error.message)
}

#[test]
fn errors_point_at_the_word() {
    for (text, word, says) in [
        ("x = 3", "=", "write `==`"),
        ("x is 3", "is", "Write `==`"),
        ("x > 3 && y < 2", "&&", "write `and`"),
        ("first x", "x", "no condition"),
        ("first x > ", "", "missing here"),
        ("what is", "", "the name to ask about"),
        ("what is x at y", "y", "a line number"),
        ("what is x at 2.5", "2.5", "a line number"),
        ("x > 5x", "5x", "neither a number nor a name"),
        ("lenght(x) > 3", "lenght", "There is no function"),
        ("label(x) == \"convergd\"", "\"convergd\"", "oscillating, diverging"),
        ("1 < x < 3", "< x <", "do not chain"),
        ("(x > 3", "", "closing parenthesis"),
        ("x > 3 y", "y", "join conditions"),
        ("x > 3 at 5", "at", "belongs to a question"),
        ("all inputs where name == \"random\"", "name", "none of them"),
        ("all inputs if n > 3", "if", "only `where`"),
        ("x == \"open", "\"open", "no closing quote"),
        ("x == \"\\q\"", "\\q", "escapes"),
        ("x + 1 > 3", "+", "no arithmetic"),
        ("prev of x changed", "changed", "can be said to change"),
        ("and x > 3", "and", "joins two conditions"),
        ("@when > 3", "@when", "none of them"),
        ("", "", "Ask something"),
        ("x > 3 ☃", "☃", "no meaning"),
        ("line 99999999999", "99999999999", "No tape has a line"),
    ] {
        let (found, message) = error(text);
        assert_eq!(found, word, "{text}: {message}");
        assert!(message.contains(says), "{text}: {message}");
    }
    let deep = format!("{}x > 1{}", "(".repeat(100), ")".repeat(100));
    assert!(error(&deep).1.contains("nests"));
    let deep = format!("{}x{} > 1", "len(".repeat(10_000), ")".repeat(10_000));
    assert!(error(&deep).1.contains("nests"));
    assert!(error(&"x > 1 and ".repeat(1000)).1.contains("at most"));
}

#[test]
fn words_are_keywords_only_where_they_can_be() {
    for text in [
        "count > 3",
        "count count > 3",
        "first last == 2 and all != 3",
        "line == 10",
        "not not > 3",
        "`not` > 3",
        "what is what",
        "when is when when 3",
        "count changed",
        "count count changed",
        "prev == 3",
        "prev of prev == 3",
        "label > 3 or len == 2",
        "all inputs == 3",
        "x == prev of x",
        "not (x > 3) and (y changed or label(z) changed)",
        "line 10 if x > 10",
        "len(x) == 0 and @line >= 3 and @fn == 'f'",
        "x == -1.5e-3",
        "state_at of 12",
    ] {
        assert!(parse(text).is_ok(), "{text}: {:?}", parse(text));
    }
}

#[test]
fn what_the_tape_does_not_hold_is_undecided_and_counted() {
    let long = "a".repeat(60);
    let tape =
        format!("V 2 0.40.0\nL 1\nA s=\"{long}\"\nL 2\nA s=\"short\"\nL 3\nA s=<list:2>\nL 4\nA s=5\nL 5\nA t=1\n");
    let tape = open(tape.as_bytes());
    let hits = ask_hits(&tape, 0, "s == \"short\"");
    assert_eq!((hits.positions, hits.undecided, hits.holds_here), (1, 2, None));
    assert!(hits.sentence.contains("could not be decided at 2 positions"), "{}", hits.sentence);
    assert_eq!(hits.first_undecided, Some(Pos(0)));
    // What is unknown stays so under `not`; what settles the whole settles it.
    assert_eq!(ask_hits(&tape, 0, "not (s == \"short\")").undecided, 2);
    assert_eq!(ask_hits(&tape, 0, "s == \"short\" and @line > 1").undecided, 1);
    assert_eq!(ask_hits(&tape, 0, "s == \"short\" or @line == 3").undecided, 1);
    assert_eq!(ask_hits(&tape, 0, "len(s) > 3").undecided, 2);
    // Before `t` is assigned it means nothing: no hit, nothing undecided.
    let hits = ask_hits(&tape, 0, "not (t == 2)");
    assert_eq!((hits.positions, hits.undecided, hits.bounds), (1, 0, Some((Pos(4), Pos(4)))));
    assert_eq!(ask_hits(&tape, 0, "bound(t)").positions, 1);
    // Every assignment here gives another value, and each is seen to differ.
    assert_eq!(ask_hits(&tape, 0, "count s changed").positions, 4);

    let withheld = open(b"V 2 0.39.0\nL 1\nA x=1\nL 2\nA x=2\n");
    let hits = ask_hits(&withheld, 0, "label(x) == \"moving\"");
    assert_eq!((hits.positions, hits.undecided), (0, 2));
}

#[test]
fn answers_lead_to_positions() {
    let tape = open(b"V 2 0.40.0\nL 1\nA x=1\nL 2\nA x=20\nL 3\nL 4\nA x=3\nL 5\nA x=30\n");
    let first = ask_hits(&tape, 3, "first x > 10");
    assert_eq!(first.target, Some(Pos(1)));
    assert_eq!(first.sentence, "`x > 10` first holds at position 2 (line 2).");
    let last = ask_hits(&tape, 3, "last x > 10");
    assert_eq!((last.target, last.previous, last.next), (Some(Pos(4)), Some(Pos(2)), Some(Pos(4))));
    let count = ask_hits(&tape, 1, "count x > 10");
    assert_eq!((count.positions, count.stretches, count.holds_here), (3, 2, Some(true)));
    assert_eq!(count.rows, [(Pos(1), Pos(2)), (Pos(4), Pos(4))]);
    assert_eq!(ask_hits(&tape, 0, "x == 99").sentence, "`x == 99` holds nowhere on this tape.");
    match ask(&tape, 0, "count xx > 10") {
        AskAnswer::Unclear(fault) => {
            assert_eq!((fault.start, fault.end), (6, 8));
            assert!(fault.message.contains("Did you mean `x`?"), "{}", fault.message);
        }
        other => panic!("{other:?}"),
    }
    match ask(&tape, 4, "what is x at 3") {
        AskAnswer::Value(value) => assert_eq!((value.at, value.line), (Some(Pos(1)), Some(2))),
        other => panic!("{other:?}"),
    }
    match ask(&tape, 1, "what is x when 3") {
        AskAnswer::Value(value) => {
            assert_eq!(value.result, AskedResult::Null);
            assert!(value.sentence.contains("not happened yet"), "{}", value.sentence);
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn inputs_are_asked_by_their_fields() {
    let tape = open(
        b"V 2 0.40.0\nL 1\nN env_get=\"HOME\"\nN random=0.5\nL 2\nN ls=[1, [2, 3], {\"a\": 1}]\nN env_get=\"cut\xe2\x80\xa6<truncated>\nL 3\nN env_get=null\n",
    );
    let count = |text: &str| match ask(&tape, 0, text) {
        AskAnswer::Inputs(inputs) => (inputs.total, inputs.undecided),
        other => panic!("{text}: {other:?}"),
    };
    assert_eq!(count("all inputs"), (5, 0));
    assert_eq!(count("all inputs where fn == \"env_get\""), (3, 0));
    assert_eq!(count("all inputs where fn == \"env_get\" and value == \"HOME\""), (1, 1));
    assert_eq!(count("all inputs where len(value) == 3"), (1, 1));
    assert_eq!(count("all inputs where category == \"random\" or line == 3"), (2, 0));
    assert_eq!(count("all inputs where n >= 2 and pos <= 2"), (3, 0));
    // A list is compared with nothing; of the truncated value nothing is certain.
    assert_eq!(count("all inputs where value > 0.25"), (1, 2));
}

#[test]
fn search_finds_records_by_their_parts() {
    let mut tape = open(
        b"V 2 0.40.0\nL 10\nS temp 1 2\nA temp=1\nA x=\"Temperature\"\nL 11\nN env_get=\"temp\"\nN temp_of=10\nL 12\nA temps=<list:10>\nX temp=1\nA temp\n",
    );
    tape.set_source("a.eigs".into(), b"temp is 1\nx is 2\n");
    let mut asker = Asker::new();
    let mut find = |text: &str, with_case, kind, pos| {
        let query = SearchQuery { text: text.into(), with_case, kind, pos: Pos(pos), rows: ALL, marks: 10 };
        asker.search(&tape, &query, &mut Unwatched)
    };
    let all = find("temp", false, None, 0);
    assert_eq!((all.total, all.counts), (6, [2, 1, 1, 1, 1]));
    assert_eq!(
        all.rows.iter().map(|row| row.kind).collect::<Vec<_>>(),
        [
            SearchKind::Function,
            SearchKind::Name,
            SearchKind::Value,
            SearchKind::InputValue,
            SearchKind::Input,
            SearchKind::Name,
        ]
    );
    assert_eq!((all.next, all.previous), (Some((3, Pos(1))), None));
    assert_eq!((all.source_lines, all.source_total), (vec![1], 1));
    assert_eq!(all.marks, [(Pos(0), Pos(0)), (Pos(1), Pos(1)), (Pos(2), Pos(2))]);
    assert_eq!(find("temp", true, None, 2).previous, Some((3, Pos(1))));
    assert_eq!(find("temp", true, Some(SearchKind::Name), 0).total, 2);
    assert_eq!(find("TEMP", true, None, 0).total, 0);
    // Numbers of lines are not values, and a kind is no name.
    assert_eq!(find("1", true, None, 0).total, 3);
    assert_eq!(find("A temp", true, None, 0).total, 0);
    assert_eq!(find("x=\"T", true, None, 0).rows[0].kind, SearchKind::Name);
    assert_eq!(find("", true, None, 0).total, 0);
}

#[test]
fn work_can_be_cancelled_and_tells_how_far_it_is() {
    let tape = open(&tapedeck_core::tape::synth::tape(400_000, tapedeck_core::tape::synth::Shape::Loop));
    let condition = parse_condition("@line == 12").unwrap();
    let mut calls = 0;
    let mut watch = |done, total| {
        calls += 1;
        assert!(done <= total);
        if calls == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    assert_eq!(hits(&tape, &condition, &mut watch), Err(EvalError::Cancelled));
    assert_eq!(calls, 2);
    let mut stop = |_, _| ControlFlow::Break(());
    let query = SearchQuery { text: "nowhere".into(), ..SearchQuery::default() };
    assert!(Asker::new().search(&tape, &query, &mut stop).is_cancelled);
}

#[test]
fn completion_offers_words_and_names() {
    let tape = open(b"V 2 0.40.0\nL 1\nA temperature=1\nA __hidden__=1\nA tempo=1\n");
    let complete =
        |text: &str| Asker::complete(&tape, &CompleteQuery { text: text.into(), at: text.len() as u32, most: 5 });
    assert_eq!(complete("first tem").words, ["temperature", "tempo"]);
    assert_eq!(complete("first tem").start, 6);
    assert_eq!(complete("sta").words, ["state_at of "]);
    assert_eq!(complete("label(tempo) == \"con").words, ["converged"]);
    assert_eq!(complete("what is __h").words, ["__hidden__"]);
}

#[test]
fn a_very_deep_recursion_costs_no_more_than_its_records() {
    // Each call assigns `n` on the way down and `r` on the way up: on the way down `r` means nothing in any of the frames.
    let depth = 100_000_u32;
    let mut writer = TapeWriter::new("0.40.0");
    for (way, name) in [(true, b"n"), (false, b"r")] {
        for i in 0..depth {
            let level = if way { i } else { depth - 1 - i };
            writer.line(if way { 2 } else { 3 });
            writer.assign((b"dive", level as i32 + 1, level + 1), name, &Value::Number(f64::from(level)));
        }
    }
    let tape = open(&writer.into_bytes());
    let mut calls = 0_u64;
    let mut watch = |_, _| {
        calls += 1;
        ControlFlow::Continue(())
    };
    let found = hits(&tape, &parse_condition("r >= 0 and n >= 0").unwrap(), &mut watch).unwrap();
    assert_eq!(found.holds.len(), 1);
    assert_eq!((found.holds[0].first, found.holds[0].last), (depth, 2 * depth - 1));
}

#[test]
fn steps_over_and_out_follow_the_frames() {
    // Depths: 0 0 1 2 1 0 0.
    let mut tape = open(
        b"V 2 0.40.0\nL 1\nS m 0 1\nA a=1\nL 2\nL 10\nS f 1 2\nA b=1\nL 20\nS g 2 3\nA c=1\nL 11\nS f 1 2\nA b=2\nL 3\nS m 0 1\nA a=2\nL 4\n",
    );
    let mut go = |from, direction, target: JumpTarget| {
        let query = Question::Jump(JumpQuery { from: Pos(from), direction, target });
        match tape.answer(&query) {
            Answer::Jump(answer) => answer.pos.map(|pos| pos.0),
            other => panic!("{other:?}"),
        }
    };
    use Direction::{Back, Forward};
    let over: Vec<_> = (0..7).map(|pos| go(pos, Forward, JumpTarget::Over)).collect();
    assert_eq!(over, [Some(1), Some(5), Some(4), Some(4), Some(5), Some(6), None]);
    let over: Vec<_> = (0..7).map(|pos| go(pos, Back, JumpTarget::Over)).collect();
    assert_eq!(over, [None, Some(0), Some(1), Some(2), Some(2), Some(1), Some(5)]);
    let out: Vec<_> = (0..7).map(|pos| go(pos, Forward, JumpTarget::Out)).collect();
    assert_eq!(out, [None, None, Some(5), Some(4), Some(5), None, None]);
    let out: Vec<_> = (0..7).map(|pos| go(pos, Back, JumpTarget::Out)).collect();
    assert_eq!(out, [None, None, Some(1), Some(2), Some(1), None, None]);
}

#[test]
fn label_changes_are_found_both_ways() {
    let values = [1, 2, 2, 2, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9];
    let text: String = values.iter().map(|value| format!("L 1\nA x={value}\nL 2\n")).collect();
    let mut tape = open(format!("V 2 0.40.0\n{text}").as_bytes());
    let stream = tape.resolve(Pos(0), b"x").unwrap();
    // What the histories of `--step` say, as the places where the word differs from the one before.
    let numbers: Vec<f64> = values.iter().map(|value| f64::from(*value)).collect();
    let labels: Vec<_> = (0..numbers.len())
        .map(|i| {
            let newest: Vec<f64> = numbers[..=i].iter().rev().copied().take(NUMBERS_THAT_MATTER).collect();
            observer::label(&newest)
        })
        .collect();
    let changes: Vec<u32> = (0..labels.len() as u32)
        .filter(|i| *i == 0 || labels[*i as usize] != labels[*i as usize - 1])
        .map(|i| 2 * i)
        .collect();
    assert!(changes.len() >= 3, "{labels:?}");
    for from in 0..tape.positions() {
        for (direction, expected) in [
            (Direction::Forward, changes.iter().copied().find(|pos| *pos > from)),
            (Direction::Back, changes.iter().rev().copied().find(|pos| *pos < from)),
        ] {
            let target = JumpTarget::LabelChange(stream);
            let answer = tape.answer(&Question::Jump(JumpQuery { from: Pos(from), direction, target }));
            let Answer::Jump(answer) = answer else { panic!("{answer:?}") };
            assert_eq!(answer.pos, expected.map(Pos), "{direction:?} from {from}");
        }
    }
}

// ---- against a scan that knows no index ----

/// What a program does, for a random tape.
#[derive(Clone, Debug)]
enum Step {
    Line(i32),
    Assign { frame: usize, name: usize, value: Value },
    Input(f64),
}

const NAMES: [&str; 4] = ["x", "y", "deep", "count"];
const FUNCTIONS: [&str; 3] = ["<module>", "f", "g"];

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        6 => (-3_i32..4).prop_map(|number| Value::Number(f64::from(number))),
        1 => Just(Value::Number(0.5)),
        1 => Just(Value::Null),
        2 => prop_oneof![Just("a"), Just("b\n\"q\""), Just("")].prop_map(|text| Value::Str(text.into())),
        1 => (58_usize..64).prop_map(|len| Value::Str(vec![b'z'; len])),
        1 => Just(Value::List(vec![Value::Null])),
        1 => Just(Value::Function),
    ]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (1_i32..6).prop_map(Step::Line),
        5 => (0_usize..7, 0_usize..4, value()).prop_map(|(frame, name, value)| Step::Assign { frame, name, value }),
        1 => (0_i32..4).prop_map(|number| Step::Input(f64::from(number))),
    ];
    proptest::collection::vec(step, 1..80)
}

fn tape_of(steps: &[Step]) -> Vec<u8> {
    // Frames by number: function, depth, serial.
    let frames: [(usize, i32, u32); 7] = [(0, 0, 1), (1, 1, 2), (2, 2, 3), (1, 1, 4), (2, 2, 5), (1, 3, 6), (0, 0, 7)];
    let mut writer = TapeWriter::new("0.40.0");
    for step in steps {
        match step {
            Step::Line(line) => writer.line(*line),
            Step::Assign { frame, name, value } => {
                let (function, depth, serial) = frames[*frame];
                writer.assign((FUNCTIONS[function].as_bytes(), depth, serial), NAMES[*name].as_bytes(), value);
            }
            Step::Input(number) => writer.input(b"random", &Value::Number(*number)),
        }
    }
    writer.into_bytes()
}

fn condition(depth: u32) -> BoxedStrategy<String> {
    let name = || proptest::sample::select(NAMES.to_vec());
    let op = proptest::sample::select(vec!["==", "!=", "<", "<=", ">", ">="]);
    let constant = prop_oneof![
        5 => (-3_i32..4).prop_map(|number| number.to_string()),
        1 => Just("0.5".to_owned()),
        1 => Just("null".to_owned()),
        1 => Just("\"a\"".to_owned()),
        1 => Just("\"b\\n\\\"q\\\"\"".to_owned()),
    ];
    let term = prop_oneof![
        4 => name().prop_map(str::to_owned),
        2 => name().prop_map(|name| format!("any({name})")),
        2 => name().prop_map(|name| format!("prev of {name}")),
        1 => name().prop_map(|name| format!("len({name})")),
        1 => Just("@line".to_owned()),
        1 => Just("@pos".to_owned()),
        1 => Just("@depth".to_owned()),
    ];
    let label = proptest::sample::select(vec!["moving", "stable", "equilibrium", "diverging", "oscillating"]);
    let leaf = prop_oneof![
        6 => (term.clone(), op.clone(), constant).prop_map(|(term, op, constant)| format!("{term} {op} {constant}")),
        2 => (term.clone(), op, term).prop_map(|(left, op, right)| format!("{left} {op} {right}")),
        2 => name().prop_map(|name| format!("{name} changed")),
        1 => name().prop_map(|name| format!("{name} assigned")),
        1 => name().prop_map(|name| format!("any({name}) changed")),
        1 => name().prop_map(|name| format!("label({name}) changed")),
        1 => name().prop_map(|name| format!("bound({name})")),
        1 => (name(), label).prop_map(|(name, label)| format!("label({name}) == \"{label}\"")),
        1 => proptest::sample::select(FUNCTIONS.to_vec()).prop_map(|function| format!("@fn == \"{function}\"")),
    ];
    if depth == 0 {
        return leaf.boxed();
    }
    prop_oneof![
        3 => leaf,
        2 => (condition(depth - 1), condition(depth - 1)).prop_map(|(left, right)| format!("({left}) and ({right})")),
        2 => (condition(depth - 1), condition(depth - 1)).prop_map(|(left, right)| format!("({left}) or ({right})")),
        1 => condition(depth - 1).prop_map(|part| format!("not ({part})")),
    ]
    .boxed()
}

/// A value of the naive reader.
#[derive(Clone, Debug, PartialEq)]
enum Seen {
    Absent,
    Unknown,
    Null,
    Number(f64),
    Text(Vec<u8>),
}

fn seen(text: &str) -> Seen {
    if text == "null" {
        return Seen::Null;
    }
    if let Ok(number) = text.parse::<f64>() {
        return Seen::Number(number);
    }
    match text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        Some(body) if body.len() < 60 => {
            Seen::Text(body.replace("\\\"", "\"").replace("\\n", "\n").replace("\\\\", "\\").into_bytes())
        }
        _ => Seen::Unknown,
    }
}

/// A tape read from its text, record by record: the frames and the assignments, and nothing clever.
struct Naive {
    /// Per position: its line and the scope (serial) at its end.
    positions: Vec<(i32, u32)>,
    /// (position, scope, name, value) in tape order.
    assigns: Vec<(u32, u32, String, String)>,
    /// Per serial: function, depth, parent.
    frames: HashMap<u32, (String, i32, u32)>,
}

impl Naive {
    fn read(bytes: &[u8]) -> Self {
        let text = std::str::from_utf8(bytes).unwrap();
        let mut naive = Self { positions: Vec::new(), assigns: Vec::new(), frames: HashMap::new() };
        let (mut stack, mut scope, mut shown): (Vec<u32>, u32, u32) = (Vec::new(), 0, 0);
        for line in text.lines() {
            let rest = line.get(2..).unwrap_or_default();
            match line.as_bytes()[0] {
                b'L' => naive.positions.push((rest.parse().unwrap(), 0)),
                b'S' => {
                    let words: Vec<&str> = rest.split(' ').collect();
                    let (depth, serial) = (words[1].parse().unwrap(), words[2].parse().unwrap());
                    if let Some(at) = stack.iter().position(|on| *on == serial) {
                        stack.truncate(at + 1);
                    } else {
                        let own = naive.frames.get(&serial).map_or(depth, |frame| frame.1);
                        assert_eq!(own, depth);
                        while stack.last().is_some_and(|top| naive.frames[top].1 >= depth) {
                            stack.pop();
                        }
                        let parent = stack.last().copied().unwrap_or(0);
                        naive.frames.entry(serial).or_insert((words[0].to_owned(), depth, parent));
                        stack.push(serial);
                    }
                    scope = serial;
                    continue;
                }
                b'A' => {
                    let (name, value) = rest.split_once('=').unwrap();
                    let pos = naive.positions.len().saturating_sub(1) as u32;
                    naive.assigns.push((pos, scope, name.to_owned(), value.to_owned()));
                }
                b'N' | b'V' => {}
                _ => panic!("{line}"),
            }
            if scope != 0 {
                shown = scope;
            }
            if let Some(position) = naive.positions.last_mut() {
                position.1 = shown;
            }
        }
        naive
    }

    /// The assignments, up to a position, of what a name means there: (position, value).
    fn binding(&self, pos: u32, name: &str) -> Option<Vec<(u32, &str)>> {
        let mut scope = self.positions[pos as usize].1;
        loop {
            let own: Vec<_> = self
                .assigns
                .iter()
                .filter(|assign| assign.0 <= pos && assign.1 == scope && assign.2 == name)
                .map(|assign| (assign.0, assign.3.as_str()))
                .collect();
            if !own.is_empty() {
                return Some(own);
            }
            if scope == 0 {
                return None;
            }
            scope = self.frames.get(&scope).map_or(0, |frame| frame.2);
        }
    }

    fn merged(&self, pos: u32, name: &str) -> Vec<(u32, &str)> {
        let of_name = self.assigns.iter().filter(|assign| assign.0 <= pos && assign.2 == name);
        of_name.map(|assign| (assign.0, assign.3.as_str())).collect()
    }

    fn label(history: &[(u32, &str)]) -> Seen {
        let numbers: Vec<f64> = history.iter().rev().filter_map(|(_, text)| text.parse().ok()).collect();
        let newest = &numbers[..numbers.len().min(NUMBERS_THAT_MATTER)];
        observer::label(newest).map_or(Seen::Null, |label| Seen::Text(label.word().into()))
    }

    fn term(&self, pos: u32, term: &Term) -> Seen {
        let last = |history: &[(u32, &str)]| history.last().map_or(Seen::Absent, |(_, text)| seen(text));
        match term {
            Term::Number(number) => Seen::Number(*number),
            Term::Text(text) => Seen::Text(text.clone()),
            Term::Null => Seen::Null,
            Term::Value(name) => self.binding(pos, &name.text).map_or(Seen::Absent, |history| last(&history)),
            Term::Any(name) => last(&self.merged(pos, &name.text)),
            Term::Prev(name) => {
                let history = self.merged(pos, &name.text);
                last(&history[..history.len().saturating_sub(1)])
            }
            Term::Label(name) => self.binding(pos, &name.text).map_or(Seen::Absent, |history| Self::label(&history)),
            Term::Len(inside) => match self.term(pos, inside) {
                Seen::Text(text) => Seen::Number(text.len() as f64),
                Seen::Unknown => Seen::Unknown,
                _ => Seen::Absent,
            },
            Term::Here(Here::Line) => Seen::Number(f64::from(self.positions[pos as usize].0)),
            Term::Here(Here::Pos) => Seen::Number(f64::from(pos + 1)),
            Term::Here(here) => match self.frames.get(&self.positions[pos as usize].1) {
                None => Seen::Absent,
                Some(frame) if *here == Here::Function => Seen::Text(frame.0.clone().into_bytes()),
                Some(frame) => Seen::Number(f64::from(frame.1)),
            },
        }
    }

    fn truth(&self, pos: u32, condition: &Expr) -> Truth {
        match condition {
            Expr::And(parts) => {
                let parts: Vec<Truth> = parts.iter().map(|part| self.truth(pos, part)).collect();
                [Truth::False, Truth::Unknown, Truth::Absent]
                    .into_iter()
                    .find(|one| parts.contains(one))
                    .unwrap_or(Truth::True)
            }
            Expr::Or(parts) => {
                let parts: Vec<Truth> = parts.iter().map(|part| self.truth(pos, part)).collect();
                [Truth::True, Truth::Unknown, Truth::Absent]
                    .into_iter()
                    .find(|one| parts.contains(one))
                    .unwrap_or(Truth::False)
            }
            Expr::Not(part) => match self.truth(pos, part) {
                Truth::True => Truth::False,
                Truth::False => Truth::True,
                other => other,
            },
            Expr::Compare(op, left, right) => compare(*op, &self.term(pos, left), &self.term(pos, right)),
            Expr::Bound(Term::Value(name)) => of(self.binding(pos, &name.text).is_some()),
            Expr::Changed(term) | Expr::Assigned(term) => {
                let history = match term {
                    Term::Value(name) | Term::Label(name) => self.binding(pos, &name.text).unwrap_or_default(),
                    Term::Any(name) => self.merged(pos, &name.text),
                    _ => panic!("{term:?}"),
                };
                let Some(&(at, text)) = history.last() else { return Truth::Absent };
                if at != pos || matches!(condition, Expr::Assigned(_)) {
                    return of(at == pos);
                }
                let before: Vec<_> = history.iter().copied().filter(|(at, _)| *at < pos).collect();
                if matches!(term, Term::Label(_)) {
                    let was = if before.is_empty() { Seen::Null } else { Self::label(&before) };
                    return of(was != Self::label(&history));
                }
                match before.last() {
                    None => Truth::True,
                    Some((_, was)) if was != &text => of(seen(was) != seen(text) || seen(text) == Seen::Unknown),
                    Some(_) => {
                        if seen(text) == Seen::Unknown {
                            Truth::Unknown
                        } else {
                            Truth::False
                        }
                    }
                }
            }
            Expr::Bound(term) => panic!("{term:?}"),
        }
    }
}

fn of(is_true: bool) -> Truth {
    if is_true { Truth::True } else { Truth::False }
}

fn compare(op: Op, left: &Seen, right: &Seen) -> Truth {
    if *left == Seen::Absent || *right == Seen::Absent {
        return Truth::Absent;
    }
    if *left == Seen::Unknown || *right == Seen::Unknown {
        return Truth::Unknown;
    }
    let order = match (left, right) {
        (Seen::Number(left), Seen::Number(right)) => left.partial_cmp(right),
        (Seen::Text(left), Seen::Text(right)) => Some(left.cmp(right)),
        _ => None,
    };
    of(match op {
        Op::Eq => left == right,
        Op::Ne => left != right,
        Op::Lt => order.is_some_and(std::cmp::Ordering::is_lt),
        Op::Le => order.is_some_and(std::cmp::Ordering::is_le),
        Op::Gt => order.is_some_and(std::cmp::Ordering::is_gt),
        Op::Ge => order.is_some_and(std::cmp::Ordering::is_ge),
    })
}

/// What continuing finds when every position is looked at in turn.
fn naive_continue(naive: &Naive, condition: &Expr, line: Option<i32>, from: u32, back: bool) -> Option<u32> {
    let last = naive.positions.len() as u32 - 1;
    let mut pos = from;
    while if back { pos > 0 } else { pos < last } {
        pos = if back { pos - 1 } else { pos + 1 };
        if line.is_none_or(|line| naive.positions[pos as usize].0 == line) && naive.truth(pos, condition) == Truth::True
        {
            return Some(pos);
        }
    }
    None
}

#[test]
fn a_thousand_random_conditions_agree_with_a_naive_scan() {
    let mut runner = TestRunner::new(Config { cases: 1000, failure_persistence: None, ..Config::default() });
    let strategy = (steps(), condition(2), proptest::option::of(1_i32..6), any::<proptest::sample::Index>());
    let (undecided_seen, held_seen) = (std::cell::Cell::new(0_u32), std::cell::Cell::new(0_u32));
    runner
        .run(&strategy, |(steps, text, line, index)| {
            let mut bytes = tape_of(&steps);
            // Every name must be on the tape; the last position is not judged differently for it.
            for name in NAMES {
                bytes.extend_from_slice(format!("L 9\nA {name}=0\n").as_bytes());
            }
            let tape = open(&bytes);
            let naive = Naive::read(&bytes);
            let condition = parse_condition(&text).unwrap();
            let found = hits(&tape, &condition, &mut Unwatched).unwrap();
            prop_assert!(found.holds.windows(2).all(|pair| pair[0].last + 1 < pair[1].first));
            for pos in 0..tape.positions() {
                let expected = naive.truth(pos, &condition);
                let expected = if expected == Truth::Absent { Truth::False } else { expected };
                prop_assert_eq!(
                    found.at(pos),
                    expected,
                    "{} at position {}\n{}",
                    text,
                    pos,
                    String::from_utf8_lossy(&bytes)
                );
                undecided_seen.set(undecided_seen.get() + u32::from(expected == Truth::Unknown));
                held_seen.set(held_seen.get() + u32::from(expected == Truth::True));
            }
            let from = index.index(tape.positions() as usize) as u32;
            let mut asker = Asker::new();
            for (direction, back) in [(Direction::Forward, false), (Direction::Back, true)] {
                let breakpoint = Breakpoint { line, condition: text.clone() };
                let query = JumpQuery { from: Pos(from), direction, target: JumpTarget::Condition(vec![breakpoint]) };
                let Some(Answer::Jump(answer)) = asker.answer(&tape, &Question::Jump(query), &mut Unwatched) else {
                    panic!("a jump is answered");
                };
                let expected = naive_continue(&naive, &condition, line, from, back);
                let end = if back { 0 } else { tape.positions() - 1 };
                prop_assert_eq!(answer.pos, Some(Pos(expected.unwrap_or(end))), "{} from {}", text, from);
                let has_hit = answer.message.is_none_or(|message| !message.starts_with("No breakpoint hit"));
                prop_assert_eq!(has_hit, expected.is_some());
            }
            Ok(())
        })
        .unwrap();
    // Counted over all positions of all cases: some dozens would do, chance gives hundreds at the least.
    assert!(undecided_seen.get() > 100 && held_seen.get() > 100, "the conditions must decide something both ways");
}
