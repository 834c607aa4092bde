//! Two tapes compared: against an aligner that fills the whole table, and for what people compare (one draw differs, nothing
//! differs, one is cut short, too much differs).

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use proptest::prelude::*;
use tapedeck_core::bytes::Unwatched;
use tapedeck_core::compare::{BlockKind, Bounds, Comparison, bindings, compare};
use tapedeck_core::model::protocol::{
    CompareAnswer, CompareQuery, CompareVerdict, ComparedBindingsQuery, Side, StateQuery,
};
use tapedeck_core::model::{Pos, RowWindow};
use tapedeck_core::tape::synth::{Shape, tape};
use tapedeck_core::tape::write::{TapeWriter, Value};
use tapedeck_core::tape::{Tape, TapeBuilder};

const ALL: RowWindow = RowWindow { first: 0, count: 10_000 };

fn open(bytes: &[u8]) -> Tape {
    TapeBuilder::from_vec(bytes.to_vec()).unwrap().finish("t".into(), Vec::new()).unwrap()
}

fn compared(left: &Tape, right: &Tape) -> (Comparison, CompareAnswer) {
    let comparison = compare(left, right, Bounds::default(), &mut Unwatched).unwrap();
    let query = CompareQuery { blocks: ALL, inputs: ALL, marks: 100, ..CompareQuery::default() };
    let answer = comparison.answer(left, right, &query);
    (comparison, answer)
}

/// A run whose third draw is `draw`: a loop that goes on until the sum of draws is above a limit.
fn run_with(draw: f64) -> Vec<u8> {
    let mut writer = TapeWriter::new("0.40.0");
    let module: (&[u8], i32, u32) = (b"<module>", 0, 1);
    let mut sum = 0.0;
    for (round, number) in [0.5, 0.25, draw, 0.75, 0.125, 0.5].into_iter().enumerate() {
        writer.line(2);
        writer.assign(module, b"round", &Value::Number(round as f64));
        writer.line(3);
        writer.input(b"random", &Value::Number(number));
        writer.assign(module, b"x", &Value::Number(number));
        sum += number;
        writer.line(4);
        writer.assign(module, b"sum", &Value::Number(sum));
        if sum > 1.5 {
            writer.line(5);
            break;
        }
    }
    writer.line(7);
    writer.into_bytes()
}

#[test]
fn a_single_draw_that_differs_is_named_as_the_cause() {
    let (left, right) = (open(&run_with(0.5)), open(&run_with(0.875)));
    let (_, answer) = compared(&left, &right);
    assert_eq!(answer.verdict, CompareVerdict::Differ);
    let first = answer.first.unwrap();
    assert_eq!((first.last_equal, first.left, first.kind), (Some((Pos(6), Pos(6))), Some(Pos(7)), BlockKind::Values));
    assert_eq!(first.sentence, "On line 3 the input `random` gave 0.5 on the left and 0.875 on the right.");
    let cause = answer.cause.unwrap();
    assert_eq!((cause.left.unwrap().ordinal, cause.right.unwrap().ordinal), (3, 3));
    assert!(answer.cause_sentence.starts_with("The likely cause: `random` at position 8 (line 3)"));
    // The left goes one round further: its draw is an input that the right does not have.
    assert_eq!(answer.inputs_total, 2);
    assert!(answer.left_only > 0 && answer.right_only == 0);
}

#[test]
fn what_no_input_explains_is_said_to_be_off_the_tapes() {
    let text = |x: &str| format!("V 2 0.40.0\nL 1\nA x={x}\nL 2\nN random={x}\nL 3\n");
    let (_, answer) = compared(&open(text("1").as_bytes()), &open(text("2").as_bytes()));
    assert_eq!(answer.cause, None);
    assert!(answer.cause_sentence.contains("not on the tapes"), "{}", answer.cause_sentence);
    assert_eq!(answer.first.unwrap().sentence, "On line 1 `x` becomes 1 on the left and 2 on the right.");
}

#[test]
fn serials_and_junk_do_not_make_a_run_another() {
    let left = open(b"V 2 0.40.0\nL 1\nS f 1 7\nA x=1\nL 2\n");
    let right = open(b"V 2 0.40.0\nL 1\nS f 1 9\nA x=1\nQ junk\n\nL 2\n");
    let (comparison, answer) = compared(&left, &right);
    assert!(comparison.is_identical());
    assert_eq!(answer.verdict, CompareVerdict::Identical);
    assert!(answer.sentence.contains("identical"), "{}", answer.sentence);
    let other = open(b"V 2 0.40.0\nL 1\nS g 1 7\nA x=1\nL 2\n");
    assert_eq!(compared(&left, &other).1.verdict, CompareVerdict::Differ);
}

#[test]
fn a_run_cut_at_any_byte_is_told_from_one_that_went_another_way() {
    let whole_bytes = run_with(0.5);
    let whole = open(&whole_bytes);
    for cut in 12..whole_bytes.len() {
        let part = open(&whole_bytes[..cut]);
        let lost = &whole_bytes[cut..];
        let (_, answer) = compared(&whole, &part);
        // A line feed alone tells nothing, and neither does the frame of an assignment that is not there.
        let is_same = lost == b"\n";
        let expected = if is_same { CompareVerdict::Identical } else { CompareVerdict::CutShort(Side::Right) };
        assert_eq!(answer.verdict, expected, "cut at byte {cut}: {}", answer.sentence);
        let (_, answer) = compared(&part, &whole);
        let expected = if is_same { CompareVerdict::Identical } else { CompareVerdict::CutShort(Side::Left) };
        assert_eq!(answer.verdict, expected, "cut at byte {cut}, the other way round");
    }
}

#[test]
fn what_is_too_different_is_said_to_be() {
    let tape_of = |lines: &mut dyn Iterator<Item = i32>| {
        let mut writer = TapeWriter::new("0.40.0");
        lines.for_each(|line| writer.line(line));
        open(&writer.into_bytes())
    };
    let (left, right) = (tape_of(&mut (1..40_000)), tape_of(&mut (100_000..140_000)));
    let bounds = Bounds { edits: 500, ..Bounds::default() };
    let comparison = compare(&left, &right, bounds, &mut Unwatched).unwrap();
    let answer = comparison.answer(&left, &right, &CompareQuery::default());
    assert_eq!(answer.verdict, CompareVerdict::TooDifferent);
    assert!(answer.sentence.contains("more than 500"), "{}", answer.sentence);
}

#[test]
fn linked_cursors_follow_the_pairs() {
    let left = open(b"V 2 0.40.0\nL 1\nL 2\nL 3\nL 4\n");
    let right = open(b"V 2 0.40.0\nL 1\nL 9\nL 8\nL 2\nL 4\n");
    let (comparison, _) = compared(&left, &right);
    let partners: Vec<_> = (0..4).map(|pos| comparison.partner(Side::Left, Pos(pos))).collect();
    assert_eq!(partners, [(Pos(0), true), (Pos(3), true), (Pos(3), false), (Pos(4), true)]);
    let partners: Vec<_> = (0..5).map(|pos| comparison.partner(Side::Right, Pos(pos))).collect();
    assert_eq!(partners, [(Pos(0), true), (Pos(0), false), (Pos(0), false), (Pos(1), true), (Pos(3), true)]);
}

#[test]
fn bindings_stand_side_by_side_with_those_that_differ_first() {
    let mut left = open(b"V 2 0.40.0\nL 1\nA a=1\nA b=2\nA c=<list:2>\nA only=1\n");
    let mut right = open(b"V 2 0.40.0\nL 1\nA a=1\nA b=3\nA c=<list:2>\nA mine=1\n");
    let query = ComparedBindingsQuery { left: Pos(0), right: Pos(0), rows: ALL };
    let answer = bindings(&mut left, &mut right, &query).unwrap();
    let names: Vec<_> = answer
        .rows
        .iter()
        .map(|row| (row.left.as_ref().or(row.right.as_ref()).unwrap().name.text.as_str(), row.differs))
        .collect();
    assert_eq!(
        names,
        [("b", Some(true)), ("only", Some(true)), ("mine", Some(true)), ("c", None), ("a", Some(false)),]
    );
    assert_eq!((answer.total, answer.differing), (5, 3));
}

#[test]
fn many_small_edits_of_a_long_run_are_found_one_by_one() {
    let bytes = tape(100_000, Shape::Loop);
    let lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let mut edited: Vec<u8> = Vec::new();
    let mut changed = 0;
    let mut skip = 0;
    for (i, line) in lines.iter().enumerate() {
        if i % 1000 == 500 {
            changed += 1;
            match i / 1000 % 3 {
                0 => skip = 6,
                1 => edited.extend_from_slice(b"L 77\nA extra=1\nL 78\nA extra=2\n"),
                _ => edited.extend_from_slice(b"A extra=3\n"),
            }
        }
        // Records of frames stay: without them everything after would be of another frame.
        if skip > 0 && line[0] != b'S' {
            skip -= 1;
        } else {
            edited.extend_from_slice(line);
        }
    }
    let (left, right) = (open(&bytes), open(&edited));
    let (_, answer) = compared(&left, &right);
    assert!((changed..changed * 3).contains(&answer.blocks_total), "{} stretches", answer.blocks_total);
    let differing = answer.values + answer.left_only + answer.right_only;
    assert!(differing < changed * 8, "{differing} positions differ");
    assert!(answer.marks_left.len() > 90, "{} ticks", answer.marks_left.len());
}

/// A position as the naive aligner sees it: line, function, depth, events.
type Seen = (i32, String, i32, Vec<Vec<u8>>);

fn seen(tape: &mut Tape) -> Vec<Seen> {
    let records: Vec<Vec<u8>> = tape.bytes().split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    let mut events: Vec<Vec<Vec<u8>>> = Vec::new();
    let mut before: Vec<Vec<u8>> = Vec::new();
    for record in records {
        match record.first() {
            Some(b'L') => events.push(std::mem::take(&mut before)),
            Some(b'A' | b'N') => match events.last_mut() {
                Some(own) => own.push(record),
                None => before.push(record),
            },
            _ => {}
        }
    }
    (0..tape.positions())
        .map(|pos| {
            let state = tape.state(&StateQuery { pos: Pos(pos), frames: ALL, ..StateQuery::default() }).unwrap();
            let function = state.function.map(|function| function.text).unwrap_or_default();
            let depth = state.frames.first().map_or(0, |frame| frame.depth);
            (state.line, function, depth, events[pos as usize].clone())
        })
        .collect()
}

/// The most pairs of one shape, and among those the most of one content: the whole table, nothing trimmed.
fn naive(left: &[Seen], right: &[Seen]) -> (u32, u32) {
    let mut table = vec![vec![(0, 0); right.len() + 1]; left.len() + 1];
    for i in (0..left.len()).rev() {
        for j in (0..right.len()).rev() {
            let mut best = table[i + 1][j].max(table[i][j + 1]);
            let (a, b) = (&left[i], &right[j]);
            if (a.0, &a.1, a.2) == (b.0, &b.1, b.2) {
                let after = table[i + 1][j + 1];
                best = best.max((after.0 + 1, after.1 + u32::from(a.3 == b.3)));
            }
            table[i][j] = best;
        }
    }
    table[0][0]
}

#[derive(Clone, Debug)]
enum Step {
    Line(i32),
    Assign(usize, i32),
    Input(i32),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (1_i32..6).prop_map(Step::Line),
        3 => (0_usize..4, 0_i32..3).prop_map(|(frame, number)| Step::Assign(frame, number)),
        1 => (0_i32..3).prop_map(Step::Input),
    ]
}

fn write(steps: &[Step]) -> Vec<u8> {
    let frames: [(&[u8], i32, u32); 4] = [(b"<module>", 0, 1), (b"f", 1, 2), (b"g", 1, 3), (b"f", 2, 4)];
    let mut writer = TapeWriter::new("0.40.0");
    for step in steps {
        match step {
            Step::Line(line) => writer.line(*line),
            Step::Assign(frame, number) => writer.assign(frames[*frame], b"x", &Value::Number(f64::from(*number))),
            Step::Input(number) => writer.input(b"random", &Value::Number(f64::from(*number))),
        }
    }
    writer.into_bytes()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn small_tapes_are_aligned_as_a_naive_aligner_aligns_them(
        steps in proptest::collection::vec(step(), 0..60),
        edits in proptest::collection::vec((any::<proptest::sample::Index>(), proptest::option::of(step())), 0..8),
        other in proptest::option::weighted(0.2, proptest::collection::vec(step(), 0..60)),
    ) {
        let mut changed = steps.clone();
        for (index, step) in edits {
            if changed.is_empty() {
                break;
            }
            let at = index.index(changed.len());
            match step {
                Some(step) => changed.insert(at, step),
                None => {
                    changed.remove(at);
                }
            }
        }
        let (mut left, mut right) = (open(&write(&steps)), open(&write(&other.unwrap_or(changed))));
        let (mine, yours) = (seen(&mut left), seen(&mut right));
        let (pairs, equal) = naive(&mine, &yours);
        let first = mine.iter().zip(&yours).take_while(|(a, b)| a == b).count() as u32;
        for bounds in [Bounds::default(), Bounds { cells: 0, gram: 2, edits: 1000 }, Bounds { cells: 6, gram: 3, edits: 2 }] {
            let comparison = compare(&left, &right, bounds, &mut Unwatched).unwrap();
            // The blocks cover both tapes in order, and say of each pair what is true of it.
            let (mut i, mut j, mut found_pairs, mut found_equal) = (0, 0, 0, 0);
            for block in &comparison.blocks {
                prop_assert_eq!((block.left, block.right), (i, j));
                if matches!(block.kind, BlockKind::Same | BlockKind::Values) {
                    prop_assert_eq!(block.left_len, block.right_len);
                    for t in 0..block.left_len {
                        let (a, b) = (&mine[(i + t) as usize], &yours[(j + t) as usize]);
                        prop_assert_eq!((a.0, &a.1, a.2), (b.0, &b.1, b.2));
                        prop_assert_eq!(a.3 == b.3, block.kind == BlockKind::Same);
                        found_pairs += 1;
                        found_equal += u32::from(a.3 == b.3);
                    }
                }
                (i, j) = (i + block.left_len, j + block.right_len);
            }
            prop_assert_eq!((i, j), (left.positions(), right.positions()));
            if bounds == Bounds::default() {
                prop_assert_eq!((found_pairs, found_equal), (pairs, equal));
            } else {
                prop_assert!(found_pairs <= pairs);
            }
            // However it was aligned, the first divergence is the same.
            let answer = comparison.answer(&left, &right, &CompareQuery::default());
            let last_equal = answer.first.as_ref().map(|first| first.last_equal);
            let is_identical = mine == yours;
            prop_assert_eq!(answer.first.is_none(), is_identical);
            if !is_identical {
                let expected = first.checked_sub(1).map(|last| (Pos(last), Pos(last)));
                prop_assert_eq!(last_equal, Some(expected));
            }
        }
    }
}
