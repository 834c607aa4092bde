//! Two traces: mixle's own rows, and the why of each.

use tapedeck_core::model::protocol_trace::{CompareAnswer, CompareRow, Export};
use yew::prelude::*;

use crate::app::components::Panel;
use crate::app::context::{Work, sends, use_page};
use crate::app::shared::Shared;
use crate::app::state::Action;
use crate::app::text;
use crate::app::trace_state::TraceAction;

use super::step::difference_row;

/// What the panel shows.
#[derive(Properties, PartialEq)]
pub(super) struct CompareProps {
    /// The other trace's name, and the sentence.
    pub other: Shared<(String, String)>,
    /// The rows, once they have come.
    pub compare: Option<Shared<CompareAnswer>>,
}

/// The comparison.
#[component]
pub(super) fn Compare(props: &CompareProps) -> Html {
    let page = use_page();
    let save = |says: &'static str, export: Export| {
        let onclick = page.work.reform(move |_: MouseEvent| Work::Export(export));
        html! { <button type="button" class="btn" {onclick}>{ says }</button> }
    };
    let close = sends::<MouseEvent>(&page.send, Action::Trace(TraceAction::CompareClosed));
    let more =
        props.compare.as_ref().map_or(0, |answer| answer.total as usize - answer.rows.len().min(answer.total as usize));
    html! {
        <Panel name="Compare" aside={html! { <b class="panel-name">{ format!("with {}", props.other.0) }</b> }}>
            <div class="replay-body">
                <p class="headline" role="status">{ &props.other.1 }</p>
                if let Some(answer) = &props.compare { { for answer.rows.iter().map(|row| row_html(row, &page.send)) } }
                if more > 0 { <p class="faint cut">{ format!("{} more rows; the saved differences hold all.", text::count(more as u64)) }</p> }
                <div class="save-row">
                    { save("Save as JSON", Export::DiffJson { is_compare: true }) }
                    { save("Save as Markdown", Export::DiffMarkdown { is_compare: true }) }
                    <button type="button" class="btn" onclick={close}>{ "Close the comparison" }</button>
                </div>
            </div>
        </Panel>
    }
}

fn row_html(row: &CompareRow, send: &Callback<Action>) -> Html {
    let title = match u32::try_from(row.index) {
        Ok(step) => {
            let go = sends::<MouseEvent>(send, Action::Trace(TraceAction::Seek(step)));
            html! { <button type="button" class="link" onclick={go}>{ format!("step {} {}", u64::from(step) + 1, row.name) }</button> }
        }
        Err(_) => html! { { &row.name } },
    };
    let more = row.count as usize - row.why.len().min(row.count as usize);
    html! {
        <>
            <h3>{ title }</h3>
            if !row.why.is_empty() {
                <table class="differences">
                    <thead><tr><th scope="col">{ "where" }</th><th scope="col">{ "this" }</th><th scope="col">{ "the other" }</th></tr></thead>
                    <tbody>{ for row.why.iter().map(difference_row) }</tbody>
                </table>
            }
            if more > 0 { <p class="faint cut">{ format!("{} more values differ.", text::count(more as u64)) }</p> }
        </>
    }
}
