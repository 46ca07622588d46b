//! The tool calls of a session, as reported, asked about and cancelled.

use std::{borrow::Cow, collections::BTreeMap};

use crate::{
    event::{Call, Update},
    json::{Node, Text},
    map::Map,
    model::{Place, cancel::Cancellation, permission::Denial, terminal},
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
pub struct ToolCalls {
    /// In boxes: they are large, and a table has much room to spare.
    calls: Map<Box<str>, Box<ToolCall>>,
    /// Those of which something has been told since the session was attached last.
    fresh: Vec<Box<str>>,
    /// Those under way, by the number of the message that named them first.
    under_way: BTreeMap<u64, Box<str>>,
    /// Those that ended and still offer to be cancelled, by the number of the message that ended
    /// them.
    offering: BTreeMap<u64, Box<str>>,
    /// Whether the client has asked to cancel any tool call, known or not.
    pub any_cancelled: bool,
    /// Number of the message that named the newest one.
    newest: u64,
    /// Questions about tool calls that were not known when they were asked.
    mentions: Map<Box<str>, Mention>,
}

/// A question about a tool call.
#[derive(Clone, Copy, Debug)]
pub struct Mention {
    /// Where the question names it.
    pub at: Place,
    /// Number of that message.
    pub number: u64,
}

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
    /// The first update since the last permission request by which it came to run or to be
    /// completed, and that message's number.
    pub proceeded: Option<(Place, u64)>,
    /// Number of the last permission request for it.
    pub asked_last: u64,
    /// The programmatic name, and where it was given.
    pub name: Option<(Box<str>, Place)>,
    /// The terminals that its content shows.
    pub terminals: Vec<Box<str>>,
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
            proceeded: None,
            asked_last: 0,
            name: None,
            terminals: Vec::new(),
            cancellation: Cancellation::default(),
            denied: None,
            is_past: false,
        }
    }

    /// An update: a list of content takes the place of what was shown, a chunk adds to it.
    fn show(&mut self, update: Node<'_>) {
        let Some(content) = update.get("content") else { return };
        if !content.is_object() {
            self.terminals.clear();
        }
        let chunk = content.is_object().then_some(content);
        let shown = content.elements().chain(chunk).filter_map(terminal::shown);
        self.terminals.extend(shown.map(Text::to_boxed));
    }

    /// Whether nothing but a permission request for a command has named it.
    pub fn is_only_referenced(&self) -> bool {
        self.announced.is_none() && self.asked.is_none() && self.last == self.first
    }

    pub fn is_final(&self) -> bool {
        self.status.is_some_and(|(status, ..)| status.is_final())
    }

    /// Number of the message that ended it, if it offered to be cancelled before and still does.
    /// Where the client has asked for that, its answer is what is judged.
    fn offers_since(&self) -> Option<u64> {
        let (status, _, number) = self.status?;
        let Cancellation { offered, changed, asked, .. } = self.cancellation;
        (status.is_final() && offered.is_some() && changed < number && !asked).then_some(number)
    }

    /// Whether it waits or runs as far as the updates tell.
    pub fn is_under_way(&self) -> bool {
        matches!(self.status, Some((Status::Pending | Status::InProgress, ..)))
    }
}

impl ToolCalls {
    pub fn get(&self, id: Text<'_>) -> Option<&ToolCall> {
        self.named(&id.as_cow())
    }

    pub fn named(&self, id: &str) -> Option<&ToolCall> {
        self.calls.get(id).map(|call| &**call)
    }

    /// By the id of the tool call, in no order: the first question about one that was not known
    /// then.
    pub fn mentions(&self) -> impl Iterator<Item = (&str, &Mention)> {
        self.mentions.iter().map(|(id, mention)| (&**id, mention))
    }

    /// All tool calls by id, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &ToolCall)> {
        self.calls.iter().map(|(id, call)| (&**id, &**call))
    }

    /// Whether any was named for the first time after the message of this number.
    pub fn has_new_since(&self, number: u64) -> bool {
        self.newest > number
    }

    /// Those under way that were named for the first time after the message of this number, in
    /// that order.
    pub fn under_way_since(&self, number: u64) -> impl Iterator<Item = (&str, &ToolCall)> {
        let later = self.under_way.range(number + 1..);
        later.filter_map(|(_, id)| Some((&**id, self.named(id)?)))
    }

    /// Those that ended after the message of this number and still offer to be cancelled.
    pub fn offering_since(&self, number: u64) -> impl Iterator<Item = (&str, &ToolCall)> {
        let later = self.offering.range(number + 1..);
        later.filter_map(|(_, id)| Some((&**id, self.named(id)?)))
    }

    /// The session is attached again: what is known may be told once more.
    pub(super) fn age(&mut self) {
        for id in self.fresh.drain(..) {
            if let Some(call) = self.calls.get_mut(&id) {
                call.is_past = true;
            }
        }
    }

    /// Knows the tool call of this id from now on; returns the id, decoded.
    fn admit<'t>(&mut self, id: Text<'t>, pointer: &'static str, number: u64) -> Cow<'t, str> {
        let name = id.as_cow();
        if !self.calls.contains_key(&*name) {
            let call = ToolCall::new(Place::of(id.node(), pointer), number);
            self.calls.insert((&*name).into(), Box::new(call));
            self.fresh.push((&*name).into());
            self.newest = number;
        }
        name
    }

    pub(super) fn apply_update(
        &mut self,
        kind: &str,
        update: &Update<'_>,
        version: Option<Version>,
        number: u64,
    ) {
        let body = update.update;
        let Some(id) = body.get("toolCallId").and_then(Node::text) else { return };
        let name = self.admit(id, "/params/update/toolCallId", number);
        let Some(call) = self.calls.get_mut(&*name) else { return };
        let offered = call.offers_since();
        call.last = Place::of(body, "/params/update");
        // Only states of version 2 list what goes on.
        if version == Some(Version::V2) {
            call.show(body);
        }
        if kind == "tool_call_content_chunk" {
            return;
        }
        if call.is_past {
            self.fresh.push((&*name).into());
        }
        let announces = kind == "tool_call" || version == Some(Version::V2);
        if announces && (call.announced.is_none() || call.is_past) {
            call.announced = Some(call.last);
        }
        call.is_past = false;
        // Version 2 has no such update: it tells which call is meant, and nothing of how it goes.
        if kind == "tool_call" && version == Some(Version::V2) {
            return;
        }
        if let Some((status, node)) = Status::set_by(body, version) {
            let at = Place::of(node, "/params/update/status");
            let before = call.status.map(|(before, ..)| before);
            let is_first = call.proceeded.is_none_or(|(_, number)| number < call.asked_last);
            if matches!(status, Status::InProgress | Status::Completed)
                && before != Some(status)
                && is_first
            {
                call.proceeded = Some((at, number));
            }
            call.status = Some((status, at, number));
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
        call.cancellation.apply(body, number, update.at);
        let (is_under_way, first) = (call.is_under_way(), call.first_number);
        let offers = call.offers_since();
        if offered != offers {
            if let Some(number) = offered {
                self.offering.remove(&number);
            }
            if let Some(number) = offers {
                self.offering.insert(number, (&*name).into());
            }
        }
        if is_under_way {
            self.under_way.entry(first).or_insert_with(|| (&*name).into());
        } else {
            self.under_way.remove(&first);
        }
    }

    /// A question is asked.
    pub(super) fn apply_question(&mut self, call: &Call<'_>, number: u64) {
        let Some(id) = call.param("toolCallId").and_then(Node::text) else { return };
        if self.get(id).is_none() {
            let at = Place::of(id.node(), "/params/toolCallId");
            self.mentions.entry(id.to_boxed()).or_insert(Mention { at, number });
        }
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
        let name = id.and_then(Node::text).map(|id| self.admit(id, pointer, number));
        if let Some(call) = name.and_then(|name| self.calls.get_mut(&*name)) {
            let at = Place::of(request.node, "");
            call.asked = call.asked.or(Some(at));
            call.asked_last = number;
            if let Some(report) = subject.and_then(|subject| subject.get("toolCall")) {
                let pointer = "/params/subject/toolCall/capabilities";
                call.cancellation.apply_at(report, pointer, number, request.at);
            }
            if subject.is_some() {
                call.announced = call.announced.or(Some(at));
            }
        }
        // A command may belong to a tool call that nothing has reported yet.
        if let Some(id) = subject.and_then(|subject| subject.get("toolCallId")?.text()) {
            self.admit(id, "/params/subject/toolCallId", number);
        }
    }

    pub(super) fn decide(&mut self, id: &str, denied: Option<Denial>) {
        if let Some(call) = self.calls.get_mut(id) {
            let was_running = matches!(call.status, Some((Status::InProgress, ..)));
            call.denied = denied.map(|denied| Denial { was_running, ..denied });
        }
    }

    pub(super) fn ask_cancellation(&mut self, id: Text<'_>) {
        self.any_cancelled = true;
        if let Some(call) = self.calls.get_mut(&*id.as_cow()) {
            if let Some(number) = call.offers_since() {
                self.offering.remove(&number);
            }
            call.cancellation.asked = true;
        }
    }

    pub(super) fn accept_cancellation(&mut self, id: &str, answer: Place) {
        if let Some(call) = self.calls.get_mut(id) {
            call.cancellation.accepted = Some(answer);
        }
    }
}
