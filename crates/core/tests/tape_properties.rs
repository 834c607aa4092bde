//! Properties of the tape reader: no bytes make it panic, how bytes are cut into chunks changes nothing, the index agrees
//! with a fold that knows no index, and what the writer writes is what the reader reads.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeMap;

use proptest::prelude::*;
use tapedeck_core::model::protocol::{Answer, Direction, JumpQuery, JumpTarget, Question, StateQuery};
use tapedeck_core::model::{ByteOffset, Pos, RowWindow};
use tapedeck_core::tape::write::{TapeWriter, Value};
use tapedeck_core::tape::{Tape, TapeBuilder};

const ALL: RowWindow = RowWindow { first: 0, count: 1000 };

fn open(bytes: &[u8]) -> Option<Tape> {
    TapeBuilder::from_vec(bytes.to_vec()).and_then(|builder| builder.finish("t".into(), Vec::new())).ok()
}

fn open_in_chunks(bytes: &[u8], sizes: &[usize]) -> Option<Tape> {
    let mut builder = TapeBuilder::new(bytes.len() as u64);
    let mut rest = bytes;
    let mut sizes = sizes.iter().cycle();
    while !rest.is_empty() {
        let (chunk, after) = rest.split_at(rest.len().min(*sizes.next().unwrap()).max(1));
        builder.push(chunk).ok()?;
        rest = after;
    }
    builder.finish("t".into(), Vec::new()).ok()
}

/// Everything that can be asked, at every position.
fn everything(tape: &mut Tape) -> String {
    use std::fmt::Write;
    let mut all = format!("{:?}\n", tape.summary());
    // The reservation differs with the chunks; what it held does not matter.
    all = all.split("index_bytes").map(|part| part.split_once(',').map_or(part, |(_, rest)| rest)).collect();
    for pos in 0..tape.positions().min(200) {
        let query = StateQuery { pos: Pos(pos), bindings: ALL, filter: String::new(), events: ALL, frames: ALL };
        writeln!(all, "{:?}", tape.state(&query)).unwrap();
        for direction in [Direction::Forward, Direction::Back] {
            for target in
                [JumpTarget::Input, JumpTarget::Issue, JumpTarget::Line(3), JumpTarget::Breakpoint(vec![2, 7])]
            {
                writeln!(all, "{:?}", tape.jump(&JumpQuery { from: Pos(pos), direction, target })).unwrap();
            }
        }
    }
    for question in [
        Question::Issues { kind: None, rows: ALL },
        Question::Inputs { rows: ALL },
        Question::Lines { rows: ALL },
        Question::Value { byte: ByteOffset(12) },
    ] {
        writeln!(all, "{:?}", tape.answer(&question)).unwrap();
    }
    all
}

/// Lines that look like records, whole and torn.
fn record() -> impl Strategy<Value = Vec<u8>> {
    let name = prop_oneof![Just("x"), Just("y"), Just("__h__"), Just("long_name_of_some_length"), Just("é")];
    let value = prop_oneof![
        any::<f64>().prop_map(|number| format!("{number:e}")),
        (-5_i32..5).prop_map(|number| number.to_string()),
        Just("\"text\"".to_owned()),
        Just(format!("\"{}\"", "a".repeat(60))),
        Just("<list:3>".to_owned()),
        Just("null".to_owned()),
    ];
    prop_oneof![
        (0..9).prop_map(|line| format!("L {line}").into_bytes()),
        (name.clone(), value.clone()).prop_map(|(name, value)| format!("A {name}={value}").into_bytes()),
        (name.clone(), value).prop_map(|(name, value)| format!("N {name}={value}").into_bytes()),
        (0..4, 0..9).prop_map(|(depth, serial)| format!("S f{depth} {depth} {serial}").into_bytes()),
        Just(b"V 2 0.40.0".to_vec()),
        prop::collection::vec(any::<u8>(), 0..6),
    ]
}

fn tape_bytes() -> impl Strategy<Value = Vec<u8>> {
    (prop::collection::vec(record(), 0..60), any::<bool>()).prop_map(|(records, ends)| {
        let mut bytes = b"V 2 0.40.0\n".to_vec();
        bytes.extend_from_slice(&records.join(&b'\n'));
        if ends {
            bytes.push(b'\n');
        }
        bytes
    })
}

/// A binding as the fold keeps it: name, last value, assignments.
type Folded = (Vec<u8>, Vec<u8>, usize);

/// State without an index: the whole tape is folded up to the position. Innermost scope first, (name, value, count).
fn folded(bytes: &[u8], wanted: usize) -> Vec<Folded> {
    struct Scope {
        depth: i64,
        parent: u32,
    }
    let mut scopes: BTreeMap<u32, Scope> = BTreeMap::new();
    let mut stack: Vec<u32> = Vec::new();
    let (mut current, mut carried, mut positions) = (0_u32, 0_u32, 0_usize);
    let mut streams: BTreeMap<u32, Vec<Folded>> = BTreeMap::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        let line = line.split(|byte| *byte == 0).next().unwrap();
        match line {
            [b'L', _, ..] => {
                positions += 1;
                if positions > wanted + 1 {
                    break;
                }
                carried = if current == 0 { carried } else { current };
            }
            [b'V', ..] => carried = if current == 0 { carried } else { current },
            [kind @ (b'A' | b'N'), _, rest @ ..] => {
                let Some(eq) = rest.iter().position(|byte| *byte == b'=') else { continue };
                carried = if current == 0 { carried } else { current };
                if *kind == b'A' {
                    let stream = streams.entry(current).or_default();
                    let (name, value) = (rest[..eq].to_vec(), rest[eq + 1..].to_vec());
                    match stream.iter_mut().find(|(seen, _, _)| *seen == name) {
                        Some((_, last, count)) => (*last, *count) = (value, *count + 1),
                        None => stream.push((name, value, 1)),
                    }
                }
            }
            [b'S', _, rest @ ..] => {
                let words: Vec<String> =
                    rest.split(|byte| *byte == b' ').map(|word| String::from_utf8_lossy(word).into_owned()).collect();
                if words.len() < 2 {
                    continue;
                }
                let depth: i64 = words[1].parse().unwrap_or(0);
                let serial: u32 = words.get(2).and_then(|word| word.parse().ok()).unwrap_or(0);
                if let Some(at) = stack.iter().rposition(|seen| *seen == serial) {
                    stack.truncate(at + 1);
                } else {
                    while stack.last().is_some_and(|top| scopes[top].depth >= depth) {
                        stack.pop();
                    }
                    let parent = stack.last().copied().unwrap_or(0);
                    scopes.entry(serial).or_insert(Scope { depth, parent });
                    stack.push(serial);
                }
                current = serial;
            }
            _ => {}
        }
    }
    let mut visible: Vec<Folded> = Vec::new();
    let mut scope = carried;
    loop {
        for binding in streams.get(&scope).map(Vec::as_slice).unwrap_or_default() {
            let hidden = binding.0.len() > 4 && binding.0.starts_with(b"__") && binding.0.ends_with(b"__");
            if !hidden && !visible.iter().any(|(seen, _, _)| *seen == binding.0) {
                visible.push(binding.clone());
            }
        }
        if scope == 0 {
            return visible;
        }
        scope = scopes.get(&scope).map_or(0, |scope| scope.parent);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        if let Some(mut tape) = open(&bytes) {
            everything(&mut tape);
        }
        let mut headed = b"V 2 0.40.0\n".to_vec();
        headed.extend_from_slice(&bytes);
        if let Some(mut tape) = open(&headed) {
            everything(&mut tape);
        }
    }

    #[test]
    fn chunks_of_any_size_give_the_same_tape(bytes in tape_bytes(), sizes in prop::collection::vec(1_usize..40, 1..5)) {
        let whole = open(&bytes).map(|mut tape| everything(&mut tape));
        let cut = open_in_chunks(&bytes, &sizes).map(|mut tape| everything(&mut tape));
        prop_assert_eq!(whole, cut);
    }

    #[test]
    fn a_cut_at_any_byte_opens_or_is_refused(bytes in tape_bytes(), share in 0.0..1.0_f64) {
        let cut = (bytes.len() as f64 * share) as usize;
        if let Some(mut tape) = open(&bytes[..cut]) {
            everything(&mut tape);
        }
    }

    #[test]
    fn state_from_the_index_is_state_from_a_fold(bytes in tape_bytes()) {
        if let Some(mut tape) = open(&bytes) {
            for pos in 0..tape.positions() {
                let query = StateQuery { pos: Pos(pos), bindings: ALL, ..StateQuery::default() };
                let state = tape.state(&query).unwrap();
                let found: Vec<_> = state.bindings.iter().map(|row| (row.name.text.clone(), row.assigns as usize)).collect();
                let expected = folded(&bytes, pos as usize);
                let expected_names: Vec<_> =
                    expected.iter().map(|(name, _, count)| (String::from_utf8_lossy(name).into_owned(), *count)).collect();
                prop_assert_eq!(found, expected_names, "position {}", pos);
                for (row, (_, value, _)) in state.bindings.iter().zip(&expected) {
                    prop_assert_eq!(&row.value.text, &String::from_utf8_lossy(value));
                }
            }
        }
    }

    #[test]
    fn what_is_written_is_read(steps in prop::collection::vec((1_i32..9, 0_u32..4, any::<f64>(), any::<bool>()), 1..80)) {
        let mut writer = TapeWriter::new("0.40.0");
        let mut written = Vec::new();
        let mut inputs = 0;
        for (line, depth, number, draws) in steps {
            writer.line(line);
            if draws {
                writer.input(b"random", &Value::Number(number));
                inputs += 1;
            }
            let function = format!("f{depth}");
            writer.assign((function.as_bytes(), depth as i32, depth + 1), b"x", &Value::Number(number));
            written.push(tapedeck_core::tape::write::percent_17g(number));
        }
        let mut tape = open(&writer.into_bytes()).unwrap();
        let summary = tape.summary();
        prop_assert_eq!(summary.assigns as usize, written.len());
        prop_assert_eq!(summary.nondet, inputs);
        prop_assert!(summary.issues.is_empty());
        let mut read = Vec::new();
        for pos in 0..tape.positions() {
            let query = StateQuery { pos: Pos(pos), events: ALL, ..StateQuery::default() };
            let events = tape.state(&query).unwrap().events;
            read.extend(events.into_iter().filter(|event| event.input.is_none()).map(|event| event.value.text));
        }
        prop_assert_eq!(read, written);
    }
}

#[test]
fn a_hundred_thousand_frames_deep() {
    let mut writer = TapeWriter::new("0.40.0");
    for depth in 0..100_000_u32 {
        writer.line(2);
        writer.assign((b"down", depth as i32, depth + 1), b"n", &Value::Number(f64::from(depth)));
    }
    let mut tape = open(&writer.into_bytes()).unwrap();
    assert_eq!(tape.summary().frame_rows, 100_000);
    let query = StateQuery { pos: Pos(99_999), bindings: ALL, frames: ALL, ..StateQuery::default() };
    let state = tape.state(&query).unwrap();
    assert_eq!((state.bindings_total, state.frames_total, state.frames.len()), (1, 100_000, 1000));
    assert_eq!(state.bindings[0].value.text, "99999");
}

#[test]
fn millions_of_events_at_one_position_are_windowed() {
    let mut writer = TapeWriter::new("0.40.0");
    writer.line(1);
    let events = Tape::EVENTS_PER_MARK * 3 + 17;
    for i in 0..events {
        writer.assign((b"<module>", 0, 1), b"x", &Value::Number(f64::from(i)));
    }
    let mut tape = open(&writer.into_bytes()).unwrap();
    for first in
        [0, 1, Tape::EVENTS_PER_MARK - 1, Tape::EVENTS_PER_MARK, Tape::EVENTS_PER_MARK * 2 + 5, events - 1, events]
    {
        let query = StateQuery { events: RowWindow { first, count: 2 }, ..StateQuery::default() };
        let state = tape.state(&query).unwrap();
        assert_eq!(state.events_total, events);
        let found: Vec<String> = state.events.into_iter().map(|event| event.value.text).collect();
        let expected: Vec<String> = (first..events.min(first + 2)).map(|i| i.to_string()).collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn a_tape_without_lines_still_lists_its_inputs() {
    let mut tape = open(b"V 2 0.40.0\nN random=0.5\nA x=1\n").unwrap();
    assert_eq!(tape.positions(), 0);
    assert!(tape.state(&StateQuery::default()).is_err());
    let Answer::Inputs(inputs) = tape.answer(&Question::Inputs { rows: ALL }) else { panic!("inputs answer inputs") };
    assert_eq!((inputs.total, inputs.not_replayable, inputs.rows.len()), (1, 0, 1));
}

#[test]
fn every_tape_of_the_corpus_is_written_again_byte_for_byte() {
    // The recorder's discipline, checked on real recordings: only records and frames are given to the writer.
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/corpus/eigs/programs");
    let mut checked = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "tape") {
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        let mut writer = TapeWriter::new("0.40.0");
        if write_again(&bytes, &mut writer).is_none() {
            // Threads tore one another's lines: such a tape is not one recorder's work.
            continue;
        }
        assert!(writer.into_bytes() == bytes, "{}", path.display());
        checked += 1;
    }
    assert!(checked >= 20, "{checked}");
}

/// Gives a tape's records to the writer; `None` when a line is not as one recorder writes it.
fn write_again(bytes: &[u8], writer: &mut TapeWriter) -> Option<()> {
    // The recorder cuts an S record at this length, line feed included: the next record follows on the same line.
    const CUT_SCOPE: usize = 127;
    let text = |bytes: &[u8]| std::str::from_utf8(bytes).ok().map(str::to_owned);
    let mut frame = (Vec::new(), 0, 0);
    let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').skip(1).filter(|line| !line.is_empty()).collect();
    lines.reverse();
    while let Some(mut line) = lines.pop() {
        if line[0] == b'S' && line.len() > CUT_SCOPE {
            lines.push(&line[CUT_SCOPE..]);
            line = &line[..CUT_SCOPE];
        }
        let rest = line.get(2..)?;
        let eq = rest.iter().position(|byte| *byte == b'=');
        match (line[0], eq) {
            (b'L', _) => writer.line(text(rest)?.parse().ok()?),
            (b'A', Some(eq)) => writer.assign_text((&frame.0, frame.1, frame.2), &rest[..eq], &rest[eq + 1..]),
            (b'N', Some(eq)) => writer.input_text(&rest[..eq], &rest[eq + 1..]),
            (b'S', _) if line.len() == CUT_SCOPE => frame = ([rest, b"and so on"].concat(), 1, u32::MAX),
            (b'S', _) => {
                let words = text(rest)?;
                let mut words = words.split(' ');
                frame = (words.next()?.as_bytes().to_vec(), words.next()?.parse().ok()?, words.next()?.parse().ok()?);
            }
            _ => return None,
        }
    }
    Some(())
}
