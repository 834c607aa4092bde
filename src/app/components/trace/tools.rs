//! The tools: which there are, the modules that the user brought, and the recorder.

use tapedeck_core::model::protocol::Refusal;
use tapedeck_core::model::protocol_tools::{ModuleReport, ToolRow};
use web_sys::{HtmlInputElement, HtmlSelectElement, HtmlTextAreaElement};
use yew::prelude::*;

use crate::app::components::Panel;
use crate::app::context::{Work, use_page};
use crate::app::state::Action;
use crate::app::text;
use crate::app::trace_state::{Tools, TraceAction};

/// Said of every module that was taken.
const PURE: &str = "no imports: cannot read clock, files or randomness";

/// What the panel shows.
#[derive(Properties, PartialEq)]
pub struct ToolsPanelProps {
    /// The tools.
    pub tools: Tools,
    /// Whether a recording is open.
    pub is_session: bool,
    /// The recording's request, as JSON.
    #[prop_or_default]
    pub request: AttrValue,
}

/// The tools.
#[component]
pub fn ToolsPanel(props: &ToolsPanelProps) -> Html {
    let tools = &props.tools;
    let rows: &[ToolRow] = tools.rows.as_ref().map(|rows| rows.as_slice()).unwrap_or_default();
    let aside = html! { <span class="panel-count">{ if rows.is_empty() { String::new() } else { text::counted(rows.len() as u64, "tool") } }</span> };
    html! {
        <Panel name="Tools" {aside}>
            <div class="tools-body">
                if let Some(refused) = &tools.refused { { refused_html(&refused.0, &refused.1) } }
                { for tools.modules.iter().map(|module| html! { <Module module={module.clone()} /> }) }
                <p class="faint">{ "Drop a .wasm module on the page to bring tools of your own." }</p>
                <Recorder tools={tools.clone()} is_session={props.is_session} />
                if let Some(why) = &tools.bad_input { <p class="bad" role="alert">{ &**why }</p> }
                <details><summary>{ "All tools" }</summary>
                    <table class="tool-list"><thead><tr><th scope="col">{ "tool" }</th><th scope="col">{ "what it does" }</th></tr></thead>
                    <tbody>{ for rows.iter().map(|row| html! {
                        <tr><th scope="row" class="mono">{ &row.signature }</th><td>{ &row.description }{ origin(row) }</td></tr>
                    }) }</tbody></table>
                </details>
            </div>
        </Panel>
    }
}

fn origin(row: &ToolRow) -> Html {
    row.module.as_ref().map_or_else(
        Html::default,
        |module| html! { <span class="tag">{ format!("{} {}", module.name, module.version) }</span> },
    )
}

fn refused_html(file: &str, refusal: &Refusal) -> Html {
    html! {
        <div class="alert" role="alert"><div class="alert-text">
            <strong>{ format!("{file} was not taken") }</strong>
            <p>{ &refusal.what }if !refusal.place.is_empty() { <span class="place">{ &refusal.place }</span> }</p>
            <p class="advice">{ &refusal.advice }</p>
        </div></div>
    }
}

#[derive(Properties, PartialEq)]
struct ModuleProps {
    module: std::rc::Rc<ModuleReport>,
}

/// A module that was brought.
#[component]
fn Module(props: &ModuleProps) -> Html {
    let page = use_page();
    let module = &props.module;
    let sha256 = module.module.sha256.clone();
    let replace = page.work.reform({
        let sha256 = sha256.clone();
        move |_: MouseEvent| Work::ReplaceWith(sha256.clone())
    });
    let remove = page.work.reform(move |_: MouseEvent| Work::DropModule(sha256.clone()));
    html! {
        <div class="module" role="group" aria-label={format!("Module {}", module.module.name)}>
            <p><b>{ &module.module.name }</b>{ " " }{ &module.module.version }<span class="faint">{ format!(" · {}", module.file) }</span></p>
            <p class="mono hash" title="SHA-256 of the module's bytes">{ &module.module.sha256 }</p>
            <p class="pure">{ PURE }</p>
            <p>{ "Tools: " }<span class="mono">{ if module.tools.is_empty() { "none in use".to_owned() } else { module.tools.join(", ") } }</span></p>
            if !module.shadowed.is_empty() {
                <p class="caution">{ format!("Not in use, because other tools have these names: {}.", module.shadowed.join(", ")) }</p>
                <button type="button" class="btn" onclick={replace}>{ "Use its tools instead" }</button>
            }
            <button type="button" class="btn" onclick={remove}>{ "Remove" }</button>
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct RecorderProps {
    tools: Tools,
    is_session: bool,
}

/// Begins a recording, runs tools and adds their steps.
#[component]
fn Recorder(props: &RecorderProps) -> Html {
    let page = use_page();
    let (request, seed) = (use_node_ref(), use_node_ref());
    let (args, step_seed) = (use_node_ref(), use_node_ref());
    let tools = &props.tools;
    let rows: &[ToolRow] = tools.rows.as_ref().map(|rows| rows.as_slice()).unwrap_or_default();
    if !props.is_session {
        let begin = {
            let (work, request, seed) = (page.work.clone(), request.clone(), seed.clone());
            Callback::from(move |event: SubmitEvent| {
                event.prevent_default();
                let value =
                    |node: &NodeRef| node.cast::<HtmlInputElement>().map(|input| input.value()).unwrap_or_default();
                work.emit(Work::BeginSession { request: value(&request), seed: value(&seed) });
            })
        };
        return html! {
            <form class="recorder" onsubmit={begin} aria-label="Begin a recording">
                <label>{ "Request" }<input ref={request} type="text" name="request" value="my recording" /></label>
                <label>{ "Seed of both generators" }<input ref={seed} type="text" name="generator-seed" inputmode="numeric" value="0" /></label>
                <button type="submit" class="btn">{ "Record a trace" }</button>
            </form>
        };
    }
    let chosen = rows.iter().find(|row| row.name == *tools.chosen).or_else(|| rows.first());
    let name = chosen.map(|row| row.name.clone()).unwrap_or_default();
    let takes_seed = chosen.is_some_and(|row| row.takes_seed);
    let onchoose = {
        let (send, names) = (page.send.clone(), rows.iter().map(|row| row.name.clone()).collect::<Vec<_>>());
        Callback::from(move |event: Event| {
            let at = event
                .target_dyn_into::<HtmlSelectElement>()
                .and_then(|select| usize::try_from(select.selected_index()).ok());
            if let Some(name) = at.and_then(|at| names.get(at)) {
                send.emit(Action::Trace(TraceAction::ToolChosen(name.clone())));
            }
        })
    };
    let onrun = {
        let (work, args, step_seed) = (page.work.clone(), args.clone(), step_seed.clone());
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            let seed = step_seed.cast::<HtmlInputElement>().map(|input| input.value()).unwrap_or_default();
            let args = args.cast::<HtmlTextAreaElement>().map(|area| area.value()).unwrap_or_default();
            work.emit(Work::Try { tool: name.clone(), args, seed: if takes_seed { seed } else { String::new() } });
        })
    };
    let add = page.work.reform(|_: MouseEvent| Work::AddTried);
    let onrename = {
        let work = page.work.clone();
        Callback::from(move |event: Event| {
            if let Some(input) = event.target_dyn_into::<HtmlInputElement>() {
                work.emit(Work::NameRequest(input.value()));
            }
        })
    };
    html! {
        <form class="recorder" onsubmit={onrun} aria-label="Record a step">
            <label>{ "Name the request" }<input type="text" name="request" placeholder="unchanged" onchange={onrename} /></label>
            <label>{ "Tool" }<select name="tool" onchange={onchoose}>
                { for rows.iter().map(|row| html! { <option selected={chosen.is_some_and(|chosen| chosen.name == row.name)}>{ &row.name }</option> }) }
            </select></label>
            if let Some(row) = chosen { <p class="faint"><span class="mono">{ &row.signature }</span>{ " " }{ &row.description }</p> }
            <label>{ "Arguments" }<textarea ref={args} name="args" rows="3" spellcheck="false" placeholder="{\"n\": 5}" /></label>
            if takes_seed { <label>{ "Seed" }<input ref={step_seed} type="text" name="seed" placeholder="none" /></label> }
            <div class="row">
                <button type="submit" class="btn" disabled={tools.is_trying || rows.is_empty()}>{ if tools.is_trying { "Running…" } else { "Run" } }</button>
                if tools.can_add { <button type="button" class="btn primary" onclick={add}>{ "Add to trace" }</button> }
            </div>
            if let Some(tried) = &tools.tried {
                <div class={classes!("tried", (!tried.is_returned).then_some("failed"))} role="status" aria-label="Outcome">
                    <pre class="lines">{ &tried.shown.text }if tried.shown.is_cut() { { "…" } }</pre>
                    if tried.is_returned { <p class="faint">{ &tried.rng }</p> }
                    else { <p class="faint">{ "It raised. As in mixle's record_step, nothing is added." }</p> }
                </div>
            }
        </form>
    }
}
