//! The text of a message as a document whose every value knows where it stands.
//!
//! A document is a flat tape of nodes with byte ranges (`json/tape.rs`), reused from line to line;
//! [`Node`] is a cursor over it: two words, `Copy`, and tolerant: accessors return `Option`, so a
//! rule reads a malformed message without a single check of its own. Nothing is decoded, copied or
//! located before it is asked for. When an object repeats a member, the last one counts, as in
//! `serde_json`.

use std::borrow::Cow;

use crate::source::{Origin, Span};

mod tape;
mod view;

pub use tape::{Fault, Tape};
pub use view::TapeJson;

// CONTRACT (signatures; the tape's author fills them in):
//
// pub struct Doc<'t> { text: &'t str, nodes: &'t [tape::Raw], origin: Origin<'t>, root: u32, repeats: bool }
//   Doc::new(text, tape: &'t Tape, origin) -> Doc<'t>          // root = 0
//   doc.with_root(node) -> Doc                                  // the message inside an envelope
//   doc.root() -> Node<'_>
//
// #[derive(Clone, Copy)] pub struct Node<'t> { doc: &'t Doc<'t>, index: u32 }
//   kind() -> Kind            enum Kind { Null, True, False, Number, String, Array, Object }
//   get(name) -> Option<Node> member of an object by name (last of repeated ones)
//   at(usize) -> Option<Node> element of an array
//   path(&[&str]) -> Option<Node>    get, get, get
//   members() -> impl Iterator<Item = (Node /*name*/, Node /*value*/)>; empty when no object
//   elements() -> impl Iterator<Item = Node>; empty when no array
//   len() -> usize            members or elements
//   is_object/is_array/is_string/is_null/is_number
//   text() -> Option<Text<'t>>        a string (values and names)
//   is(&str) -> bool                  a string equal to this
//   boolean() -> Option<bool>; integer() -> Option<i64> (1.0 counts as 1); number() -> Option<f64>
//   raw() -> &'t str                  the value as written
//   span() -> Span
//   insertion() -> Span               empty span where a missing member or element would go: before the closing bracket
//   pointer() -> String               RFC 6901, from the document's root
//
// #[derive(Clone, Copy)] pub struct Text<'t>(Node<'t>)
//   as_cow() -> Cow<'t, str>; Deref? no. Display writes the decoded text; PartialEq<str>, PartialEq<Text>; node(); is_empty(); starts_with(&str)
