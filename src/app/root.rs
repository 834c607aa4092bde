//! The root component: the reducer, the readers, the doors, and what is shown.

use gloo::events::EventListener;
use tapedeck_core::model::protocol::Refusal;
use tapedeck_core::model::protocol_trace::TraceKind;
use wasm_bindgen::JsCast;
use web_sys::{HtmlInputElement, MediaQueryListEvent};
use yew::prelude::*;

use super::components::trace::{ToolsPanel, TraceSheet, TraceView};
use super::components::{
    AlertBox, FirstScreen, Header, KeysSheet, OpeningBox, PasteDialog, TapeView, ValueDialog, use_fold,
};
use super::context::{Context, Door, Page};
use super::hooks::{do_work, shop_action, use_asks, use_doors, use_keyboard, use_playing};
use super::shared::Shared;
use super::state::{Action, Alert, Dialog, Panel, Theme};
use super::trace_state::{OpenTrace, TraceAction};
use crate::web::bridge::Death;
use crate::web::deck::{Deck, DeckEvent};
use crate::web::files::{Delivery, from_list};
use crate::web::workshop::Workshop;
use crate::web::{page, storage};

/// Under this width the panels stand one after the other.
const NARROW: &str = "(max-width: 699px)";

/// The root component.
#[component]
pub fn App() -> Html {
    let state = use_reducer(|| {
        let mut page = Page::default();
        page.0.theme = remembered_theme();
        page
    });
    let send = use_callback(state.dispatcher(), |action: Action, dispatcher| dispatcher.dispatch(action));
    let workshop = use_memo((), |()| {
        let send = send.clone();
        Workshop::new(page::tools_url().unwrap_or_default(), move |event| send.emit(shop_action(event)))
    });
    let deck = use_memo((), |()| {
        let send = send.clone();
        // Without the boot tag there is no worker to start; opening says so.
        let url = page::worker_url().unwrap_or_default();
        let shop = (*workshop).clone();
        Deck::new(url, move |event| {
            if let Some(event) = shop.hear(event) {
                send.emit(action_of(event));
            }
        })
    });
    use_memo((), |()| workshop.attach((*deck).clone()));
    let doors = use_doors(&deck, &workshop, &send);
    let context = use_memo((), |()| {
        let (shop, sender) = ((*workshop).clone(), send.clone());
        let work = Callback::from(move |work| do_work(work, &shop, &sender));
        Context { send: send.clone(), door: doors.door.clone(), work }
    });
    let state = &state.0;
    let open = state.tape.as_ref();
    let trace = state.trace.as_ref();

    use_asks(state, &deck);
    use_playing(open.is_some_and(|open| open.is_playing), &send);
    let has_recording = open.is_some_and(|open| !open.is_lost) || trace.is_some_and(|trace| !trace.is_lost);
    use_keyboard(has_recording, state.dialog, &context);
    // A recording lists the tools that it can use.
    let is_session = trace.is_some_and(|trace| trace.summary.kind == TraceKind::Session);
    {
        let workshop = workshop.clone();
        use_effect_with(is_session, move |is_session| {
            if *is_session {
                workshop.list_tools();
            }
        });
    }
    use_effect_with(state.theme, |theme| {
        let name = theme_name(*theme);
        page::set_theme(name);
        storage::set("theme", name.unwrap_or("system"));
    });
    let name = open.map(|open| open.summary.name.clone()).or_else(|| trace.map(|trace| trace.summary.name.clone()));
    use_effect_with(name, |name| {
        if let Some(document) = page::document() {
            document
                .set_title(&name.as_ref().map_or_else(|| "Tapedeck".to_owned(), |name| format!("{name} · Tapedeck")));
        }
    });
    let is_narrow = use_media(NARROW);
    let tab = use_state_eq(|| Panel::History);
    let has_inputs = open.is_some_and(|open| open.summary.nondet > 0);
    let issues = open.map_or(0, super::state::Open::issue_count);
    let inputs_fold = use_fold("fold-inputs", !has_inputs);
    let issues_fold = use_fold("fold-issues", issues == 0);
    let on_issues = {
        let (tab, issues_fold) = (tab.setter(), issues_fold.clone());
        Callback::from(move |_: MouseEvent| {
            tab.set(Panel::Issues);
            if issues_fold.0 {
                issues_fold.1.emit(());
            }
        })
    };
    let on_tab = {
        let tab = tab.setter();
        Callback::from(move |chosen| tab.set(chosen))
    };
    let onchange = doors.door.reform(|event: Event| {
        let Some(input) = event.target_dyn_into::<HtmlInputElement>() else { return Door::Files(Delivery::default()) };
        let delivery = input.files().map(|files| from_list(&files)).unwrap_or_default();
        // What was chosen is taken: the next choice begins anew, and choosing the same file again is a change.
        input.set_value("");
        Door::Files(delivery)
    });

    let opening = state.opening.clone().map(|opening| html! { <OpeningBox {opening} /> });
    let lost = open
        .filter(|open| open.is_lost)
        .map(|open| open.summary.name.clone())
        .or_else(|| trace.filter(|trace| trace.is_lost).map(|trace| trace.summary.name.clone()));
    let alert = state.alert.clone().or_else(|| {
        // The reader of the shown tape is lost and its alert made room for another: what is shown must not pass for current.
        lost.as_ref().filter(|_| state.opening.is_none()).map(|name| {
            Shared::new(Alert {
                title: format!("The reader of {name} is lost"),
                what: "What is shown is from before.".to_owned(),
                place: String::new(),
                advice: "Open the file again.".to_owned(),
                can_retry: true,
            })
        })
    });
    let alert = alert.map(|alert| html! { <AlertBox {alert} can_dismiss={lost.is_none()} /> });
    let notice = state.notice.as_ref().map(|text| AttrValue::from(text.to_string()));
    let view = match (open, trace) {
        (None, None) => html! {
            <FirstScreen>{ alert }{ opening }
                if let Some(notice) = &notice { <p class="notice" role="status">{ notice }</p> }
                if state.tools.is_shown { <ToolsPanel tools={state.tools.clone()} is_session=false /> }
            </FirstScreen>
        },
        (None, Some(trace)) => html! {
            <>
                if alert.is_some() || opening.is_some() { <div class="strip">{ alert }{ opening }</div> }
                <TraceView trace={trace.clone()} tools={state.tools.clone()} {notice} {is_narrow} />
            </>
        },
        (Some(open), _) => html! {
            <>
                if alert.is_some() || opening.is_some() { <div class="strip">{ alert }{ opening }</div> }
                <TapeView open={open.clone()} {notice} theme={state.theme} {is_narrow} tab={*tab} {on_tab} inputs_fold={inputs_fold.clone()} issues_fold={issues_fold.clone()} />
            </>
        },
    };
    html! {
        <ContextProvider<Context> context={(*context).clone()}>
            <div class={classes!("app", (open.is_some() || trace.is_some()).then_some("with-tape"))}>
                <Header summary={open.map(|open| open.summary.clone())} trace={trace.map(|trace| trace.summary.clone())} shows_tools={state.tools.is_shown} {issues} theme={state.theme} {on_issues} />
                <input ref={doors.picker.clone()} type="file" class="sr" aria-label="Open a recording" multiple=true tabindex="-1" {onchange} />
                { view }
                { dialog(state.dialog, open, trace) }
                if doors.is_dragging {
                    <div class="drop-overlay" aria-hidden="true"><div><strong>{ "Drop to open" }</strong><span>{ "It stays in this browser." }</span></div></div>
                }
            </div>
        </ContextProvider<Context>>
    }
}

fn dialog(dialog: Dialog, open: Option<&super::state::Open>, trace: Option<&OpenTrace>) -> Html {
    match dialog {
        Dialog::None => Html::default(),
        Dialog::Trace => trace.map_or_else(Html::default, |trace| html! { <TraceSheet trace={trace.clone()} /> }),
        Dialog::Keys => html! { <KeysSheet /> },
        Dialog::Paste => html! { <PasteDialog /> },
        Dialog::Value(byte) => html! { <ValueDialog {byte} value={open.and_then(|open| open.value.clone())} /> },
    }
}

fn action_of(event: DeckEvent) -> Action {
    match event {
        DeckEvent::Progress(progress) => Action::Progressed(progress),
        DeckEvent::Opened { summary, is_again } => Action::Opened { summary, is_again },
        DeckEvent::OpenedTrace { summary, is_again } => Action::OpenedTrace { summary, is_again },
        DeckEvent::TraceChanged(summary) => Action::Trace(TraceAction::Changed(summary)),
        // The workshop hears these.
        DeckEvent::Trace(..) => Action::Trace(TraceAction::ReplayEnded),
        DeckEvent::Refused(name, refusal) => Action::OpenFailed(Alert::refused(&name, &refusal)),
        DeckEvent::SourceRefused(name, refusal) => {
            Action::Alerted(Alert { can_retry: false, ..Alert::refused(&name, &refusal) })
        }
        DeckEvent::Source(source) => Action::SourceTaken(source),
        DeckEvent::Answer(question, answer) => Action::Answered(question, answer),
        DeckEvent::OpeningLost(name, death) => Action::OpenFailed(lost_alert(format!("{name} was not opened"), &death)),
        DeckEvent::ReaderLost(name, death) => {
            Action::ReaderLost(lost_alert(format!("The reader of {name} is lost"), &death))
        }
    }
}

fn lost_alert(title: String, death: &Death) -> Alert {
    let advice = match death {
        Death::Unstartable(_) => {
            "Reload the page. If that does not help, some of the page's files are missing on the server."
        }
        Death::Crashed(_) => "Open it again; if it stops again, close other tabs, or record a shorter run.",
        Death::Panicked(_) | Death::Silent => "Open it again. The file is still at hand and nothing was changed in it.",
    };
    let refusal = Refusal {
        kind: "unreadable".to_owned(),
        what: death.sentence(),
        place: String::new(),
        advice: advice.to_owned(),
    };
    Alert { title, ..Alert::refused("", &refusal) }
}

fn theme_name(theme: Theme) -> Option<&'static str> {
    match theme {
        Theme::System => None,
        Theme::Light => Some("light"),
        Theme::Dark => Some("dark"),
    }
}

fn remembered_theme() -> Theme {
    match storage::get("theme").as_deref() {
        Some("light") => Theme::Light,
        Some("dark") => Theme::Dark,
        _ => Theme::System,
    }
}

/// Whether a media query holds, now and whenever that changes.
#[hook]
fn use_media(query: &'static str) -> bool {
    let list = use_memo((), |()| web_sys::window().and_then(|window| window.match_media(query).ok().flatten()));
    let holds = use_state_eq(|| list.as_ref().as_ref().is_some_and(web_sys::MediaQueryList::matches));
    {
        let holds = holds.setter();
        use_effect_with((), move |()| {
            let listener = list.as_ref().as_ref().map(|list| {
                EventListener::new(list, "change", move |event| {
                    if let Some(event) = event.dyn_ref::<MediaQueryListEvent>() {
                        holds.set(event.matches());
                    }
                })
            });
            move || drop(listener)
        });
    }
    *holds
}

/// Renders the page into `<body>`.
pub fn main() {
    console_error_panic_hook::set_once();
    yew::Renderer::<App>::new().render();
}
