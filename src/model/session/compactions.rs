//! The compactions of a session by id, and how far each has come.

use crate::{
    event::Update,
    json::{Node, Text},
    map::Map,
    model::{
        anchor::Anchor,
        session::{on_demand, tool_calls::ToolCallStatus},
    },
};

/// A compaction of the conversation by the agent, from the first message that names it. Its
/// statuses have the names of tool call statuses.
#[derive(Clone, Copy, Debug)]
pub struct Compaction {
    /// The compaction's status, and the place where it was set; `None` while only chunks of its
    /// summary have come.
    pub status: Option<(ToolCallStatus, Anchor)>,
    /// Whether the compaction has ever reported that it has ended.
    pub has_ended: bool,
    /// Place of the last update about the compaction, so that a finding can point at it.
    pub last: Anchor,
    /// Whether all reports on the compaction came before the session was attached again, so that it
    /// may be reported anew.
    pub is_past: bool,
}

impl Compaction {
    /// The compaction's final status and where it was set; `None` while it goes on.
    pub fn end(&self) -> Option<(ToolCallStatus, Anchor)> {
        self.status.filter(|(status, _)| status.is_final())
    }
}

/// The compactions of one session, by id.
#[derive(Clone, Debug, Default)]
pub struct Compactions {
    all: Map<Box<str>, Compaction>,
    /// Ids of compactions that were reported since the session was last loaded or resumed.
    fresh: Vec<Box<str>>,
}

on_demand::empty!(Compactions);

impl Compactions {
    pub fn get(&self, id: Text<'_>) -> Option<&Compaction> {
        self.all.get(&*id.as_cow())
    }

    /// All compactions of the session with their ids, in no particular order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Compaction)> {
        self.all.iter().map(|(id, compaction)| (&**id, compaction))
    }

    /// Notes that the session is attached again, so that known compactions may be reported again.
    pub(super) fn age(&mut self) {
        for id in self.fresh.drain(..) {
            if let Some(compaction) = self.all.get_mut(&id) {
                compaction.is_past = true;
            }
        }
    }

    /// Notes a `compaction_update` or a `compaction_summary_chunk` of the session.
    pub(super) fn apply(&mut self, update: &Update<'_>) {
        let body = update.update;
        let last = Anchor::of(body, &"/params/update");
        let Some(id) = body.get("compactionId").and_then(Node::text) else { return };
        let name = id.as_cow();
        if !self.all.contains_key(&*name) {
            // A new compaction begins as a past one, which this report makes current.
            let new = Compaction { status: None, has_ended: false, last, is_past: true };
            self.all.insert((&*name).into(), new);
        }
        let Some(compaction) = self.all.get_mut(&*name) else { return };
        compaction.last = last;
        if std::mem::take(&mut compaction.is_past) {
            self.fresh.push((&*name).into());
        }
        if let Some(status) = update.status.filter(|status| status.is_null()) {
            let at = Anchor::of(status, &"/params/update/status");
            compaction.status = Some((ToolCallStatus::InProgress, at));
        }
        if let Some(status) = update.status.and_then(Node::text) {
            let at = Anchor::of(status.node(), &"/params/update/status");
            let status = ToolCallStatus::of(status);
            compaction.has_ended |= status.is_final();
            compaction.status = Some((status, at));
        }
    }
}
