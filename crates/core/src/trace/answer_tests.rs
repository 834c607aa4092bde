//! Tests of the answers about an opened trace.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
use super::*;
use crate::trace::PyError;
use crate::trace::replay::{Outcome, ToolBox, replay_step};
use crate::trace::rng_state::RngState;
use crate::trace::value::Object;

/// Answers with its argument `give`; fails when there is none.
struct Give;

impl ToolBox for Give {
    fn accepts_seed(&self, tool: &str) -> Option<bool> {
        (tool == "give").then_some(true)
    }
    fn call(&mut self, _tool: &str, args: &mut Object, _seed: Option<&Value>, _rng: &mut RngState) -> Outcome {
        match args.get("give") {
            Some(value) => Outcome::Returned(value.clone()),
            None => Outcome::Raised(PyError::new("KeyError", "'give'")),
        }
    }
}

fn state() -> String {
    let words: Vec<String> = (0..624).map(|n| n.to_string()).collect();
    let words = words.join(",");
    format!(
        "{{\"python\": [3, [{words},624], null], \"numpy\": {{\"kind\": \"MT19937\", \"keys\": [{words}], \"position\": 7, \"has_gauss\": 0, \"cached_gaussian\": 0.0}}}}"
    )
}

fn step(tool: &str, args: &str, result: &str) -> String {
    let state = state();
    format!(
        "{{\"tool\": \"{tool}\", \"args\": {args}, \"seed\": 5, \"result\": {result}, \"succeeded\": true, \"state_before\": {{\"stage\": \"plan\"}}, \"state_after\": {{\"stage\": \"sample\"}}, \"rng_state_before\": {state}, \"rng_state_after\": {state}}}"
    )
}

fn deck(steps: &[String]) -> TraceDeck {
    let text = format!("{{\"request\": \"r\", \"steps\": [{}]}}", steps.join(","));
    TraceDeck::open("t.json".into(), text.as_bytes(), Vec::new(), &mut |_| {}).unwrap()
}

/// Runs every step as the tools worker does, message by message.
fn replay(deck: &mut TraceDeck) -> ReplayState {
    let mut state = deck.begin_replay(None);
    let mut first = 0;
    loop {
        let (count, packed) = deck.batch(first, 3);
        if count == 0 {
            return state;
        }
        let mut unpacker = Unpacker::new(&packed);
        let mut packer = Packer::new();
        for step in first..first + count {
            let recorded = unpacker.step().unwrap();
            let ran = Ran::from(replay_step(&recorded, &mut Give));
            packer.ran(&RanStep { step, ran, source: Some(ToolSource::Shipped) });
        }
        state = deck.take_outcomes(&packer.finish());
        first += count;
    }
}

fn ask_step(deck: &TraceDeck, step: u32) -> StepAnswer {
    match deck.answer(&TraceQuestion::Step { step }) {
        Ok(TraceAnswer::Step(answer)) => *answer,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_replay_in_batches_ends_in_one_sentence() {
    let good = || step("give", "{\"give\": [0.5, 1]}", "[0.5, 1]");
    let mut all_good = deck(&[good(), good(), good(), good(), good()]);
    let state = replay(&mut all_good);
    assert_eq!((state.done, state.identical, state.verdict), (5, 5, Mark::Identical));
    assert_eq!(state.sentence, "identical: 5 of 5 steps");
    let mut tampered = deck(&[
        good(),
        step("fetch", "{}", "1"),
        good(),
        step("give", "{\"give\": [0.5, 1]}", "[0.5000000000000001, 1]"),
    ]);
    let state = replay(&mut tampered);
    assert_eq!((state.identical, state.different, state.not_proven, state.first), (2, 1, 1, Some(3)));
    assert!(state.sentence.starts_with("different: step 4 give, result[0], 1 ULP"), "{}", state.sentence);
    assert_eq!(
        tampered.answer(&TraceQuestion::NextDifference { from: 0, direction: Direction::Forward }),
        Ok(TraceAnswer::NextDifference { step: Some(3) })
    );
    let answer = ask_step(&tampered, 3);
    assert_eq!(answer.headline, "Different: result[0], 1 ULP.");
    let result = answer.checks.iter().find(|check| check.what == "result").unwrap();
    assert_eq!((result.mark, result.says.as_str()), (Mark::Different, "result[0], 1 ULP"));
    assert!(answer.checks.iter().filter(|check| check.mark == Mark::Different).count() == 1);
    let not_replayed = ask_step(&tampered, 1);
    assert_eq!(not_replayed.headline, "Not replayed: there is no tool 'fetch'; mixle would raise KeyError.");
}

#[test]
fn a_step_shows_its_states_as_changes() {
    let deck = deck(&[step("give", "{}", "null")]);
    let answer = ask_step(&deck, 0);
    let state = answer.state.unwrap();
    assert_eq!(
        (state.change_count, state.changes[0].left.as_deref(), state.changes[0].right.as_deref()),
        (1, Some("\"plan\""), Some("\"sample\""))
    );
    let rng = answer.rng.unwrap();
    assert_eq!((rng.python.before.as_str(), rng.numpy.after.as_str(), rng.numpy.has_moved), ("624", "7", false));
    let which = WordsOf { is_numpy: true, is_after: true, is_replayed: false };
    match deck.answer(&TraceQuestion::Words { step: 0, which }) {
        Ok(TraceAnswer::Words(words)) => assert_eq!((words.words.len(), words.words[623].as_str()), (624, "623")),
        other => panic!("{other:?}"),
    }
    assert!(deck.answer(&TraceQuestion::Step { step: 1 }).is_err());
}

#[test]
fn one_step_alone_and_a_cancelled_replay_say_so() {
    let mut deck = deck(&[step("give", "{\"give\": 1}", "1"), step("give", "{\"give\": 1}", "2")]);
    deck.begin_replay(Some(1));
    let mut packer = Packer::new();
    let recorded = deck.recorded(1).unwrap().clone();
    packer.ran(&RanStep { step: 1, ran: replay_step(&recorded, &mut Give).into(), source: None });
    let state = deck.take_outcomes(&packer.finish());
    assert_eq!((state.done, state.sentence.as_str()), (1, "step 2 give is different: result"));
    deck.begin_replay(None);
    let state = deck.stopped(0, "stopped after 5 s".into());
    assert_eq!((state.done, state.sentence.as_str()), (1, ""));
    let state = deck.cancelled();
    assert_eq!(state.sentence, "not proven: step 1 give: stopped after 5 s (and 1 more)");
}

#[test]
fn files_say_the_same_as_the_page() {
    let mut deck = deck(&[step("give", "{\"give\": 1}", "1"), step("give", "{\"give\": 1.5}", "2.5")]);
    assert!(deck.export(Export::Replayed).is_err() && deck.export(Export::DiffJson { is_compare: false }).is_err());
    replay(&mut deck);
    let (name, _, bytes) = deck.export(Export::Replayed).unwrap();
    assert_eq!(name, "t.replayed.json");
    assert!(String::from_utf8(bytes.clone()).unwrap().contains("\"result\": 1.5"));
    let (_, _, json) = deck.export(Export::DiffJson { is_compare: false }).unwrap();
    let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(json["diff"], serde_json::json!([[1, "give"]]));
    assert_eq!(json["rows"][0]["differences"][0]["pointer"], "/result");
    let (_, _, markdown) = deck.export(Export::DiffMarkdown { is_compare: false }).unwrap();
    let markdown = String::from_utf8(markdown).unwrap();
    assert!(markdown.contains("` 2.5 ` | ` 1.5 `"), "{markdown}");
    let sentence = deck.compare_with("r.json".into(), &bytes).unwrap();
    assert_eq!(sentence, "different: mixle's diff has 1 row");
    match deck.answer(&TraceQuestion::Compare { rows: RowWindow { first: 0, count: 10 } }) {
        Ok(TraceAnswer::Compare(answer)) => {
            assert_eq!((answer.total, answer.rows[0].index, answer.rows[0].count), (1, 1, 1));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_session_grows_and_its_file_is_a_trace() {
    let mut deck = TraceDeck::session("try".into(), "7");
    assert_eq!((deck.summary().kind, deck.summary().steps), (TraceKind::Session, 0));
    let recorded = deck_step();
    let mut packer = Packer::new();
    packer.step(&recorded);
    assert!(deck.add_step(&packer.finish()) && !deck.add_step(b"\xff"));
    deck.name_request("named".into());
    let (_, _, bytes) = deck.export(Export::Trace).unwrap();
    let again = TraceDeck::open("x.json".into(), &bytes, Vec::new(), &mut |_| {}).unwrap();
    assert_eq!((again.summary().steps, again.summary().request.text.as_str()), (1, "\"named\""));
    assert_eq!(replay(&mut deck).sentence, "identical: 1 of 1 step");
}

fn deck_step() -> TraceStep {
    deck(&[step("give", "{\"give\": 1}", "1")]).recorded(0).unwrap().clone()
}

#[test]
fn lists_and_records_open_and_say_what_they_are() {
    let record = "{\"prompt\": \"p\", \"steps\": [{\"tool\": \"t\", \"args\": {}, \"result\": 1, \"verdict\": {\"ok\": true}}], \"outcome\": null, \"provenance\": {\"step_seeds\": [4]}}";
    let open = |text: &str| TraceDeck::open("x".into(), text.as_bytes(), Vec::new(), &mut |_| {});
    let deck = open(record).unwrap();
    let summary = deck.summary();
    assert_eq!((summary.kind, summary.without_state), (TraceKind::Record, 1));
    assert!(summary.notes.iter().any(|note| note == NOT_REPLAYABLE));
    let answer = ask_step(&deck, 0);
    assert_eq!(
        (answer.seed.as_str(), answer.record_extras),
        ("4", vec![("recorded verdict".to_owned(), "{\"ok\": true}".to_owned())])
    );
    let mut list = open(&format!("[{record}, {{\"request\": 1, \"steps\": [], \"steps\": null}}]")).unwrap();
    assert_eq!((list.summary().items.len(), list.summary().chosen, list.summary().issues), (2, None, 1));
    list.choose(Some(1));
    assert_eq!(list.summary().kind, TraceKind::Trace);
    let refusal = open("{\"a\": [1,\n 2,]}").unwrap_err();
    assert_eq!((refusal.kind.as_str(), refusal.place.as_str()), ("not-json", "line 2, column 4, byte 13"));
    assert_eq!(open("[1]").unwrap_err().kind, "not-a-trace");
}

#[test]
fn a_document_over_the_limit_is_refused_by_its_size() {
    assert!(refuse_size(MAX_TRACE_BYTES).is_none());
    assert_eq!(refuse_size(MAX_TRACE_BYTES + 1).unwrap().kind, "too-large");
}

#[test]
fn bars_share_when_there_are_too_many_steps() {
    let steps: Vec<String> = (0..10).map(|_| "{\"tool\": \"t\", \"succeeded\": false}".to_owned()).collect();
    let deck = deck(&steps);
    let bars = |bars: u32| match deck.answer(&TraceQuestion::Bars { first: 0, count: 10, bars }) {
        Ok(TraceAnswer::Bars(bars)) => bars,
        other => panic!("{other:?}"),
    };
    assert_eq!(bars(10).len(), 10);
    let shared = bars(4);
    assert_eq!(shared.iter().map(|bar| bar.count).collect::<Vec<_>>(), [3, 3, 3, 1]);
    assert!(shared[0].tool.is_empty() && shared[3].tool == "t" && shared[0].has_failed);
}
