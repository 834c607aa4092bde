//! The first screen: what Tapedeck is, and every way in that works.

use yew::prelude::*;

use crate::app::context::{Door, sends, use_page};
use crate::app::state::{Action, Dialog};
use crate::app::text;

use super::icon::{Icon, icon};

/// What stands above the doors: an alert, or an opening.
#[derive(Properties, PartialEq)]
pub struct FirstScreenProps {
    /// An alert or a progress bar.
    #[prop_or_default]
    pub children: Html,
}

/// The first screen.
#[component]
pub fn FirstScreen(props: &FirstScreenProps) -> Html {
    let page = use_page();
    let pick = page.door.reform(|_: MouseEvent| Door::Pick);
    let sample = page.door.reform(|_: MouseEvent| Door::Sample);
    html! {
        <main class="hero">
            <div class="card">
                <h1>{ "Rewind any run." }</h1>
                <p class="lead">{ "Open a recorded execution, scrub to any moment, and see what was true there." }</p>
                { props.children.clone() }
                <div class="drop">
                    { icon(Icon::Reel) }
                    <p>{ "Drop an EigenScript tape anywhere on this page" }</p>
                    <div class="row">
                        <button type="button" class="btn primary" onclick={pick}>{ "Open a file" }</button>
                        <button type="button" class="btn" onclick={sends::<MouseEvent>(&page.send, Action::DialogShown(Dialog::Paste))}>{ "Paste" }</button>
                    </div>
                    <p class="hint">{ "Drop its " }<code>{ ".eigs" }</code>{ " source with it to see the lines as they run." }</p>
                </div>
                <div class="try">
                    <button type="button" onclick={sample}>
                        <b>{ "Try the sample tape" }</b>
                        <span>{ "A thermostat that overshoots: 1,083 moments of a control loop whose sensor drifts, with its source." }</span>
                    </button>
                    <div class="how">
                        <b>{ "Make one of your own" }</b>
                        <code>{ "EIGS_TRACE=run.tape eigenscript program.eigs" }</code>
                    </div>
                </div>
            </div>
            <footer><span>{ text::PRIVATE }</span><span>{ ".tape · .tape.gz" }</span></footer>
        </main>
    }
}
