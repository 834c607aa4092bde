//! The whole of one value: as a tree, and as the tape has it.

use tapedeck_core::model::ByteOffset;
use tapedeck_core::model::protocol::{ValueAnswer, ValueTree};
use yew::prelude::*;

use crate::app::shared::Shared;
use crate::app::text;
use crate::app::tree::{CHUNK, Leaf, Node, Opened, Part, hex, visible};

use super::dialog::Dialog;
use super::value::cut_chip;

/// The value.
#[derive(Properties, PartialEq)]
pub struct ValueDialogProps {
    /// Where its record starts.
    pub byte: ByteOffset,
    /// It, once it has come.
    pub value: Option<Shared<ValueAnswer>>,
}

/// The dialog of a value.
#[component]
pub fn ValueDialog(props: &ValueDialogProps) -> Html {
    let is_raw = use_state(|| false);
    let is_hex = use_state(|| false);
    let Some(value) = &props.value else {
        return html! { <Dialog title="Value" is_wide=true><p class="faint">{ "Reading…" }</p></Dialog> };
    };
    let title = format!("{} at byte {}", value.name.text, text::count(u64::from(props.byte.0)));
    let toggle = |state: &UseStateHandle<bool>| {
        let state = state.clone();
        Callback::from(move |_: MouseEvent| state.set(!*state))
    };
    let has_buffer = value.tree.as_ref().is_some_and(holds_buffer);
    let shows_raw = *is_raw || value.tree.is_none();
    let travelled = value.raw.text.len();
    html! {
        <Dialog {title} is_wide=true>
            <div class="value-bar">
                <span class="faint">{ format!("{} on the tape", text::size(f64::from(value.bytes))) }</span>
                { cut_chip(value.cut) }
                if value.raw.lossy { <span class="tag warn">{ "not UTF-8: some bytes are shown as U+FFFD" }</span> }
                <span class="grow"></span>
                if has_buffer && !shows_raw {
                    <button type="button" class="btn" aria-pressed={is_hex.to_string()} onclick={toggle(&is_hex)}>{ if *is_hex { "Show as numbers" } else { "Show as hex" } }</button>
                }
                if value.tree.is_some() {
                    <button type="button" class="btn" aria-pressed={is_raw.to_string()} onclick={toggle(&is_raw)}>{ if *is_raw { "Show as a tree" } else { "Show the raw text" } }</button>
                }
            </div>
            if shows_raw {
                <pre class="raw" tabindex="0" aria-label="Raw text">{ &value.raw.text }</pre>
                if (value.bytes as usize) > travelled && !value.raw.lossy {
                    <p class="faint">{ format!("The first {} are shown.", text::size(travelled as f64)) }</p>
                }
            } else if let Some(ValueTree::Str(string)) = &value.tree {
                <pre class="raw" tabindex="0" aria-label="String">{ &string.text }</pre>
            } else {
                <Tree value={value.clone()} is_hex={*is_hex} />
            }
        </Dialog>
    }
}

/// Whether there is a buffer in a value; looks at no more than is likely to be opened.
fn holds_buffer(tree: &ValueTree) -> bool {
    match tree {
        ValueTree::Buffer(_) => true,
        ValueTree::List(items) => items.iter().take(CHUNK).any(holds_buffer),
        ValueTree::Dict(entries) => entries.iter().take(CHUNK).any(|(_, value)| holds_buffer(value)),
        _ => false,
    }
}

#[derive(Properties, PartialEq)]
struct TreeProps {
    value: Shared<ValueAnswer>,
    is_hex: bool,
}

/// The tree, moved through with the arrow keys as trees are.
#[component]
fn Tree(props: &TreeProps) -> Html {
    let opened = use_state(|| Opened::from([(Vec::new(), CHUNK)]));
    let active = use_state(|| 0_usize);
    let node = use_node_ref();
    {
        let node = node.clone();
        use_effect_with((), move |()| {
            if let Some(tree) = node.cast::<web_sys::HtmlElement>() {
                // Without the focus the arrow keys would need a click first; it fails for no element that is shown.
                let _ = tree.focus();
            }
        });
    }
    let nodes = props.value.tree.as_ref().map_or_else(Vec::new, |tree| visible(tree, &opened));
    let at = (*active).min(nodes.len().saturating_sub(1));
    {
        let node = node.clone();
        use_effect_with(at, move |at| {
            let row = node.cast::<web_sys::Element>().and_then(|tree| tree.children().item(*at as u32));
            if let Some(row) = row {
                let options = web_sys::ScrollIntoViewOptions::new();
                options.set_block(web_sys::ScrollLogicalPosition::Nearest);
                row.scroll_into_view_with_scroll_into_view_options(&options);
            }
        });
    }
    let act = {
        let opened = opened.clone();
        move |node: &Node, open: bool| {
            let mut next = (*opened).clone();
            match (&node.part, open) {
                (Part::More(_), _) => {
                    *next.entry(node.path.clone()).or_insert(0) += CHUNK;
                }
                (_, true) => {
                    next.entry(node.path.clone()).or_insert(CHUNK);
                }
                (_, false) => {
                    next.remove(&node.path);
                }
            }
            opened.set(next);
        }
    };
    let onkeydown = {
        let (active, nodes, act) = (active.clone(), nodes.clone(), act.clone());
        Callback::from(move |event: KeyboardEvent| {
            let Some(node) = nodes.get(at) else { return };
            let parent = || nodes.iter().take(at).rposition(|other| other.level() < node.level());
            match event.key().as_str() {
                "ArrowDown" => active.set((at + 1).min(nodes.len() - 1)),
                "ArrowUp" => active.set(at.saturating_sub(1)),
                "Home" => active.set(0),
                "End" => active.set(nodes.len() - 1),
                "ArrowRight" if node.is_open == Some(false) => act(node, true),
                "ArrowRight" if node.is_open == Some(true) => active.set((at + 1).min(nodes.len() - 1)),
                "ArrowLeft" if node.is_open == Some(true) => act(node, false),
                "ArrowLeft" => active.set(parent().unwrap_or(at)),
                "Enter" | " " => act(node, node.is_open == Some(false)),
                _ => return,
            }
            event.prevent_default();
        })
    };
    html! {
        <div ref={node} class="tree" role="tree" tabindex="0" aria-label="Value" aria-activedescendant={format!("node-{at}")} {onkeydown}>
            { for nodes.iter().enumerate().map(|(idx, node)| {
                let onclick = {
                    let (active, act, node) = (active.clone(), act.clone(), node.clone());
                    Callback::from(move |_: MouseEvent| {
                        active.set(idx);
                        if node.is_open.is_some() || matches!(node.part, Part::More(_)) {
                            act(&node, node.is_open != Some(true));
                        }
                    })
                };
                tree_row(node, idx, idx == at, props.is_hex, onclick)
            }) }
        </div>
    }
}

fn tree_row(node: &Node, idx: usize, is_active: bool, is_hex: bool, onclick: Callback<MouseEvent>) -> Html {
    let level = node.level();
    // The style sheet indents twelve levels; deeper ones keep the last indent and say their level.
    let indent = format!("indent-{}", level.min(12));
    let body = match &node.part {
        Part::Leaf(Leaf::Null) => html! { <span class="val">{ "null" }</span> },
        Part::Leaf(Leaf::Number(number)) => html! { <span class="val num">{ number }</span> },
        Part::Leaf(Leaf::Text(text)) => html! { <span class="val str">{ format!("{text:?}") }</span> },
        Part::Branch(kind, count) => {
            html! { <span class="faint">{ format!("{kind} of {}", text::count(*count as u64)) }</span> }
        }
        Part::Numbers(numbers) => {
            let shown: Vec<String> = numbers
                .iter()
                .map(|number| if is_hex { hex(number).unwrap_or_else(|| number.clone()) } else { number.clone() })
                .collect();
            html! { <span class="val num">{ shown.join(if is_hex { " " } else { ", " }) }</span> }
        }
        Part::More(more) => html! { <span class="link">{ format!("{} more…", text::count(*more as u64)) }</span> },
    };
    html! {
        <div id={format!("node-{idx}")} role="treeitem" class={classes!("node", indent, is_active.then_some("active"))} aria-level={level.to_string()}
            aria-expanded={node.is_open.map(|is_open| is_open.to_string())} aria-selected={is_active.to_string()}
            aria-posinset={node.place.to_string()} aria-setsize={node.siblings.to_string()} {onclick}>
            <svg class={classes!("chevron", (node.is_open == Some(true)).then_some("open"), node.is_open.is_none().then_some("none"))} width="8" height="8" viewBox="0 0 8 8" fill="currentColor" aria-hidden="true"><path d="M2 0l5 4-5 4z" /></svg>
            if !node.label.is_empty() { <span class="key">{ &node.label }</span> }
            { body }
        </div>
    }
}
