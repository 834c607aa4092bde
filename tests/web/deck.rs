//! The readers of the page: what stays, what is replaced, what can be opened again.

use tapedeck::web::deck::{Deck, DeckEvent};
use tapedeck::web::files::from_text;
use tapedeck_core::model::protocol::{Refusal, Reply};
use wasm_bindgen_test::wasm_bindgen_test;

use crate::support::{Log, bytes, ready, state_answer, state_at, summary, until, worker};

/// A worker that opens what is called good, refuses bad, ignores slow and dies of deadly; asked anything, it answers.
fn reader() -> String {
    let refusal = Refusal {
        kind: "empty".to_owned(),
        what: "The file is empty.".to_owned(),
        place: String::new(),
        advice: "Record it again.".to_owned(),
    };
    worker(&format!(
        "{} onmessage = (event) => {{
            const [id, request] = event.data;
            if (request === 'Ping') return;
            const name = request.Open && request.Open.name;
            if (!name) send(id, {answer});
            else if (name.startsWith('good')) send(id, {opened});
            else if (name.startsWith('bad')) send(id, {refused});
            else if (name.startsWith('deadly')) throw new Error('dead');
            if (name === 'good until asked') onmessage = () => {{ throw new Error('dead'); }};
        }};",
        ready(),
        answer = bytes(&Reply::Answer(Box::new(state_answer(1)))),
        opened = bytes(&Reply::Opened(Box::new(summary("good")))),
        refused = bytes(&Reply::Refused(refusal)),
    ))
}

fn deck() -> (Deck, Log<String>) {
    let log = Log::default();
    let told = log.clone();
    let deck = Deck::new(reader(), move |event| {
        let text = match event {
            DeckEvent::Progress(_) => "progress".to_owned(),
            DeckEvent::Opened { is_again, .. } => format!("opened again={is_again}"),
            DeckEvent::OpenedTrace { is_again, .. } => format!("opened a trace again={is_again}"),
            DeckEvent::TraceChanged(_) => "trace changed".to_owned(),
            DeckEvent::Trace(..) => "trace".to_owned(),
            DeckEvent::Refused(name, refusal) => format!("refused {name}: {}", refusal.kind),
            DeckEvent::SourceRefused(name, _) => format!("source refused {name}"),
            DeckEvent::Source(_) => "source".to_owned(),
            DeckEvent::Answer(..) => "answer".to_owned(),
            DeckEvent::OpeningLost(name, _) => format!("opening lost {name}"),
            DeckEvent::ReaderLost(name, _) => format!("reader lost {name}"),
        };
        told.borrow_mut().push(text);
    });
    (deck, log)
}

async fn hears(log: &Log<String>, expected: &[&str]) {
    until(5000, || log.borrow().len() >= expected.len()).await;
    assert_eq!(*log.borrow(), expected);
}

fn open(deck: &Deck, name: &str) {
    deck.open(from_text(name, "V 2 0.40.0\n").unwrap(), None);
}

#[wasm_bindgen_test]
async fn the_old_tape_answers_until_the_new_one_is_open() {
    let (deck, log) = deck();
    open(&deck, "good");
    hears(&log, &["opened again=false"]).await;
    open(&deck, "slow");
    deck.ask(state_at(1));
    hears(&log, &["opened again=false", "answer"]).await;
    deck.cancel();
    deck.ask(state_at(2));
    hears(&log, &["opened again=false", "answer", "answer"]).await;
    open(&deck, "bad");
    hears(&log, &["opened again=false", "answer", "answer", "refused bad: empty"]).await;
    deck.ask(state_at(3));
    hears(&log, &["opened again=false", "answer", "answer", "refused bad: empty", "answer"]).await;
}

#[wasm_bindgen_test]
async fn opening_in_the_middle_of_opening_gives_the_first_up() {
    let (deck, log) = deck();
    open(&deck, "slow");
    open(&deck, "good");
    open(&deck, "good");
    hears(&log, &["opened again=false"]).await;
    until(200, || log.borrow().len() > 1).await;
    assert_eq!(log.borrow().len(), 1, "only the last one opens");
}

#[wasm_bindgen_test]
async fn a_reader_lost_while_opening_is_told_and_the_next_file_opens() {
    let (deck, log) = deck();
    open(&deck, "deadly");
    hears(&log, &["opening lost deadly"]).await;
    assert_eq!(deck.failed_name().as_deref(), Some("deadly"));
    open(&deck, "good");
    hears(&log, &["opening lost deadly", "opened again=false"]).await;
    assert_eq!(deck.failed_name(), None);
}

#[wasm_bindgen_test]
async fn a_lost_reader_is_told_and_its_file_opens_again() {
    let (deck, log) = deck();
    open(&deck, "good until asked");
    hears(&log, &["opened again=false"]).await;
    deck.ask(state_at(1));
    hears(&log, &["opened again=false", "reader lost good until asked"]).await;
    deck.ask(state_at(2));
    deck.open_again();
    hears(&log, &["opened again=false", "reader lost good until asked", "opened again=true"]).await;
}

#[wasm_bindgen_test]
async fn a_source_needs_a_tape() {
    let (deck, _log) = deck();
    assert!(!deck.add_source(from_text("a.eigs", "x is 1\n").unwrap()));
}
