//! Opening from an address: the field for it, and the question before an address with a query is fetched for a link.

use tapedeck_core::link::{Link, Source};
use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::app::context::{Door, sends, use_page};
use crate::app::shared::Shared;
use crate::app::state::{Action, Dialog as Which};

use super::dialog::Dialog;

/// The dialog of the "From a URL" button.
#[component]
pub fn UrlDialog() -> Html {
    let page = use_page();
    let field = use_node_ref();
    let onsubmit = {
        let (door, field) = (page.door.clone(), field.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let text = field.cast::<HtmlInputElement>().map(|field| field.value()).unwrap_or_default();
            if !text.trim().is_empty() {
                door.emit(Door::Url(text.trim().to_owned()));
            }
        })
    };
    html! {
        <Dialog title="Open from a URL">
            <form class="paste" {onsubmit}>
                <label class="field">{ "The address of a tape or of an archive" }
                    <input ref={field} type="text" inputmode="url" aria-label="Address" autofocus=true spellcheck="false" autocomplete="off" placeholder="https://example.org/run.tape" />
                </label>
                <p class="faint">{ "This browser fetches it, without cookies or logins. The server must allow other pages to read it." }</p>
                <div class="row"><button type="submit" class="btn primary">{ "Fetch and open" }</button></div>
            </form>
        </Dialog>
    }
}

/// The link that wants to fetch.
#[derive(Properties, PartialEq)]
pub struct ConfirmProps {
    /// What it says, and what is odd about it.
    pub asked: Shared<(Link, Vec<String>)>,
}

/// Asks before an address that may carry a token is fetched.
#[component]
pub fn ConfirmDialog(props: &ConfirmProps) -> Html {
    let page = use_page();
    let (link, remarks) = &*props.asked;
    let address = match &link.source {
        Source::Url { url, .. } => url.clone(),
        _ => String::new(),
    };
    let fetch = {
        let (link, remarks) = (link.clone(), remarks.clone());
        page.door.reform(move |_: MouseEvent| Door::Confirmed(Box::new(link.clone()), remarks.clone()))
    };
    html! {
        <Dialog title="Fetch this address?">
            <div class="share">
                <p>{ "The link asks this browser to fetch a recording from an address that carries more than a path. That part may be a token, and may tell the server who opened the link." }</p>
                <code class="long">{ address }</code>
                <div class="row">
                    <button type="button" class="btn primary" onclick={fetch}>{ "Fetch it" }</button>
                    <button type="button" class="btn" onclick={sends::<MouseEvent>(&page.send, Action::DialogShown(Which::None))}>{ "Do not fetch" }</button>
                </div>
            </div>
        </Dialog>
    }
}
