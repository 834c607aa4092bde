//! A button that copies a text.

use gloo::timers::callback::Timeout;
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::web::clipboard;

/// How long the button says what became of it.
const SAYS_MILLIS: u32 = 2500;

/// What is copied.
#[derive(Properties, PartialEq)]
pub struct CopyProps {
    /// The words on the button.
    pub words: AttrValue,
    /// The text.
    pub text: AttrValue,
    /// Whether it is the main button.
    #[prop_or_default]
    pub is_primary: bool,
}

/// A button that copies a text and says whether it could.
#[component]
pub fn CopyButton(props: &CopyProps) -> Html {
    let outcome = use_state_eq(|| None::<bool>);
    let timer = use_mut_ref(|| None::<Timeout>);
    let onclick = {
        let (text, outcome, timer) = (props.text.clone(), outcome.setter(), timer.clone());
        Callback::from(move |_: MouseEvent| {
            let (text, outcome, timer) = (text.clone(), outcome.clone(), timer.clone());
            spawn_local(async move {
                outcome.set(Some(clipboard::copy(&text).await));
                *timer.borrow_mut() = Some(Timeout::new(SAYS_MILLIS, move || outcome.set(None)));
            });
        })
    };
    let says = match *outcome {
        None => "",
        Some(true) => "Copied.",
        Some(false) => "The browser did not let the page copy it: mark the text and copy it.",
    };
    html! {
        <span class="copy">
            <button type="button" class={classes!("btn", props.is_primary.then_some("primary"))} {onclick}>{ &props.words }</button>
            <span role="status" class="faint">{ says }</span>
        </span>
    }
}
