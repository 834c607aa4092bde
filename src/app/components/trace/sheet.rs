//! What lies over the page: the whole text of a field, or all words of a generator.

use yew::prelude::*;

use crate::app::components::Dialog;
use crate::app::text;
use crate::app::trace_state::{OpenTrace, Sheet};

/// Words in a row.
const ROW: usize = 8;

/// The sheet's trace.
#[derive(Properties, PartialEq)]
pub struct TraceSheetProps {
    /// The trace.
    pub trace: OpenTrace,
}

/// The sheet.
#[component]
pub fn TraceSheet(props: &TraceSheetProps) -> Html {
    match &props.trace.sheet {
        Sheet::None => Html::default(),
        Sheet::Field(query) => {
            let title = format!("{} of step {}", query.field, text::count(u64::from(query.step) + 1));
            html! {
                <Dialog {title} is_wide=true>
                    if let Some(answer) = &props.trace.field {
                        <p class="faint">{ format!("{} as the document spells it", text::size(answer.text.bytes as f64)) }</p>
                        <pre class="raw" tabindex="0" aria-label="Text">{ &answer.text.text }</pre>
                        if answer.text.is_cut() { <p class="faint">{ "This is the beginning; the file holds the rest." }</p> }
                    } else { <p class="faint">{ "Reading…" }</p> }
                </Dialog>
            }
        }
        Sheet::Words(step, which) => {
            let (who, when) =
                (if which.is_numpy { "NumPy" } else { "Python" }, if which.is_after { "exit" } else { "entry" });
            let title = format!("{who}'s words at {when} of step {}", text::count(u64::from(*step) + 1));
            html! {
                <Dialog {title} is_wide=true>
                    if let Some(answer) = &props.trace.words {
                        <p class="faint">{ if which.is_numpy { "624 words." } else { "624 words, and the index as the last." } }</p>
                        <pre class="raw words" tabindex="0" aria-label="Words">{ for answer.words.chunks(ROW).enumerate().map(|(at, row)| {
                            format!("{:>4}  {}\n", at * ROW, row.iter().map(|word| format!("{word:>10}")).collect::<Vec<_>>().join(" "))
                        }) }</pre>
                    } else { <p class="faint">{ "Reading…" }</p> }
                </Dialog>
            }
        }
    }
}
