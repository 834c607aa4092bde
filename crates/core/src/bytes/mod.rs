//! From bytes to files: what a file is ([`sniff`]), and what is packed into it.
//!
//! gzip, zip, tar and EigenScript bundles are opened, text in UTF-16 or UTF-32 is re-encoded; all from `&[u8]`, with every
//! limit in [`limits`]. Walking containers inside containers is the work of `artifact`.
//!
//! Invariant: names and extensions decide nothing, sizes that a file states decide nothing, and no content can make it panic.

mod bundle;
mod entry;
mod error;
mod gzip;
mod inflate;
pub mod limits;
mod names;
mod note;
mod sniff;
mod tar;
mod testlog;
mod text;
mod watch;
mod zip;

pub use bundle::TAPE_ENTRY;
pub use entry::{Body, Entry, Listing, list, read, read_start};
pub use error::{UnpackError, size};
pub use gzip::{Gunzipped, gunzip, gunzip_start};
pub use limits::Limits;
pub use note::Note;
pub use sniff::{Container, Encoding, Kind, Known, sniff, sniff_start};
pub use text::{Decoded, decode};
pub use watch::{STRIDE, Unwatched, Watch};

pub(crate) use gzip::crc32;
pub(crate) use inflate::inflate_all;
pub(crate) use testlog::json_line;
pub(crate) use text::decode_start;
