//! What is odd in the recording.

use std::rc::Rc;

use tapedeck_core::model::protocol::{IssueRow, IssuesAnswer};
use tapedeck_core::model::{IssueKind, RowWindow};
use yew::prelude::*;

use crate::app::context::{sends, use_page};
use crate::app::hooks::{RowsSpec, use_rows};
use crate::app::shared::Shared;
use crate::app::state::{Action, Panel as Rows, Windowed};
use crate::app::text;

use super::panel::Panel;

const ROW_PX: f64 = 26.0;
const HEAD_PX: f64 = 24.0;

/// What the panel shows.
#[derive(Properties, PartialEq)]
pub struct IssuesProps {
    /// How many there are of each kind.
    pub counts: Rc<Vec<(IssueKind, u32)>>,
    /// Only this kind is listed.
    pub kind: Option<IssueKind>,
    /// The issues in view.
    pub issues: Option<Shared<Windowed<IssuesAnswer>>>,
    /// Folding.
    pub fold: Option<(bool, Callback<()>)>,
}

/// The issues, by kind and one by one.
#[component]
pub fn Issues(props: &IssuesProps) -> Html {
    let page = use_page();
    let answer = props.issues.as_ref().map(|issues| &issues.answer);
    let listed = answer.map_or(0, |answer| answer.listed);
    let on_rows = {
        let send = page.send.clone();
        use_callback((), move |rows: RowWindow, ()| send.emit(Action::RowsSeen(Rows::Issues, rows)))
    };
    let rows = use_rows(RowsSpec { total: listed, row_px: ROW_PX, head_px: HEAD_PX, reveal: None }, on_rows);
    let first = props.issues.as_ref().map_or(0, |issues| issues.rows.first);
    let found: &[IssueRow] = answer.map_or(&[], |answer| answer.rows.as_slice());
    let shown = rows.render(first..first + found.len() as u32);
    let at_hand = found.get((shown.start - first) as usize..(shown.end - first) as usize).unwrap_or_default();
    let all: u64 = props.counts.iter().map(|(_, count)| u64::from(*count)).sum();
    let aside = html! { <span class="panel-count">{ text::count(all) }</span> };
    let kind_button = |kind: Option<IssueKind>, words: String, hint: &'static str| {
        html! {
            <button type="button" class={classes!("chip", (props.kind == kind).then_some("on"))} aria-pressed={(props.kind == kind).to_string()} title={hint}
                onclick={sends::<MouseEvent>(&page.send, Action::IssueKindChosen(kind))}>{ words }</button>
        }
    };
    html! {
        <Panel name="Issues" {aside} fold={props.fold.clone()}>
            if all == 0 {
                <p class="empty">{ "Nothing odd was found in this recording." }</p>
            } else {
                <div class="kinds" role="group" aria-label="Kinds of issues">
                    if props.counts.len() > 1 { { kind_button(None, format!("all {}", text::count(all)), "Every kind") } }
                    { for props.counts.iter().map(|(kind, count)| {
                        kind_button(Some(*kind), format!("{} {}", kind.title(), text::count(u64::from(*count))), kind.explanation())
                    }) }
                </div>
                if let Some(kind) = props.kind.or(props.counts.first().map(|(kind, _)| *kind).filter(|_| props.counts.len() == 1)) {
                    <p class="explain">{ kind.explanation() }</p>
                }
            }
            <div class="scroll" ref={rows.node.clone()} onscroll={rows.onscroll.clone()}>
                if all > 0 {
                    <table class="rows issues" aria-rowcount={(listed + 1).to_string()}>
                        <thead><tr><th scope="col">{ "issue" }</th><th scope="col" class="right">{ "file line" }</th><th scope="col" class="right">{ "byte" }</th><th scope="col">{ "text" }</th></tr></thead>
                        { rows.blank(&shown, true) }
                        <tbody>{ for at_hand.iter().enumerate().map(|(at, row)| issue_row(row, shown.start + at as u32, &page.send)) }</tbody>
                        { rows.blank(&shown, false) }
                    </table>
                }
                if let Some(answer) = answer.filter(|answer| answer.total > answer.listed) {
                    <p class="empty">{ format!("{} of {} are listed; the rest are more of the same kinds.", text::count(u64::from(answer.listed)), text::count(u64::from(answer.total))) }</p>
                }
            </div>
        </Panel>
    }
}

fn issue_row(row: &IssueRow, idx: u32, send: &Callback<Action>) -> Html {
    let pos = row.issue.pos;
    let go = {
        let send = send.clone();
        Callback::from(move |_: MouseEvent| send.emit(Action::Seek(pos)))
    };
    let kind = row.issue.kind;
    let says = format!("Go to position {}: {}", text::count(pos.one_based()), kind.title());
    html! {
        <tr aria-rowindex={(idx + 2).to_string()} onclick={go.clone()}>
            <th scope="row"><button type="button" class="link" aria-label={says} title={kind.explanation()} onclick={go}>{ kind.title() }</button></th>
            <td class="right faint">{ text::count(u64::from(row.file_line)) }</td>
            <td class="right faint">{ text::count(u64::from(row.issue.byte.0)) }</td>
            <td class="wide mono">{ &row.text.text }</td>
        </tr>
    }
}
