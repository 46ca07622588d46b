//! The schema documents: where they come from, and what they say in each edition of the protocol.
//!
//! - `built_in`: the documents that are compiled into the program.
//! - `supplied`: documents that the user gives instead of them.
//! - `editions`: the document of a surface in an edition.
//! - `entries`: its definitions, each parsed when it is first asked for.
//! - `upstream`: the package that the built-in documents were made from.

mod built_in;
mod editions;
mod entries;
mod supplied;
mod upstream;

pub(super) use editions::document;
pub(super) use entries::{MethodMarks, StoredDefinition, StoredDefinitions};
pub use supplied::{file_name, read, supplied_hash, supply};
pub use upstream::{Upstream, upstream};
