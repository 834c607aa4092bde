//! The timeline in a real browser: what it says to those who do not see it, what the pointer does, what it asks the reader.

use std::cell::RefCell;
use std::rc::Rc;

use tapedeck::app::components::timeline::Timeline;
use tapedeck::app::shared::Shared;
use tapedeck_core::model::Pos;
use tapedeck_core::model::protocol::{Answer, Minimap, Pin, Question, TimelineSlice};
use tapedeck_core::tape::{Tape, TapeBuilder};
use tapedeck_core::timeline::{Range, Slicer};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::{Element, HtmlCanvasElement, HtmlElement};
use yew::prelude::*;

/// What the timeline told the page.
#[derive(Default)]
struct Told {
    seeks: Vec<Pos>,
    ranges: Vec<Range>,
    questions: Vec<Question>,
    unpinned: Vec<Pin>,
}

/// A page that holds its own tape.
#[derive(Properties)]
struct HostProps {
    tape: Rc<RefCell<(Tape, Slicer)>>,
    told: Rc<RefCell<Told>>,
}

impl PartialEq for HostProps {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.tape, &other.tape)
    }
}

#[component]
fn Host(props: &HostProps) -> Html {
    let summary = use_memo((), |()| Shared::new(props.tape.borrow().0.summary()));
    let pos = use_state(|| Pos(0));
    let range = use_state(|| Range::whole(summary.positions));
    let slice = use_state(|| None::<Shared<TimelineSlice>>);
    let minimap = use_state(|| None::<Shared<Minimap>>);
    let pins = use_state(|| Rc::new(vec![Pin { function: None, name: "x".into() }]));
    let on_seek = {
        let (pos, told) = (pos.clone(), Rc::clone(&props.told));
        Callback::from(move |to| {
            told.borrow_mut().seeks.push(to);
            pos.set(to);
        })
    };
    let on_range = {
        let (range, told) = (range.clone(), Rc::clone(&props.told));
        Callback::from(move |to| {
            told.borrow_mut().ranges.push(to);
            range.set(to);
        })
    };
    let on_ask = {
        let (slice, minimap) = (slice.clone(), minimap.clone());
        let (tape, told) = (Rc::clone(&props.tape), Rc::clone(&props.told));
        Callback::from(move |question: Question| {
            let (tape, slicer) = &mut *tape.borrow_mut();
            match slicer.answer(tape, &question) {
                Some(Answer::Timeline(answer)) => slice.set(Some(Shared::new(answer))),
                Some(Answer::Minimap(answer)) => minimap.set(Some(Shared::new(answer))),
                other => panic!("{other:?}"),
            }
            told.borrow_mut().questions.push(question);
        })
    };
    let on_unpin = {
        let (pins, told) = (pins.clone(), Rc::clone(&props.told));
        Callback::from(move |pin: Pin| {
            pins.set(Rc::new(pins.iter().filter(|other| **other != pin).cloned().collect()));
            told.borrow_mut().unpinned.push(pin);
        })
    };
    html! {
        <Timeline summary={(*summary).clone()} has_marks={false} pos={*pos} line={Some(7)} function={None::<AttrValue>}
            range={*range} slice={(*slice).clone()} minimap={(*minimap).clone()} pins={(*pins).clone()} colours={0}
            {on_seek} {on_range} {on_ask} {on_unpin} />
    }
}

/// A mounted timeline; gone when dropped.
struct Mounted {
    root: Element,
    told: Rc<RefCell<Told>>,
    app: Option<yew::AppHandle<Host>>,
}

impl Mounted {
    async fn new(tape: &[u8]) -> Self {
        let document = web_sys::window().unwrap().document().unwrap();
        let root: HtmlElement = document.create_element("div").unwrap().unchecked_into();
        // As the style sheet lays it out, which tests do not load.
        root.style().set_property("width", "1020px").unwrap();
        let style = document.create_element("style").unwrap();
        style.set_text_content(Some(
            ".tl-names{display:none} .tl-area{position:relative} .tl-canvas{position:absolute;inset:0;width:100%;height:100%}",
        ));
        root.append_child(&style).unwrap();
        let inner = document.create_element("div").unwrap();
        root.append_child(&inner).unwrap();
        document.body().unwrap().append_child(&root).unwrap();
        let tape = TapeBuilder::from_vec(tape.to_vec()).unwrap().finish("test.tape".into(), Vec::new()).unwrap();
        let told = Rc::new(RefCell::new(Told::default()));
        let props = HostProps { tape: Rc::new(RefCell::new((tape, Slicer::new()))), told: Rc::clone(&told) };
        let app = yew::Renderer::<Host>::with_root_and_props(inner, props).render();
        let mounted = Self { root: root.into(), told, app: Some(app) };
        for _ in 0..4 {
            frame().await;
        }
        mounted
    }

    fn slider(&self) -> HtmlElement {
        self.root.query_selector("[role=slider][aria-label=Timeline]").unwrap().unwrap().unchecked_into()
    }

    fn attribute(&self, name: &str) -> Option<String> {
        self.slider().get_attribute(name)
    }

    /// Dispatches an event of the pointer or the wheel at a place of the area; whether its default was prevented.
    fn event(&self, class: &str, kind: &str, x: f64, y: f64, rest: &str) -> bool {
        let body = format!(
            "const box = el.getBoundingClientRect();
             const event = new {class}('{kind}', {{bubbles: true, cancelable: true, pointerId: 7, button: 0, buttons: 1,
                 pointerType: 'mouse', clientX: box.left + {x}, clientY: box.top + {y}, {rest}}});
             return !el.dispatchEvent(event);"
        );
        let dispatch = js_sys::Function::new_with_args("el", &body);
        dispatch.call1(&JsValue::NULL, &self.slider()).unwrap().as_bool().unwrap()
    }

    fn pointer(&self, kind: &str, x: f64, y: f64) {
        self.event("PointerEvent", kind, x, y, "");
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        if let Some(app) = self.app.take() {
            app.destroy();
        }
        self.root.remove();
    }
}

/// Waits for an animation frame to be over.
async fn frame() {
    let promise = js_sys::Promise::new(&mut |resolve, _| {
        let after = js_sys::Function::new_with_args("resolve", "requestAnimationFrame(() => setTimeout(resolve, 0))");
        after.call1(&JsValue::NULL, &resolve).unwrap();
    });
    wasm_bindgen_futures::JsFuture::from(promise).await.unwrap();
}

/// 1,000 positions on a plot of 1,000 pixels from x = 8 on.
fn tape() -> Vec<u8> {
    let mut out = b"V 2 0.40.0\n".to_vec();
    for line in 0..1000 {
        out.extend_from_slice(format!("L {}\nA x={}\n", line % 50 + 1, line % 13).as_bytes());
    }
    out
}

const RULER_Y: f64 = 50.0;

#[wasm_bindgen_test]
async fn it_is_a_slider_that_says_where_it_is() {
    let mounted = Mounted::new(&tape()).await;
    let attributes = ["aria-valuemin", "aria-valuemax", "aria-valuenow", "aria-valuetext", "tabindex"];
    let values = attributes.map(|name| mounted.attribute(name).unwrap());
    assert_eq!(values, ["0", "999", "0", "1 of 1,000, line 7", "0"]);
    mounted.pointer("pointerdown", 508.5, RULER_Y);
    frame().await;
    frame().await;
    assert_eq!(mounted.attribute("aria-valuenow").unwrap(), "500");
    assert_eq!(mounted.attribute("aria-valuetext").unwrap(), "501 of 1,000, line 7");
}

#[wasm_bindgen_test]
async fn without_positions_it_says_so() {
    let mounted = Mounted::new(b"V 2 0.40.0\n").await;
    let values = ["aria-valuemax", "aria-valuenow", "aria-valuetext"].map(|name| mounted.attribute(name).unwrap());
    assert_eq!(values, ["0", "0", "no positions"]);
    mounted.pointer("pointerdown", 300.0, RULER_Y);
    frame().await;
    let told = mounted.told.borrow();
    assert!(told.seeks.is_empty() && told.questions.is_empty());
}

#[wasm_bindgen_test]
async fn scrubbing_seeks_once_an_animation_frame() {
    let mounted = Mounted::new(&tape()).await;
    mounted.pointer("pointerdown", 108.5, RULER_Y);
    for step in 0..100 {
        mounted.pointer("pointermove", 108.5 + f64::from(step), RULER_Y);
    }
    assert!(mounted.told.borrow().seeks.is_empty());
    frame().await;
    assert_eq!(mounted.told.borrow().seeks, [Pos(199)]);
    mounted.pointer("pointerup", 207.5, RULER_Y);
    mounted.pointer("pointermove", 600.0, RULER_Y);
    frame().await;
    assert_eq!(mounted.told.borrow().seeks.len(), 1);
    assert!(mounted.told.borrow().ranges.is_empty());
}

#[wasm_bindgen_test]
async fn the_wheel_zooms_and_the_page_does_not_scroll() {
    let mounted = Mounted::new(&tape()).await;
    assert!(mounted.event("WheelEvent", "wheel", 258.0, 100.0, "deltaY: -100"));
    // A pinch on a trackpad comes with Ctrl, and zooms at the same speed.
    assert!(mounted.event("WheelEvent", "wheel", 258.0, 100.0, "deltaY: -100, ctrlKey: true"));
    frame().await;
    let range = mounted.told.borrow().ranges.last().copied().unwrap();
    let expected = 1000.0 * (-0.8_f64).exp();
    assert!((range.span() - expected).abs() < 1.0, "{range:?}");
    // What was under the pointer stays there.
    let place = (250.0 - range.first) / range.span();
    assert!((place - 0.25).abs() < 0.01, "{range:?}");
    mounted.event("MouseEvent", "dblclick", 258.0, 100.0, "");
    frame().await;
    assert!(mounted.told.borrow().ranges.last().unwrap().is_whole(1000));
}

#[wasm_bindgen_test]
async fn it_asks_for_what_is_visible_and_not_again_for_what_it_has() {
    let mounted = Mounted::new(&tape()).await;
    let count = || mounted.told.borrow().questions.len();
    let minimaps =
        mounted.told.borrow().questions.iter().filter(|question| matches!(question, Question::Minimap { .. })).count();
    assert_eq!(minimaps, 1);
    assert!(mounted.told.borrow().questions.iter().any(|question| match question {
        Question::Timeline(query) => query.first == 0.0 && query.last == 1000.0 && query.pins.len() == 1,
        _ => false,
    }));
    let before = count();
    mounted.pointer("pointerdown", 508.5, RULER_Y);
    mounted.pointer("pointermove", 608.5, RULER_Y);
    frame().await;
    assert_eq!(count(), before, "scrubbing needs no slice");
    mounted.pointer("pointerup", 608.5, RULER_Y);
    mounted.event("WheelEvent", "wheel", 508.0, 100.0, "deltaY: -200");
    frame().await;
    assert_eq!(count(), before + 1, "zooming needs a finer one");
    mounted.event("WheelEvent", "wheel", 508.0, 100.0, "deltaX: 20");
    frame().await;
    assert_eq!(count(), before + 1, "the margin serves a small pan");
}

#[wasm_bindgen_test]
async fn the_canvases_have_a_pixel_for_each_of_the_screen_and_are_drawn_on() {
    let mounted = Mounted::new(&tape()).await;
    let dpr = web_sys::window().unwrap().device_pixel_ratio();
    let height = mounted.slider().get_bounding_client_rect().height();
    let canvases = mounted.root.query_selector_all("canvas").unwrap();
    assert_eq!(canvases.length(), 2);
    for idx in 0..2 {
        let canvas: HtmlCanvasElement = canvases.item(idx).unwrap().unchecked_into();
        assert_eq!(f64::from(canvas.width()), (1020.0 * dpr).round());
        assert!((f64::from(canvas.height()) - height * dpr).abs() <= 1.0);
        let context: web_sys::CanvasRenderingContext2d = canvas.get_context("2d").unwrap().unwrap().unchecked_into();
        let data =
            context.get_image_data(0.0, 0.0, f64::from(canvas.width()), f64::from(canvas.height())).unwrap().data();
        let drawn = data.0.chunks_exact(4).filter(|pixel| pixel[3] > 0).count();
        assert!(drawn > 100, "layer {idx}: {drawn} pixels");
    }
}

#[wasm_bindgen_test]
async fn a_track_goes_by_its_button() {
    let mounted = Mounted::new(&tape()).await;
    let button: HtmlElement =
        mounted.root.query_selector("button[aria-label='Unpin x']").unwrap().unwrap().unchecked_into();
    let height = mounted.slider().offset_height();
    button.click();
    frame().await;
    frame().await;
    assert_eq!(mounted.told.borrow().unpinned.len(), 1);
    assert!(mounted.root.query_selector("button[aria-label='Unpin x']").unwrap().is_none());
    assert!(mounted.slider().offset_height() < height);
}

#[wasm_bindgen_test]
async fn deeper_frame_rows_are_scrolled_to_and_asked_for() {
    let mut tape = b"V 2 0.40.0\nL 1\nS <module> 0 1\nA x=1\n".to_vec();
    for depth in 1..20 {
        tape.extend_from_slice(format!("L {depth}\nS down {depth} {}\nA x=1\n", depth + 1).as_bytes());
    }
    let mounted = Mounted::new(&tape).await;
    let button: HtmlElement = mounted.root.query_selector(".tl-deeper").unwrap().unwrap().unchecked_into();
    let rows = || match mounted.told.borrow().questions.last() {
        Some(Question::Timeline(query)) => (query.first_frame_row, query.frame_rows),
        other => panic!("{other:?}"),
    };
    assert_eq!((button.text_content().unwrap().as_str(), rows()), ("12 deeper", (0, 12)));
    for expected in [("4 deeper", (4, 16)), ("to the top", (8, 12)), ("12 deeper", (0, 12))] {
        button.click();
        frame().await;
        assert_eq!((button.text_content().unwrap().as_str(), rows()), expected);
    }
}

#[wasm_bindgen_test]
async fn nothing_is_told_once_it_is_gone() {
    let mounted = Mounted::new(&tape()).await;
    let slider = mounted.slider();
    let told = Rc::clone(&mounted.told);
    mounted.pointer("pointerdown", 508.5, RULER_Y);
    drop(mounted);
    frame().await;
    assert!(told.borrow().seeks.is_empty());
    let move_on =
        js_sys::Function::new_with_args("el", "el.dispatchEvent(new PointerEvent('pointerdown', {button: 0}))");
    move_on.call1(&JsValue::NULL, &slider).unwrap();
    frame().await;
    assert!(told.borrow().seeks.is_empty());
}
