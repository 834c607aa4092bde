//! A verdict as a shape: a tick, a cross, a question mark. Glyphs of fonts differ from machine to machine, so they are drawn.

use tapedeck_core::model::protocol_trace::Mark;
use yew::prelude::*;

/// The class that colours a verdict.
pub(super) fn mark_class(mark: Mark) -> &'static str {
    match mark {
        Mark::None => "v-none",
        Mark::Identical => "v-identical",
        Mark::NotProven => "v-unproven",
        Mark::Different => "v-different",
    }
}

/// The shape of a verdict; empty for a step that was not replayed so far.
pub(super) fn shape(mark: Mark) -> Html {
    let path = match mark {
        Mark::None => return Html::default(),
        Mark::Identical => "M2 6.5 5 9.5 10.5 2.5",
        Mark::NotProven => "M3.7 4a2.3 2.3 0 1 1 3.4 2C6.3 6.5 6 6.9 6 7.7M6 10.4v.1",
        Mark::Different => "M2.2 2.2 9.8 9.8M9.8 2.2 2.2 9.8",
    };
    html! {
        <svg class="mark" width="12" height="12" viewBox="0 0 12 12" fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d={path} /></svg>
    }
}

/// A verdict as shape and word.
pub(super) fn verdict(mark: Mark) -> Html {
    html! { <span class={classes!("verdict", mark_class(mark))}>{ shape(mark) }{ mark.word() }</span> }
}
