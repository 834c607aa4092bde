//! A modal dialog: the browser's own `<dialog>`, which keeps the focus inside and closes at Escape.

use web_sys::HtmlDialogElement;
use yew::prelude::*;

use crate::app::context::{sends, use_page};
use crate::app::state::{Action, Dialog as Which};

use super::icon::{Icon, icon};

/// What a dialog holds.
#[derive(Properties, PartialEq)]
pub struct DialogProps {
    /// Its title, which names it.
    pub title: AttrValue,
    /// The content.
    pub children: Html,
    /// Whether it takes the room that it can get.
    #[prop_or_default]
    pub is_wide: bool,
}

/// A modal dialog; it is shown as long as it is rendered.
#[component]
pub fn Dialog(props: &DialogProps) -> Html {
    let node = use_node_ref();
    let page = use_page();
    {
        let node = node.clone();
        use_effect_with((), move |()| {
            let dialog = node.cast::<HtmlDialogElement>();
            if let Some(dialog) = dialog.as_ref().filter(|dialog| !dialog.open()) {
                // It fails only when the element is not in the document, and then there is nothing to show.
                let _ = dialog.show_modal();
            }
            move || {
                if let Some(dialog) = dialog {
                    dialog.close();
                }
            }
        });
    }
    let close = sends::<MouseEvent>(&page.send, Action::DialogShown(Which::None));
    let oncancel = {
        let send = page.send.clone();
        Callback::from(move |event: Event| {
            event.prevent_default();
            send.emit(Action::DialogShown(Which::None));
        })
    };
    let onclick = {
        let (send, node) = (page.send.clone(), node.clone());
        Callback::from(move |event: MouseEvent| {
            // The backdrop belongs to the dialog element itself; everything else is inside a child.
            if event.target() == node.get().map(Into::into) {
                send.emit(Action::DialogShown(Which::None));
            }
        })
    };
    html! {
        <dialog ref={node} class={classes!("dialog", props.is_wide.then_some("wide"))} aria-label={props.title.clone()} {oncancel} {onclick}>
            <div class="dialog-box">
                <header><h2>{ &props.title }</h2>
                    <button type="button" class="btn icon-only" aria-label="Close" onclick={close}>{ icon(Icon::Close) }</button>
                </header>
                { props.children.clone() }
            </div>
        </dialog>
    }
}
