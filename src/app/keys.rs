//! The keys of the page: one table that binds them and that the `?` sheet shows.
//!
//! Invariant: a key does what the sheet says, because both read [`SHORTCUTS`]; a key typed into a field is never one of them
//! (Ctrl+O alone works everywhere).

use tapedeck_core::model::protocol::Direction;
use tapedeck_core::timeline::scale::{KEY_PAN, KEY_ZOOM};

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Command {
    Step(i64),
    First,
    Last,
    Change(Direction),
    Continue(Direction),
    Play,
    Pin,
    Zoom(f64),
    Pan(f64),
    Fit,
    Open,
    Help,
}

/// One combination of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chord {
    /// `KeyboardEvent.key`.
    pub key: &'static str,
    /// Whether Ctrl (or Cmd) is held.
    pub ctrl: bool,
    /// Whether Shift is held; `None` when the key itself tells (`?` needs Shift on some keyboards and not on others).
    pub shift: Option<bool>,
    /// How the sheet writes it.
    pub shown: &'static str,
}

const fn plain(key: &'static str, shown: &'static str) -> Chord {
    Chord { key, ctrl: false, shift: Some(false), shown }
}

const fn shifted(key: &'static str, shown: &'static str) -> Chord {
    Chord { key, ctrl: false, shift: Some(true), shown }
}

const fn typed(key: &'static str) -> Chord {
    Chord { key, ctrl: false, shift: None, shown: key }
}

/// A line of the sheet.
#[derive(Clone, Copy, Debug)]
pub struct Shortcut {
    /// The heading under which the sheet lists it.
    pub group: &'static str,
    /// What it does, in words.
    pub what: &'static str,
    /// Whether it needs an open tape.
    pub needs_tape: bool,
    /// The combinations, each with its command.
    pub chords: &'static [(Chord, Command)],
}

/// Every key of the page.
pub const SHORTCUTS: &[Shortcut] = &[
    Shortcut {
        group: "Move through time",
        what: "One position back, forward",
        needs_tape: true,
        chords: &[
            (plain("ArrowLeft", "←"), Command::Step(-1)),
            (plain("ArrowRight", "→"), Command::Step(1)),
            (plain("F8", "F8"), Command::Step(-1)),
            (plain("F11", "F11"), Command::Step(1)),
        ],
    },
    Shortcut {
        group: "Move through time",
        what: "Ten positions back, forward",
        needs_tape: true,
        chords: &[
            (shifted("ArrowLeft", "Shift ←"), Command::Step(-10)),
            (shifted("ArrowRight", "Shift →"), Command::Step(10)),
        ],
    },
    Shortcut {
        group: "Move through time",
        what: "First, last position",
        needs_tape: true,
        chords: &[(plain("Home", "Home"), Command::First), (plain("End", "End"), Command::Last)],
    },
    Shortcut {
        group: "Move through time",
        what: "Previous, next change of the chosen binding",
        needs_tape: true,
        chords: &[(typed("["), Command::Change(Direction::Back)), (typed("]"), Command::Change(Direction::Forward))],
    },
    Shortcut {
        group: "Move through time",
        what: "Continue to a breakpoint, and back to one",
        needs_tape: true,
        chords: &[
            (plain("c", "c"), Command::Continue(Direction::Forward)),
            (shifted("C", "Shift C"), Command::Continue(Direction::Back)),
        ],
    },
    Shortcut {
        group: "Move through time",
        what: "Play, pause",
        needs_tape: true,
        chords: &[(plain(" ", "Space"), Command::Play)],
    },
    Shortcut {
        group: "Timeline",
        what: "Zoom in, out",
        needs_tape: true,
        chords: &[(typed("+"), Command::Zoom(KEY_ZOOM)), (typed("-"), Command::Zoom(1.0 / KEY_ZOOM))],
    },
    Shortcut {
        group: "Timeline",
        what: "See what lies to the left, to the right",
        needs_tape: true,
        chords: &[(typed(","), Command::Pan(-KEY_PAN)), (typed("."), Command::Pan(KEY_PAN))],
    },
    Shortcut {
        group: "Timeline",
        what: "See the whole run",
        needs_tape: true,
        chords: &[(plain("0", "0"), Command::Fit)],
    },
    Shortcut {
        group: "Timeline",
        what: "Pin the chosen binding, or take the pin out",
        needs_tape: true,
        chords: &[(plain("p", "p"), Command::Pin)],
    },
    Shortcut {
        group: "Page",
        what: "Open a recording",
        needs_tape: false,
        chords: &[(Chord { key: "o", ctrl: true, shift: Some(false), shown: "Ctrl O" }, Command::Open)],
    },
    Shortcut { group: "Page", what: "These keys", needs_tape: false, chords: &[(typed("?"), Command::Help)] },
];

/// A key press, as the browser tells it.
#[derive(Clone, Copy, Debug)]
pub struct Press<'a> {
    /// `KeyboardEvent.key`.
    pub key: &'a str,
    /// Ctrl or Cmd.
    pub ctrl: bool,
    /// Shift.
    pub shift: bool,
    /// Alt; no key of the page has it, browsers and systems do.
    pub alt: bool,
    /// Whether it is typed into a field (an input, a select, an editable text).
    pub in_field: bool,
    /// Whether the focus is on a button or link, which Space presses.
    pub on_button: bool,
}

/// What a key press does; `None` when it is not the page's.
pub fn command(press: Press<'_>, has_tape: bool) -> Option<Command> {
    if press.alt {
        return None;
    }
    let fits = |chord: &Chord| {
        chord.key == press.key && chord.ctrl == press.ctrl && chord.shift.is_none_or(|shift| shift == press.shift)
    };
    let shortcuts = SHORTCUTS.iter().filter(|shortcut| has_tape || !shortcut.needs_tape);
    let (_, command) = shortcuts.flat_map(|shortcut| shortcut.chords).find(|(chord, _)| fits(chord))?;
    if press.in_field && *command != Command::Open {
        return None;
    }
    if press.on_button && press.key == " " {
        return None;
    }
    Some(*command)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    fn press(key: &str) -> Press<'_> {
        Press { key, ctrl: false, shift: false, alt: false, in_field: false, on_button: false }
    }

    #[test]
    fn the_keys_of_the_design_are_bound() {
        assert_eq!(command(press("ArrowRight"), true), Some(Command::Step(1)));
        assert_eq!(command(Press { shift: true, ..press("ArrowLeft") }, true), Some(Command::Step(-10)));
        assert_eq!(command(Press { shift: true, ..press("C") }, true), Some(Command::Continue(Direction::Back)));
        assert_eq!(command(Press { ctrl: true, ..press("o") }, false), Some(Command::Open));
        assert_eq!(command(Press { shift: true, ..press("?") }, false), Some(Command::Help));
        assert_eq!(command(press("F11"), true), Some(Command::Step(1)));
        assert_eq!(command(press("."), true), Some(Command::Pan(KEY_PAN)));
        assert_eq!(command(press("F8"), true), Some(Command::Step(-1)));
    }

    #[test]
    fn typing_moves_nothing() {
        for key in ["ArrowRight", "Home", "c", "[", "+", "0", " ", "?"] {
            assert_eq!(command(Press { in_field: true, ..press(key) }, true), None, "{key}");
        }
        assert_eq!(command(Press { in_field: true, ctrl: true, ..press("o") }, true), Some(Command::Open));
    }

    #[test]
    fn without_a_tape_there_is_nothing_to_move() {
        assert_eq!(command(press("ArrowRight"), false), None);
    }

    #[test]
    fn space_presses_the_button_that_has_the_focus() {
        assert_eq!(command(Press { on_button: true, ..press(" ") }, true), None);
        assert_eq!(command(press(" "), true), Some(Command::Play));
    }

    #[test]
    fn the_browsers_own_combinations_stay_its_own() {
        assert_eq!(command(Press { ctrl: true, ..press("0") }, true), None);
        assert_eq!(command(Press { ctrl: true, ..press("c") }, true), None);
        assert_eq!(command(Press { alt: true, ..press("ArrowLeft") }, true), None);
    }

    #[test]
    fn no_combination_is_bound_twice() {
        let chords: Vec<_> = SHORTCUTS.iter().flat_map(|shortcut| shortcut.chords).map(|(chord, _)| *chord).collect();
        for (at, chord) in chords.iter().enumerate() {
            assert!(!chords[..at].contains(chord), "{chord:?}");
        }
    }
}
