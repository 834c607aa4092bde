//! The files of an artifact: its tests, failing ones first, and everything that was found in it.

use tapedeck_core::artifact::{Node, NodeId, Role, Test, TestRun, Tree};
use yew::prelude::*;

use crate::app::context::{Context, Door, use_page};
use crate::app::state::OpenArtifact;
use crate::app::text;

use super::copy::CopyButton;
use super::panel::Panel;
use super::tape_view::Fold;

/// Files that are listed at first, and that "more" adds.
const CHUNK: usize = 300;

/// What the panel shows.
#[derive(Properties, PartialEq)]
pub struct FilesProps {
    /// The artifact.
    pub artifact: OpenArtifact,
    /// Whether it is folded, where it folds.
    #[prop_or_default]
    pub fold: Option<Fold>,
}

/// The files of an artifact.
#[component]
pub fn Files(props: &FilesProps) -> Html {
    let page = use_page();
    let shown = use_state_eq(|| CHUNK);
    let artifact = &props.artifact;
    let tree = &artifact.summary.tree;
    let aside =
        html! { <span class="panel-sub" title={artifact.summary.name.clone()}>{ &artifact.summary.name }</span> };
    let replay = artifact.chosen.and_then(|chosen| artifact.replay(chosen)).map(|line| {
        html! {
            <div class="replay-line">
                <span class="faint">{ "Run it again as recorded" }</span>
                <code>{ line }</code>
                <CopyButton words="Copy the command" text={line.to_owned()} />
            </div>
        }
    });
    let more = {
        let shown = shown.clone();
        Callback::from(move |_: MouseEvent| shown.set(*shown + CHUNK))
    };
    let left = tree.nodes.len().saturating_sub(*shown);
    html! {
        <Panel name="Files" {aside} fold={props.fold.clone()}>
            <div class="scroll files">
                { for artifact.remarks.iter().map(|remark| html! { <p class="caution">{ remark }</p> }) }
                { for tree.notes.iter().map(|note| html! { <p class="caution">{ note.to_string() }</p> }) }
                { for tree.runs.iter().map(|run| tests(run, artifact, &page)) }
                { replay }
                <h3>{ "Everything in it" }</h3>
                <ul class="file-list" aria-label="Everything in it">
                    { for tree.nodes.iter().take(*shown).map(|node| file(node, artifact, &page)) }
                </ul>
                if left > 0 {
                    <button type="button" class="btn" onclick={more}>{ format!("Show more ({} left)", text::count(left as u64)) }</button>
                }
            </div>
        </Panel>
    }
}

/// The tests of a run as a table.
fn tests(run: &TestRun, artifact: &OpenArtifact, page: &Context) -> Html {
    let failing = run.tests.iter().filter(|test| test.is_failure()).count();
    let summary = match failing {
        0 => format!("{} passed", text::counted(run.tests.len() as u64, "test")),
        _ => format!("{failing} of {} failed", text::counted(run.tests.len() as u64, "test")),
    };
    html! {
        <>
            <h3 class={classes!((failing > 0).then_some("failing"))}>{ summary }</h3>
            { for run.notes.iter().map(|note| html! { <p class="caution">{ note }</p> }) }
            <table class="tests" aria-label="Tests">
                <thead><tr><th scope="col">{ "Test" }</th><th scope="col">{ "Status" }</th><th scope="col" class="right">{ "Exit" }</th><th scope="col" class="right">{ "Asserts" }</th></tr></thead>
                <tbody>{ for run.tests.iter().map(|test| row(test, artifact, page)) }</tbody>
            </table>
        </>
    }
}

fn row(test: &Test, artifact: &OpenArtifact, page: &Context) -> Html {
    let tape = test.tape.one();
    let is_chosen = tape.is_some() && artifact.chosen == tape;
    let name = match tape {
        Some(tape) => opener(tape, &test.file, artifact, page),
        None => html! { <span title={test.file.clone()}>{ &test.file }</span> },
    };
    let asserts = match (test.asserts_pass, test.asserts_fail) {
        (Some(pass), Some(fail)) => format!("{pass} pass, {fail} fail"),
        (Some(pass), None) => format!("{pass} pass"),
        (None, Some(fail)) => format!("{fail} fail"),
        (None, None) => String::new(),
    };
    let exit = test.exit_code.map(|code| code.to_string()).unwrap_or_default();
    let remark = test.tape_remark();
    html! {
        <>
            <tr class={classes!(is_chosen.then_some("chosen"))} aria-current={is_chosen.then_some("true")}>
                <th scope="row">{ name }</th>
                <td><span class={classes!("status", if test.is_failure() { "fail" } else { "pass" })}>{ &test.status }</span></td>
                <td class="right">{ exit }</td>
                <td class="right">{ asserts }</td>
            </tr>
            if remark.is_some() || !test.output.is_empty() {
                <tr class="detail"><td colspan="4">
                    if let Some(remark) = remark { <p class="caution">{ remark }</p> }
                    if !test.output.is_empty() {
                        <details open={is_chosen}><summary>{ "What it printed" }</summary><pre>{ test.output.join("\n") }</pre></details>
                    }
                </td></tr>
            }
        </>
    }
}

/// The button that opens a recording.
fn opener(id: NodeId, words: &str, artifact: &OpenArtifact, page: &Context) -> Html {
    let path = path_of(&artifact.summary.tree, id);
    let onclick = page.door.reform(move |_: MouseEvent| Door::File(id, path.clone()));
    let is_opening = artifact.opening == Some(id);
    html! {
        <button type="button" class="link open-file" title={words.to_owned()} aria-busy={is_opening.then_some("true")} {onclick}>{ words }</button>
    }
}

fn path_of(tree: &Tree, id: NodeId) -> String {
    tree.node(id).map(|node| node.path.clone()).unwrap_or_default()
}

/// A file in the list of everything.
fn file(node: &Node, artifact: &OpenArtifact, page: &Context) -> Html {
    let tree = &artifact.summary.tree;
    let mut depth = 1;
    let mut parent = node.parent;
    while let Some(above) = parent.and_then(|id| tree.node(id)) {
        depth += 1;
        parent = above.parent;
    }
    let can_open = matches!(node.role, Role::Tape | Role::Trace) && node.problem.is_none();
    let is_chosen = artifact.chosen == Some(node.id);
    let name = if can_open {
        opener(node.id, &node.name, artifact, page)
    } else {
        html! { <span title={node.name.clone()}>{ &node.name }</span> }
    };
    let size = text::size(node.stated_bytes as f64);
    let kind = node.kind.with_article();
    let kind = kind.strip_prefix("an ").or_else(|| kind.strip_prefix("a ")).unwrap_or(kind);
    html! {
        <li class={classes!((depth > 1).then(|| format!("indent-{}", depth.min(12))), is_chosen.then_some("chosen"))} aria-current={is_chosen.then_some("true")}>
            <div class="file-line">{ name }<span class="faint">{ format!("{kind}, {size}") }</span></div>
            if let Some(problem) = &node.problem { <p class="caution">{ format!("{} {}", problem.what, problem.advice) }</p> }
            { for node.notes.iter().map(|note| html! { <p class="caution">{ note.to_string() }</p> }) }
        </li>
    }
}
