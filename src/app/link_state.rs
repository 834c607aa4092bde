//! What the page shows as a link, and a link as what the page shows.
//!
//! Invariant: [`apply`] of what [`view`] made shows the same: position, range, selected name, breakpoints, pins, theme and the
//! file of the artifact.

use std::collections::BTreeSet;
use std::rc::Rc;

use tapedeck_core::link::{self, Link};
use tapedeck_core::timeline::Range;

use super::state::{Open, State, Theme};
use super::text;

/// Everything visible, without where the recording comes from.
pub fn view(state: &State) -> Link {
    let mut link = Link {
        theme: match state.theme {
            Theme::System => None,
            Theme::Light => Some(link::Theme::Light),
            Theme::Dark => Some(link::Theme::Dark),
        },
        ..Link::default()
    };
    if let Some(artifact) = &state.artifact {
        let chosen = artifact.chosen.and_then(|id| artifact.summary.tree.node(id));
        link.file = chosen.map(|node| node.path.clone()).filter(|path| !path.is_empty());
    }
    if let Some(trace) = &state.trace {
        link.position = Some(u64::from(trace.step) + 1);
    }
    if let Some(open) = &state.tape {
        if open.summary.positions > 0 {
            link.position = Some(open.pos.one_based());
            link.range = range_of(open);
        }
        link.selected = open.selected.as_ref().map(|selected| selected.pin()).or_else(|| open.wanted_selection.clone());
        link.breakpoints = open.breakpoints.iter().copied().collect();
        link.pins = open.pins.to_vec();
    }
    link
}

/// The visible range in whole positions, both included and counted from 1; `None` for the whole tape.
fn range_of(open: &Open) -> Option<(u64, u64)> {
    let positions = f64::from(open.summary.positions);
    let (first, last) = (open.range.first.max(0.0).floor(), open.range.last.min(positions).ceil());
    (first > 0.0 || last < positions).then_some((first as u64 + 1, (last as u64).max(first as u64 + 1)))
}

/// Shows what a link says; the text is a remark for the user.
pub fn apply(open: &mut Open, link: &Link) -> Option<String> {
    let positions = u64::from(open.summary.positions);
    if let Some(position) = link.position.filter(|_| positions > 0) {
        open.seek((position.saturating_sub(1)).min(positions - 1) as u32);
        // A link with a position is one that says everything; a bare address leaves the choice of pins to the page.
        open.pins = Rc::new(link.pins.clone());
    }
    let whole = Range::whole(open.summary.positions);
    open.set_range(
        link.range.map_or(whole, |(first, last)| Range {
            first: first.saturating_sub(1) as f64,
            last: last.max(first) as f64,
        }),
    );
    open.breakpoints = Rc::new(link.breakpoints.iter().copied().collect::<BTreeSet<i32>>());
    if open.selected.as_ref().map(|selected| selected.pin()) != link.selected {
        open.selected = None;
        open.history = None;
        open.wanted_selection = link.selected.clone();
    }
    let position = link.position.filter(|position| *position > positions)?;
    Some(format!(
        "The link names position {}, and this tape has {}.",
        text::count(position),
        text::counted(positions, "position")
    ))
}
