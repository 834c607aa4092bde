//! Icons, drawn as SVG: glyphs of fonts differ from machine to machine.

use yew::prelude::*;

/// A drawing of the set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub(super) enum Icon {
    First,
    Back,
    Play,
    Pause,
    Forward,
    Last,
    Pin,
    Theme,
    Close,
    Logo,
    Reel,
}

/// The icon as an SVG element; it says nothing to assistive technology, the button around it does.
pub(super) fn icon(icon: Icon) -> Html {
    let path = match icon {
        Icon::First => "M1 1h2v10H1zM11 1v10L4 6z",
        Icon::Back => "M9 1v10L2 6z",
        Icon::Play => "M2 1l9 5-9 5z",
        Icon::Pause => "M2 1h3v10H2zM7 1h3v10H7z",
        Icon::Forward => "M3 1v10l7-5z",
        Icon::Last => "M9 1h2v10H9zM1 1v10l7-5z",
        Icon::Pin => "M4 1h4v1l-.6.6.4 3L9.5 7v1H6.6L6 11.5 5.4 8H2.5V7l1.7-1.4.4-3L4 2z",
        Icon::Theme => "M6 .8a5.2 5.2 0 1 0 0 10.4A5.2 5.2 0 0 0 6 .8zm0 1.3v7.8a3.9 3.9 0 0 1 0-7.8z",
        Icon::Close => "M2.1 1.2 6 5.1 9.9 1.2l.9.9L6.9 6l3.9 3.9-.9.9L6 6.9l-3.9 3.9-.9-.9L5.1 6 1.2 2.1z",
        Icon::Logo => {
            return html! {
                <svg class="logo-mark" viewBox="0 0 18 18" width="18" height="18" aria-hidden="true">
                    <circle cx="9" cy="9" r="7" fill="none" stroke="currentColor" stroke-width="4" />
                </svg>
            };
        }
        Icon::Reel => {
            return html! {
                <svg class="reel" width="44" height="44" viewBox="0 0 40 40" fill="none" stroke="currentColor" stroke-width="2.4" aria-hidden="true">
                    <circle cx="20" cy="20" r="16" /><circle cx="20" cy="20" r="5" />
                    <path d="M20 4v6M20 30v6M4 20h6M30 20h6" />
                </svg>
            };
        }
    };
    html! {
        <svg class="icon" width="12" height="12" viewBox="0 0 12 12" fill="currentColor" aria-hidden="true"><path d={path} /></svg>
    }
}
