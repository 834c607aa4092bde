//! The timeline of a trace: its steps as bars, one each while there is room, several to a bar beyond it.
//!
//! Invariant: the worst verdict of the steps that share a bar is the bar's; every step can be reached with the keys.

use tapedeck_core::model::protocol_trace::{Bar, Mark};
use web_sys::Element;
use yew::prelude::*;

use crate::app::context::use_page;
use crate::app::shared::Shared;
use crate::app::state::Action;
use crate::app::text;
use crate::app::trace_state::TraceAction;
use crate::web::watch::SizeWatch;

use super::mark::{mark_class, shape};

/// The narrowest bar, its gap included, in CSS px.
const NARROWEST_PX: f64 = 7.0;

/// From this width on a bar shows the tool's name.
const NAMED_PX: f64 = 64.0;

/// What the timeline shows.
#[derive(Properties, PartialEq)]
pub(super) struct BarsProps {
    /// The bars, once they have come.
    pub bars: Option<Shared<Vec<Bar>>>,
    /// Steps in all.
    pub total: u32,
    /// The step that is shown (0-based).
    pub step: u32,
    /// Its tool and verdict in words.
    pub says: AttrValue,
}

/// The timeline.
#[component]
pub(super) fn Bars(props: &BarsProps) -> Html {
    let page = use_page();
    let node = use_node_ref();
    let width = use_state_eq(|| 0.0_f64);
    {
        let (node, width, send) = (node.clone(), width.setter(), page.send.clone());
        use_effect_with((), move |()| {
            let watch = node.cast::<Element>().and_then(|element| {
                let seen = element.clone();
                SizeWatch::new(&element, move || {
                    let px = f64::from(seen.client_width());
                    width.set(px);
                    let room = (px / NARROWEST_PX).floor().max(1.0) as u32;
                    send.emit(Action::Trace(TraceAction::RoomSeen(room)));
                })
            });
            move || drop(watch)
        });
    }
    let bars: &[Bar] = props.bars.as_ref().map(|bars| bars.as_slice()).unwrap_or_default();
    let seek = {
        let (node, send, bars) = (node.clone(), page.send.clone(), props.bars.clone());
        move |client_x: i32| {
            let (Some(element), Some(bars)) = (node.cast::<Element>(), &bars) else { return };
            let place = element.get_bounding_client_rect();
            let at = ((f64::from(client_x) - place.left()) / place.width().max(1.0)).clamp(0.0, 0.999_999)
                * bars.len() as f64;
            if let Some(bar) = bars.get(at as usize) {
                let within = (at.fract() * f64::from(bar.count)) as u32;
                send.emit(Action::Trace(TraceAction::Seek(bar.first + within)));
            }
        }
    };
    let onpointerdown = {
        let seek = seek.clone();
        Callback::from(move |event: PointerEvent| {
            if event.button() == 0 {
                if let Some(element) =
                    event.current_target().and_then(|target| wasm_bindgen::JsCast::dyn_into::<Element>(target).ok())
                {
                    // Without a capture the scrubbing ends at the edge, which is no harm.
                    let _ = element.set_pointer_capture(event.pointer_id());
                }
                seek(event.client_x());
            }
        })
    };
    let onpointermove = Callback::from(move |event: PointerEvent| {
        if event.buttons() & 1 == 1 {
            seek(event.client_x());
        }
    });
    let is_named = !bars.is_empty() && *width / bars.len() as f64 >= NAMED_PX;
    let cursor = bars
        .iter()
        .position(|bar| props.step >= bar.first && props.step - bar.first < bar.count)
        .and_then(|at| bars.get(at).map(|bar| (at, bar)))
        .filter(|(_, bar)| bar.count > 1)
        .map(|(at, bar)| {
            (at as f64 + (f64::from(props.step - bar.first) + 0.5) / f64::from(bar.count)) / bars.len() as f64 * 1000.0
        });
    let says = if props.total == 0 {
        "no steps".to_owned()
    } else {
        format!("{} of {}, {}", text::count(u64::from(props.step) + 1), text::count(u64::from(props.total)), props.says)
    };
    html! {
        <div class="bars-box">
            <div ref={node} class={classes!("bars", is_named.then_some("named"))} role="slider" tabindex="0" aria-label="Timeline" aria-orientation="horizontal"
                aria-valuemin="0" aria-valuemax={props.total.saturating_sub(1).to_string()} aria-valuenow={props.step.to_string()} aria-valuetext={says}
                {onpointerdown} {onpointermove}>
                { for bars.iter().map(|bar| bar_html(bar, props.step, is_named)) }
                if let Some(x) = cursor {
                    <svg class="bars-cursor" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true">
                        <line x1={format!("{x:.2}")} x2={format!("{x:.2}")} y1="0" y2="10" vector-effect="non-scaling-stroke" />
                    </svg>
                }
            </div>
        </div>
    }
}

fn bar_html(bar: &Bar, step: u32, is_named: bool) -> Html {
    let is_on = step >= bar.first && step - bar.first < bar.count;
    let first = u64::from(bar.first) + 1;
    let says = match bar.count {
        1 => format!(
            "{first} {}{}",
            bar.tool,
            if bar.verdict == Mark::None { String::new() } else { format!(": {}", bar.verdict.word()) }
        ),
        count => format!("steps {first} to {}", first + u64::from(count) - 1),
    };
    html! {
        <div key={bar.first} class={classes!("bar", mark_class(bar.verdict), is_on.then_some("on"), bar.has_failed.then_some("failed"))} title={says}>
            if is_named {
                <small>{ first }</small><span>{ &bar.tool }</span>
                if bar.has_failed { <small>{ "failed" }</small> }
            }
            <i class="foot">{ if is_named { shape(bar.verdict) } else { Html::default() } }</i>
        </div>
    }
}
