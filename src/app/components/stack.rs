//! The call stack at the position.

use tapedeck_core::model::protocol::FrameRow;
use tapedeck_core::model::{Pos, RowWindow};
use yew::prelude::*;

use crate::app::context::use_page;
use crate::app::hooks::{RowsSpec, use_rows};
use crate::app::shared::Shared;
use crate::app::state::{Action, Moment, Panel as Rows};
use crate::app::text;

use super::panel::Panel;

const ROW_PX: f64 = 24.0;

/// What the panel shows.
#[derive(Properties, PartialEq)]
pub struct CallStackProps {
    /// What is true at the position.
    pub moment: Option<Shared<Moment>>,
}

/// The frames, innermost first; a press on one goes to where it was entered.
#[component]
pub fn CallStack(props: &CallStackProps) -> Html {
    let page = use_page();
    let total = props.moment.as_ref().map_or(0, |moment| moment.answer.frames_total);
    let on_rows = {
        let send = page.send.clone();
        use_callback((), move |rows: RowWindow, ()| send.emit(Action::RowsSeen(Rows::Frames, rows)))
    };
    let rows = use_rows(RowsSpec { total, row_px: ROW_PX, head_px: 0.0, reveal: None }, on_rows);
    let first = props.moment.as_ref().map_or(0, |moment| moment.query.frames.first);
    let frames: &[FrameRow] = props.moment.as_ref().map_or(&[], |moment| moment.answer.frames.as_slice());
    let shown = rows.render(first..first + frames.len() as u32);
    let at_hand = frames.get((shown.start - first) as usize..(shown.end - first) as usize).unwrap_or_default();
    let aside = html! {
        <span class="panel-count" title={text::FRAMES_NOTE}>{ if total > 1 { text::counted(u64::from(total), "frame") } else { String::new() } }</span>
    };
    html! {
        <Panel name="Call stack" {aside}>
            <div class="scroll" ref={rows.node.clone()} onscroll={rows.onscroll.clone()}>
                if total == 0 && props.moment.is_some() {
                    <p class="empty">{ "No frame is known yet: the tape names one with the first assignment." }</p>
                } else {
                    <table class="rows stack" aria-rowcount={total.to_string()}>
                        <colgroup><col /><col class="c-serial" /><col class="c-span" /></colgroup>
                        { rows.blank(&shown, true) }
                        <tbody>{ for at_hand.iter().enumerate().map(|(at, row)| frame_row(row, shown.start + at as u32, &page.send)) }</tbody>
                        { rows.blank(&shown, false) }
                    </table>
                }
            </div>
        </Panel>
    }
}

fn frame_row(row: &FrameRow, idx: u32, send: &Callback<Action>) -> Html {
    let go = |pos: Pos, word: &str| {
        let send = send.clone();
        let says = format!("Go to where {} was {word}", row.function.text);
        html! {
            <button type="button" class="link" aria-label={says.clone()} title={says} onclick={Callback::from(move |_: MouseEvent| send.emit(Action::Seek(pos)))}>{ text::count(pos.one_based()) }</button>
        }
    };
    html! {
        <tr class={classes!((idx == 0).then_some("innermost"))} aria-rowindex={(idx + 1).to_string()}>
            <th scope="row">{ &row.function.text }</th>
            <td class="faint">{ format!("frame {}", row.serial) }</td>
            <td class="right faint">{ go(row.entered, "entered") }{ " – " }{ go(row.left, "left") }</td>
        </tr>
    }
}
