//! The tool calls of a session, as reported, asked about and cancelled.

use std::collections::HashMap;

use crate::{
    event::{Call, Update},
    json::{Node, Text},
    model::{Place, cancel::Cancellation, permission::Denial},
    protocol::Version,
};

/// How far a tool call has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Pending,
    InProgress,
    Paused,
    Completed,
    Failed,
    Cancelled,
    /// One that the protocol does not define; nothing follows from it.
    Custom,
}

impl Status {
    pub fn of(text: Text<'_>) -> Self {
        match &*text.as_cow() {
            "pending" => Self::Pending,
            "in_progress" => Self::InProgress,
            "paused" => Self::Paused,
            "completed" => Self::Completed,
            "failed" => Self::Failed,
            "cancelled" => Self::Cancelled,
            _ => Self::Custom,
        }
    }

    pub fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }

    /// As the protocol spells it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::InProgress => "in_progress",
            Self::Paused => "paused",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Custom => "custom",
        }
    }

    /// The status that an update sets. Null says nothing on version 1 and clears on version 2,
    /// where a tool call without a status is pending.
    pub fn set_by(update: Node<'_>, version: Option<Version>) -> Option<(Self, Node<'_>)> {
        let node = update.get("status")?;
        match node.text() {
            Some(text) => Some((Self::of(text), node)),
            None if node.is_null() && version == Some(Version::V2) => Some((Self::Pending, node)),
            None => None,
        }
    }
}

/// The tool calls of one session.
#[derive(Clone, Debug, Default)]
pub struct ToolCalls(HashMap<Box<str>, ToolCall>);

/// A tool call, from the first message that names it.
#[derive(Clone, Debug)]
pub struct ToolCall {
    /// The first message that names it: its id there.
    pub first: Place,
    /// Number of that message.
    pub first_number: u64,
    /// Its announcement: `tool_call` on version 1, the first `tool_call_update` or the permission
    /// request that carries it on version 2.
    pub announced: Option<Place>,
    /// The first permission request for it.
    pub asked: Option<Place>,
    /// The last update, or whatever named it.
    pub last: Place,
    /// Its status, where that was set, and by which message. `None` until an update names the tool
    /// call: what a permission request says of the status is a proposal.
    pub status: Option<(Status, Place, u64)>,
    /// The programmatic name, and where it was given.
    pub name: Option<(Box<str>, Place)>,
    pub cancellation: Cancellation,
    /// The last answer that did not approve it, until one does or it ends.
    pub denied: Option<Denial>,
    /// Whether all that is known of it stems from before the session was attached again.
    pub is_past: bool,
}

impl ToolCall {
    fn new(first: Place, first_number: u64) -> Self {
        Self {
            first,
            first_number,
            announced: None,
            asked: None,
            last: first,
            status: None,
            name: None,
            cancellation: Cancellation::default(),
            denied: None,
            is_past: false,
        }
    }

    /// Whether nothing but a permission request for a command has named it.
    pub fn is_only_referenced(&self) -> bool {
        self.announced.is_none() && self.asked.is_none() && self.last == self.first
    }

    pub fn is_final(&self) -> bool {
        self.status.is_some_and(|(status, ..)| status.is_final())
    }

    /// Whether it waits or runs as far as the updates tell.
    pub fn is_under_way(&self) -> bool {
        matches!(self.status, Some((Status::Pending | Status::InProgress, ..)))
    }
}

impl ToolCalls {
    pub fn get(&self, id: Text<'_>) -> Option<&ToolCall> {
        self.0.get(&*id.as_cow())
    }

    pub fn named(&self, id: &str) -> Option<&ToolCall> {
        self.0.get(id)
    }

    /// All tool calls by id, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &ToolCall)> {
        self.0.iter().map(|(id, call)| (&**id, call))
    }

    /// The session is attached again: what is known may be told once more.
    pub(super) fn age(&mut self) {
        self.0.values_mut().for_each(|call| call.is_past = true);
    }

    fn of(&mut self, id: Node<'_>, pointer: &'static str, number: u64) -> Option<&mut ToolCall> {
        let name = id.text()?.as_cow();
        if !self.0.contains_key(&*name) {
            self.0.insert((&*name).into(), ToolCall::new(Place::of(id, pointer), number));
        }
        self.0.get_mut(&*name)
    }

    pub(super) fn apply_update(
        &mut self,
        kind: &str,
        update: &Update<'_>,
        version: Option<Version>,
        number: u64,
    ) {
        let body = update.update;
        let Some(id) = body.get("toolCallId") else { return };
        let Some(call) = self.of(id, "/params/update/toolCallId", number) else { return };
        call.last = Place::of(body, "/params/update");
        if kind == "tool_call_content_chunk" {
            return;
        }
        let announces = kind == "tool_call" || version == Some(Version::V2);
        if announces && (call.announced.is_none() || call.is_past) {
            call.announced = Some(call.last);
        }
        call.is_past = false;
        if let Some((status, node)) = Status::set_by(body, version) {
            call.status = Some((status, Place::of(node, "/params/update/status"), number));
            if status.is_final() {
                call.denied = None;
            }
        } else if announces && call.status.is_none() {
            call.status = Some((Status::Pending, call.last, number));
        }
        if let Some(name) = body.get("name").and_then(Node::text) {
            let is_known = call.name.as_ref().is_some_and(|(known, _)| name == **known);
            if !is_known {
                let at = Place::of(name.node(), "/params/update/name");
                call.name = Some((name.to_boxed(), at));
            }
        }
        call.cancellation.apply(body, number);
    }

    /// A permission request: on version 2 a report of the tool call like any other.
    pub(super) fn apply_request(&mut self, request: &Call<'_>, number: u64) {
        let subject = request.param("subject");
        let (id, pointer) = match request.param("toolCall") {
            Some(call) => (call.get("toolCallId"), "/params/toolCall/toolCallId"),
            None => (
                subject.and_then(|subject| subject.path(&["toolCall", "toolCallId"])),
                "/params/subject/toolCall/toolCallId",
            ),
        };
        if let Some(id) = id
            && let Some(call) = self.of(id, pointer, number)
        {
            let at = Place::of(request.node, "");
            call.asked = call.asked.or(Some(at));
            if subject.is_some() {
                call.announced = call.announced.or(Some(at));
            }
        }
        // A command may belong to a tool call that nothing has reported yet.
        if let Some(id) = subject.and_then(|subject| subject.get("toolCallId")) {
            self.of(id, "/params/subject/toolCallId", number);
        }
    }

    pub(super) fn decide(&mut self, id: &str, denied: Option<Denial>) {
        if let Some(call) = self.0.get_mut(id) {
            let was_running = matches!(call.status, Some((Status::InProgress, ..)));
            call.denied = denied.map(|denied| Denial { was_running, ..denied });
        }
    }

    pub(super) fn accept_cancellation(&mut self, id: &str, answer: Place) {
        if let Some(call) = self.0.get_mut(id) {
            call.cancellation.accepted = Some(answer);
        }
    }
}
