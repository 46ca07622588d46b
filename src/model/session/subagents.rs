//! What a parent session reports of its child session, a subagent.

use crate::{
    event::Update,
    json::Node,
    model::{anchor::Anchor, session::cancellation},
};

/// What is known of a subagent from its parent session: who announced it, whether it may be
/// cancelled, and its state.
#[derive(Clone, Debug)]
pub struct Parent {
    /// Id of the session that first announced the subagent.
    pub session_id: Box<str>,
    /// Place of the subagent's `sessionId` in the update that announced the subagent first, so that
    /// a finding can point at it.
    pub announced: Anchor,
    /// Place of the last change in whether the client may cancel the subagent, so that a finding
    /// can point at it; of the announcement when there is none.
    pub cancellation_at: Anchor,
    pub may_cancel: bool,
    /// Message number of the update that last changed whether the client may cancel the subagent; 0
    /// when none did.
    pub changed: u64,
    /// The state that the parent last reported for the subagent, and its place; `None` without one.
    pub state: Option<(Box<str>, Anchor)>,
}

impl Parent {
    /// Whether the subagent is at work by its last reported state, `running` or `requires_action`.
    pub fn is_busy(&self) -> bool {
        let state = self.state.as_ref().map(|(state, _)| &**state);
        matches!(state, Some("running" | "requires_action"))
    }

    pub(super) fn by(update: &Update<'_>) -> Self {
        let id = update.update.get("sessionId").unwrap_or(update.update);
        let announced = Anchor::of(id, &"/params/update/sessionId");
        Self {
            session_id: update.session_id.to_boxed(),
            announced,
            cancellation_at: announced,
            may_cancel: false,
            changed: 0,
            state: None,
        }
    }

    /// Takes over what a `subagent_update` of the parent session says of this one. An absent member
    /// changes nothing; null clears what was said before.
    pub(super) fn apply(&mut self, update: &Update<'_>, number: u64) {
        if let Some(capabilities) = update.update.get("capabilities") {
            let may_cancel = cancellation::offers(capabilities);
            if may_cancel != self.may_cancel {
                self.cancellation_at = Anchor::of(capabilities, &"/params/update/capabilities");
                self.changed = number;
                self.may_cancel = may_cancel;
            }
        }
        if let Some(state) = update.update.get("state") {
            self.state = state.get("state").and_then(Node::text).map(|name| {
                (name.to_boxed(), Anchor::of(name.node(), &"/params/update/state/state"))
            });
        }
    }
}
