//! What can happen in a transcript, in the protocol's words.
//!
//! The events of one message are told from the general to the particular: the message, the call or
//! answer that it is, the session update it carries, the plan in it. A rule observes the most
//! particular event that shows its fault; names of methods and updates are subscribed to, not
//! compared by every rule.

pub(crate) mod blocks;
mod call;
mod flaw;
mod message;
mod update;

pub use blocks::Block;
pub use call::{Call, CallKind, Standing};
pub use flaw::{End, Flaw, FlawKind};
pub use message::{Envelope, Message};
pub use update::{PlanRemoved, Update};

// Until the rename.
pub use crate::model::{
    response::{Answer, Outcome, Stray, StrayKind},
    schema_event::{Part, Refused, Seen, Shape},
    session::plans::PlanUpdated,
};
pub(crate) use blocks as block;
