//! Every binding that is visible at the position.

use std::rc::Rc;

use tapedeck_core::model::RowWindow;
use tapedeck_core::model::protocol::{BindingRow, Caution, Pin};
use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::app::context::use_page;
use crate::app::hooks::{RowsSpec, use_rows};
use crate::app::shared::{Row, Shared};
use crate::app::state::{Action, Moment, Panel as Rows, Selected};
use crate::app::text;

use super::icon::{Icon, icon};
use super::panel::Panel;
use super::value::{label_chip, value_cell};

/// Height of a row, in CSS px; the style sheet says the same.
const ROW_PX: f64 = 26.0;
const HEAD_PX: f64 = 24.0;

/// What the panel shows.
#[derive(Properties, PartialEq)]
pub struct BindingsProps {
    /// What is true at the position.
    pub moment: Option<Shared<Moment>>,
    /// The binding whose history is shown.
    pub selected: Option<Shared<Selected>>,
    /// What is kept in view.
    pub pins: Rc<Vec<Pin>>,
    /// The filter of names.
    pub filter: Rc<str>,
    /// Whether there is a column of labels.
    pub has_labels: bool,
}

/// The bindings.
#[component]
pub fn Bindings(props: &BindingsProps) -> Html {
    let page = use_page();
    let total = props.moment.as_ref().map_or(0, |moment| moment.answer.bindings_total);
    let on_rows = {
        let send = page.send.clone();
        use_callback((), move |rows: RowWindow, ()| send.emit(Action::RowsSeen(Rows::Bindings, rows)))
    };
    let rows = use_rows(RowsSpec { total, row_px: ROW_PX, head_px: HEAD_PX, reveal: None }, on_rows);

    let oninput = {
        let send = page.send.clone();
        Callback::from(move |event: InputEvent| {
            if let Some(field) = event.target_dyn_into::<HtmlInputElement>() {
                send.emit(Action::Filtered(field.value()));
            }
        })
    };
    let aside = html! {
        <>
            <input type="search" class="filter" aria-label="Filter bindings by name" placeholder="filter by name" value={props.filter.to_string()} {oninput} spellcheck="false" />
            <span class="panel-count">{ if total > 0 { text::count(u64::from(total)) } else { String::new() } }</span>
        </>
    };

    let Some(moment) = &props.moment else {
        return html! { <Panel name="Bindings" {aside}><div class="scroll" ref={rows.node.clone()}></div></Panel> };
    };
    let first = moment.query.bindings.first;
    let shown = rows.render(first..first + moment.answer.bindings.len() as u32);
    let at_hand =
        moment.answer.bindings.get((shown.start - first) as usize..(shown.end - first) as usize).unwrap_or_default();
    let onkeydown = {
        let (send, moment, selected) = (page.send.clone(), moment.clone(), props.selected.clone());
        Callback::from(move |event: KeyboardEvent| {
            let by: isize = match event.key().as_str() {
                "ArrowDown" => 1,
                "ArrowUp" => -1,
                _ => return,
            };
            let rows = &moment.answer.bindings;
            let now = selected.as_ref().and_then(|selected| rows.iter().position(|row| row.stream == selected.stream));
            let next = now.map_or(Some(0), |now| now.checked_add_signed(by));
            if let Some(row) = next.and_then(|next| rows.get(next)) {
                event.prevent_default();
                send.emit(Action::Chosen(Selected::of(row)));
            }
        })
    };
    let empty = if props.filter.is_empty() {
        "Nothing is assigned yet. Step forward to see bindings appear.".to_owned()
    } else {
        format!("No binding's name here contains “{}”.", props.filter)
    };
    html! {
        <Panel name="Bindings" {aside}>
            <div class="scroll" ref={rows.node.clone()} onscroll={rows.onscroll.clone()} {onkeydown}>
                if total == 0 {
                    <p class="empty">{ empty }</p>
                } else {
                    <table class="rows bindings" aria-rowcount={(total + 1).to_string()}>
                        <colgroup><col class="c-name" /><col />if props.has_labels { <col class="c-label" /> }<col class="c-set" /><col class="c-frame" /></colgroup>
                        <thead><tr>
                            <th scope="col">{ "name" }</th><th scope="col">{ "value" }</th>
                            if props.has_labels { <th scope="col">{ "trajectory" }</th> }
                            <th scope="col" class="right set">{ "set" }</th><th scope="col" class="frame">{ "frame" }</th>
                        </tr></thead>
                        { rows.blank(&shown, true) }
                        <tbody>
                            { for at_hand.iter().enumerate().map(|(at, row)| {
                                let idx = shown.start + at as u32;
                                let pos = moment.answer.pos.0;
                                // A row that changed here is a new element at every position, so that its flash plays once each time.
                                let key = if row.changed { format!("{}@{pos}", row.stream.0) } else { row.stream.0.to_string() };
                                let is_chosen = props.selected.as_ref().is_some_and(|selected| selected.stream == row.stream);
                                let is_pinned = props.pins.iter().any(|pin| is_pin_of(pin, row));
                                let row = Row::new(moment.clone(), (idx - first) as usize, |moment: &Moment| moment.answer.bindings.as_slice());
                                html! { <Item {key} {row} {idx} {is_chosen} {is_pinned} has_labels={props.has_labels} /> }
                            }) }
                        </tbody>
                        { rows.blank(&shown, false) }
                    </table>
                }
            </div>
        </Panel>
    }
}

fn is_pin_of(pin: &Pin, row: &BindingRow) -> bool {
    pin.name == row.name.text && pin.function.as_ref() == row.function.as_ref().map(|function| &function.text)
}

#[derive(Properties, PartialEq)]
struct ItemProps {
    row: Row<Moment, BindingRow>,
    idx: u32,
    is_chosen: bool,
    is_pinned: bool,
    has_labels: bool,
}

/// A row of the table; drawn again only when what it shows is different.
#[component]
fn Item(props: &ItemProps) -> Html {
    let page = use_page();
    let send = &page.send;
    let Some(row) = props.row.get() else { return Html::default() };
    let chosen = Selected::of(row);
    let pin = chosen.pin();
    let choose = {
        let send = send.clone();
        Callback::from(move |_: MouseEvent| send.emit(Action::Chosen(chosen.clone())))
    };
    let onpin = {
        let send = send.clone();
        Callback::from(move |event: MouseEvent| {
            event.stop_propagation();
            send.emit(Action::PinToggled(pin.clone()));
        })
    };
    let pin_says = format!("{} {}", if props.is_pinned { "Unpin" } else { "Pin" }, row.name.text);
    let function = row.function.as_ref().map(|function| function.text.clone());
    html! {
        <tr class={classes!(row.changed.then_some("changed"), props.is_chosen.then_some("chosen"))} aria-rowindex={(props.idx + 2).to_string()} onclick={choose.clone()}>
            <th scope="row">
                <button type="button" class={classes!("pin", props.is_pinned.then_some("on"))} aria-pressed={props.is_pinned.to_string()} aria-label={pin_says.clone()} title={pin_says} onclick={onpin}>{ icon(Icon::Pin) }</button>
                <button type="button" class="name" aria-pressed={props.is_chosen.to_string()} title={row.name.text.clone()} onclick={choose}>{ &row.name.text }</button>
                if row.changed { <span class="sr">{ " changed here" }</span> }
            </th>
            <td class="wide">{ value_cell(&row.value, row.byte, &row.name.text, row.cautions.iter().map(caution_chip).collect(), send) }</td>
            if props.has_labels { <td>{ label_chip(row.label) }</td> }
            <td class="right faint set">{ text::count(u64::from(row.assigns)) }</td>
            <td class="frame" title={function.clone()}>{ function }</td>
        </tr>
    }
}

fn caution_chip(caution: &Caution) -> Html {
    let short = match caution {
        Caution::AssignedLaterElsewhere { function, .. } => format!("set later in {}", function.text),
        Caution::MayBeOuter => "maybe an outer one".to_owned(),
    };
    html! { <span class="tag warn" title={caution_text(caution)}>{ short }</span> }
}

/// What the tape cannot tell about a row, in a sentence.
pub(super) fn caution_text(caution: &Caution) -> String {
    match caution {
        Caution::AssignedLaterElsewhere { function, line, pos, value } => format!(
            "Assigned later in {}, line {line}: {} (position {}). The tape cannot tell whether that is this binding; if it is, its value is that one.",
            function.text,
            value.text,
            text::count(pos.one_based())
        ),
        Caution::MayBeOuter => {
            "The name was also assigned in another scope: this may be an outer binding, and its count and label cover this frame only."
                .to_owned()
        }
    }
}
