//! From the bytes of a file to the messages in it, whatever wrote them.
//!
//! A [`Format`] is one value in one file of `formats/`: who writes it, how to get a file of it, how
//! to recognise one, and how to read it into [`Record`]s. [`FORMATS`] lists them in the order in
//! which they are tried. This module judges nothing: what a recorder does to the messages is stated
//! in [`limits`], and which rules that silences is decided by [`check`](crate::check).

pub mod apparent;
mod decoded;
mod format;
mod formats;
pub mod labels;
pub mod limits;
mod rebuilt;
mod record;
mod syntax;
mod time;
mod wrapper;

pub use decoded::Decoded;
pub use format::{Beginning, Extent, Fidelity, Format, Likelihood, Read};
pub use formats::{FORMATS, PLAIN, find};
pub use rebuilt::Rebuilt;
pub use record::{Body, Label, Record};
pub(crate) use wrapper::looks_like_message;
