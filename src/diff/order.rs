//! When a side does something: before or after what other sides may wait for.

use super::fact::{Area, Effect, FactKind, Weight};

const KIND: FactKind = FactKind { area: Area::Order, gone: Effect::Harmless, ..FactKind::DEFAULT };

/// A kind of behaviour that `diff` compares: updates of a session come before the answer that names
/// the session.
pub(super) static BEFORE_ANSWER: FactKind = FactKind {
    word: "update-before-answer",
    title: "update before answer",
    weight: Weight::Certain,
    ..KIND
};
/// A kind of behaviour that `diff` compares: updates of a turn come after the answer that ended the
/// turn.
pub(super) static AFTER_TURN: FactKind =
    FactKind { word: "update-after-turn", title: "update after turn", ..KIND };
/// A kind of behaviour that `diff` compares: permission is asked for before the tool call is
/// announced.
pub(super) static BEFORE_TOOL_CALL: FactKind =
    FactKind { word: "permission-before-tool-call", title: "permission before tool call", ..KIND };
/// A kind of behaviour that `diff` compares: the first status of a tool call is `pending`.
pub(super) static STARTS_PENDING: FactKind =
    FactKind { word: "tool-starts pending", title: "tool starts pending", ..KIND };
