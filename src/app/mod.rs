//! The page: Yew components over one reducer.

use yew::prelude::*;

/// The root component.
#[component]
pub fn App() -> Html {
    html! { <main>{ "Tapedeck" }</main> }
}

/// Renders the page into `<body>`.
pub fn main() {
    console_error_panic_hook::set_once();
    yew::Renderer::<App>::new().render();
}
