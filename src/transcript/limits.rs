//! What a writer drops, rewrites or cuts off.
//!
//! A [`Format`](crate::transcript::Format) lists its limits. Each says in words what the writer does,
//! for the user, and by its [`Loss`] what the recording lacks. Each rule names what it
//! [`needs`](crate::rule::Rule::needs), so that no format names a rule.

use crate::protocol::Side;

/// Something that a recorder drops, rewrites or cuts off, so that some rules cannot be assessed.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// What the recording lacks, in words for people: a sentence without a full stop.
    pub what: &'static str,
    pub loss: Loss,
}

/// What a recording lacks; decides which rules cannot be assessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// The recording lacks nothing that a rule depends on.
    Nothing,
    /// The lines as they were sent are missing: text that is not a message, and how messages were
    /// written.
    Lines,
    /// Everything that was sent besides messages is missing.
    OtherLines,
    /// Some values are masked by words such as `<REDACTED>`.
    Values,
    /// The recording does not show where one connection ends and the next begins.
    Boundaries,
    /// The recording does not show which connection a message belongs to.
    Connections,
    /// The recording does not show which protocol version a message follows.
    Versions,
    /// Messages from before the recorder started, or long ago, may be missing.
    Beginning,
    /// `jsonrpc`, and members that JSON-RPC does not define, are missing.
    Envelope,
    /// The ids that were sent are missing or replaced.
    Ids,
    /// The ids of the agent's requests are missing or replaced.
    AgentIds,
    /// The recording does not show whether an answer was a result or an error.
    Outcome,
    /// Some members of errors are missing in the recording.
    Errors,
    /// The recording does not show the order of messages, except that an answer comes after its
    /// request.
    Order,
    /// The requests of the agent are missing in the recording.
    AgentRequests,
    /// Requests and notifications before the first recorded one are missing.
    FirstCalls,
    /// The recording does not show whether an empty value was `null`, `{}` or `[]`.
    EmptyValues,
    /// The answers of this side are missing in the recording.
    AnswersOf(Side),
    /// Everything except session updates is missing.
    AllButUpdates,
    /// Everything except the messages of this side is missing.
    AllBut(Side),
}

impl Loss {
    /// Whether the conversation may have been another one than recorded: its texts, their order, or
    /// how turns ended.
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

    /// The limit of recordings that have messages of this side only.
    pub const fn only(side: Side) -> Self {
        Self { what: ONLY[side as usize], loss: Loss::AllBut(side) }
    }
}

const ONLY: [&str; 2] =
    ["only the client's messages are recorded", "only the agent's messages are recorded"];

/// Texts in place of [`Limit::only`] for recordings that begin with the messages of one side only:
/// of the client (index 0) or of the agent (index 1).
pub const ONLY_AT_FIRST: [&str; 2] = [
    "at first only the client's messages are recorded, so each message is judged by itself",
    "at first only the agent's messages are recorded, so each message is judged by itself",
];

/// Limit of formats that do not keep lines as they were sent, only the JSON values in them.
pub const PARSED: Limit = Limit::new("this format does not keep the raw lines", Loss::Lines);

/// Limit of formats that keep messages as they were sent, and leave out all other lines.
pub const UNWRAPPED: Limit =
    Limit::new("this format keeps only the messages, not other lines", Loss::OtherLines);

/// Limit of recordings in which some values are masked by words; rules do not judge these values.
pub const MASKED: Limit = Limit::new(
    "some values are replaced by words such as `<REDACTED>`; these values are not judged",
    Loss::Values,
);

/// Limit of recordings in which several connections follow each other in one file.
pub(super) const APPENDED: Limit = Limit::new(
    "the file can contain several connections; acpcheck takes each `initialize` for the start of one",
    Loss::Boundaries,
);

/// Limit of recordings in which messages of several connections alternate, and nothing says which
/// message belongs to which.
pub(super) const MIXED: Limit = Limit::new(
    "the messages of several connections take turns in the file, and nothing tells to which connection \
     a message belongs; acpcheck judges each message by itself",
    Loss::Connections,
);

/// Limit of recordings in which messages of connections with different protocol versions alternate,
/// and nothing says which message belongs to which.
pub(super) const MIXED_VERSIONS: Limit = Limit::new(
    "the messages of connections of several versions take turns in the file, and nothing tells to which \
     connection a message belongs",
    Loss::Versions,
);

/// Limit of formats whose recorder may have started after the connection began.
pub(super) const LATE: Limit =
    Limit::new("this format can lack the beginning of the connection", Loss::Beginning);

/// Limit of formats that keep only the params of session updates.
pub(super) const UPDATES_ONLY: Limit =
    Limit::new("this format keeps only the params of session updates", Loss::AllButUpdates);

/// Limit of formats that keep neither `jsonrpc` nor members that JSON-RPC does not define.
pub(super) const NO_ENVELOPE: Limit = Limit::new(
    "this format leaves out `jsonrpc` and all members that JSON-RPC does not define",
    Loss::Envelope,
);

/// Limit of formats that replace the ids of requests by others.
pub(super) const OTHER_IDS: Limit = Limit::new("this format replaces the ids", Loss::Ids);

/// Limit of formats that do not keep the ids of requests.
pub(super) const NO_IDS: Limit = Limit::new("this format does not keep the ids", Loss::Ids);
