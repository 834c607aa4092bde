//! Made-up workers and answers.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Function, Promise};
use tapedeck_core::model::Pos;
use tapedeck_core::model::protocol::{Answer, Question, Reply, StateAnswer, StateQuery, TapeSummary, Text};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, Element, Url};

/// The address of a worker with this script. `send(id, bytes)` is there to reply with.
pub(crate) fn worker(script: &str) -> String {
    let text = format!("const send = (id, bytes) => postMessage([id, new Uint8Array(bytes).buffer]);\n{script}");
    let blob = Blob::new_with_str_sequence(&Array::of1(&JsValue::from_str(&text))).unwrap();
    Url::create_object_url_with_blob(&blob).unwrap()
}

/// A reply as a JavaScript array of its bytes.
pub(crate) fn bytes(reply: &Reply) -> String {
    format!("{:?}", postcard::to_stdvec(reply).unwrap())
}

pub(crate) fn ready() -> String {
    format!("send(0, {});", bytes(&Reply::Ready))
}

pub(crate) fn summary(name: &str) -> TapeSummary {
    TapeSummary {
        name: name.to_owned(),
        bytes: 100,
        runtime: Text { text: "0.40.0".to_owned(), lossy: false },
        has_labels: true,
        positions: 10,
        assigns: 3,
        bindings: 2,
        nondet: 1,
        records: 15,
        frames: 1,
        frame_rows: 1,
        sessions: 1,
        issues: Vec::new(),
        index_bytes: 64,
        notes: Vec::new(),
        suggested_pins: Vec::new(),
    }
}

pub(crate) fn state_at(pos: u32) -> Question {
    Question::State(StateQuery { pos: Pos(pos), ..StateQuery::default() })
}

pub(crate) fn state_answer(pos: u32) -> Answer {
    Answer::State(StateAnswer {
        pos: Pos(pos),
        line: 3,
        function: None,
        events_total: 0,
        events: Vec::new(),
        bindings_total: 0,
        bindings: Vec::new(),
        frames_total: 0,
        frames: Vec::new(),
    })
}

/// What a listener heard so far.
pub(crate) type Log<T> = Rc<RefCell<Vec<T>>>;

/// Waits until `enough` holds, for at most so many milliseconds.
pub(crate) async fn until(millis: u32, enough: impl Fn() -> bool) -> bool {
    for _ in 0..millis / 10 {
        if enough() {
            return true;
        }
        sleep(10).await;
    }
    enough()
}

/// Waits.
pub(crate) async fn sleep(millis: i32) {
    let promise = Promise::new(&mut |resolve, _| {
        web_sys::window().unwrap().set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, millis).unwrap();
    });
    JsFuture::from(promise).await.unwrap();
}

/// Presses a key while an element has the focus.
pub(crate) fn press(element: &Element, key: &str) {
    let script = "element.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }))";
    Function::new_with_args("element, key", script).call2(&JsValue::NULL, element, &key.into()).unwrap();
}
