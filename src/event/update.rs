//! Session updates. In goes a call of `session/update`; out comes an [`Update`] with the members
//! that many rules read, or a [`PlanRemoved`].

use std::ops::Deref;

use crate::{
    event::call::Call,
    json::{Node, Text},
    protocol::Edition,
};

/// A `session/update` with an update object whose kind is a string.
#[derive(Clone, Copy, Debug)]
pub struct Update<'t> {
    pub call: &'t Call<'t>,
    pub session_id: Text<'t>,
    /// The discriminator `sessionUpdate`.
    pub kind: Text<'t>,
    /// The update object.
    pub update: Node<'t>,
    /// Its `toolCallId`, where that is a string.
    pub tool_call_id: Option<Text<'t>>,
    /// Its `messageId`, where that is a string.
    pub message_id: Option<Text<'t>>,
    /// The update's `status`, of any type.
    pub status: Option<Node<'t>>,
}

impl<'t> Deref for Update<'t> {
    type Target = Call<'t>;

    fn deref(&self) -> &Call<'t> {
        self.call
    }
}

impl<'t> Update<'t> {
    /// The update of a `session/update`; `None` for other calls, and where the session, the update
    /// or its kind is missing.
    pub(crate) fn of(call: &'t Call<'t>) -> Option<Self> {
        if call.method != "session/update" {
            return None;
        }
        let update = call.param("update")?;
        let kind = update.get("sessionUpdate")?.text()?;
        let text = |name| update.get(name)?.text();
        Some(Self {
            call,
            session_id: call.session_id()?,
            kind,
            update,
            tool_call_id: text("toolCallId"),
            message_id: text("messageId"),
            status: update.get("status"),
        })
    }
}

/// A `plan_removed`.
#[derive(Clone, Copy, Debug)]
pub struct PlanRemoved<'t> {
    pub update: &'t Update<'t>,
    /// The plan's id in the edition's spelling or its predecessor's; `None` when there is none.
    pub plan_id: Option<Node<'t>>,
}

impl<'t> Deref for PlanRemoved<'t> {
    type Target = Update<'t>;

    fn deref(&self) -> &Update<'t> {
        self.update
    }
}

impl<'t> PlanRemoved<'t> {
    /// The removal in an update; `None` for other updates.
    pub fn of(update: &'t Update<'t>, edition: Edition) -> Option<Self> {
        if update.kind != "plan_removed" {
            return None;
        }
        let id = |name| update.update.get(name).filter(|id| id.is_string());
        Some(Self { update, plan_id: edition.plan_ids().into_iter().find_map(id) })
    }
}
