//! The replay: the row under the timeline with its sentence, and the panel with what was checked.

use tapedeck_core::model::protocol::Direction;
use tapedeck_core::model::protocol_trace::{
    Export, GeneratorChange, Mark, ReplayState, RngChange, StepAnswer, TraceKind, WordsOf,
};
use yew::prelude::*;

use crate::app::components::Panel;
use crate::app::context::{Work, sends, use_page};
use crate::app::shared::Shared;
use crate::app::state::Action;
use crate::app::text;
use crate::app::trace_state::{OpenTrace, Sheet, TraceAction};

use super::mark::{mark_class, shape};

/// What the row shows.
#[derive(Properties, PartialEq)]
pub(super) struct ReplayBarProps {
    /// The trace.
    pub trace: OpenTrace,
    /// A remark for the user.
    pub notice: Option<AttrValue>,
}

/// The row under the timeline.
#[component]
pub(super) fn ReplayBar(props: &ReplayBarProps) -> Html {
    let page = use_page();
    let trace = &props.trace;
    let state = trace.replay.as_ref();
    let work = |work: Work| page.work.reform(move |_: MouseEvent| work.clone());
    let total = trace.summary.steps;
    let difference = |direction| sends::<MouseEvent>(&page.send, Action::Trace(TraceAction::ToDifference(direction)));
    let has_findings = state.is_some_and(|state| state.different + state.not_proven > 0);
    html! {
        <div class="transport replay-bar" role="group" aria-label="Replay controls">
            if trace.is_replaying {
                <button type="button" class="btn" onclick={work(Work::CancelReplay)}>{ "Cancel" }</button>
                { progress(state, total) }
            } else if trace.can_replay() {
                <button type="button" class="btn primary" onclick={work(Work::Replay { only: None, total })}>{ if state.is_some() { "Replay again" } else { "Replay" } }</button>
                <button type="button" class="btn" onclick={work(Work::Replay { only: Some(trace.step), total })}>{ "Replay this step" }</button>
            } else if trace.summary.kind == TraceKind::Record {
                <span class="faint">{ "A TraceRecord carries no generator states: it can be read and compared, not replayed." }</span>
            }
            if !trace.is_replaying && let Some(state) = state {
                <span class={classes!("verdict", "sentence", mark_class(state.verdict))} role="status" title={state.sentence.clone()}>{ shape(state.verdict) }{ sentence(state) }</span>
            }
            <span class="notice" role={props.notice.is_some().then_some("status")}>{ props.notice.clone() }</span>
            if has_findings {
                <button type="button" class="btn" title="Previous difference ([)" onclick={difference(Direction::Back)}>{ "Previous difference" }</button>
                <button type="button" class="btn" title="Next difference (])" onclick={difference(Direction::Forward)}>{ "Next difference" }</button>
            }
        </div>
    }
}

fn progress(state: Option<&Shared<ReplayState>>, total: u32) -> Html {
    let done = state.map_or(0, |state| state.done);
    html! {
        <>
            <progress class="replay-progress" role="progressbar" aria-label="Replay" max={total.to_string()} value={done.to_string()}></progress>
            <span class="where">{ format!("{} of {}", text::count(u64::from(done)), text::counted(u64::from(total), "step")) }</span>
        </>
    }
}

/// The sentence; while one step was replayed alone, or before the end, what there is to say.
fn sentence(state: &ReplayState) -> String {
    if state.sentence.is_empty() {
        format!("{} of {} steps replayed", state.done, state.total)
    } else {
        state.sentence.clone()
    }
}

/// What the panel shows.
#[derive(Properties, PartialEq)]
pub(super) struct ReplayPanelProps {
    /// The step's details.
    pub detail: Option<Shared<StepAnswer>>,
    /// How the replay stands.
    pub state: Option<Shared<ReplayState>>,
    /// What is open.
    pub kind: TraceKind,
    /// Steps in all.
    pub total: u32,
}

/// What was checked, the generators, and what can be saved.
#[component]
pub(super) fn ReplayPanel(props: &ReplayPanelProps) -> Html {
    let page = use_page();
    let save = |says: &'static str, export: Export| {
        let onclick = page.work.reform(move |_: MouseEvent| Work::Export(export));
        html! { <button type="button" class="btn" {onclick}>{ says }</button> }
    };
    let has_replay = props.state.as_ref().is_some_and(|state| state.done > 0);
    let checks = props.detail.as_ref().map(|detail| detail.checks.as_slice()).unwrap_or_default();
    html! {
        <Panel name="Replay">
            <div class="replay-body">
            if let Some(state) = props.state.as_ref().filter(|state| state.done > 0) {
                <p class="counts">{ format!("{} identical · {} different · {} not proven", text::count(u64::from(state.identical)), text::count(u64::from(state.different)), text::count(u64::from(state.not_proven))) }</p>
            }
            if checks.is_empty() {
                <p class="empty">{ match props.kind {
                    TraceKind::Record => "Nothing can be proven by a replay of this record.",
                    TraceKind::Trace | TraceKind::Session => "This step was not replayed so far.",
                } }</p>
            } else {
                <table class="checks"><tbody>{ for checks.iter().map(|check| html! {
                    <tr class={mark_class(check.mark)}><td>{ shape(check.mark) }<span class="sr">{ check_word(check.mark) }</span></td><th scope="row">{ &check.what }</th><td>{ &check.says }</td></tr>
                }) }</tbody></table>
            }
            if let Some(detail) = &props.detail && let Some(rng) = &detail.rng { { rng_html(rng, detail, &page.send) } }
            <div class="save-row">
                if props.kind == TraceKind::Session && props.total > 0 { { save("Save the recording", Export::Trace) } }
                if has_replay {
                    { save("Save the replayed trace", Export::Replayed) }
                    { save("Save the differences as JSON", Export::DiffJson { is_compare: false }) }
                    { save("Save the differences as Markdown", Export::DiffMarkdown { is_compare: false }) }
                }
            </div>
            </div>
        </Panel>
    }
}

fn check_word(mark: Mark) -> &'static str {
    match mark {
        Mark::Identical => "equal: ",
        Mark::Different => "different: ",
        Mark::NotProven | Mark::None => "not proven: ",
    }
}

fn rng_html(rng: &RngChange, detail: &StepAnswer, send: &Callback<Action>) -> Html {
    let words = |is_numpy: bool, is_after: bool| {
        let which = WordsOf { is_numpy, is_after, is_replayed: false };
        let onclick =
            sends::<MouseEvent>(send, Action::Trace(TraceAction::SheetShown(Sheet::Words(detail.step, which))));
        let (who, when) = (if is_numpy { "NumPy" } else { "Python" }, if is_after { "exit" } else { "entry" });
        html! { <button type="button" class="link quiet" aria-label={format!("All 624 words of {who} at {when}")} {onclick}>{ format!("all words at {when}") }</button> }
    };
    let row = |name: &str, position: &str, change: &GeneratorChange, is_numpy: bool| {
        html! {
            <tr>
                <th scope="row">{ name }</th>
                <td class="mono">{ format!("{position} {} → {}", change.before, change.after) }</td>
                <td>{ if change.has_moved { "moved" } else { "unchanged" } }
                    if let Some(cached) = &change.cached_after { <span class="faint mono">{ format!(" · cached {cached}") }</span> }
                </td>
                <td>{ words(is_numpy, false) }{ " " }{ words(is_numpy, true) }</td>
            </tr>
        }
    };
    html! {
        <>
            <h3>{ "RNG" }</h3>
            <table class="rng"><tbody>{ row("python", "index", &rng.python, false) }{ row("numpy", "position", &rng.numpy, true) }</tbody></table>
        </>
    }
}
