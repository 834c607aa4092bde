//! The parts of the page that show a trace: its timeline, its steps, one step, the replay, the tools.
//!
//! Invariant: a verdict is told by colour, by shape and by a word; digits are never rounded.

mod bars;
mod compare;
mod mark;
mod replay;
mod sheet;
mod step;
mod steps;
mod tools;
mod view;

pub use sheet::TraceSheet;
pub use tools::ToolsPanel;
pub use view::{CompareButton, TraceView};
