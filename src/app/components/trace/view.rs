//! An open trace: timeline, replay, and the panels side by side or, on a narrow screen, one after the other.

use tapedeck_core::model::protocol_trace::{Mark, TraceIssue, TraceItem, TraceKind};
use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::app::components::{Panel, Split};
use crate::app::context::{Work, use_page};
use crate::app::text;
use crate::app::trace_state::{OpenTrace, Tools};
use crate::web::files::from_list;

use super::bars::Bars;
use super::compare::Compare;
use super::replay::{ReplayBar, ReplayPanel};
use super::step::Step;
use super::steps::Steps;
use super::tools::ToolsPanel;

/// What is shown.
#[derive(Properties, PartialEq)]
pub struct TraceViewProps {
    /// The trace.
    pub trace: OpenTrace,
    /// The tools.
    pub tools: Tools,
    /// A remark for the user.
    pub notice: Option<AttrValue>,
    /// Whether the window is narrow.
    pub is_narrow: bool,
}

const COLUMNS: &[(&str, f64)] = &[("Steps", 1.0), ("Step", 1.5), ("Replay", 1.2)];

/// An open trace.
#[component]
pub fn TraceView(props: &TraceViewProps) -> Html {
    let trace = &props.trace;
    let summary = &trace.summary;
    let says = trace.detail.as_ref().filter(|detail| detail.step == trace.step).map_or_else(String::new, |detail| {
        if detail.verdict == Mark::None {
            detail.tool.clone()
        } else {
            format!("{}, {}", detail.tool, detail.verdict.word())
        }
    });
    let panels = if summary.chosen.is_none() {
        html! { <div class="trace-side">{ files(&summary.items, None) }{ issues(trace) }</div> }
    } else {
        let side = html! {
            <div class="trace-side">
                if summary.items.len() > 1 { { files(&summary.items, summary.chosen) } }
                if let Some(other) = &trace.other { <Compare other={other.clone()} compare={trace.compare.clone()} /> }
                <ReplayPanel detail={trace.detail.clone()} state={trace.replay.clone()} kind={summary.kind} total={summary.steps} />
                if props.tools.is_shown || summary.kind == TraceKind::Session {
                    <ToolsPanel tools={props.tools.clone()} is_session={summary.kind == TraceKind::Session} />
                }
                { issues(trace) }
            </div>
        };
        let parts = vec![
            html! { <Steps steps={trace.steps.clone()} total={summary.steps} step={trace.step} /> },
            html! { <Step detail={trace.detail.clone()} /> },
            side,
        ];
        if props.is_narrow {
            html! { <div class="trace-narrow">{ for parts }</div> }
        } else {
            html! { <Split id="trace-columns" tracks={COLUMNS} {parts} /> }
        }
    };
    html! {
        <main key={trace.serial} class={classes!("tape", "trace", trace.is_lost.then_some("lost"), props.is_narrow.then_some("narrow"))} inert={trace.is_lost}>
            { banners(&summary.notes) }
            if summary.chosen.is_some() {
                <Bars bars={trace.bars.clone()} total={summary.steps} step={trace.step} {says} />
                <ReplayBar trace={trace.clone()} notice={props.notice.clone()} />
            }
            <div class="panels">{ panels }</div>
        </main>
    }
}

fn banners(notes: &[String]) -> Html {
    html! { <div class="banners">{ for notes.iter().map(|note| html! { <p class="banner">{ note }</p> }) }</div> }
}

/// The traces of a document.
fn files(items: &[TraceItem], chosen: Option<u32>) -> Html {
    html! { <Files items={items.to_vec()} {chosen} /> }
}

#[derive(Properties, PartialEq)]
struct FilesProps {
    items: Vec<TraceItem>,
    chosen: Option<u32>,
}

/// How many traces of a document are listed.
const LISTED: usize = 500;

#[component]
fn Files(props: &FilesProps) -> Html {
    let page = use_page();
    let count = props.items.len();
    let what = if count == 1 {
        "The document is no trace itself, but holds one:".to_owned()
    } else {
        format!("The document holds {}:", text::counted(count as u64, "trace"))
    };
    html! {
        <Panel name="Files">
            <p class="empty">{ what }</p>
            <ul class="trace-files">
                { for props.items.iter().take(LISTED).enumerate().map(|(at, item)| {
                    let onclick = page.work.reform(move |_: MouseEvent| Work::Choose(at as u32));
                    let is_on = props.chosen == Some(at as u32);
                    let path = if item.path.is_empty() { "the whole document".to_owned() } else { item.path.clone() };
                    html! {
                        <li><button type="button" class={classes!("file", is_on.then_some("on"))} aria-current={is_on.then_some("true")} {onclick}>
                            <b class="mono">{ path }</b>
                            <span class="faint">{ format!("{} · {}", if item.is_record { "TraceRecord" } else { "execution trace" }, text::counted(u64::from(item.steps), "step")) }</span>
                            <span class="mono request">{ &item.request }</span>
                        </button></li>
                    }
                }) }
            </ul>
            if count > LISTED { <p class="empty">{ format!("{} more are not listed; split the document to open them.", text::count((count - LISTED) as u64)) }</p> }
        </Panel>
    }
}

fn issues(trace: &OpenTrace) -> Html {
    let Some(issues) = trace.issues.as_ref().filter(|issues| !issues.is_empty()) else { return Html::default() };
    let row = |issue: &TraceIssue| html! { <li>{ &issue.what }{ " " }<span class="faint">{ &issue.place }</span></li> };
    html! {
        <Panel name="Issues" aside={html! { <span class="panel-count">{ text::count(issues.len() as u64) }</span> }}>
            <ul class="trace-issues">{ for issues.iter().map(row) }</ul>
        </Panel>
    }
}

/// The button that chooses a trace to compare with.
#[component]
pub fn CompareButton() -> Html {
    let page = use_page();
    let node = use_node_ref();
    let onclick = {
        let node = node.clone();
        Callback::from(move |_: MouseEvent| {
            if let Some(input) = node.cast::<HtmlInputElement>() {
                // Otherwise choosing the same file again would be no change, and nothing would happen.
                input.set_value("");
                input.click();
            }
        })
    };
    let onchange = {
        let work = page.work.clone();
        Callback::from(move |event: Event| {
            let files = event.target_dyn_into::<HtmlInputElement>().and_then(|input| input.files());
            let document = files.and_then(|files| from_list(&files).documents.into_iter().next());
            if let Some(document) = document {
                work.emit(Work::CompareWith(document));
            }
        })
    };
    html! {
        <>
            <button type="button" class="btn" {onclick}>{ "Compare" }</button>
            <input ref={node} type="file" class="sr" aria-label="Compare with a trace" tabindex="-1" {onchange} />
        </>
    }
}
