//! Sharing: the link that shows this moment, what goes along with it, and what can be taken out before.

use tapedeck_core::link::limits::too_long_for;
use tapedeck_core::link::redact::{Kind, Plan};
use tapedeck_core::link::{self, Link, Source};
use tapedeck_core::model::protocol_artifact::ShareAnswer;
use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::app::context::use_page;
use crate::app::shared::Shared;
use crate::app::state::Action;
use crate::app::text;
use crate::web::address;

use super::copy::CopyButton;
use super::dialog::Dialog;

/// What is shared.
#[derive(Properties, PartialEq)]
pub struct ShareProps {
    /// The view.
    pub view: Link,
    /// Where the recording comes from.
    pub origin: Option<Shared<Source>>,
    /// What is to be taken out.
    pub plan: Plan,
    /// The link that holds the recording, once the reader has made it.
    pub share: Option<Shared<ShareAnswer>>,
}

/// The dialog of the Share button.
#[component]
pub fn ShareDialog(props: &ShareProps) -> Html {
    let page = use_page();
    let base = address::base();
    let by_url = props.origin.as_deref().filter(|source| matches!(source, Source::Url { .. })).map(|source| {
        let text = format!("{base}{}", link::write(&Link { source: source.clone(), ..props.view.clone() }));
        html! {
            <section>
                <h3>{ "A link to this URL" }</h3>
                <p class="faint">{ "It names the address that the recording was fetched from. Who opens it fetches the recording from there." }</p>
                { length(&text) }
                <CopyButton words="Copy link to this URL" {text} />
            </section>
        }
    });
    let inline = match props.share.as_deref() {
        None => html! { <p class="faint" role="status">{ "Packing the recording …" }</p> },
        Some(share) => inline(share, &props.plan, &base, &page.send),
    };
    html! {
        <Dialog title="Share this moment" is_wide=true>
            <div class="share">
                <p class="faint">{ "Who opens the link sees what you see now: position, range, chosen binding, breakpoints, pins and colours. Everything is in the link itself; nothing is uploaded." }</p>
                { by_url }
                { inline }
            </div>
        </Dialog>
    }
}

fn inline(share: &ShareAnswer, plan: &Plan, base: &str, send: &Callback<Action>) -> Html {
    let Some(fragment) = &share.fragment else {
        return html! {
            <p role="note">{ format!("The recording and its source have {}, which no link can hold. Send the file itself, or put it at an address and open it from there.", text::size(share.bytes as f64)) }</p>
        };
    };
    let whole = format!("{base}{fragment}");
    let source = match &share.source {
        Some(name) => format!("the tape and its source {name}"),
        None => "the tape".to_owned(),
    };
    let counts = share.inventory.counts.iter().map(|count| {
        let kind = count.kind;
        let is_out = plan.kinds.contains(&kind);
        let onchange = {
            let (send, plan) = (send.clone(), plan.clone());
            Callback::from(move |_: Event| {
                let mut plan = plan.clone();
                if is_out {
                    plan.kinds.retain(|other| *other != kind);
                } else {
                    plan.kinds.push(kind);
                }
                send.emit(Action::SharePlanned(plan));
            })
        };
        html! {
            <li>
                <label><input type="checkbox" checked={is_out} {onchange} />{ format!(" Take out {}", kind.title()) }</label>
                <span class="faint">{ format!(" {}, {}", text::counted(u64::from(count.records), "record"), text::size(count.bytes as f64)) }</span>
                { examples(share, kind) }
            </li>
        }
    });
    let oninput = {
        let (send, plan) = (send.clone(), plan.clone());
        Callback::from(move |event: InputEvent| {
            let text = event.target_dyn_into::<HtmlInputElement>().map(|field| field.value()).unwrap_or_default();
            let texts = if text.trim().is_empty() { Vec::new() } else { vec![text.trim().to_owned()] };
            send.emit(Action::SharePlanned(Plan { texts, ..plan.clone() }));
        })
    };
    let report = &share.report;
    let taken = report.inputs + report.assigns + report.lines + report.places;
    html! {
        <section>
            <h3>{ "A link with the recording inside" }</h3>
            <p class="faint">{ format!("{source}, {} before packing, go along.", text::size(share.bytes as f64)) }</p>
            if share.inventory.counts.is_empty() {
                <p>{ "The tape holds no environment values, file contents, headers or other inputs with text in them." }</p>
            } else {
                <p>{ "The tape holds what the program read. Take out what must not leave this machine:" }</p>
                <ul class="inventory" aria-label="What goes along">{ for counts }</ul>
            }
            <label class="field">{ "Also take out this text, wherever it stands" }
                <input type="text" aria-label="Text to take out" value={plan.texts.first().cloned().unwrap_or_default()} {oninput} spellcheck="false" autocomplete="off" />
            </label>
            if *plan != Plan::default() {
                <p role="status">{ format!("Taken out in {}.", text::counted(u64::from(taken), "place")) }</p>
                { for report.warnings.iter().map(|warning| html! { <p class="caution">{ warning }</p> }) }
            }
            <input type="text" class="link-text" aria-label="Link" readonly=true value={whole.clone()} />
            { length(&whole) }
            <CopyButton words="Copy link with the recording inside" text={whole} is_primary=true />
        </section>
    }
}

fn examples(share: &ShareAnswer, kind: Kind) -> Html {
    let examples = share.inventory.examples.iter().filter(|holding| holding.kind == kind);
    html! {
        <details>
            <summary>{ "Show" }</summary>
            <ul>{ for examples.map(|holding| html! { <li><code>{ format!("{}: {}", holding.name, holding.preview) }</code></li> }) }</ul>
        </details>
    }
}

/// How long a link is, and what that means.
fn length(link: &str) -> Html {
    let characters = link.chars().count();
    let mut says = format!("{} characters.", text::count(characters as u64));
    for channel in too_long_for(characters) {
        says.push_str(&format!(" {} {}.", channel.name, channel.what));
    }
    html! { <p class="faint link-length">{ says }</p> }
}
