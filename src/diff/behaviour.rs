//! What a side does: the methods it answers and calls, its updates, permission requests and turns.

use super::{
    fact::{Effect, Fact, FactKind, Form, Occasion, Weight},
    surface,
};
use crate::protocol::Side;

const KIND: FactKind = FactKind::DEFAULT;

/// A kind of behaviour that `diff` compares: a side answers a method with a result. Such a fact is
/// named after the method.
pub(super) static ANSWER: FactKind =
    FactKind { word: "answer", title: "answer", weight: Weight::Scripted, ..KIND };
pub(super) static ERROR_CODE: FactKind =
    FactKind { word: "error-code", title: "error code", gone: Effect::Harmless, ..KIND };
/// A kind of behaviour that `diff` compares: an agent asks for permission for tool calls of a kind.
/// Such a fact is named after the kind.
pub(super) static PERMISSION: FactKind =
    FactKind { word: "permission", title: "permission", weight: Weight::Repeated, ..KIND };
pub(super) static PERMISSION_OPTION: FactKind = FactKind {
    word: "permission-option",
    title: "permission option",
    weight: Weight::Certain,
    ..KIND
};
pub(super) static UPDATE: FactKind = FactKind { word: "update", title: "update", ..KIND };
/// A kind of behaviour that `diff` compares: an agent sends updates of a kind that a language model
/// decides to send.
pub(super) static CHOSEN_UPDATE: FactKind = FactKind { weight: Weight::Chosen, ..UPDATE };
pub(super) static METHOD: FactKind = FactKind { word: "method", title: "method", ..KIND };
pub(super) static CANCELLED_TURN: FactKind = FactKind {
    word: "stop-reason",
    title: "stop reason",
    weight: Weight::Certain,
    form: Form::Single,
    ..KIND
};
pub(super) static STOP_REASON: FactKind =
    FactKind { word: "stop-reason", title: "stop reason", gone: Effect::Harmless, ..KIND };
pub(super) static PLAN_STYLE: FactKind =
    FactKind { word: "plan-style", title: "plan style", gone: Effect::Harmless, ..KIND };
pub(super) static MEMBER: FactKind =
    FactKind { word: "member", title: "member", gone: Effect::Harmless, ..KIND };
pub(super) static TOOL_CONTENT: FactKind =
    FactKind { word: "tool-content", title: "tool content", gone: Effect::Harmless, ..KIND };
/// A kind of behaviour that `diff` compares: the agent replays the conversation of a session that the
/// client loads.
pub(super) static REPLAY: FactKind =
    FactKind { word: "replay", title: "replay on load", weight: Weight::Certain, ..KIND };
pub(super) static EXTENSION_METHOD: FactKind = FactKind {
    word: "extension-method",
    title: "extension method",
    gone: Effect::Harmless,
    weight: Weight::Certain,
    ..KIND
};

/// Name of the fact that a side ends cancelled turns in a certain way; the kind [`CANCELLED_TURN`]
/// has no other fact.
pub(super) const CANCELLED: &str = "cancelled-turn";

/// Kinds of updates that are about a session rather than about a turn.
const OF_SESSIONS: [&str; 4] = [
    "available_commands_update",
    "current_mode_update",
    "config_option_update",
    "session_info_update",
];
/// Kinds of session updates that come when a language model decides so, and therefore need more
/// evidence.
const CHOSEN: [&str; 18] = [
    "user_message_chunk",
    "agent_message_chunk",
    "agent_thought_chunk",
    "user_message",
    "agent_message",
    "agent_thought",
    "session_message",
    "session_message_chunk",
    "tool_call",
    "tool_call_update",
    "tool_call_content_chunk",
    "plan",
    "plan_update",
    "plan_removed",
    "subagent_update",
    "terminal_update",
    "compaction_update",
    "compaction_summary_chunk",
];
/// Kinds of updates that belong to a turn and should not come after its end on version 1.
pub(super) const OF_TURNS: [&str; 5] =
    ["agent_message_chunk", "agent_thought_chunk", "tool_call", "tool_call_update", "plan"];

pub(super) fn is_of_session(update: &str) -> bool {
    OF_SESSIONS.contains(&update)
}

/// Whether updates of this kind are parts of a conversation, such as messages and tool calls.
pub(super) fn is_of_conversation(update: &str) -> bool {
    CHOSEN.contains(&update)
}

pub(super) fn fact(kind: &'static FactKind, name: &str, occasion: Occasion) -> Fact {
    Fact { kind, name: name.into(), item: "".into(), occasion }
}

/// The fact that an agent sends session updates of this kind, such as `plan`.
pub(super) fn update(kind: &str) -> Fact {
    let occasion = if is_of_session(kind) { Occasion::Session } else { Occasion::Turn };
    let chosen = if is_of_conversation(kind) { &CHOSEN_UPDATE } else { &UPDATE };
    fact(chosen, kind, occasion)
}

/// The fact that a side sends requests or notifications of this method.
pub(super) fn method(name: &str, caller: Side) -> Fact {
    if name.starts_with('_') {
        return fact(&EXTENSION_METHOD, name, Occasion::Session);
    }
    let occasion = match (surface::needed(name, caller), caller) {
        (Some(path), _) => Occasion::Offered(path.into()),
        (None, Side::Agent) => Occasion::Turn,
        (None, Side::Client) => Occasion::Session,
    };
    fact(&METHOD, name, occasion)
}
