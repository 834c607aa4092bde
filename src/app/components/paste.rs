//! The field to paste a tape into.

use web_sys::HtmlTextAreaElement;
use yew::prelude::*;

use crate::app::context::{Door, use_page};

use super::dialog::Dialog;

/// The dialog of the Paste button. Pasting into it opens at once; typed text is opened by the button.
#[component]
pub fn PasteDialog() -> Html {
    let page = use_page();
    let field = use_node_ref();
    let onsubmit = {
        let (door, field) = (page.door.clone(), field.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let text = field.cast::<HtmlTextAreaElement>().map(|field| field.value()).unwrap_or_default();
            if !text.is_empty() {
                door.emit(Door::Text(text));
            }
        })
    };
    html! {
        <Dialog title="Paste a tape">
            <form class="paste" {onsubmit}>
                <textarea id="paste" ref={field} aria-label="The text of a tape" rows="12" spellcheck="false" autofocus=true
                    placeholder={"V 2 0.40.0\nL 1\nA x=1"} />
                <p class="faint">{ "What you paste opens at once. It stays in this browser." }</p>
                <div class="row"><button type="submit" class="btn primary">{ "Open the text" }</button></div>
            </form>
        </Dialog>
    }
}
