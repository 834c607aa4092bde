//! Panels side by side (or one above the other) with bars between them that move.
//!
//! Invariant: a part is never made smaller than [`SMALLEST`] of what two neighbours share, so none can be lost from sight.

use web_sys::{Element, HtmlElement};
use yew::prelude::*;

use crate::web::page::set_property;
use crate::web::storage;

/// The smallest share that a part can have of itself and its neighbour.
const SMALLEST: f64 = 0.12;

/// By how much of the two neighbours a key press moves the bar between them.
const KEY_SHARE: f64 = 0.04;

/// What is split and how.
#[derive(Properties, PartialEq)]
pub struct SplitProps {
    /// The name under which the sizes are remembered.
    pub id: &'static str,
    /// Whether the parts stand one above the other.
    #[prop_or_default]
    pub is_stacked: bool,
    /// Names of the parts (for the bars), and their sizes by default, in shares.
    pub tracks: &'static [(&'static str, f64)],
    /// Which parts take only what they need (folded panels); none by default.
    #[prop_or_default]
    pub folded: Vec<bool>,
    /// The parts.
    pub parts: Vec<Html>,
}

/// Parts with movable bars between them.
#[component]
pub fn Split(props: &SplitProps) -> Html {
    let node = use_node_ref();
    let name_of = |at: usize| props.tracks.get(at).map(|track| track.0).unwrap_or_default();
    let shares = use_state(|| remembered(props.id, props.tracks));
    let drag = use_mut_ref(|| None::<Drag>);
    let is_folded = |at: usize| props.folded.get(at).copied().unwrap_or(false);
    let tracks: Vec<String> = (0..props.parts.len())
        .map(|at| match shares.get(at) {
            Some(share) if !is_folded(at) => format!("minmax(0, {share:.4}fr)"),
            _ => "auto".to_owned(),
        })
        .collect();
    {
        let node = node.clone();
        use_effect_with(tracks.join(" 1px "), move |tracks| {
            if let Some(element) = node.cast::<Element>() {
                set_property(&element, "--tracks", tracks);
            }
        });
    }

    let bar = |at: usize| {
        let name = format!("Size of {} and {}", name_of(at), name_of(at + 1));
        let pair = (shares.get(at).copied().unwrap_or(1.0), shares.get(at + 1).copied().unwrap_or(1.0));
        let now = (pair.0 / (pair.0 + pair.1) * 100.0).round();
        let set = {
            let (shares, id) = (shares.clone(), props.id);
            Callback::from(move |share: f64| {
                let share = share.clamp(SMALLEST, 1.0 - SMALLEST);
                let mut next = (*shares).clone();
                if let [first, second, ..] = next.get_mut(at..).unwrap_or_default() {
                    (*first, *second) = ((pair.0 + pair.1) * share, (pair.0 + pair.1) * (1.0 - share));
                }
                let text: Vec<String> = next.iter().map(|share| format!("{share:.4}")).collect();
                storage::set(id, &text.join(" "));
                shares.set(next);
            })
        };
        let is_stacked = props.is_stacked;
        let onpointerdown = {
            let drag = drag.clone();
            Callback::from(move |event: PointerEvent| {
                let Some(handle) = event.target_dyn_into::<HtmlElement>() else { return };
                let around = (handle.previous_element_sibling(), handle.next_element_sibling());
                let (Some(before), Some(after)) = around else { return };
                let (from, to) = edges(&before, &after, is_stacked);
                if to - from > 1.0 && handle.set_pointer_capture(event.pointer_id()).is_ok() {
                    event.prevent_default();
                    *drag.borrow_mut() = Some(Drag { from, to });
                }
            })
        };
        let onpointermove = {
            let (drag, set) = (drag.clone(), set.clone());
            Callback::from(move |event: PointerEvent| {
                if let Some(Drag { from, to }) = *drag.borrow() {
                    let at = f64::from(if is_stacked { event.client_y() } else { event.client_x() });
                    set.emit((at - from) / (to - from));
                }
            })
        };
        let onpointerup = {
            let drag = drag.clone();
            Callback::from(move |_: PointerEvent| *drag.borrow_mut() = None)
        };
        let onkeydown = {
            let (set, share) = (set.clone(), pair.0 / (pair.0 + pair.1));
            Callback::from(move |event: KeyboardEvent| {
                let by = match (event.key().as_str(), is_stacked) {
                    ("ArrowLeft", false) | ("ArrowUp", true) => -KEY_SHARE,
                    ("ArrowRight", false) | ("ArrowDown", true) => KEY_SHARE,
                    _ => return,
                };
                event.prevent_default();
                set.emit(share + by);
            })
        };
        let ondblclick = {
            let default_of = |at: usize| props.tracks.get(at).map_or(1.0, |track| track.1);
            let default = (default_of(at), default_of(at + 1));
            set.reform(move |_: MouseEvent| default.0 / (default.0 + default.1))
        };
        let is_fixed = is_folded(at) || is_folded(at + 1);
        if is_fixed {
            return html! { <div class="bar fixed"></div> };
        }
        html! {
            <div class="bar" role="separator" tabindex="0" aria-label={name}
                aria-orientation={if is_stacked { "horizontal" } else { "vertical" }}
                aria-valuemin="12" aria-valuemax="88" aria-valuenow={now.to_string()}
                {onpointerdown} {onpointermove} onpointercancel={onpointerup.clone()} {onpointerup} {onkeydown} {ondblclick}></div>
        }
    };
    html! {
        <div ref={node} class={classes!("split", if props.is_stacked { "stacked" } else { "beside" })}>
            { for props.parts.iter().enumerate().map(|(at, part)| html! {
                <>
                    if at > 0 { { bar(at - 1) } }
                    { part.clone() }
                </>
            }) }
        </div>
    }
}

#[derive(Clone, Copy)]
struct Drag {
    from: f64,
    to: f64,
}

/// Where the two neighbours of a bar begin and end, in CSS px of the window.
fn edges(before: &Element, after: &Element, is_stacked: bool) -> (f64, f64) {
    let (before, after) = (before.get_bounding_client_rect(), after.get_bounding_client_rect());
    if is_stacked { (before.top(), after.bottom()) } else { (before.left(), after.right()) }
}

/// The shares of last time, when they are usable.
fn remembered(id: &str, defaults: &[(&str, f64)]) -> Vec<f64> {
    let stored: Option<Vec<f64>> = storage::get(id)
        .and_then(|text| text.split(' ').map(|share| share.parse().ok().filter(|share| *share > 0.0)).collect());
    stored
        .filter(|shares: &Vec<f64>| shares.len() == defaults.len() && shares.iter().all(|share| share.is_finite()))
        .unwrap_or_else(|| defaults.iter().map(|track| track.1).collect())
}
