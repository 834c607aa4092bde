//! `tapedeck` on the command line.
fn main() {}
