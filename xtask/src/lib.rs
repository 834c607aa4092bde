//! What the chores share with the end-to-end tests.
//!
//! Invariant: nothing here needs more than the standard library, so that the tests which link it stay quick to build.

pub mod files;
