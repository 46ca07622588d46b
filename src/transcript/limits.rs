//! What a writer drops, rewrites or cuts off.
//!
//! A [`Format`](crate::transcript::Format) lists its limits. Each says in words what the writer does,
//! for the user, and by its [`Loss`] what the recording lacks. Each rule names what it
//! [`needs`](crate::rule::Rule::needs), so that no format names a rule.

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
    /// The lines as they crossed the wire: what is not a message, and how messages were written.
    Lines,
    /// What else there was on the wire than messages.
    OtherLines,
    /// Some values, which words such as `<REDACTED>` replace.
    Values,
    /// Where one connection ends and the next begins.
    Boundaries,
    /// Which connection a message belongs to.
    Connections,
    /// By which version a message is to be judged.
    Versions,
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

impl Loss {
    /// Whether a conversation may be another without it: its texts, their order, or how turns ended.
    pub fn changes_history(self) -> bool {
        match self {
            Self::Values
            | Self::Outcome
            | Self::Order
            | Self::Connections
            | Self::Versions
            | Self::FirstCalls
            | Self::AnswersOf(_)
            | Self::AllButUpdates
            | Self::AllBut(_) => true,
            Self::Nothing
            | Self::Lines
            | Self::OtherLines
            | Self::Boundaries
            | Self::Beginning
            | Self::Envelope
            | Self::Ids
            | Self::AgentIds
            | Self::Errors
            | Self::AgentRequests
            | Self::EmptyValues => false,
        }
    }
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
    ["only the client's messages are recorded", "only the agent's messages are recorded"];

/// What is said instead of [`Limit::only`] where messages of the other side follow further on.
pub const ONLY_AT_FIRST: [&str; 2] = [
    "at first only the client's messages are recorded, so each message is judged by itself",
    "at first only the agent's messages are recorded, so each message is judged by itself",
];

/// Lines are not kept, only what they were parsed to.
pub const PARSED: Limit = Limit::new("this format does not keep the raw lines", Loss::Lines);

/// The messages are there as they were, but what else there was on the wire is not.
pub const UNWRAPPED: Limit =
    Limit::new("this format keeps only the messages, not other lines", Loss::OtherLines);

/// Some values are not kept.
pub const MASKED: Limit = Limit::new(
    "some values are replaced by words such as `<REDACTED>`; these values are not judged",
    Loss::Values,
);

/// Connection after connection is written to one file.
pub(super) const APPENDED: Limit = Limit::new(
    "the file can contain several connections; acpcheck takes each `initialize` for the start of one",
    Loss::Boundaries,
);

/// Connections take turns that nothing tells apart.
pub(super) const MIXED: Limit = Limit::new(
    "the messages of several connections take turns in the file, and nothing tells to which connection \
     a message belongs; acpcheck judges each message by itself",
    Loss::Connections,
);

/// As [`MIXED`], with connections of several versions.
pub(super) const MIXED_VERSIONS: Limit = Limit::new(
    "the messages of connections of several versions take turns in the file, and nothing tells to which \
     connection a message belongs",
    Loss::Versions,
);

/// The recording may have begun after the connection.
pub(super) const LATE: Limit =
    Limit::new("this format can lack the beginning of the connection", Loss::Beginning);

/// Only the params of session updates are kept.
pub(super) const UPDATES_ONLY: Limit =
    Limit::new("this format keeps only the params of session updates", Loss::AllButUpdates);

/// Neither `jsonrpc` is kept, nor members that JSON-RPC does not define.
pub(super) const NO_ENVELOPE: Limit = Limit::new(
    "this format leaves out `jsonrpc` and all members that JSON-RPC does not define",
    Loss::Envelope,
);

/// The ids are not those that were sent.
pub(super) const OTHER_IDS: Limit = Limit::new("this format replaces the ids", Loss::Ids);

/// There are no ids.
pub(super) const NO_IDS: Limit = Limit::new("this format does not keep the ids", Loss::Ids);
