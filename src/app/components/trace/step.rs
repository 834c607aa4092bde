//! One step: what differs, its arguments, seed, result, action and states.

use tapedeck_core::model::protocol_trace::{
    DifferenceRow, FieldLines, FieldQuery, Line, Mark, Side, StateChange, StepAnswer,
};
use yew::prelude::*;

use crate::app::components::Panel;
use crate::app::context::{sends, use_page};
use crate::app::shared::Shared;
use crate::app::state::Action;
use crate::app::text;
use crate::app::trace_state::{Sheet, TraceAction};

use super::mark::{mark_class, shape};

/// What the panel shows.
#[derive(Properties, PartialEq)]
pub(super) struct StepProps {
    /// Everything about the step, once it has come.
    pub detail: Option<Shared<StepAnswer>>,
}

/// One step.
#[component]
pub(super) fn Step(props: &StepProps) -> Html {
    let page = use_page();
    let Some(detail) = &props.detail else {
        return html! { <Panel name="Step"><p class="empty">{ "Choose a step." }</p></Panel> };
    };
    let number = text::count(u64::from(detail.step) + 1);
    let aside = html! { <><b class="panel-name">{ number }</b><b class="panel-name mono">{ &detail.tool }</b></> };
    let whole = |field: &'static str, says: &'static str| {
        let query = FieldQuery { step: detail.step, field: field.to_owned(), is_replayed: false };
        let open = sends::<MouseEvent>(&page.send, Action::Trace(TraceAction::SheetShown(Sheet::Field(query))));
        html! { <button type="button" class="link quiet" aria-label={format!("Show the whole text of {field}")} onclick={open}>{ says }</button> }
    };
    html! {
        <Panel name="Step" {aside}>
            <div class="scroll step-body" tabindex="0">
                { why(detail) }
                <h3>{ "Arguments" }{ whole("args", "text") }</h3>{ lines_html(&detail.args) }
                <h3>{ "Seed" }</h3><pre class="lines"><span class="line">{ &detail.seed }</span></pre>
                <h3>{ "Result" }{ whole("result", "text") }</h3>{ lines_html(&detail.result) }
                <h3>{ "Succeeded" }</h3><pre class="lines"><span class="line">{ &detail.succeeded }</span></pre>
                if let Some(action) = &detail.action { <h3>{ "Action" }{ whole("action", "text") }</h3>{ lines_html(action) } }
                if let Some(state) = &detail.state {
                    <h3>{ "State before → after" }{ whole("state_before", "before") }{ whole("state_after", "after") }</h3>{ state_html(state) }
                }
                { for detail.record_extras.iter().map(|(name, value)| html! {
                    <><h3>{ name }</h3><pre class="lines"><span class="line">{ value }</span></pre></>
                }) }
            </div>
        </Panel>
    }
}

/// The verdict, what differs, and the cause.
fn why(detail: &StepAnswer) -> Html {
    if detail.verdict == Mark::None {
        return Html::default();
    }
    let more = detail.difference_count as usize - detail.differences.len().min(detail.difference_count as usize);
    html! {
        <div class={classes!("why", mark_class(detail.verdict))}>
            <p class="headline">{ shape(detail.verdict) }{ &detail.headline }</p>
            if !detail.differences.is_empty() {
                <table class="differences">
                    <thead><tr><th scope="col">{ "where" }</th><th scope="col">{ "recorded" }</th><th scope="col">{ "replayed" }</th></tr></thead>
                    <tbody>{ for detail.differences.iter().map(difference_row) }</tbody>
                </table>
            }
            if more > 0 { <p class="faint">{ format!("{} more values differ; the saved differences list them.", text::count(more as u64)) }</p> }
            if let Some(cause) = &detail.cause { <p class="cause">{ capital(cause) }{ "." }</p> }
        </div>
    }
}

fn capital(sentence: &str) -> String {
    let mut chars = sentence.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// A differing value as a row: where, and both sides.
pub(super) fn difference_row(row: &DifferenceRow) -> Html {
    let side = |value: &Option<String>| match value {
        Some(value) => html! { <code>{ value }</code> },
        None => html! { <span class="faint">{ "nothing" }</span> },
    };
    html! { <tr title={row.pointer.clone()}><th scope="row">{ &row.place }</th><td class="del">{ side(&row.left) }</td><td class="add">{ side(&row.right) }</td></tr> }
}

fn lines_html(field: &FieldLines) -> Html {
    html! {
        <>
            <pre class="lines">{ for field.lines.iter().map(line_html) }</pre>
            if field.is_cut { <p class="faint cut">{ format!("{} in all; this is the beginning.", text::size(field.bytes as f64)) }</p> }
        </>
    }
}

fn line_html(line: &Line) -> Html {
    let (class, sign) = match line.side {
        Side::Both => ("line", " "),
        Side::Recorded => ("line del", "-"),
        Side::Replayed => ("line add", "+"),
    };
    // Blanks, not a style: the page's policy allows none, and copied text keeps its shape.
    let indent = "  ".repeat(usize::from(line.depth));
    html! { <span {class}><span class="sign">{ sign }</span>{ indent }{ &line.text }</span> }
}

fn state_html(state: &StateChange) -> Html {
    if state.change_count == 0 {
        return html! { <p class="empty">{ "Unchanged." }</p> };
    }
    let more = state.change_count as usize - state.changes.len().min(state.change_count as usize);
    html! {
        <>
            <table class="differences">
                <thead><tr><th scope="col">{ "where" }</th><th scope="col">{ "before" }</th><th scope="col">{ "after" }</th></tr></thead>
                <tbody>{ for state.changes.iter().map(|row| {
                    let place = if row.pointer.is_empty() { "the whole".to_owned() } else { row.pointer.trim_start_matches('/').replace('/', ".") };
                    difference_row(&DifferenceRow { place, ..row.clone() })
                }) }</tbody>
            </table>
            if more > 0 { <p class="faint cut">{ format!("{} more places changed.", text::count(more as u64)) }</p> }
        </>
    }
}
