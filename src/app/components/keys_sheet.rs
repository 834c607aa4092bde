//! The sheet of keys, made of the table that binds them.

use yew::prelude::*;

use crate::app::keys::SHORTCUTS;

use super::dialog::Dialog;

/// Every key of the page and what it does.
#[component]
pub fn KeysSheet() -> Html {
    let mut groups: Vec<&str> = SHORTCUTS.iter().map(|shortcut| shortcut.group).collect();
    groups.dedup();
    html! {
        <Dialog title="Keys">
            <div class="keys">
                { for groups.into_iter().map(|group| html! {
                    <section><h3>{ group }</h3>
                        <table><tbody>
                            { for SHORTCUTS.iter().filter(|shortcut| shortcut.group == group).map(|shortcut| html! {
                                <tr><th scope="row">{ shortcut.what }</th>
                                    <td>{ for shortcut.chords.iter().map(|(chord, _)| html! { <kbd>{ chord.shown }</kbd> }) }</td>
                                </tr>
                            }) }
                        </tbody></table>
                    </section>
                }) }
                <p class="faint">{ "Typing in a field never moves the timeline. On the timeline itself: drag the ruler to scrub, drag to move, wheel or pinch to zoom, double click to see the whole run." }</p>
            </div>
        </Dialog>
    }
}
