//! One worker: what is sent, what is heard, how it dies.

use js_sys::{ArrayBuffer, Uint8Array};
use tapedeck::web::bridge::{Bridge, Death, Heard};
use tapedeck_core::model::protocol::{Question, Reply, Request};
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::support::{Log, bytes, ready, state_answer, state_at, until, worker};

fn listened(url: &str) -> (Bridge, Log<Heard>) {
    let bridge = Bridge::start(url).unwrap();
    let log = Log::default();
    let heard = log.clone();
    bridge.listen(move |event| heard.borrow_mut().push(event));
    (bridge, log)
}

fn death(log: &Log<Heard>) -> Option<Death> {
    log.borrow().iter().find_map(|heard| match heard {
        Heard::Died(death) => Some(death.clone()),
        _ => None,
    })
}

fn answered(log: &Log<Heard>) -> Vec<Question> {
    let heard = log.borrow();
    heard
        .iter()
        .filter_map(|heard| match heard {
            Heard::Answer(question, _) => Some((**question).clone()),
            _ => None,
        })
        .collect()
}

fn answering(after_millis: u32, ready_after_millis: u32) -> String {
    let answer = bytes(&Reply::Answer(Box::new(state_answer(1))));
    worker(&format!(
        "setTimeout(() => {{ {} }}, {ready_after_millis});
         onmessage = (event) => {{ if (typeof event.data[1] === 'object') setTimeout(() => send(event.data[0], {answer}), {after_millis}); }};",
        ready()
    ))
}

#[wasm_bindgen_test]
async fn what_is_asked_before_the_worker_is_ready_is_not_lost() {
    let (bridge, log) = listened(&answering(0, 80));
    bridge.ask(state_at(1));
    assert!(until(3000, || !answered(&log).is_empty()).await);
    assert_eq!(answered(&log), [state_at(1)]);
}

#[wasm_bindgen_test]
async fn of_many_questions_the_newest_wins() {
    let (bridge, log) = listened(&answering(60, 0));
    for pos in 1..=50 {
        bridge.ask(state_at(pos));
    }
    assert!(until(3000, || answered(&log).len() >= 2).await);
    assert_eq!(answered(&log), [state_at(1), state_at(50)]);
}

#[wasm_bindgen_test]
async fn a_buffer_is_moved_and_not_copied() {
    let (bridge, _log) = listened(&worker(&ready()));
    let buffer = Uint8Array::from([1_u8, 2, 3].as_slice()).buffer();
    bridge.send(&Request::Open { name: "a".to_owned() }, Some(buffer.clone().into()));
    let buffer: ArrayBuffer = buffer.unchecked_into();
    assert!(until(3000, || buffer.byte_length() == 0).await);
}

#[wasm_bindgen_test]
async fn a_panic_is_told_with_its_text_and_ends_the_worker() {
    let panicked = bytes(&Reply::Panicked("boom".to_owned()));
    let late = bytes(&Reply::Pong);
    let (bridge, log) = listened(&worker(&format!(
        "{} onmessage = () => {{ send(0, {panicked}); send(0, {late}); throw new Error('unreachable'); }};",
        ready()
    )));
    bridge.ask(state_at(1));
    assert!(until(3000, || death(&log).is_some()).await);
    assert_eq!(death(&log), Some(Death::Panicked("boom".to_owned())));
    assert!(bridge.is_over());
    let heard = log.borrow().len();
    bridge.ask(state_at(2));
    until(100, || false).await;
    assert_eq!(log.borrow().len(), heard, "nothing is heard of a dead worker");
}

#[wasm_bindgen_test]
async fn an_error_in_the_worker_is_a_crash() {
    let (bridge, log) =
        listened(&worker(&format!("{} onmessage = () => {{ throw new Error('out of paper'); }};", ready())));
    bridge.ask(state_at(1));
    assert!(until(3000, || death(&log).is_some()).await);
    assert!(matches!(death(&log), Some(Death::Crashed(text)) if text.contains("out of paper")));
}

#[wasm_bindgen_test]
async fn a_worker_that_cannot_start_says_so() {
    let (_bridge, log) = listened(&worker("importScripts('./no-such-file.js');"));
    assert!(until(3000, || death(&log).is_some()).await);
    assert!(matches!(death(&log), Some(Death::Unstartable(_))));
}

#[wasm_bindgen_test]
async fn a_message_that_cannot_be_read_ends_the_worker() {
    let (_bridge, log) = listened(&worker(&format!("{} send(0, [250, 1, 2]);", ready())));
    assert!(until(3000, || death(&log).is_some()).await);
    assert!(matches!(death(&log), Some(Death::Crashed(_))));
}

#[wasm_bindgen_test]
async fn a_worker_that_says_nothing_any_more_is_given_up() {
    let (bridge, log) = listened(&worker(&format!("{} onmessage = () => {{ for (;;); }};", ready())));
    bridge.ask(state_at(1));
    assert!(until(14_000, || death(&log).is_some()).await);
    assert_eq!(death(&log), Some(Death::Silent));
}

#[wasm_bindgen_test]
async fn a_worker_that_answers_pings_is_left_alone() {
    let pong = bytes(&Reply::Pong);
    let (bridge, log) = listened(&worker(&format!(
        "{} onmessage = (event) => {{ if (event.data[1] === 'Ping') send(event.data[0], {pong}); }};",
        ready()
    )));
    bridge.ask(state_at(1));
    until(10_000, || death(&log).is_some()).await;
    assert_eq!(death(&log), None, "busy is not dead");
}
