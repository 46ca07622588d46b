//! When a side does something: before or after what other sides may wait for.

use super::fact::{Area, Effect, FactKind, Weight};

const KIND: FactKind = FactKind { area: Area::Order, gone: Effect::Harmless, ..FactKind::DEFAULT };

/// Fact: updates of a session come before the answer that names the session.
pub(super) static BEFORE_ANSWER: FactKind = FactKind {
    word: "update-before-answer",
    title: "update before answer",
    weight: Weight::Certain,
    ..KIND
};
/// Fact: updates of a turn come after the answer that ended the turn.
pub(super) static AFTER_TURN: FactKind =
    FactKind { word: "update-after-turn", title: "update after turn", ..KIND };
/// Fact: permission is asked for before the tool call is announced.
pub(super) static BEFORE_TOOL_CALL: FactKind =
    FactKind { word: "permission-before-tool-call", title: "permission before tool call", ..KIND };
/// Fact: the first status of a tool call is `pending`.
pub(super) static STARTS_PENDING: FactKind =
    FactKind { word: "tool-starts pending", title: "tool starts pending", ..KIND };
