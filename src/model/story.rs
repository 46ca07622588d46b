//! The story of a session over the connections that had it: what its turns leave to be replayed, and
//! what a replay brings back.
//!
//! ```text
//! turns ─▶ Items ─▶ end of the connection ─▶ Shelf ─▶ request for a replay ─▶ OwedReplay ─▶ rules
//! ```
//!
//! Two connections are parts of one story only by proof, see [`identity`]; where that, or the order of
//! events, is not proven, nothing is owed. Texts are kept as hashes, which only this module knows.

pub mod identity;
pub mod item;
pub mod replay;
pub mod shelf;

pub use item::{AcceptedPrompt, Items, When};
pub use replay::{Difference, DifferenceKind, Lost, OwedReplay, Place};
pub use shelf::{Origin, Shelf, Shelves, Stories, UnreadFiles};
