//! A list of any length in a scrolled box: what to render, and what to ask for.

use tapedeck_core::model::RowWindow;
use wasm_bindgen::prelude::*;
use web_sys::{Element, ResizeObserver};
use yew::prelude::*;

use crate::app::rows::Scroll;

/// How a list is laid out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowsSpec {
    /// Rows in all.
    pub total: u32,
    /// Height of a row in CSS px, as the style sheet sets it.
    pub row_px: f64,
    /// Height of the sticky header in CSS px.
    pub head_px: f64,
    /// A row to bring into view whenever this changes.
    pub reveal: Option<u32>,
}

/// What [`use_rows`] gives a component.
#[derive(Clone)]
pub struct Rows {
    /// For the scrolled box.
    pub node: NodeRef,
    /// For the scrolled box.
    pub onscroll: Callback<Event>,
    scroll: Scroll,
}

impl Rows {
    /// The rows to render: of those that are visible, the ones at hand (`have`, counted from row 0 of the list).
    pub fn render(&self, have: std::ops::Range<u32>) -> std::ops::Range<u32> {
        let seen = self.scroll.visible();
        let first = seen.first.max(have.start);
        first..(seen.first + seen.count).min(have.end).max(first)
    }

    /// A row of a table that takes the place of the rows above or below the rendered ones.
    pub fn blank(&self, rendered: &std::ops::Range<u32>, is_above: bool) -> Html {
        let height = if is_above {
            self.scroll.above_px(rendered.start)
        } else {
            self.scroll.below_px(rendered.start, rendered.end - rendered.start)
        };
        if height < 0.5 {
            return Html::default();
        }
        html! { <tbody aria-hidden="true"><tr class="blank"><td height={height.round().to_string()}></td></tr></tbody> }
    }
}

/// Keeps track of a scrolled list. `on_rows` is told which rows it needs whenever that changes.
#[hook]
pub fn use_rows(spec: RowsSpec, on_rows: Callback<RowWindow>) -> Rows {
    let node = use_node_ref();
    let scroll = use_mut_ref(|| Scroll::new(spec.total, spec.row_px));
    let redraw = use_force_update();
    let view_px = use_mut_ref(|| 0.0_f64);

    {
        let (node, view_px, redraw) = (node.clone(), view_px.clone(), redraw.clone());
        use_effect_with((), move |()| {
            let observer = node.cast::<Element>().and_then(|element| {
                let seen = element.clone();
                let closure = Closure::<dyn FnMut()>::new(move || {
                    let height = (f64::from(seen.client_height()) - spec.head_px).max(0.0);
                    if *view_px.borrow() != height {
                        *view_px.borrow_mut() = height;
                        redraw.force_update();
                    }
                });
                let observer = ResizeObserver::new(closure.as_ref().unchecked_ref()).ok()?;
                observer.observe(&element);
                Some((observer, closure))
            });
            move || {
                if let Some((observer, closure)) = observer {
                    observer.disconnect();
                    drop(closure);
                }
            }
        });
    }

    scroll.borrow_mut().resize(spec.total, *view_px.borrow());
    let now = *scroll.borrow();

    {
        let (scroll, node, redraw) = (scroll.clone(), node.clone(), redraw.clone());
        use_effect_with((spec.reveal, spec.total, now.view_px > 0.0), move |(reveal, ..)| {
            let bar = reveal.and_then(|row| scroll.borrow_mut().reveal(row));
            if let (Some(bar), Some(element)) = (bar, node.cast::<Element>()) {
                element.set_scroll_top(bar.round() as i32);
                redraw.force_update();
            }
        });
    }

    {
        let scroll = *scroll.borrow();
        let is_sized = scroll.view_px > 0.0;
        use_effect_with((scroll.wanted(), is_sized), move |(wanted, is_sized)| {
            if *is_sized {
                on_rows.emit(*wanted);
            }
        });
    }

    let onscroll = {
        let scroll = scroll.clone();
        Callback::from(move |event: Event| {
            let Some(element) = event.target_dyn_into::<Element>() else { return };
            let (before, after) = {
                let mut scroll = scroll.borrow_mut();
                let before = *scroll;
                scroll.scrolled(f64::from(element.scroll_top()));
                (before, *scroll)
            };
            if before.visible() != after.visible() {
                redraw.force_update();
            }
        })
    };
    Rows { node, onscroll, scroll: now }
}
