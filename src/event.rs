//! Typed reading of one message: the message itself, the call that it is, the session update and
//! the content blocks that it carries.
//!
//! In goes a JSON value and what the recording says of it. Nothing here knows what came before it:
//! events that need that, such as an answer with its request, are in [`model`](crate::model).
//!
//! A message gives several events, from the general to the particular. A rule observes the most
//! particular event that shows its fault.

pub(crate) mod blocks;
mod call;
mod end;
mod message;
pub mod path;
pub mod target;
pub mod target_key;
mod update;

pub use blocks::Block;
pub use call::{Call, CallKind, MethodStatus};
pub use end::End;
pub use message::{Envelope, Message};
pub use update::{PlanRemoved, Update};

pub use crate::transcript::{Flaw, FlawKind};
