//! The timeline: a slider for those who use it by key or by ear, a drawing for those who see it.
//!
//! The drawing and the pointer are the [`stage`]'s; this file is the markup. The lanes' names are real text beside the
//! drawing, outside of the slider, because a slider's content is not told by assistive technology.
//!
//! Invariant: the timeline holds no state that the page does not know but the frame rows scrolled to: position and range come
//! by props, wishes go out by callbacks, at most one of each kind an animation frame.

mod stage;

use std::rc::Rc;

use tapedeck_core::model::Pos;
use tapedeck_core::model::protocol::{Minimap, Pin, Question, TapeSummary, TimelineSlice};
use tapedeck_core::timeline::{Range, short_number_text, value_text};
use yew::prelude::*;

use crate::app::shared::Shared;
use stage::{Parts, Shown, Stage, Wishes};

/// How many characters of a track's bounds fit beside it.
const BOUND_CHARS: usize = 5;

/// What the timeline shows and whom it tells.
#[derive(Properties, PartialEq)]
pub struct TimelineProps {
    /// What the tape holds.
    pub summary: Shared<TapeSummary>,
    /// Whether the tape has issues or seams to mark.
    pub has_marks: bool,
    /// Where the page is.
    pub pos: Pos,
    /// The line at `pos`; `None` until it is known for this very position.
    pub line: Option<i32>,
    /// The function at `pos`; `None` until it is known for this very position, and where there is none.
    pub function: Option<AttrValue>,
    /// Frames on the call stack at `pos`; `None` until it is known for this very position.
    #[prop_or_default]
    pub depth: Option<u32>,
    /// The visible range.
    pub range: Range,
    /// What the reader answered last to a [`Question::Timeline`] about this tape.
    pub slice: Option<Shared<TimelineSlice>>,
    /// What the reader answered to the [`Question::Minimap`].
    pub minimap: Option<Shared<Minimap>>,
    /// The tracks.
    pub pins: Rc<Vec<Pin>>,
    /// Anything that changes when the page's colours do.
    pub colours: u32,
    /// The user wants to go to a position. At most once an animation frame.
    pub on_seek: Callback<Pos>,
    /// The user wants to see a range. At most once an animation frame.
    pub on_range: Callback<Range>,
    /// The timeline needs an answer from the reader: a slice for what is visible, or the minimap.
    pub on_ask: Callback<Question>,
    /// The user does not want to see a track any more.
    pub on_unpin: Callback<Pin>,
}

/// The timeline of a tape.
#[component]
pub fn Timeline(props: &TimelineProps) -> Html {
    let area = use_node_ref();
    let lanes = use_node_ref();
    let overlay = use_node_ref();
    let names = use_node_ref();
    let deeper = use_node_ref();
    let readout = use_node_ref();
    let stage = use_mut_ref(|| None::<Stage>);

    let summary = &props.summary;
    let has_inputs = summary.nondet > 0;
    {
        let stage = Rc::clone(&stage);
        let nodes = [&area, &lanes, &overlay, &names, &deeper, &readout].map(Clone::clone);
        use_effect_with((), move |()| {
            let [area, lanes, overlay, names, deeper, readout] = nodes;
            if let (Some(area), Some(names), Some(deeper), Some(readout)) =
                (area.cast(), names.cast(), deeper.cast(), readout.cast())
            {
                let parts = Parts { area, names, deeper, readout, lanes: lanes.cast(), overlay: overlay.cast() };
                *stage.borrow_mut() = Some(Stage::new(parts));
            }
            move || drop(stage.borrow_mut().take())
        });
    }
    {
        let shown = Shown {
            positions: summary.positions,
            frame_rows: summary.frame_rows,
            has_inputs,
            has_marks: props.has_marks,
            pos: props.pos,
            depth: props.depth,
            range: props.range,
            slice: props.slice.clone(),
            minimap: props.minimap.clone(),
            pins: Rc::clone(&props.pins),
            colours: props.colours,
            tape: summary.clone(),
        };
        let wishes = Wishes { seek: props.on_seek.clone(), range: props.on_range.clone(), ask: props.on_ask.clone() };
        let stage = Rc::clone(&stage);
        use_effect(move || {
            if let Some(stage) = &*stage.borrow() {
                stage.show(shown, wishes);
            }
        });
    }
    let on_deeper = {
        let stage = Rc::clone(&stage);
        Callback::from(move |_: MouseEvent| {
            if let Some(stage) = &*stage.borrow() {
                stage.turn_frame_page();
            }
        })
    };

    let function = props.function.as_ref().map(AttrValue::as_str);
    let text = value_text(props.pos, summary.positions, props.line, function);
    let last = summary.positions.saturating_sub(1);
    let tracks = props.pins.iter().enumerate().map(|(idx, pin)| {
        let bounds = props.slice.as_ref().and_then(|slice| slice.tracks.get(idx)?.bounds);
        track_name(pin, bounds, &props.on_unpin)
    });
    html! {
        <div class="timeline">
            <div class="tl-names" ref={names}>
                <div class="tl-name">{ "all" }</div>
                <div class="tl-name">{ "position" }</div>
                <div class="tl-name tl-frames">
                    { "frames" }
                    <button ref={deeper} type="button" class="tl-deeper" hidden=true onclick={on_deeper}></button>
                </div>
                if has_inputs {
                    <div class="tl-name">{ "inputs" }</div>
                }
                { for tracks }
                if props.has_marks {
                    <div class="tl-name">{ "issues" }</div>
                }
            </div>
            <div ref={area} class="tl-area" role="slider" tabindex="0" aria-label="Timeline" aria-orientation="horizontal"
                aria-valuemin="0" aria-valuemax={last.to_string()} aria-valuenow={props.pos.0.min(last).to_string()}
                aria-valuetext={text}>
                <canvas ref={lanes} class="tl-canvas"></canvas>
                <canvas ref={overlay} class="tl-canvas"></canvas>
            </div>
            <div ref={readout} class="tl-readout" aria-hidden="true" hidden=true></div>
        </div>
    }
}

/// A pin's name, its bounds, and the button that takes it away.
fn track_name(pin: &Pin, bounds: Option<(f64, f64)>, on_unpin: &Callback<Pin>) -> Html {
    let title = match &pin.function {
        Some(function) => format!("{} in {function}", pin.name),
        None => pin.name.clone(),
    };
    let unpin = {
        let (on_unpin, pin) = (on_unpin.clone(), pin.clone());
        Callback::from(move |_: MouseEvent| on_unpin.emit(pin.clone()))
    };
    let range = bounds.map(|(low, high)| {
        let (low, high) = (short_number_text(low, BOUND_CHARS), short_number_text(high, BOUND_CHARS));
        if low == high { low } else { format!("{low} to {high}") }
    });
    html! {
        <div class="tl-name tl-track" key={title.clone()} title={title.clone()}>
            <span class="tl-pin">{ &pin.name }</span>
            <button type="button" class="tl-unpin" aria-label={format!("Unpin {title}")} title={format!("Unpin {title}")} onclick={unpin}>
                <svg width="8" height="8" viewBox="0 0 8 8" aria-hidden="true"><path d="M1 1l6 6M7 1L1 7" stroke="currentColor" stroke-width="1.4" fill="none"/></svg>
            </button>
            if let Some(range) = range {
                <span class="tl-bounds">{ range }</span>
            }
        </div>
    }
}
