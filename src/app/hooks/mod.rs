//! Hooks: what components do besides drawing.

mod asks;
mod doors;
mod frames;
mod keyboard;
mod rows;
mod workshop;

pub use asks::use_asks;
pub use doors::{Doors, use_doors};
pub use frames::use_playing;
pub use keyboard::use_keyboard;
pub use rows::{Rows, RowsSpec, use_rows};
pub use workshop::{do_work, shop_action};
