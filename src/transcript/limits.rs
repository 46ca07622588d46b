//! What a writer drops, rewrites or cuts off.
//!
//! A [`Format`](crate::transcript::Format) lists its limits. Each says in words what the writer does,
//! for the user, and by its [`Loss`] what the recording lacks. Which rules cannot be assessed without
//! it is decided by [`check`](crate::check), so that no format names a rule.

use crate::protocol::Side;

/// Something that a writer drops, rewrites or cuts off.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// A sentence without a full stop.
    pub what: &'static str,
    pub loss: Loss,
}

/// What a recording lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// Nothing that a rule depends on.
    Nothing,
    /// The lines as they crossed the wire: what is no message, and how messages were written.
    Lines,
    /// What else there was on the wire than messages.
    OtherLines,
    /// Some values, which words such as `<REDACTED>` replace.
    Values,
    /// Where one connection ends and the next begins.
    Boundaries,
    /// What was sent before the recorder was looking, or long ago.
    Beginning,
    /// `jsonrpc`, and members that JSON-RPC does not define.
    Envelope,
    /// The ids that were sent.
    Ids,
    /// The ids of the agent's requests.
    AgentIds,
    /// Whether an answer is a result or an error.
    Outcome,
    /// The members of errors.
    Errors,
    /// The order of messages, but for answers, which follow their requests.
    Order,
    /// The requests of the agent.
    AgentRequests,
    /// The calls before the first recorded one.
    FirstCalls,
    /// Whether a value is `null`, `{}` or `[]`.
    EmptyValues,
    /// The answers of this side.
    AnswersOf(Side),
    /// All but session updates.
    AllButUpdates,
    /// All but the messages of this side.
    AllBut(Side),
}

impl Limit {
    pub(super) const fn new(what: &'static str, loss: Loss) -> Self {
        Self { what, loss }
    }

    /// There are messages of one side only.
    pub const fn only(side: Side) -> Self {
        Self { what: ONLY[side as usize], loss: Loss::AllBut(side) }
    }
}

const ONLY: [&str; 2] =
    ["only the client's messages are on record", "only the agent's messages are on record"];

/// What is said instead of [`Limit::only`] where messages of the other side follow further on.
pub const ONLY_AT_FIRST: [&str; 2] = [
    "at first only the client's messages are on record, so that messages are judged one by one",
    "at first only the agent's messages are on record, so that messages are judged one by one",
];

/// Lines are not kept, only what they were parsed to.
pub const PARSED: Limit =
    Limit::new("the recorder keeps messages, not the lines that they were", Loss::Lines);

/// The messages are there as they were, but what else there was on the wire is not.
pub const UNWRAPPED: Limit = Limit::new(
    "the recorder keeps messages, not what else there may have been on the wire",
    Loss::OtherLines,
);

/// Some values are not kept.
pub const MASKED: Limit = Limit::new(
    "the recorder puts words such as `<REDACTED>` in place of some values, which are not judged",
    Loss::Values,
);

/// Connection after connection is written to one file.
pub(super) const APPENDED: Limit = Limit::new(
    "one connection follows another in the file; each `initialize` is taken to begin one",
    Loss::Boundaries,
);

/// The recording may have begun after the connection.
pub(super) const LATE: Limit = Limit::new(
    "what was sent before the recorder was looking, or long ago, is not kept",
    Loss::Beginning,
);

/// Only the params of session updates are kept.
pub(super) const UPDATES_ONLY: Limit =
    Limit::new("the recorder keeps the params of session updates only", Loss::AllButUpdates);

/// Neither `jsonrpc` is kept, nor members that JSON-RPC does not define.
pub(super) const NO_ENVELOPE: Limit = Limit::new(
    "the recorder leaves `jsonrpc` out, and members that JSON-RPC does not define",
    Loss::Envelope,
);

/// The ids are not those that were sent.
pub(super) const OTHER_IDS: Limit = Limit::new("ids are the recorder's own", Loss::Ids);

/// There are no ids.
pub(super) const NO_IDS: Limit = Limit::new("the recorder keeps no ids", Loss::Ids);
