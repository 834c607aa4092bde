//! What the reducer must do, action by action.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use tapedeck_core::model::protocol::{JumpAnswer, Text, ValueText};

use tapedeck_core::timeline::scale::MIN_SPAN;

use super::*;

fn range(first: f64, last: f64) -> Range {
    Range { first, last }
}

fn summary(positions: u32) -> TapeSummary {
    TapeSummary {
        name: "a.tape".to_owned(),
        bytes: 100,
        runtime: Text { text: "0.40.0".to_owned(), lossy: false },
        has_labels: true,
        positions,
        assigns: 3,
        bindings: 2,
        nondet: 1,
        records: positions + 5,
        frames: 1,
        frame_rows: 1,
        sessions: 1,
        issues: vec![(IssueKind::Torn, 2)],
        index_bytes: 64,
        notes: Vec::new(),
        suggested_pins: vec![Pin { function: None, name: "temp".to_owned() }],
    }
}

fn opened(positions: u32) -> State {
    let state = reduce(&State::default(), Action::OpenStarted("a.tape".to_owned()));
    reduce(&state, Action::Opened { summary: Box::new(summary(positions)), is_again: false })
}

fn run(state: &State, actions: impl IntoIterator<Item = Action>) -> State {
    actions.into_iter().fold(state.clone(), |state, action| reduce(&state, action))
}

fn pos(state: &State) -> u32 {
    state.tape.as_ref().unwrap().pos.0
}

fn binding(stream: u32, name: &str, function: Option<&str>) -> BindingRow {
    let text = |text: &str| Text { text: text.to_owned(), lossy: false };
    BindingRow {
        stream: StreamId(stream),
        name: text(name),
        value: ValueText { text: "1".to_owned(), bytes: 1, ..ValueText::default() },
        byte: ByteOffset(0),
        assigned_at: Pos(0),
        label: None,
        assigns: 1,
        function: function.map(text),
        serial: 1,
        changed: false,
        cautions: Vec::new(),
    }
}

fn state_answer(pos: u32, bindings: Vec<BindingRow>) -> Answer {
    Answer::State(StateAnswer {
        pos: Pos(pos),
        line: 3,
        function: None,
        events_total: 0,
        events: Vec::new(),
        bindings_total: bindings.len() as u32,
        bindings,
        frames_total: 0,
        frames: Vec::new(),
    })
}

fn asked(state: &State, kind: tapedeck_core::model::protocol::QuestionKind) -> Option<Question> {
    wanted(state).into_iter().find(|question| question.kind() == kind)
}

#[test]
fn a_tape_opens_at_its_first_position_with_the_whole_run_in_view() {
    let state = opened(1083);
    let open = state.tape.as_ref().unwrap();
    assert_eq!((open.pos, open.range), (Pos(0), range(0.0, 1083.0)));
    assert_eq!(open.pins[0].name, "temp");
    assert!(state.opening.is_none() && state.alert.is_none());
}

#[test]
fn the_old_tape_stays_while_another_opens_and_when_it_is_refused() {
    let state = run(&opened(10), [Action::Seek(Pos(4)), Action::OpenStarted("b.tape".to_owned())]);
    assert_eq!(pos(&state), 4);
    let refusal = Refusal {
        kind: "empty".to_owned(),
        what: "The file is empty.".to_owned(),
        place: "byte 0".to_owned(),
        advice: "Record it again.".to_owned(),
    };
    let state = reduce(&state, Action::OpenFailed(Alert::refused("b.tape", &refusal)));
    assert_eq!(pos(&state), 4);
    assert_eq!(state.alert.as_ref().unwrap().title, "b.tape was not opened");
    assert!(state.opening.is_none());
}

#[test]
fn a_new_tape_leaves_nothing_of_the_old_one() {
    let old = run(
        &opened(10),
        [
            Action::Seek(Pos(4)),
            Action::Filtered("te".to_owned()),
            Action::BreakpointToggled(7),
            Action::Chosen(Selected { stream: StreamId(3), name: "temp".to_owned(), function: None }),
        ],
    );
    let state = reduce(&old, Action::Opened { summary: Box::new(summary(5)), is_again: false });
    let open = state.tape.as_ref().unwrap();
    assert_eq!(*open, Open::new(2, summary(5)).with_summary(open.summary.clone()));
}

impl Open {
    fn with_summary(mut self, summary: Shared<TapeSummary>) -> Self {
        self.summary = summary;
        self
    }
}

#[test]
fn the_same_file_opened_again_keeps_the_place() {
    let old = run(&opened(10), [Action::Seek(Pos(4)), Action::BreakpointToggled(7)]);
    let lost = reduce(&old, Action::ReaderLost(Alert::unavailable("a.tape", String::new(), "")));
    assert!(lost.tape.as_ref().unwrap().is_lost);
    assert!(wanted(&lost).is_empty(), "a lost reader is asked nothing");
    let state = reduce(&lost, Action::Opened { summary: Box::new(summary(10)), is_again: true });
    assert_eq!(pos(&state), 4);
    assert!(state.tape.as_ref().unwrap().breakpoints.contains(&7));
    assert!(!state.tape.as_ref().unwrap().is_lost);
}

#[test]
fn steps_stop_at_both_ends() {
    let state = opened(10);
    assert_eq!(pos(&reduce(&state, Action::Step(-1))), 0);
    assert_eq!(pos(&reduce(&state, Action::Step(3))), 3);
    assert_eq!(pos(&reduce(&state, Action::Step(i64::MAX))), 9);
    assert_eq!(pos(&reduce(&state, Action::Last)), 9);
    assert_eq!(pos(&reduce(&state, Action::Seek(Pos(4_000_000_000)))), 9);
}

#[test]
fn no_positions_means_nothing_to_step() {
    let state = run(&opened(0), [Action::Step(1), Action::Last, Action::PlayToggled]);
    let open = state.tape.as_ref().unwrap();
    assert_eq!((open.pos.0, open.is_playing), (0, false));
    let kinds: Vec<_> = wanted(&state).iter().map(Question::kind).collect();
    use tapedeck_core::model::protocol::QuestionKind as Kind;
    assert_eq!(kinds, [Kind::Inputs, Kind::Issues]);
}

#[test]
fn the_range_follows_the_cursor_and_stays_on_the_tape() {
    let state = run(&opened(1000), [Action::RangeChosen(range(100.0, 200.0)), Action::Seek(Pos(150))]);
    assert_eq!(state.tape.as_ref().unwrap().range, range(100.0, 200.0));
    let state = reduce(&state, Action::Seek(Pos(500)));
    assert_eq!(state.tape.as_ref().unwrap().range, range(450.5, 550.5));
    let state = reduce(&state, Action::Last);
    assert_eq!(state.tape.as_ref().unwrap().range, range(900.0, 1000.0));
    let state = reduce(&state, Action::RangeChosen(range(f64::NAN, 3.0)));
    assert_eq!(state.tape.as_ref().unwrap().range, range(0.0, 1000.0));
    let state = reduce(&state, Action::RangeChosen(range(-500.0, 5000.0)));
    assert_eq!(state.tape.as_ref().unwrap().range, range(0.0, 1000.0));
}

#[test]
fn zooming_keeps_the_cursor_where_it_is() {
    let state = run(&opened(1000), [Action::Seek(Pos(249)), Action::Zoomed(0.5)]);
    let Range { first, last } = state.tape.as_ref().unwrap().range;
    assert_eq!(last - first, 500.0);
    assert!(((249.5 - first) / 500.0 - 0.2495).abs() < 1e-9);
    let state = run(&state, std::iter::repeat_n(Action::Zoomed(0.5), 40));
    let Range { first, last } = state.tape.as_ref().unwrap().range;
    assert_eq!(last - first, MIN_SPAN);
    assert!(first <= 249.0 && 250.0 <= last);
}

#[test]
fn playing_moves_by_time_and_stops_at_the_end() {
    let state = run(&opened(100), [Action::SpeedChosen(10.0), Action::PlayToggled, Action::Ticked(50.0)]);
    assert_eq!(pos(&state), 0);
    let state = reduce(&state, Action::Ticked(50.0));
    assert_eq!(pos(&state), 1);
    let state = run(&state, [Action::SpeedChosen(100_000.0), Action::Ticked(16.0)]);
    assert_eq!(pos(&state), 99);
    assert!(!state.tape.as_ref().unwrap().is_playing);
    let state = reduce(&state, Action::PlayToggled);
    assert_eq!(pos(&state), 0, "play at the end begins anew");
}

#[test]
fn answers_to_questions_no_longer_asked_are_dropped() {
    use tapedeck_core::model::protocol::QuestionKind as Kind;
    let state = opened(10);
    let question = asked(&state, Kind::State).unwrap();
    let filtered = reduce(&state, Action::Filtered("x".to_owned()));
    let late = reduce(&filtered, Action::Answered(Box::new(question.clone()), Box::new(state_answer(0, Vec::new()))));
    assert!(late.tape.as_ref().unwrap().moment.is_none());
    let timely = reduce(&state, Action::Answered(Box::new(question), Box::new(state_answer(0, Vec::new()))));
    assert!(timely.tape.as_ref().unwrap().moment.is_some());
}

#[test]
fn the_selection_follows_its_name_into_another_frame() {
    use tapedeck_core::model::protocol::QuestionKind as Kind;
    let state = reduce(
        &opened(10),
        Action::Chosen(Selected { stream: StreamId(3), name: "seen".to_owned(), function: Some("read".to_owned()) }),
    );
    let question = Box::new(asked(&state, Kind::State).unwrap());
    let rows = vec![binding(8, "seen", None), binding(9, "seen", Some("read"))];
    let state = reduce(&state, Action::Answered(question, Box::new(state_answer(0, rows))));
    assert_eq!(state.tape.as_ref().unwrap().selected.as_ref().unwrap().stream, StreamId(9));
}

#[test]
fn a_jump_asks_and_then_moves() {
    use tapedeck_core::model::protocol::QuestionKind as Kind;
    let state = run(&opened(10), [Action::BreakpointToggled(7), Action::Continue(Direction::Forward)]);
    let question = asked(&state, Kind::Jump).unwrap();
    assert_eq!(
        question,
        Question::Jump(JumpQuery {
            from: Pos(0),
            direction: Direction::Forward,
            target: JumpTarget::Breakpoint(vec![7])
        })
    );
    let answer = Answer::Jump(JumpAnswer { pos: Some(Pos(6)), message: None });
    let state = reduce(&state, Action::Answered(Box::new(question), Box::new(answer)));
    assert_eq!(pos(&state), 6);
    assert_eq!(asked(&state, Kind::Jump), None);
}

#[test]
fn a_jump_without_an_end_says_so_and_stays() {
    use tapedeck_core::model::protocol::QuestionKind as Kind;
    let state = run(&opened(10), [Action::ToChange(Direction::Back)]);
    assert!(state.notice.is_some(), "nothing is selected");
    let state = reduce(&state, Action::Continue(Direction::Forward));
    let question = asked(&state, Kind::Jump).unwrap();
    let answer = Answer::Jump(JumpAnswer { pos: None, message: Some("not again".to_owned()) });
    let state = reduce(&state, Action::Answered(Box::new(question), Box::new(answer)));
    assert_eq!((pos(&state), state.notice.as_deref()), (0, Some("not again")));
}

#[test]
fn pins_and_breakpoints_toggle() {
    let pin = Pin { function: None, name: "heat".to_owned() };
    let state = run(&opened(10), [Action::PinToggled(pin.clone()), Action::BreakpointToggled(3)]);
    let open = state.tape.as_ref().unwrap();
    assert_eq!(open.pins.len(), 2);
    assert!(open.breakpoints.contains(&3));
    let state = run(&state, [Action::PinToggled(pin), Action::BreakpointToggled(3)]);
    let open = state.tape.as_ref().unwrap();
    assert_eq!((open.pins.len(), open.breakpoints.len()), (1, 0));
}

#[test]
fn cancelling_keeps_what_was_there() {
    let state = run(&opened(10), [Action::Seek(Pos(2)), Action::OpenStarted("b".to_owned()), Action::OpenCancelled]);
    assert!(state.opening.is_none());
    assert_eq!(pos(&state), 2);
    assert!(state.notice.as_ref().unwrap().contains('b'));
}

#[test]
fn a_value_is_asked_for_while_its_dialog_is_shown() {
    use tapedeck_core::model::protocol::QuestionKind as Kind;
    let state = reduce(&opened(10), Action::DialogShown(Dialog::Value(ByteOffset(12))));
    assert_eq!(asked(&state, Kind::Value), Some(Question::Value { byte: ByteOffset(12) }));
    let state = reduce(&state, Action::DialogShown(Dialog::None));
    assert_eq!(asked(&state, Kind::Value), None);
}

fn artifact() -> ArtifactSummary {
    use tapedeck_core::artifact::Artifact;
    use tapedeck_core::bytes::{Limits, Unwatched};
    let results = br#"{"files":1,"passed":0,"failed":1,"results":[{"file":"t/a.eigs","status":"fail","exit_code":1,"tape":"a.tape"}]}"#;
    let files = [("results.json", &results[..]), ("a.tape", b"V 2 0.40.0\nL 1\n"), ("b.tape", b"V 2 0.40.0\nL 1\n")];
    let files = files.map(|(name, bytes)| (name.to_owned(), bytes.to_vec())).to_vec();
    let artifact = Artifact::open_all(files, &Limits::default(), &mut Unwatched).unwrap();
    ArtifactSummary { name: "results.zip".to_owned(), tree: artifact.tree().clone(), replays: Vec::new() }
}

fn node(state: &State, path: &str) -> NodeId {
    state.artifact.as_ref().unwrap().summary.tree.find(path).unwrap().id
}

fn of_artifact() -> State {
    let started = reduce(&opened(10), Action::OpenStarted("results.zip".to_owned()));
    let artifact =
        Action::ArtifactOpened { summary: Box::new(artifact()), is_again: false, missing: None, remarks: Vec::new() };
    reduce(&started, artifact)
}

fn file_opened(state: &State, path: &str) -> State {
    let node = node(state, path);
    let asked = reduce(state, Action::FileAsked(node));
    reduce(&asked, Action::FileOpened { node, summary: Box::new(summary(10)), is_again: false })
}

#[test]
fn an_artifact_replaces_what_was_open_and_its_failing_test_opens_at_the_end() {
    let state = of_artifact();
    assert!(state.tape.is_none() && state.opening.is_none());
    let failing = file_opened(&state, "a.tape");
    assert_eq!(pos(&failing), 9);
    assert_eq!(failing.artifact.as_ref().unwrap().chosen, Some(node(&state, "a.tape")));
    let other = file_opened(&failing, "b.tape");
    assert_eq!(pos(&other), 0);
    assert_eq!(other.artifact.as_ref().unwrap().opening, None);
    // A file of its own ends the artifact.
    let plain = reduce(&other, Action::Opened { summary: Box::new(summary(5)), is_again: false });
    assert!(plain.artifact.is_none());
}

#[test]
fn a_refused_file_leaves_the_one_before_in_place() {
    let state = file_opened(&of_artifact(), "b.tape");
    let asked = reduce(&state, Action::FileAsked(node(&state, "a.tape")));
    let state = reduce(&asked, Action::FileFailed(Alert::unavailable("a.tape", "It is damaged.".to_owned(), "")));
    assert!(state.tape.is_some() && state.alert.is_some());
    let artifact = state.artifact.as_ref().unwrap();
    assert_eq!((artifact.chosen, artifact.opening), (Some(node(&state, "b.tape")), None));
}

#[test]
fn what_a_link_says_is_what_was_shown() {
    let pin = |name: &str| Pin { function: Some("f".to_owned()), name: name.to_owned() };
    let mut sent = run(
        &opened(1000),
        [
            Action::Seek(Pos(321)),
            Action::RangeChosen(range(300.25, 400.5)),
            Action::BreakpointToggled(7),
            Action::BreakpointToggled(3),
            Action::PinToggled(pin("real")),
            Action::ThemeChosen(Theme::Dark),
        ],
    );
    sent.tape.as_mut().unwrap().wanted_selection = Some(pin("seen"));
    let link = link_state::view(&sent);
    assert_eq!((link.position, link.range), (Some(322), Some((301, 401))));
    let started = reduce(&State::default(), Action::OpenStarted("b.tape".to_owned()));
    let source = Source::Url { url: "https://example.org/b.tape".to_owned(), sha256: None };
    let read = Action::LinkRead { link: Box::new(link.clone()), remarks: Vec::new(), origin: Some(source.clone()) };
    let opened = Action::Opened { summary: Box::new(summary(1000)), is_again: false };
    let received = run(&started, [read, opened]);
    assert_eq!(link_state::view(&received), link);
    assert_eq!(received.origin.as_deref(), Some(&source));
    // The colours of a link are not the receiver's own choice.
    assert!(received.is_theme_of_link && received.theme == Theme::Dark);
    // And the next file has no part in that link.
    let next = run(
        &received,
        [Action::OpenStarted("c".to_owned()), Action::Opened { summary: Box::new(summary(1000)), is_again: false }],
    );
    assert_eq!((next.origin.clone(), pos(&next)), (None, 0));
}

#[test]
fn a_link_past_the_end_says_so_and_shows_the_last_position() {
    let link = tapedeck_core::link::Link { position: Some(99), ..Default::default() };
    let state = reduce(&opened(10), Action::LinkRead { link: Box::new(link), remarks: Vec::new(), origin: None });
    assert_eq!(pos(&state), 9);
    assert!(state.notice.unwrap().contains("names position 99, and this tape has 10 positions"));
}

#[test]
fn a_view_waits_for_its_recording_and_beats_the_end_of_a_failing_test() {
    let link = tapedeck_core::link::Link { position: Some(4), file: Some("a.tape".to_owned()), ..Default::default() };
    let read = Action::LinkRead { link: Box::new(link), remarks: vec!["It was changed.".to_owned()], origin: None };
    let waiting = reduce(&State::default(), read);
    let artifact =
        Action::ArtifactOpened { summary: Box::new(artifact()), is_again: false, missing: None, remarks: Vec::new() };
    let state = file_opened(&reduce(&waiting, artifact), "a.tape");
    assert_eq!(pos(&state), 3);
    assert!(state.alert.unwrap().what.contains("It was changed."));
}

#[test]
fn a_selection_of_a_link_is_made_when_the_binding_is_seen() {
    let mut state = opened(10);
    state.tape.as_mut().unwrap().wanted_selection = Some(Pin { function: None, name: "far".to_owned() });
    let asked = wanted(&state);
    let Some(Question::State(query)) = asked.first().cloned() else { panic!("{asked:?}") };
    assert!(query.bindings.count >= 4096, "a link's binding is looked for among few rows");
    let answer = StateAnswer {
        pos: Pos(0),
        line: 1,
        function: None,
        events_total: 0,
        events: Vec::new(),
        bindings_total: 2,
        bindings: vec![binding(1, "near", None), binding(2, "far", None)],
        frames_total: 0,
        frames: Vec::new(),
    };
    let state = reduce(&state, Action::Answered(Box::new(Question::State(query)), Box::new(Answer::State(answer))));
    let open = state.tape.unwrap();
    assert_eq!((open.selected.unwrap().stream, open.wanted_selection), (StreamId(2), None));
}

#[test]
fn jumps_are_counted_and_steps_are_not() {
    let state = run(&opened(100), [Action::Step(1), Action::Scrubbed(Pos(50)), Action::Scrubbed(Pos(60))]);
    assert_eq!(state.jumps, 0);
    assert_eq!(run(&state, [Action::First, Action::First, Action::Last, Action::Seek(Pos(5))]).jumps, 3);
}

#[test]
fn a_link_that_holds_the_tape_is_asked_for_only_while_it_is_shared() {
    let state = opened(10);
    let asks = |state: &State| wanted(state).iter().any(|question| matches!(question, Question::Share(_)));
    assert!(!asks(&state));
    let shared = reduce(&state, Action::DialogShown(Dialog::Share));
    assert!(asks(&shared));
    assert!(!asks(&reduce(&shared, Action::DialogShown(Dialog::None))));
    // Without a tape there is nothing to share.
    assert_eq!(reduce(&State::default(), Action::DialogShown(Dialog::Share)).dialog, Dialog::None);
}
