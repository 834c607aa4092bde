//! What components put on the page, and what they send when used.

use std::collections::BTreeSet;
use std::rc::Rc;

use tapedeck::app::components::{AlertBox, Bindings, FirstScreen, KeysSheet, OpeningBox, Source, ValueDialog};
use tapedeck::app::components::{AlertProps, BindingsProps, OpeningProps, SourceProps, ValueDialogProps};
use tapedeck::app::context::{Context, Door};
use tapedeck::app::keys::SHORTCUTS;
use tapedeck::app::shared::Shared;
use tapedeck::app::state::{Action, Alert, Moment, Opening, Windowed};
use tapedeck_core::model::protocol::{
    BindingRow, Caution, Label, LinesAnswer, Progress, SourceSummary, StateAnswer, StateQuery, StreamId, Text,
    ValueAnswer, ValueText, ValueTree,
};
use tapedeck_core::model::{ByteOffset, Pos, RowWindow};
use wasm_bindgen::JsCast;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

use crate::support::{Log, press, sleep};

#[derive(Properties, PartialEq)]
struct StageProps {
    context: Context,
    children: Html,
}

#[component]
fn Stage(props: &StageProps) -> Html {
    html! { <ContextProvider<Context> context={props.context.clone()}>{ props.children.clone() }</ContextProvider<Context>> }
}

/// A rendered component: where it is, and what it sent.
struct Shown {
    root: Element,
    actions: Log<Action>,
    doors: Log<String>,
}

impl Shown {
    fn one(&self, selector: &str) -> HtmlElement {
        self.root.query_selector(selector).unwrap().unwrap_or_else(|| panic!("no {selector}")).unchecked_into()
    }

    fn all(&self, selector: &str) -> Vec<HtmlElement> {
        let list = self.root.query_selector_all(selector).unwrap();
        (0..list.length()).map(|at| list.get(at).unwrap().unchecked_into()).collect()
    }

    fn text(&self, selector: &str) -> String {
        self.one(selector).text_content().unwrap_or_default()
    }

    fn button(&self, name: &str) -> HtmlElement {
        let named = |button: &HtmlElement| {
            button.get_attribute("aria-label").or_else(|| button.text_content()).is_some_and(|text| text.trim() == name)
        };
        self.all("button").into_iter().find(named).unwrap_or_else(|| panic!("no button {name}"))
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        self.root.remove();
    }
}

async fn show<C>(props: C::Properties) -> Shown
where
    C: BaseComponent,
{
    let document = web_sys::window().unwrap().document().unwrap();
    let root = document.create_element("div").unwrap();
    document.body().unwrap().append_child(&root).unwrap();
    let (actions, doors): (Log<Action>, Log<String>) = Default::default();
    let (sent, passed) = (actions.clone(), doors.clone());
    let context = Context {
        send: Callback::from(move |action| sent.borrow_mut().push(action)),
        door: Callback::from(move |door: Door| passed.borrow_mut().push(format!("{door:?}"))),
        work: Callback::noop(),
    };
    let children = html! { <C ..props /> };
    yew::Renderer::<Stage>::with_root_and_props(root.clone(), StageProps { context, children }).render();
    sleep(50).await;
    Shown { root, actions, doors }
}

fn text(text: &str) -> Text {
    Text { text: text.to_owned(), lossy: false }
}

fn value(text: &str) -> ValueText {
    ValueText { text: text.to_owned(), bytes: text.len() as u32, ..ValueText::default() }
}

fn binding(stream: u32, name: &str, of: &str) -> BindingRow {
    BindingRow {
        stream: StreamId(stream),
        name: text(name),
        value: value(of),
        byte: ByteOffset(stream),
        assigned_at: Pos(0),
        label: None,
        assigns: 1,
        function: None,
        serial: 1,
        changed: false,
        cautions: Vec::new(),
    }
}

fn moment(line: i32, bindings: Vec<BindingRow>) -> Shared<Moment> {
    let answer = StateAnswer {
        pos: Pos(4),
        line,
        function: Some(text("read_sensor")),
        events_total: 0,
        events: Vec::new(),
        bindings_total: bindings.len() as u32,
        bindings,
        frames_total: 0,
        frames: Vec::new(),
    };
    let query = StateQuery { pos: Pos(4), bindings: RowWindow { first: 0, count: 64 }, ..StateQuery::default() };
    Shared::new(Moment { query, answer })
}

#[wasm_bindgen_test]
async fn the_first_screen_has_doors_that_lead_somewhere() {
    let shown = show::<FirstScreen>(yew::props!(tapedeck::app::components::FirstScreenProps {})).await;
    shown.button("Open a file").click();
    shown.button("Paste").click();
    assert_eq!(*shown.doors.borrow(), ["Pick"]);
    assert_eq!(shown.actions.borrow().len(), 1);
    assert!(shown.text("footer").contains("Nothing is uploaded"));
}

#[wasm_bindgen_test]
async fn an_alert_says_what_where_and_what_next() {
    let alert = Alert {
        title: "a.tape was not opened".to_owned(),
        what: "The tape has no header.".to_owned(),
        place: "byte 0, line 1".to_owned(),
        advice: "Record it again.".to_owned(),
        can_retry: true,
    };
    let shown = show::<AlertBox>(AlertProps { alert: Shared::new(alert), can_dismiss: true }).await;
    let said = shown.text("[role=alert]");
    for part in ["a.tape was not opened", "no header", "byte 0, line 1", "Record it again."] {
        assert!(said.contains(part), "{part} in {said}");
    }
    shown.button("Open it again").click();
    shown.button("Dismiss").click();
    assert_eq!(*shown.doors.borrow(), ["Again"]);
    assert_eq!(*shown.actions.borrow(), [Action::AlertDismissed]);
}

#[wasm_bindgen_test]
async fn an_opening_shows_how_far_it_is_and_can_be_cancelled() {
    let progress = Progress { stage: "Reading".to_owned(), done: 25.0, total: 100.0, is_silent: false };
    let opening = Opening { name: Rc::from("a.tape"), progress: Some(Shared::new(progress)) };
    let shown = show::<OpeningBox>(OpeningProps { opening }).await;
    assert_eq!(shown.one("[role=progressbar]").get_attribute("aria-valuenow").as_deref(), Some("25"));
    shown.button("Cancel").click();
    assert_eq!(*shown.doors.borrow(), ["Cancel"]);
}

#[wasm_bindgen_test]
async fn bindings_are_rows_with_value_label_and_cautions() {
    let mut temp = binding(3, "temp", "0.10000000000000001");
    temp.label = Some(Label::Diverging);
    temp.changed = true;
    let mut hits = binding(4, "hits", "1");
    hits.cautions = vec![Caution::MayBeOuter];
    let props = BindingsProps {
        moment: Some(moment(10, vec![temp, hits])),
        selected: None,
        pins: Rc::new(Vec::new()),
        filter: Rc::from(""),
        has_labels: true,
    };
    let shown = show::<Bindings>(props).await;
    assert!(shown.root.query_selector("section[aria-label=Bindings]").unwrap().is_some());
    assert_eq!(shown.all("tbody th[scope=row]").len(), 2);
    assert_eq!(shown.text(".val"), "0.10000000000000001");
    assert_eq!(shown.text(".lab"), "diverging");
    assert!(shown.all("tr.changed").len() == 1 && shown.text("tr.changed").contains("temp"));
    assert!(shown.text("tbody").contains("maybe an outer one"));
    shown.button("temp").click();
    shown.button("Pin temp").click();
    let sent = shown.actions.borrow();
    assert!(sent.iter().any(|action| matches!(action, Action::Chosen(chosen) if chosen.stream == StreamId(3))));
    assert!(sent.iter().any(|action| matches!(action, Action::PinToggled(pin) if pin.name == "temp")));
}

#[wasm_bindgen_test]
async fn without_labels_there_is_no_column_of_them() {
    let props = BindingsProps {
        moment: Some(moment(10, vec![binding(3, "temp", "1")])),
        selected: None,
        pins: Rc::new(Vec::new()),
        filter: Rc::from(""),
        has_labels: false,
    };
    let shown = show::<Bindings>(props).await;
    let heads: Vec<_> = shown.all("thead th").iter().map(|head| head.text_content().unwrap_or_default()).collect();
    assert!(!heads.iter().any(|head| head == "trajectory"), "{heads:?}");
}

fn source_props(line: i32) -> SourceProps {
    let source = SourceSummary {
        name: "a.eigs".to_owned(),
        lines: (1..=5).map(|at| format!("x is {at}")).collect(),
        positions_past_end: 0,
        cautions: Vec::new(),
        issues: Vec::new(),
    };
    let lines = LinesAnswer { total: 1, rows: vec![(3, 7)] };
    SourceProps {
        source: Some(Shared::new(source)),
        lines: Some(Shared::new(Windowed { rows: RowWindow { first: 0, count: 100 }, answer: lines })),
        moment: Some(moment(line, Vec::new())),
        breakpoints: Rc::new(BTreeSet::from([2])),
    }
}

#[wasm_bindgen_test]
async fn the_source_marks_the_current_line_visits_and_breakpoints() {
    let shown = show::<Source>(source_props(3)).await;
    let current = shown.one("tr[aria-current=step]").text_content().unwrap_or_default();
    assert!(current.contains("x is 3") && current.contains('7'), "{current}");
    assert_eq!(shown.button("Breakpoint on line 2").get_attribute("aria-pressed").as_deref(), Some("true"));
    shown.button("Breakpoint on line 4").click();
    assert!(shown.actions.borrow().contains(&Action::BreakpointToggled(4)));
}

#[wasm_bindgen_test]
async fn a_line_past_the_end_of_the_source_is_dimmed() {
    let shown = show::<Source>(source_props(9)).await;
    let dim = shown.text("tr.dim");
    assert!(dim.contains('9') && dim.contains("past the end of a.eigs"), "{dim}");
}

#[wasm_bindgen_test]
async fn a_nested_value_is_a_tree_that_opens_by_key() {
    let tree = ValueTree::List(vec![ValueTree::Number("1e300".to_owned()), ValueTree::List(vec![ValueTree::Null])]);
    let answer = ValueAnswer {
        byte: ByteOffset(7),
        name: text("x"),
        raw: text("[1e300, [null]]"),
        tree: Some(tree),
        cut: Default::default(),
        bytes: 15,
    };
    let shown = show::<ValueDialog>(ValueDialogProps { byte: ByteOffset(7), value: Some(Shared::new(answer)) }).await;
    assert_eq!(shown.all("[role=treeitem]").len(), 3);
    let tree = shown.one("[role=tree]");
    for key in ["ArrowDown", "ArrowDown", "ArrowRight"] {
        press(&tree, key);
        sleep(30).await;
    }
    assert_eq!(shown.all("[role=treeitem]").len(), 4);
    assert_eq!(shown.all("[role=treeitem]")[2].get_attribute("aria-expanded").as_deref(), Some("true"));
    shown.button("Show the raw text").click();
    sleep(30).await;
    assert_eq!(shown.text("pre"), "[1e300, [null]]");
}

#[wasm_bindgen_test]
async fn the_sheet_lists_every_key_of_the_table() {
    let shown = show::<KeysSheet>(()).await;
    let keys: Vec<_> = shown.all("kbd").iter().map(|key| key.text_content().unwrap_or_default()).collect();
    let bound: Vec<_> =
        SHORTCUTS.iter().flat_map(|shortcut| shortcut.chords).map(|(chord, _)| chord.shown.to_owned()).collect();
    assert_eq!(keys.len(), bound.len());
    for key in bound {
        assert!(keys.contains(&key), "{key}");
    }
}
