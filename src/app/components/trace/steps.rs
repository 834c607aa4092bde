//! The list of steps.

use tapedeck_core::model::RowWindow;
use tapedeck_core::model::protocol_trace::{Ended, StepRow, StepsAnswer};
use yew::prelude::*;

use crate::app::components::Panel;
use crate::app::context::use_page;
use crate::app::hooks::{RowsSpec, use_rows};
use crate::app::shared::Shared;
use crate::app::state::Action;
use crate::app::text;
use crate::app::trace_state::TraceAction;

use super::mark::verdict;

const ROW_PX: f64 = 26.0;
const HEAD_PX: f64 = 24.0;

/// What the list shows.
#[derive(Properties, PartialEq)]
pub(super) struct StepsProps {
    /// The rows, once they have come.
    pub steps: Option<Shared<StepsAnswer>>,
    /// Steps in all.
    pub total: u32,
    /// The step that is shown.
    pub step: u32,
}

/// The list of steps.
#[component]
pub(super) fn Steps(props: &StepsProps) -> Html {
    let page = use_page();
    let on_rows = {
        let send = page.send.clone();
        use_callback((), move |rows: RowWindow, ()| send.emit(Action::Trace(TraceAction::RowsSeen(rows))))
    };
    let rows =
        use_rows(RowsSpec { total: props.total, row_px: ROW_PX, head_px: HEAD_PX, reveal: Some(props.step) }, on_rows);
    let (first, at_hand): (u32, &[StepRow]) =
        props.steps.as_ref().map_or((0, &[]), |steps| (steps.first, steps.rows.as_slice()));
    let shown = rows.render(first..first + at_hand.len() as u32);
    let visible = at_hand.get((shown.start - first) as usize..(shown.end - first) as usize).unwrap_or_default();
    html! {
        <Panel name="Steps" aside={html! { <span class="panel-count">{ text::counted(u64::from(props.total), "step") }</span> }}>
            <div class="scroll" ref={rows.node.clone()} onscroll={rows.onscroll.clone()} tabindex="0">
                if props.total == 0 { <p class="empty">{ "No steps so far." }</p> } else {
                <table class="rows steps" aria-rowcount={(props.total + 1).to_string()}>
                    <thead><tr>
                        <th scope="col" class="right">{ "#" }</th><th scope="col">{ "tool" }</th><th scope="col">{ "seed" }</th><th scope="col">{ "verdict" }</th>
                    </tr></thead>
                    { rows.blank(&shown, true) }
                    <tbody>{ for visible.iter().zip(shown.clone()).map(|(row, at)| row_html(row, at, props.step, &page.send)) }</tbody>
                    { rows.blank(&shown, false) }
                </table>
                }
            </div>
        </Panel>
    }
}

fn row_html(row: &StepRow, at: u32, step: u32, send: &Callback<Action>) -> Html {
    let go = {
        let send = send.clone();
        Callback::from(move |_: MouseEvent| send.emit(Action::Trace(TraceAction::Seek(at))))
    };
    let is_now = at == step;
    let number = text::count(u64::from(at) + 1);
    let ended = match row.ended {
        Ended::Failed => Some("failed"),
        Ended::Odd => Some("odd outcome"),
        Ended::Returned | Ended::Unsaid => None,
    };
    let detail = (!row.detail.is_empty()).then(|| row.detail.clone());
    html! {
        <tr key={at} class={classes!(is_now.then_some("now"))} aria-rowindex={(u64::from(at) + 2).to_string()} aria-current={is_now.then_some("step")} onclick={go.clone()}>
            <th scope="row" class="right"><button type="button" class="link" aria-label={format!("Go to step {number}, {}", row.tool)} onclick={go}>{ &number }</button></th>
            <td class="tool">{ &row.tool }if let Some(ended) = ended { <span class="tag">{ ended }</span> }</td>
            <td class="faint">{ &row.seed }</td>
            <td title={detail}>{ verdict(row.verdict) }</td>
        </tr>
    }
}
