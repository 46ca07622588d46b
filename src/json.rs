//! JSON texts, parsed into documents in which every value knows where it stands.
//!
//! In goes a text, out comes a [`Doc`] or a [`Fault`] that says where the text is not JSON. The modules,
//! each of which uses those before it alone:
//!
//! - `fault`: what is wrong with a text.
//! - `strings`: where a string ends, and what its escapes stand for.
//! - `tape`: the parser. It leaves a flat list of tokens with byte ranges, in buffers that are used
//!   again for the next text.
//! - `child_index`, `error_budget`: limits to what hostile documents cost.
//! - `number`: the one spelling of a number.
//! - `document`: [`Node`], a cursor over the tokens, two words and `Copy`. Its accessors return
//!   `Option`, so a rule reads a malformed message without checks of its own. Strings are decoded, and
//!   places computed, when they are asked for.
//! - `segments`: strings read part by part, without a copy.
//! - `value`: a text as a value of `serde_json`, for who needs a copy.
//! - `jsonschema`: documents as the crate of that name reads them.
//!
//! When an object repeats a member, the last one counts, as in `serde_json`.

mod child_index;
mod document;
mod error_budget;
mod fault;
mod jsonschema;
mod number;
mod segments;
mod strings;
mod tape;
mod value;

pub use document::{Doc, Elements, Kind, Members, Node, Text};
pub(crate) use document::{name_of, push_token};
pub use fault::{Fault, Reason};
pub use jsonschema::{BudgetedElements, NameBuffer, NamedMembers, Numeral, TapeJson};
pub(crate) use strings::decoded;
pub use strings::{Segment, Segments};
pub use tape::{Part, Tape};
pub use value::value;
