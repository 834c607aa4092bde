//! The parts of the page, one file each.
//!
//! Invariant: a component is drawn from its props alone (and from what only it needs to remember: scroll places, open tree
//! nodes); large props are [`Shared`](crate::app::shared::Shared), so that scrubbing draws anew only what changed.

mod alerts;
mod bindings;
mod dialog;
mod events;
mod first_screen;
mod header;
mod history;
mod icon;
mod inputs;
mod issues;
mod keys_sheet;
mod opening;
mod panel;
mod paste;
mod source;
mod split;
mod stack;
mod tape_view;
pub mod timeline;
pub mod trace;
mod transport;
mod value;
mod value_dialog;

pub use alerts::{AlertBox, AlertProps, Banners};
pub use bindings::{Bindings, BindingsProps};
pub use dialog::Dialog;
pub use events::Events;
pub use first_screen::{FirstScreen, FirstScreenProps};
pub use header::Header;
pub use history::History;
pub use inputs::Inputs;
pub use issues::Issues;
pub use keys_sheet::KeysSheet;
pub use opening::{OpeningBox, OpeningProps};
pub use panel::{Panel, use_fold};
pub use paste::PasteDialog;
pub use source::{Source, SourceProps};
pub use split::Split;
pub use stack::CallStack;
pub use tape_view::{Fold, TapeView};
pub use transport::Transport;
pub use value_dialog::{ValueDialog, ValueDialogProps};
