//! The schema documents: where they come from, and what they say in each edition of the protocol.
//!
//! - `supplied`: documents of the user's, which replace the built-in ones.
//! - `editions`: the document of a surface in an edition.
//! - `entries`: its definitions, each parsed when it is first asked for.
//! - `upstream`: where the built-in documents come from.

mod editions;
mod entries;
mod supplied;
mod upstream;

pub(super) use editions::document;
pub(super) use entries::{Entries, Entry, Marks};
pub use supplied::{file_name, read, supplied_hash, supply};
pub use upstream::{Upstream, upstream};
