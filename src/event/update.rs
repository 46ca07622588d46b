//! Session updates. In goes a call of `session/update`; out comes an [`Update`] with the members
//! that many rules read, or a [`PlanRemoved`].

use std::ops::Deref;

use crate::{
    event::call::Call,
    json::{Node, Text},
    protocol::Edition,
};

/// A `session/update` whose update object has a kind. Rules on updates get this as their event.
#[derive(Clone, Copy, Debug)]
pub struct Update<'t> {
    pub call: &'t Call<'t>,
    pub session_id: Text<'t>,
    /// The kind of the update, its `sessionUpdate` member, such as `tool_call`.
    pub kind: Text<'t>,
    /// The update object of the message, `params.update`.
    pub update: Node<'t>,
    /// The update's `toolCallId`; `None` when it is absent or not a string.
    pub tool_call_id: Option<Text<'t>>,
    /// The update's `messageId`; `None` when it is absent or not a string.
    pub message_id: Option<Text<'t>>,
    /// The update's `status`, of any JSON type; `None` when absent.
    pub status: Option<Node<'t>>,
}

impl<'t> Deref for Update<'t> {
    type Target = Call<'t>;

    fn deref(&self) -> &Call<'t> {
        self.call
    }
}

impl<'t> Update<'t> {
    /// The update in a `session/update`; `None` for other calls, and when the session, the update
    /// object or its kind is missing.
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

/// A `plan_removed` update of a session, with the id of the plan. Rules on removed plans get this
/// as their event.
#[derive(Clone, Copy, Debug)]
pub struct PlanRemoved<'t> {
    pub update: &'t Update<'t>,
    /// The id of the removed plan: the member that the edition names, or else its predecessor;
    /// `None` when neither is a string.
    pub plan_id: Option<Node<'t>>,
}

impl<'t> Deref for PlanRemoved<'t> {
    type Target = Update<'t>;

    fn deref(&self) -> &Update<'t> {
        self.update
    }
}

impl<'t> PlanRemoved<'t> {
    /// The removal in a `plan_removed`; `None` for other updates. The edition decides which members
    /// name a plan.
    pub fn of(update: &'t Update<'t>, edition: Edition) -> Option<Self> {
        if update.kind != "plan_removed" {
            return None;
        }
        let id = |name| update.update.get(name).filter(|id| id.is_string());
        Some(Self { update, plan_id: edition.plan_ids().into_iter().find_map(id) })
    }
}
