//! Every assignment of the chosen binding.

use std::fmt::Write as _;

use tapedeck_core::model::protocol::{Caution, HistoryRow};
use tapedeck_core::model::{Pos, RowWindow};
use tapedeck_core::timeline::number_text;
use web_sys::Element;
use yew::prelude::*;

use crate::app::context::use_page;
use crate::app::hooks::{RowsSpec, use_rows};
use crate::app::shared::{Row, Shared};
use crate::app::state::{Action, Panel as Rows, Past, Selected};
use crate::app::text;

use super::bindings::caution_text;
use super::panel::Panel;
use super::value::{label_chip, value_cell};

const ROW_PX: f64 = 26.0;
const HEAD_PX: f64 = 24.0;

/// The drawing of the sparkline, in its own units.
const SPARK: (f64, f64) = (300.0, 56.0);

/// What the panel shows.
#[derive(Properties, PartialEq)]
pub struct HistoryProps {
    /// The binding.
    pub selected: Option<Shared<Selected>>,
    /// Its history.
    pub history: Option<Shared<Past>>,
    /// What the tape cannot tell about the binding here.
    pub cautions: Vec<Caution>,
    /// Positions of the tape.
    pub positions: u32,
    /// Whether there is a column of labels.
    pub has_labels: bool,
}

/// The history of the chosen binding.
#[component]
pub fn History(props: &HistoryProps) -> Html {
    let page = use_page();
    let selected = props.selected.as_ref();
    let history = props
        .history
        .as_ref()
        .filter(|history| selected.is_some_and(|selected| selected.stream == history.answer.stream));
    let total = history.map_or(0, |history| history.answer.total);
    let reveal = history.map(|history| history.answer.so_far.saturating_sub(1));
    let on_rows = {
        let send = page.send.clone();
        use_callback((), move |rows: RowWindow, ()| send.emit(Action::RowsSeen(Rows::History, rows)))
    };
    let rows = use_rows(RowsSpec { total, row_px: ROW_PX, head_px: HEAD_PX, reveal }, on_rows);
    let aside = selected.map_or_else(Html::default, |selected| {
        let frame = selected.function.as_ref().map(|function| format!("in {function}"));
        let count = history.map(|history| {
            format!("{} of {}", text::count(u64::from(history.answer.so_far)), text::counted(u64::from(total), "assignment"))
        });
        html! {
            <><b class="panel-name mono">{ &selected.name }</b><span class="panel-sub">{ frame }</span><span class="panel-count">{ count }</span></>
        }
    });
    let body = match (selected, history) {
        (None, _) => html! { <p class="empty">{ "Choose a binding to see when it changed and how." }</p> },
        (Some(_), None) => Html::default(),
        (Some(_), Some(history)) => {
            let answer = &history.answer;
            let shown = rows.render(answer.first..answer.first + answer.rows.len() as u32);
            let at_hand = answer
                .rows
                .get((shown.start - answer.first) as usize..(shown.end - answer.first) as usize)
                .unwrap_or_default();
            let name = AttrValue::from(answer.name.text.clone());
            html! {
                <table class="rows history" aria-rowcount={(total + 1).to_string()}>
                    <colgroup><col class="c-ordinal" /><col class="c-line" /><col />if props.has_labels { <col class="c-label" /> }</colgroup>
                    <thead><tr>
                        <th scope="col" class="right">{ "#" }</th>
                        <th scope="col" class="right" title={text::RECORDED_AT_NOTE}>{ "line" }</th>
                        <th scope="col">{ "value" }</th>
                        if props.has_labels { <th scope="col">{ "trajectory" }</th> }
                    </tr></thead>
                    { rows.blank(&shown, true) }
                    <tbody>{ for at_hand.iter().enumerate().map(|(at, row)| {
                        let place = (shown.start - answer.first) as usize + at;
                        let key = row.ordinal;
                        let is_later = row.ordinal > answer.so_far;
                        let is_now = row.ordinal == answer.so_far;
                        let row = Row::new((*history).clone(), place, |past: &Past| past.answer.rows.as_slice());
                        html! { <Item {key} {row} name={name.clone()} {is_now} {is_later} has_labels={props.has_labels} /> }
                    }) }</tbody>
                    { rows.blank(&shown, false) }
                </table>
            }
        }
    };
    let cautions = props.cautions.iter().map(|caution| html! { <p class="caution">{ caution_text(caution) }</p> });
    html! {
        <Panel name="History" {aside}>
            { for cautions }
            if let Some(history) = history {
                <Sparkline history={history.clone()} positions={props.positions} pos={history.query.pos} />
            }
            <div class="scroll" ref={rows.node.clone()} onscroll={rows.onscroll.clone()}>{ body }</div>
        </Panel>
    }
}

#[derive(Properties, PartialEq)]
struct ItemProps {
    row: Row<Past, HistoryRow>,
    name: AttrValue,
    is_now: bool,
    is_later: bool,
    has_labels: bool,
}

/// A row of the list; drawn again only when what it shows is different.
#[component]
fn Item(props: &ItemProps) -> Html {
    let page = use_page();
    let Some(row) = props.row.get() else { return Html::default() };
    let pos = row.pos;
    let go = page.send.reform(move |_: MouseEvent| Action::Seek(pos));
    let is_now = props.is_now;
    let says =
        format!("Go to assignment {}, position {}", text::count(u64::from(row.ordinal)), text::count(pos.one_based()));
    html! {
        <tr class={classes!(is_now.then_some("now"), props.is_later.then_some("later"))} aria-rowindex={(row.ordinal + 1).to_string()}
            aria-current={is_now.then_some("step")} onclick={go.clone()}>
            <th scope="row" class="right"><button type="button" class="link" aria-label={says.clone()} title={says} onclick={go}>{ text::count(u64::from(row.ordinal)) }</button></th>
            <td class="right faint">{ row.line }</td>
            <td class="wide">{ value_cell(&row.value, row.byte, &props.name, Html::default(), &page.send) }</td>
            if props.has_labels { <td>{ label_chip(row.label) }</td> }
        </tr>
    }
}

#[derive(Properties, PartialEq)]
struct SparklineProps {
    history: Shared<Past>,
    positions: u32,
    pos: Pos,
}

/// The numbers of a binding over the whole run, with the position; a press goes there.
#[component]
fn Sparkline(props: &SparklineProps) -> Html {
    let page = use_page();
    let points = &props.history.answer.sparkline;
    if points.is_empty() {
        return Html::default();
    }
    let finite = || points.iter().flat_map(|(_, min, max)| [*min, *max]).filter(|number| number.is_finite());
    let (low, high) =
        finite().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), number| (low.min(number), high.max(number)));
    if low > high {
        return Html::default();
    }
    let x_of = |pos: u32| f64::from(pos) / f64::from(props.positions.max(2) - 1) * SPARK.0;
    // Halves first: the distance of the two ends may be more than a number can hold.
    let span = high / 2.0 - low / 2.0;
    let y_of = |number: f64| {
        let share = if span > 0.0 { (number.clamp(low, high) / 2.0 - low / 2.0) / span } else { 0.5 };
        SPARK.1 - 3.0 - share * (SPARK.1 - 6.0)
    };
    let mut path = String::with_capacity(points.len() * 24);
    for (at, (pos, min, max)) in points.iter().enumerate() {
        let x = x_of(*pos);
        // Steps, not slopes: a binding keeps its value until it is assigned again.
        let lead = if at == 0 { format!("M{x:.2} ") } else { format!("H{x:.2}V") };
        // Writing to a string does not fail.
        let _ = write!(path, "{lead}{:.2}V{:.2}", y_of(*min), y_of(*max));
    }
    let _ = write!(path, "H{}", SPARK.0);
    let cursor = format!("{:.2}", x_of(props.pos.0));
    let onclick = {
        let (send, last) = (page.send.clone(), props.positions.saturating_sub(1));
        Callback::from(move |event: MouseEvent| {
            let Some(element) =
                event.current_target().and_then(|target| wasm_bindgen::JsCast::dyn_into::<Element>(target).ok())
            else {
                return;
            };
            let place = element.get_bounding_client_rect();
            let share = (f64::from(event.client_x()) - place.left()) / place.width().max(1.0);
            send.emit(Action::Seek(Pos((share.clamp(0.0, 1.0) * f64::from(last)).round() as u32)));
        })
    };
    html! {
        <>
        <div class="spark" {onclick}>
            <svg viewBox={format!("0 0 {} {}", SPARK.0, SPARK.1)} preserveAspectRatio="none" role="img" aria-label={format!("Numbers between {} and {}", number_text(low), number_text(high))}>
                <path d={path} class="spark-line" vector-effect="non-scaling-stroke" />
                <line x1={cursor.clone()} x2={cursor} y1="0" y2={SPARK.1.to_string()} class="spark-cursor" vector-effect="non-scaling-stroke" />
            </svg>
        </div>
        <div class="spark-range"><span title="The smallest number of the whole run">{ format!("least {}", number_text(low)) }</span><span title="The largest number of the whole run">{ format!("greatest {}", number_text(high)) }</span></div>
        </>
    }
}
