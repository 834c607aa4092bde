//! The transport: stepping, playing, and where we are.

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use crate::app::context::{sends, use_page};
use crate::app::shared::Shared;
use crate::app::state::{Action, Moment, SPEEDS};
use crate::app::text;

use super::icon::{Icon, icon};

/// What the transport shows.
#[derive(Properties, PartialEq)]
pub struct TransportProps {
    /// How many positions there are.
    pub positions: u32,
    /// What is true at the position: the position, its line and its function always come together.
    pub moment: Option<Shared<Moment>>,
    /// Whether time runs.
    pub is_playing: bool,
    /// Positions a second.
    pub speed: f64,
    /// A remark for the user.
    pub notice: Option<AttrValue>,
}

/// The row of buttons under the timeline.
#[component]
pub fn Transport(props: &TransportProps) -> Html {
    let page = use_page();
    let button = |name: &'static str, hint: &'static str, shape: Icon, action: Action| {
        html! {
            <button type="button" class="btn icon-only" aria-label={name} title={hint} onclick={sends::<MouseEvent>(&page.send, action)}>{ icon(shape) }</button>
        }
    };
    let onchange = {
        let send = page.send.clone();
        Callback::from(move |event: Event| {
            let chosen = event.target_dyn_into::<HtmlSelectElement>().map(|select| select.selected_index());
            let speed = chosen.and_then(|at| usize::try_from(at).ok()).and_then(|at| SPEEDS.get(at));
            if let Some(speed) = speed {
                send.emit(Action::SpeedChosen(*speed));
            }
        })
    };
    let (play, play_hint, play_icon) =
        if props.is_playing { ("Pause", "Pause (Space)", Icon::Pause) } else { ("Play", "Play (Space)", Icon::Play) };
    html! {
        <div class="transport" role="group" aria-label="Transport">
            <div class="buttons">
                { button("First", "First position (Home)", Icon::First, Action::First) }
                { button("Back", "One back (←)", Icon::Back, Action::Step(-1)) }
                { button(play, play_hint, play_icon, Action::PlayToggled) }
                { button("Forward", "One forward (→)", Icon::Forward, Action::Step(1)) }
                { button("Last", "Last position (End)", Icon::Last, Action::Last) }
            </div>
            <select class="speed" aria-label="Speed" {onchange}>
                { for SPEEDS.iter().map(|speed| html! {
                    <option selected={*speed == props.speed}>{ format!("{} a second", text::count(*speed as u64)) }</option>
                }) }
            </select>
            <span class="where">{ where_text(props) }</span>
            <span class="notice" role="status">{ props.notice.clone() }</span>
        </div>
    }
}

fn where_text(props: &TransportProps) -> Html {
    let Some(moment) = &props.moment else { return Html::default() };
    let answer = &moment.answer;
    html! {
        <>
            <b>{ text::count(answer.pos.one_based()) }</b>
            { format!(" of {} · line ", text::count(u64::from(props.positions))) }
            <b>{ answer.line }</b>
            if let Some(function) = &answer.function {
                { " · in " }<b class="mono">{ &function.text }</b>
            }
        </>
    }
}
