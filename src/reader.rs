//! The reader worker's side of the protocol.

/// Entry of the worker binary.
pub fn main() {}
