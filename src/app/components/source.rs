//! The source beside the tape, or, without one, the lines that the tape visits.

use std::collections::BTreeSet;
use std::rc::Rc;

use tapedeck_core::model::RowWindow;
use tapedeck_core::model::protocol::{Direction, LinesAnswer, SourceSummary};
use yew::prelude::*;

use crate::app::context::use_page;
use crate::app::highlight;
use crate::app::hooks::{RowsSpec, use_rows};
use crate::app::shared::Shared;
use crate::app::state::{Action, Moment, Panel as Rows, Windowed};
use crate::app::text;

use super::panel::Panel;

const ROW_PX: f64 = 20.0;

/// What the panel shows.
#[derive(Properties, PartialEq)]
pub struct SourceProps {
    /// The source.
    pub source: Option<Shared<SourceSummary>>,
    /// Lines and their visits.
    pub lines: Option<Shared<Windowed<LinesAnswer>>>,
    /// What is true at the position.
    pub moment: Option<Shared<Moment>>,
    /// Lines to stop at.
    pub breakpoints: Rc<BTreeSet<i32>>,
}

/// The source, or the list of lines.
#[component]
pub fn Source(props: &SourceProps) -> Html {
    let page = use_page();
    let current = props.moment.as_ref().map(|moment| moment.answer.line);
    let lines = props.lines.as_ref().map(|lines| &lines.answer);
    let first = props.lines.as_ref().map_or(0, |lines| lines.rows.first);
    let source_len = props.source.as_ref().map(|source| i32::try_from(source.lines.len()).unwrap_or(i32::MAX));
    // A line past the end of the source has a row of its own, below the last.
    let past_end = current.filter(|line| source_len.is_some_and(|len| *line > len));
    let (total, reveal) = match source_len {
        Some(len) => {
            let at = current.filter(|line| *line >= 1).map(|line| line.min(len.saturating_add(1)) as u32 - 1);
            (len as u32 + u32::from(past_end.is_some()), at)
        }
        None => {
            let at =
                lines.zip(current).and_then(|(lines, line)| lines.rows.binary_search_by_key(&line, |row| row.0).ok());
            (lines.map_or(0, |lines| lines.total), at.map(|at| first + at as u32))
        }
    };
    let on_rows = {
        let (send, has_source) = (page.send.clone(), props.source.is_some());
        let have = props
            .lines
            .as_ref()
            .map_or(0..0, |lines| lines.rows.first..lines.rows.first + lines.answer.rows.len() as u32);
        let listed = lines.map_or(0, |lines| lines.total);
        Callback::from(move |rows: RowWindow| {
            // Nearly every tape's lines come with the first answer; only a list longer than that asks again.
            let end = (rows.first + rows.count).min(listed);
            if !has_source && listed > 0 && (rows.first < have.start || end > have.end) {
                send.emit(Action::RowsSeen(
                    Rows::Lines,
                    RowWindow { first: rows.first.saturating_sub(4096), count: 65_536 },
                ));
            }
        })
    };
    let rows = use_rows(RowsSpec { total, row_px: ROW_PX, head_px: 0.0, reveal }, on_rows);
    let have = match source_len {
        Some(_) => 0..total,
        None => first..first + lines.map_or(0, |lines| lines.rows.len() as u32),
    };
    let shown = rows.render(have);
    let visits = |number: i32| {
        let lines = lines?;
        let at = lines.rows.binary_search_by_key(&number, |row| row.0).ok()?;
        lines.rows.get(at).map(|row| row.1)
    };
    let here: Option<AttrValue> = props.moment.as_ref().map(|moment| {
        let events = moment.answer.events.iter().take(4);
        let values: Vec<String> = events.map(|event| format!("{} = {}", event.name.text, event.value.text)).collect();
        AttrValue::from(values.join(", "))
    });
    let line = |row: u32| {
        let listed = lines.and_then(|lines| lines.rows.get(row.checked_sub(first)? as usize)).copied();
        let is_past_end = source_len.is_some_and(|len| row as i32 >= len);
        let number = match source_len {
            None => listed.unwrap_or_default().0,
            Some(_) if is_past_end => past_end.unwrap_or(row as i32 + 1),
            Some(_) => row as i32 + 1,
        };
        let visits = if source_len.is_some() { visits(number) } else { listed.map(|line| line.1) };
        let is_current = current == Some(number);
        let here = here.clone().filter(|_| is_current);
        let has_breakpoint = props.breakpoints.contains(&number);
        html! { <Line key={row} source={props.source.clone()} {row} {number} {visits} {is_past_end} {is_current} {has_breakpoint} {here} /> }
    };
    let aside = match &props.source {
        Some(source) => html! { <span class="panel-sub mono">{ &source.name }</span> },
        None => {
            html! { <span class="panel-sub">{ "drop the .eigs file to read the lines" }</span> }
        }
    };
    html! {
        <Panel name="Source" {aside}>
            if let Some(source) = &props.source {
                { for source.cautions.iter().map(|caution| html! { <p class="caution">{ caution }</p> }) }
            }
            <div class="scroll source" ref={rows.node.clone()} onscroll={rows.onscroll.clone()}>
                <table class={classes!("rows", "src", props.source.is_none().then_some("list"))} aria-rowcount={total.to_string()}>
                    { rows.blank(&shown, true) }
                    <tbody>{ for shown.clone().map(line) }</tbody>
                    { rows.blank(&shown, false) }
                </table>
            </div>
        </Panel>
    }
}

#[derive(Properties, PartialEq)]
struct LineProps {
    source: Option<Shared<SourceSummary>>,
    row: u32,
    number: i32,
    visits: Option<u32>,
    is_past_end: bool,
    is_current: bool,
    has_breakpoint: bool,
    /// What this line assigned and read, when it is the current one.
    here: Option<AttrValue>,
}

/// A line; drawn again only when what it shows is different, which while scrubbing are the old and the new current one.
#[component]
fn Line(props: &LineProps) -> Html {
    let page = use_page();
    let send = &page.send;
    let LineProps { number, is_current, has_breakpoint, is_past_end, .. } = *props;
    let source = props.source.as_ref();
    let toggle = {
        let send = send.clone();
        Callback::from(move |_: MouseEvent| send.emit(Action::BreakpointToggled(number)))
    };
    let go = {
        let send = send.clone();
        Callback::from(move |event: MouseEvent| {
            let direction = if event.shift_key() { Direction::Back } else { Direction::Forward };
            send.emit(Action::ToLine(direction, number));
        })
    };
    let visits = props.visits.filter(|visits| *visits > 0).map(u64::from);
    let text = match source {
        Some(source) if is_past_end => html! { <span class="past">{ past_end_text(number, source) }</span> },
        Some(source) => {
            let line = source.lines.get(props.row as usize).map_or("", String::as_str);
            highlight::parts(line)
                .into_iter()
                .map(|(token, part)| match token.class() {
                    Some(class) => html! { <span {class}>{ part }</span> },
                    None => html! { { part } },
                })
                .collect::<Html>()
        }
        None => Html::default(),
    };
    let here = props.here.as_ref().map(|here| html! { <span class="inline">{ here }</span> });
    html! {
        <tr class={classes!(is_current.then_some("current"), is_past_end.then_some("dim"))} aria-rowindex={(props.row + 1).to_string()} aria-current={is_current.then_some("step")}>
            <td class="gutter"><button type="button" class={classes!("breakpoint", has_breakpoint.then_some("on"))} aria-pressed={has_breakpoint.to_string()}
                aria-label={format!("Breakpoint on line {number}")} title={if has_breakpoint { "Clear the breakpoint" } else { "Stop here (c continues to it)" }} onclick={toggle}></button></td>
            <th scope="row"><button type="button" class="link" aria-label={format!("Line {number}: go to its next visit")} title="Next visit of this line (with Shift: the one before)" onclick={go}>{ number }</button></th>
            <td class="visits" title={text::VISITS_NOTE}>{ visits.map(|visits| if source.is_some() { text::count(visits) } else { text::counted(visits, "visit") }) }</td>
            <td class="code">{ text }{ here }</td>
        </tr>
    }
}

/// What a line past the end of the source means. A tape begins at the line after the last one, which is no sign of another file.
fn past_end_text(line: i32, source: &SourceSummary) -> String {
    if usize::try_from(line).is_ok_and(|line| line == source.lines.len() + 1) {
        format!("the end of {}", source.name)
    } else {
        format!("past the end of {}: another version, or another file", source.name)
    }
}
