//! What went wrong, and what stays true of the whole tape.

use tapedeck_core::model::protocol::TapeSummary;
use yew::prelude::*;

use crate::app::context::{Door, sends, use_page};
use crate::app::shared::Shared;
use crate::app::state::{Action, Alert};

use super::icon::{Icon, icon};

/// An alert on the page.
#[derive(Properties, PartialEq)]
pub struct AlertProps {
    /// What it says.
    pub alert: Shared<Alert>,
    /// Whether it can be put away; not while the tape's reader is lost.
    pub can_dismiss: bool,
}

/// What happened, where, why, what next.
#[component]
pub fn AlertBox(props: &AlertProps) -> Html {
    let page = use_page();
    let Alert { title, what, place, advice, can_retry } = &*props.alert;
    let again = page.door.reform(|_: MouseEvent| Door::Again);
    let pick = page.door.reform(|_: MouseEvent| Door::Pick);
    html! {
        <div class="alert" role="alert">
            <svg class="alert-mark" width="18" height="18" viewBox="0 0 18 18" aria-hidden="true">
                <circle cx="9" cy="9" r="8" fill="currentColor" /><path d="M8 4h2l-.3 6H8.3zM8 11.5h2v2H8z" class="on-mark" />
            </svg>
            <div class="alert-text">
                <strong>{ title }</strong>
                <p>{ what }
                    if !place.is_empty() { <span class="place">{ place }</span> }
                </p>
                if !advice.is_empty() { <p class="advice">{ advice }</p> }
                <div class="row">
                    if *can_retry { <button type="button" class="btn primary" onclick={again}>{ "Open it again" }</button> }
                    <button type="button" class="btn" onclick={pick}>{ "Open another file" }</button>
                </div>
            </div>
            if props.can_dismiss {
                <button type="button" class="btn icon-only" aria-label="Dismiss" onclick={sends::<MouseEvent>(&page.send, Action::AlertDismissed)}>{ icon(Icon::Close) }</button>
            }
        </div>
    }
}

/// The tape that the banners are about.
#[derive(Properties, PartialEq)]
pub struct BannersProps {
    /// What the tape holds.
    pub summary: Shared<TapeSummary>,
}

/// What the user must know about the whole tape, for as long as it is open.
#[component]
pub fn Banners(props: &BannersProps) -> Html {
    let summary = &props.summary;
    html! {
        <div class="banners">
            if !summary.has_labels {
                <p class="banner warn" role="note">
                    <strong>{ format!("Recorded by EigenScript {:?}.", summary.runtime.text) }</strong>
                    { " Tapedeck knows the observer of 0.40.0 only, so no trajectory labels are shown and nothing is claimed about a replay. Lines, values and frames are as the tape has them." }
                </p>
            }
            if summary.positions == 0 {
                <p class="banner" role="note"><strong>{ "Nothing to step." }</strong>{ " This tape holds no L record, so it has no positions; its inputs and issues are listed below." }</p>
            }
            { for summary.notes.iter().map(|note| html! { <p class="banner" role="note">{ note }</p> }) }
        </div>
    }
}
