//! The pure tools that ship with Tapedeck, and their registry.
//!
//! Each tool gives the answer of the Python tool of the same name, to the last digit: Python's call rules and arithmetic, Unicode 14,
//! the Mersenne Twister of Python and NumPy, and the log of the recording machines' libm.
//!
//! Invariant: a tool is a function of its arguments, its seed and the entry state of the generators; it reads nothing else.

mod draws;
mod error;
pub mod explain;
mod global;
pub mod libm;
pub mod mt;
pub mod num;
mod numbers;
mod registry;
mod seeded;
mod session;
mod text;

pub use draws::{fresh_numpy, fresh_python, numpy_gauss, numpy_pair, python_gauss, python_pair};
pub use error::ToolError;
pub use registry::{Call, Shipped, TOOLS, Tool, find, run};
pub use session::{Session, seeded_state};
