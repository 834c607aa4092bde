//! What the run read from outside: every nondet record.

use tapedeck_core::model::RowWindow;
use tapedeck_core::model::protocol::{InputRow, InputsAnswer};
use yew::prelude::*;

use crate::app::context::use_page;
use crate::app::hooks::{RowsSpec, use_rows};
use crate::app::shared::Shared;
use crate::app::state::{Action, Panel as Rows, Windowed};
use crate::app::text;

use super::panel::Panel;
use super::value::value_cell;

const ROW_PX: f64 = 26.0;
const HEAD_PX: f64 = 24.0;

/// What the panel shows.
#[derive(Properties, PartialEq)]
pub struct InputsProps {
    /// The nondet records in view.
    pub inputs: Option<Shared<Windowed<InputsAnswer>>>,
    /// The position when records of it are in view, so that they stand out.
    pub here: Option<u32>,
    /// Whether the tape has positions to go to.
    pub has_positions: bool,
    /// Whether a claim about replay may be made.
    pub has_replay: bool,
    /// Folding.
    pub fold: Option<(bool, Callback<()>)>,
}

/// The inputs.
#[component]
pub fn Inputs(props: &InputsProps) -> Html {
    let page = use_page();
    let answer = props.inputs.as_ref().map(|inputs| &inputs.answer);
    let total = answer.map_or(0, |answer| answer.total);
    let on_rows = {
        let send = page.send.clone();
        use_callback((), move |rows: RowWindow, ()| send.emit(Action::RowsSeen(Rows::Inputs, rows)))
    };
    let rows = use_rows(RowsSpec { total, row_px: ROW_PX, head_px: HEAD_PX, reveal: None }, on_rows);
    let first = props.inputs.as_ref().map_or(0, |inputs| inputs.rows.first);
    let records: &[InputRow] = answer.map_or(&[], |answer| answer.rows.as_slice());
    let shown = rows.render(first..first + records.len() as u32);
    let at_hand = records.get((shown.start - first) as usize..(shown.end - first) as usize).unwrap_or_default();
    let lost = answer.map_or(0, |answer| answer.not_replayable);
    let claim = match (total, lost, props.has_replay) {
        (0, ..) | (.., false) => String::new(),
        (total, 0, true) => format!("all {} can be served on replay", text::count(u64::from(total))),
        (_, lost, true) => format!("{} cannot be served on replay", text::count(u64::from(lost))),
    };
    let aside = html! {
        <><span class="panel-sub">{ claim }</span><span class="panel-count">{ if answer.is_some() { text::count(u64::from(total)) } else { String::new() } }</span></>
    };
    html! {
        <Panel name="Inputs" {aside} fold={props.fold.clone()}>
            <div class="scroll" ref={rows.node.clone()} onscroll={rows.onscroll.clone()}>
                if total == 0 && answer.is_some() {
                    <p class="empty">{ "The run read nothing from outside: no random number, no clock, no file." }</p>
                } else {
                    <table class="rows inputs" aria-rowcount={(total + 1).to_string()}>
                        <colgroup><col class="c-ordinal" /><col class="c-input" /><col />if props.has_positions { <col class="c-pos" /> }</colgroup>
                        <thead><tr><th scope="col" class="right">{ "#" }</th><th scope="col">{ "input" }</th><th scope="col">{ "value" }</th>if props.has_positions { <th scope="col" class="right">{ "position" }</th> }</tr></thead>
                        { rows.blank(&shown, true) }
                        <tbody>{ for at_hand.iter().map(|row| input_row(row, props, &page.send)) }</tbody>
                        { rows.blank(&shown, false) }
                    </table>
                }
            </div>
        </Panel>
    }
}

fn input_row(row: &InputRow, props: &InputsProps, send: &Callback<Action>) -> Html {
    let at = row.pos;
    let go = {
        let send = send.clone();
        Callback::from(move |_: MouseEvent| send.emit(Action::Seek(at)))
    };
    let remark = row.not_replayable.as_ref().map_or_else(Html::default, |why| {
        html! { <span class="tag warn" title={why.clone()}>{ "not replayable" }</span> }
    });
    let says = format!("Go to {} at position {}", row.function.text, text::count(at.one_based()));
    html! {
        <tr class={classes!((props.here == Some(at.0)).then_some("now"))} aria-rowindex={(row.ordinal + 1).to_string()} onclick={go.clone()}>
            <td class="right faint">{ text::count(u64::from(row.ordinal)) }</td>
            <th scope="row"><span class={text::category_class(row.category)} title={row.category.title()}></span>{ &row.function.text }</th>
            <td class="wide">{ value_cell(&row.value, row.byte, &row.function.text, remark, send) }</td>
            if props.has_positions { <td class="right"><button type="button" class="link" aria-label={says.clone()} title={says} onclick={go}>{ text::count(at.one_based()) }</button></td> }
        </tr>
    }
}
