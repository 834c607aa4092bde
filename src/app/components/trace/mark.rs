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
        Mark::NotProven => "M3.6 4.2a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.2.8-1.2 1.6M6 9.6v1.2",
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
