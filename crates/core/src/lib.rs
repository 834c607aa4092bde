//! The core of Tapedeck: the two recording formats, the index over them, the timeline and the link.
//!
//! Invariant: nothing here names a browser, a clock or a file; input is `&[u8]`, and no byte of it can make the core panic.

pub mod artifact;
pub mod ask;
pub mod bytes;
pub mod compare;
pub mod link;
pub mod model;
pub mod tape;
pub mod timeline;
pub mod trace;
