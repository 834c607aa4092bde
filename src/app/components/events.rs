//! The records that belong to the position.

use tapedeck_core::model::RowWindow;
use tapedeck_core::model::protocol::EventRow;
use yew::prelude::*;

use crate::app::context::use_page;
use crate::app::hooks::{RowsSpec, use_rows};
use crate::app::shared::Shared;
use crate::app::state::{Action, Moment, Panel as Rows};
use crate::app::text;

use super::panel::Panel;
use super::value::value_cell;

const ROW_PX: f64 = 24.0;

/// What the panel shows.
#[derive(Properties, PartialEq)]
pub struct EventsProps {
    /// What is true at the position.
    pub moment: Option<Shared<Moment>>,
}

/// What this line assigned, and what it read from outside.
#[component]
pub fn Events(props: &EventsProps) -> Html {
    let page = use_page();
    let total = props.moment.as_ref().map_or(0, |moment| moment.answer.events_total);
    let on_rows = {
        let send = page.send.clone();
        use_callback((), move |rows: RowWindow, ()| send.emit(Action::RowsSeen(Rows::Events, rows)))
    };
    let rows = use_rows(RowsSpec { total, row_px: ROW_PX, head_px: 0.0, reveal: None }, on_rows);
    let first = props.moment.as_ref().map_or(0, |moment| moment.query.events.first);
    let events: &[EventRow] = props.moment.as_ref().map_or(&[], |moment| moment.answer.events.as_slice());
    let shown = rows.render(first..first + events.len() as u32);
    let at_hand = events.get((shown.start - first) as usize..(shown.end - first) as usize).unwrap_or_default();
    let aside = html! {
        <span class="panel-sub">{ "at this position" }</span>
    };
    html! {
        <Panel name="Events" {aside}>
            <div class="scroll" ref={rows.node.clone()} onscroll={rows.onscroll.clone()}>
                if total == 0 && props.moment.is_some() {
                    <p class="empty">{ "Nothing is assigned or read here." }</p>
                } else {
                    <table class="rows events" aria-rowcount={total.to_string()}>
                        { rows.blank(&shown, true) }
                        <tbody>{ for at_hand.iter().enumerate().map(|(at, row)| event_row(row, shown.start + at as u32, &page.send)) }</tbody>
                        { rows.blank(&shown, false) }
                    </table>
                }
            </div>
        </Panel>
    }
}

fn event_row(row: &EventRow, idx: u32, send: &Callback<Action>) -> Html {
    let kind = match row.input {
        Some(category) => html! {
            <span class={text::category_class(category)} title={format!("An input from outside: {}", category.title())}>{ "N" }</span>
        },
        None => html! { <span class="kind" title="An assignment">{ "A" }</span> },
    };
    html! {
        <tr aria-rowindex={(idx + 1).to_string()}>
            <td class="kind-cell">{ kind }</td>
            <th scope="row">{ &row.name.text }<span class="eq">{ " =" }</span></th>
            <td class="wide">{ value_cell(&row.value, row.byte, &row.name.text, Html::default(), send) }</td>
        </tr>
    }
}
