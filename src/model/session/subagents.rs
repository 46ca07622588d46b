//! What a parent session reports of its child session, a subagent.

use crate::{
    event::Update,
    json::Node,
    model::{
        anchor::{Anchor, Pointer},
        session::cancellation,
    },
};

/// What is known of a child from the updates of its parent.
#[derive(Clone, Debug)]
pub struct Parent {
    /// The session that announced it first.
    pub session_id: Box<str>,
    /// The first announcement: its `sessionId`.
    pub announced: Anchor,
    /// The last update that says whether the client may cancel the subagent.
    pub cancellation_at: Anchor,
    pub may_cancel: bool,
    /// Number of the message that changed this last; 0 for the first announcement.
    pub changed: u64,
    /// Its state as the parent reports it, and where.
    pub state: Option<(Box<str>, Anchor)>,
}

impl Parent {
    /// Whether the parent reports it to be at work.
    pub fn is_busy(&self) -> bool {
        let state = self.state.as_ref().map(|(state, _)| &**state);
        matches!(state, Some("running" | "requires_action"))
    }

    pub(super) fn by(update: &Update<'_>) -> Self {
        let id = update.update.get("sessionId").unwrap_or(update.update);
        let announced = Anchor::of(id, Pointer::ParamsUpdateSessionId);
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
                self.cancellation_at = Anchor::of(capabilities, Pointer::ParamsUpdateCapabilities);
                self.changed = number;
                self.may_cancel = may_cancel;
            }
        }
        if let Some(state) = update.update.get("state") {
            self.state = state.get("state").and_then(Node::text).map(|name| {
                (name.to_boxed(), Anchor::of(name.node(), Pointer::ParamsUpdateStateState))
            });
        }
    }
}
