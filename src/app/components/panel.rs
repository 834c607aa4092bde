//! A panel: a region with its title, what stands beside the title, and its content.

use yew::prelude::*;

use crate::web::storage;

/// What a panel holds.
#[derive(Properties, PartialEq)]
pub struct PanelProps {
    /// The region's name, also its title.
    pub name: &'static str,
    /// What stands beside the title.
    #[prop_or_default]
    pub aside: Html,
    /// The content.
    #[prop_or_default]
    pub children: Html,
    /// For panels that fold: whether it is folded, and who is told when the title is pressed.
    #[prop_or_default]
    pub fold: Option<(bool, Callback<()>)>,
}

/// A panel.
#[component]
pub fn Panel(props: &PanelProps) -> Html {
    let is_folded = props.fold.as_ref().is_some_and(|(is_folded, _)| *is_folded);
    let title = match &props.fold {
        None => html! { { props.name } },
        Some((is_folded, toggle)) => {
            let onclick = toggle.reform(|_: MouseEvent| ());
            html! {
                <button type="button" class="fold" aria-expanded={(!is_folded).to_string()} {onclick}>
                    <svg class={classes!("chevron", (!is_folded).then_some("open"))} width="8" height="8" viewBox="0 0 8 8" fill="currentColor" aria-hidden="true">
                        <path d="M2 0l5 4-5 4z" />
                    </svg>
                    { props.name }
                </button>
            }
        }
    };
    html! {
        <section aria-label={props.name} class={classes!("panel", is_folded.then_some("folded"))}>
            <header class="panel-head"><h2>{ title }</h2>{ props.aside.clone() }</header>
            if !is_folded { { props.children.clone() } }
        </section>
    }
}

/// Whether a panel is folded, remembered between visits; `by_default` until the user has said.
#[hook]
pub fn use_fold(key: &'static str, by_default: bool) -> (bool, Callback<()>) {
    let chosen = use_state(|| storage::get(key).map(|text| text == "folded"));
    let is_folded = chosen.unwrap_or(by_default);
    let toggle = Callback::from(move |()| {
        storage::set(key, if is_folded { "open" } else { "folded" });
        chosen.set(Some(!is_folded));
    });
    (is_folded, toggle)
}
