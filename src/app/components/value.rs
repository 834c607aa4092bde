//! A value in a row: its text, whether it is whole, and the way to all of it.

use tapedeck_core::model::ByteOffset;
use tapedeck_core::model::protocol::{Cut, Label, ValueText};
use yew::prelude::*;

use crate::app::state::{Action, Dialog};
use crate::app::text;

/// Longer values get a button that shows the whole, since a row may be too narrow for them.
const LONG_CHARS: usize = 40;

fn class_of(value: &ValueText) -> &'static str {
    match value.text.as_bytes().first() {
        Some(b'"') => "val str",
        Some(b'0'..=b'9' | b'-' | b'+' | b'.') => "val num",
        _ => "val",
    }
}

/// Whether there is more to see than a row shows: a long value, a nested one, or one whose text is only a beginning.
fn has_more(value: &ValueText) -> bool {
    value.is_preview()
        || value.lossy
        || value.cut != Cut::No
        || value.text.starts_with(['[', '{'])
        || value.text.starts_with("b[")
        || value.text.chars().nth(LONG_CHARS).is_some()
}

/// A value of the record that starts at `byte`; `name` is what the value is of, `remarks` stand behind it.
pub(super) fn value_cell(
    value: &ValueText,
    byte: ByteOffset,
    name: &str,
    remarks: Html,
    send: &Callback<Action>,
) -> Html {
    let more = has_more(value).then(|| {
        let onclick = {
            let send = send.clone();
            Callback::from(move |event: MouseEvent| {
                event.stop_propagation();
                send.emit(Action::DialogShown(Dialog::Value(byte)));
            })
        };
        html! {
            <button type="button" class="more" aria-label={format!("Show the whole value of {name}")} title="Show the whole value" {onclick}>{ "…" }</button>
        }
    });
    html! {
        <span class="value">
            <span class={class_of(value)}>{ &value.text }</span>
            { cut_chip(value.cut) }
            if value.lossy { <span class="tag warn" title="Some bytes are not UTF-8; they are shown as U+FFFD.">{ "not UTF-8" }</span> }
            { more }{ remarks }
        </span>
    }
}

/// Says that the tape holds less than the program had.
pub(super) fn cut_chip(cut: Cut) -> Html {
    match cut {
        Cut::No => Html::default(),
        Cut::Perhaps => html! {
            <span class="tag" title="An assignment keeps the first 60 escaped bytes of a string; this one may be longer.">{ "may be cut" }</span>
        },
        Cut::Yes => html! {
            <span class="tag warn" title="The tape holds only the beginning of this value.">{ "cut" }</span>
        },
    }
}

/// The chip of a trajectory label.
pub(super) fn label_chip(label: Option<Label>) -> Html {
    label.map_or_else(Html::default, |label| {
        html! { <span class={text::label_class(label)} title={text::label_meaning(label)}>{ label.word() }</span> }
    })
}
