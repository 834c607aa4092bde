//! The top of the page: what is open, and what can be done anywhere.

use tapedeck_core::model::protocol::TapeSummary;
use tapedeck_core::model::protocol_trace::{TraceKind, TraceSummary};
use yew::prelude::*;

use crate::app::context::{Door, Work, sends, use_page};
use crate::app::shared::Shared;
use crate::app::state::{Action, Dialog, Theme};
use crate::app::text;

use super::icon::{Icon, icon};
use super::trace::CompareButton;

/// What the header shows.
#[derive(Properties, PartialEq)]
pub struct HeaderProps {
    /// The open tape.
    pub summary: Option<Shared<TapeSummary>>,
    /// The open trace.
    pub trace: Option<Shared<TraceSummary>>,
    /// Whether the tools are shown.
    pub shows_tools: bool,
    /// How many issues it has, its source's included.
    pub issues: u64,
    /// The colours.
    pub theme: Theme,
    /// Goes to the issues.
    pub on_issues: Callback<MouseEvent>,
}

/// The top of the page.
#[component]
pub fn Header(props: &HeaderProps) -> Html {
    let page = use_page();
    let pick = page.door.reform(|_: MouseEvent| Door::Pick);
    let help = sends::<MouseEvent>(&page.send, Action::DialogShown(Dialog::Keys));
    let (next, says) = match props.theme {
        Theme::System => (Theme::Light, "Colours: as the system. Change to light"),
        Theme::Light => (Theme::Dark, "Colours: light. Change to dark"),
        Theme::Dark => (Theme::System, "Colours: dark. Change to the system's"),
    };
    let theme = sends::<MouseEvent>(&page.send, Action::ThemeChosen(next));
    html! {
        <header class="top">
            <span class="logo">{ icon(Icon::Logo) }{ "Tapedeck" }</span>
            if let Some(summary) = &props.summary {
                <span class="chip file"><b title={summary.name.clone()}>{ &summary.name }</b><span class="facts">{ facts(summary) }</span></span>
                if props.issues > 0 {
                    <button type="button" class="chip issues" onclick={props.on_issues.clone()}>{ text::counted(props.issues, "issue") }</button>
                }
            }
            if let Some(trace) = &props.trace {
                <span class="chip file"><b title={trace.name.clone()}>{ &trace.name }</b><span class="facts">{ trace_facts(trace) }</span></span>
                if trace.chosen.is_some() { <span class="chip request mono" title={trace.request.text.clone()}>{ &trace.request.text }</span> }
            }
            <span class="grow"></span>
            if props.summary.is_none() {
                <button type="button" class="btn" aria-pressed={props.shows_tools.to_string()} onclick={page.work.reform(|_: MouseEvent| Work::ToggleTools)}>{ "Tools" }</button>
            }
            if props.trace.as_ref().is_some_and(|trace| trace.chosen.is_some()) { <CompareButton /> }
            if props.summary.is_some() || props.trace.is_some() {
                <button type="button" class="btn" onclick={pick}>{ "Open" }</button>
            }
            <button type="button" class="btn icon-only" aria-label="Keys" title="Keys (?)" onclick={help}>{ "?" }</button>
            <button type="button" class="btn icon-only" aria-label={says} title={says} onclick={theme}>{ icon(Icon::Theme) }</button>
        </header>
    }
}

fn trace_facts(trace: &TraceSummary) -> String {
    let kind = match trace.kind {
        TraceKind::Trace => "mixle trace",
        TraceKind::Record => "TraceRecord",
        TraceKind::Session => "recording",
    };
    if trace.chosen.is_none() {
        return text::size(trace.bytes as f64);
    }
    format!("{kind} · {}", text::counted(u64::from(trace.steps), "step"))
}

fn facts(summary: &TapeSummary) -> String {
    let mut facts = vec![
        format!("EigenScript {}", summary.runtime.text),
        text::counted(u64::from(summary.positions), "position"),
        text::size(f64::from(summary.bytes)),
    ];
    if summary.sessions > 1 {
        facts.push(text::counted(u64::from(summary.sessions), "session"));
    }
    facts.join(" · ")
}
