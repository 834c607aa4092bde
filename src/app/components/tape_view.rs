//! An open tape: banners, timeline, transport, and the panels side by side or, on a narrow screen, one after the other.

use yew::prelude::*;

use tapedeck_core::model::Pos;
use tapedeck_core::model::protocol::{InputsAnswer, Pin, Question};
use tapedeck_core::timeline::Range;

use crate::app::context::use_page;
use crate::app::state::{Action, Open, Panel as Rows, Theme, Windowed};

use super::timeline::Timeline;
use super::{Banners, Bindings, CallStack, Events, History, Inputs, Issues, Source, Split, Transport};

/// A panel that folds: whether it is folded, and how to change that.
pub type Fold = (bool, Callback<()>);

/// What is shown.
#[derive(Properties, PartialEq)]
pub struct TapeViewProps {
    /// The tape.
    pub open: Open,
    /// A remark for the user.
    pub notice: Option<AttrValue>,
    /// The colours, which the timeline must read again when they change.
    pub theme: Theme,
    /// Whether the window is narrow.
    pub is_narrow: bool,
    /// The panel shown under Bindings on a narrow screen.
    pub tab: Rows,
    /// Chooses it.
    pub on_tab: Callback<Rows>,
    /// Whether Inputs is folded.
    pub inputs_fold: Fold,
    /// Whether Issues is folded.
    pub issues_fold: Fold,
}

/// The tabs of a narrow screen, in order.
const TABS: [(Rows, &str); 6] = [
    (Rows::Lines, "Source"),
    (Rows::Events, "Events"),
    (Rows::Frames, "Call stack"),
    (Rows::History, "History"),
    (Rows::Inputs, "Inputs"),
    (Rows::Issues, "Issues"),
];

type Tracks = &'static [(&'static str, f64)];
const COLUMNS: Tracks = &[("Source", 0.9), ("Bindings", 1.6), ("Events", 1.0)];
const LEFT: Tracks = &[("Source", 2.4), ("Issues", 1.0)];
const MIDDLE: Tracks = &[("Bindings", 2.2), ("Inputs", 1.0)];
const RIGHT: Tracks = &[("Events", 0.8), ("Call stack", 0.8), ("History", 2.0)];
const STILL: Tracks = &[("Inputs", 1.0), ("Issues", 1.0)];

/// An open tape.
#[component]
pub fn TapeView(props: &TapeViewProps) -> Html {
    let open = &props.open;
    let summary = &open.summary;
    let has_positions = summary.positions > 0;
    let in_view = |inputs: &Windowed<InputsAnswer>| {
        inputs.answer.rows.binary_search_by_key(&open.pos, |row| row.pos).is_ok().then_some(open.pos.0)
    };
    let here = open.inputs.as_ref().filter(|_| has_positions).and_then(|inputs| in_view(inputs));
    let chosen = open
        .selected
        .as_ref()
        .zip(open.moment.as_ref())
        .and_then(|(selected, moment)| moment.answer.bindings.iter().find(|row| row.stream == selected.stream));
    let panel = |which: Rows, fold: Option<Fold>| match which {
        Rows::Lines => html! {
            <Source source={open.source.clone()} lines={open.lines.clone()} moment={open.moment.clone()} breakpoints={open.breakpoints.clone()} />
        },
        Rows::Bindings => html! {
            <Bindings moment={open.moment.clone()} selected={open.selected.clone()} pins={open.pins.clone()} filter={open.filter.clone()} has_labels={summary.has_labels} />
        },
        Rows::Events => html! { <Events moment={open.moment.clone()} /> },
        Rows::Frames => html! { <CallStack moment={open.moment.clone()} /> },
        Rows::History => html! {
            <History selected={open.selected.clone()} history={open.history.clone()} cautions={chosen.map_or_else(Vec::new, |row| row.cautions.clone())} positions={summary.positions} has_labels={summary.has_labels} />
        },
        Rows::Inputs => {
            html! { <Inputs inputs={open.inputs.clone()} {here} {has_positions} has_replay={summary.has_labels} {fold} /> }
        }
        Rows::Issues => {
            html! { <Issues counts={open.issue_counts.clone()} kind={open.issue_kind} issues={open.issues.clone()} {fold} /> }
        }
    };
    let page = use_page();
    let on_seek = use_callback(page.send.clone(), |pos: Pos, send| send.emit(Action::Seek(pos)));
    let on_range = use_callback(page.send.clone(), |range: Range, send| send.emit(Action::RangeChosen(range)));
    let on_ask = use_callback(page.send.clone(), |question: Question, send| send.emit(Action::TimelineAsked(question)));
    let on_unpin = use_callback(page.send.clone(), |pin: Pin, send| send.emit(Action::PinToggled(pin)));
    // What is said of the position must be of this very position.
    let here = open.moment.as_ref().map(|moment| &moment.answer).filter(|answer| answer.pos == open.pos);
    let line = here.map(|answer| answer.line);
    let function =
        here.and_then(|answer| answer.function.as_ref()).map(|function| AttrValue::from(function.text.clone()));
    let depth = here.map(|answer| answer.frames_total);
    let has_marks = open.issue_count() > 0 || summary.sessions > 1;
    let inputs = panel(Rows::Inputs, Some(props.inputs_fold.clone()));
    let issues = panel(Rows::Issues, Some(props.issues_fold.clone()));
    let panels = if !has_positions {
        html! {
            <Split id="still" tracks={STILL} parts={vec![panel(Rows::Inputs, None), panel(Rows::Issues, None)]} />
        }
    } else if props.is_narrow {
        html! {
            <>
                { panel(Rows::Bindings, None) }
                <div class="tabs" role="tablist" aria-label="Panels">
                    { for TABS.iter().map(|(which, name)| {
                        let is_on = *which == props.tab;
                        let on_tab = props.on_tab.clone();
                        let which = *which;
                        html! {
                            <button type="button" role="tab" class={classes!("tab", is_on.then_some("on"))} aria-selected={is_on.to_string()} onclick={Callback::from(move |_: MouseEvent| on_tab.emit(which))}>{ *name }</button>
                        }
                    }) }
                </div>
                <div class="tab-panel" role="tabpanel" key={format!("{:?}", props.tab)}>{ panel(props.tab, None) }</div>
            </>
        }
    } else {
        let left = html! {
            <Split id="left" is_stacked=true tracks={LEFT} folded={vec![false, props.issues_fold.0]}
                parts={vec![panel(Rows::Lines, None), issues]} />
        };
        let middle = html! {
            <Split id="middle" is_stacked=true tracks={MIDDLE} folded={vec![false, props.inputs_fold.0]}
                parts={vec![panel(Rows::Bindings, None), inputs]} />
        };
        let right = html! {
            <Split id="right" is_stacked=true tracks={RIGHT}
                parts={vec![panel(Rows::Events, None), panel(Rows::Frames, None), panel(Rows::History, None)]} />
        };
        html! {
            <Split id="columns" tracks={COLUMNS} parts={vec![left, middle, right]} />
        }
    };
    html! {
        <main key={open.serial} class={classes!("tape", open.is_lost.then_some("lost"), props.is_narrow.then_some("narrow"))} inert={open.is_lost}>
            <Banners summary={summary.clone()} />
            if has_positions {
                <Timeline summary={summary.clone()} has_marks={has_marks} pos={open.pos} {line} {function} {depth} range={open.range}
                    slice={open.slice.clone()} minimap={open.minimap.clone()} pins={open.pins.clone()} colours={props.theme as u32}
                    {on_seek} {on_range} {on_ask} {on_unpin} />
                <Transport positions={summary.positions} moment={open.moment.clone()} is_playing={open.is_playing} speed={open.speed} notice={props.notice.clone()} />
            }
            <div class="panels">{ panels }</div>
        </main>
    }
}
