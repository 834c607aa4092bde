//! A recording that is being opened.

use yew::prelude::*;

use crate::app::context::{Door, use_page};
use crate::app::state::Opening;
use crate::app::text;

/// What is being opened.
#[derive(Properties, PartialEq)]
pub struct OpeningProps {
    /// It.
    pub opening: Opening,
}

/// How far the opening is, with the way out.
#[component]
pub fn OpeningBox(props: &OpeningProps) -> Html {
    let page = use_page();
    let Opening { name, progress } = &props.opening;
    let (stage, done, total) = match progress {
        Some(progress) => (progress.stage.as_str(), progress.done, progress.total),
        None => ("Starting", 0.0, 0.0),
    };
    let percent = (total > 0.0).then(|| (done / total * 100.0).clamp(0.0, 100.0).floor());
    let amount = if total > 0.0 { format!("{} of {}", text::size(done), text::size(total)) } else { String::new() };
    let cancel = page.door.reform(|_: MouseEvent| Door::Cancel);
    let label = format!("Opening {name}");
    html! {
        <div class="opening">
            <div class="opening-text"><strong>{ &label }</strong><span class="faint">{ format!("{stage} {amount}") }</span></div>
            <div class={classes!("progress", percent.is_none().then_some("unknown"))} role="progressbar" aria-label={label.clone()} aria-valuemin="0" aria-valuemax="100"
                aria-valuenow={percent.map(|percent| percent.to_string())} aria-valuetext={format!("{stage} {amount}")}>
                <svg width="100%" height="4" preserveAspectRatio="none" viewBox="0 0 100 4" aria-hidden="true">
                    <rect width={percent.unwrap_or(30.0).to_string()} height="4" />
                </svg>
            </div>
            <button type="button" class="btn" onclick={cancel}>{ "Cancel" }</button>
        </div>
    }
}
