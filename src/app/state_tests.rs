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
