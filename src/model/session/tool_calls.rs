//! The tool calls of a session: their status, permission requests and cancellations.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::atomic::{AtomicUsize, Ordering},
};

use crate::{
    event::{Call, Update},
    json::{Node, Text},
    map::{IndexMap, Map},
    model::{
        anchor::{Anchor, Pointer},
        session::{cancellation::Cancellation, on_demand, permissions::Denial, terminals},
    },
    protocol::Version,
};

/// The status of a tool call, or of a compaction, which has the same names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolCallStatus {
    Pending,
    InProgress,
    Paused,
    Completed,
    Failed,
    Cancelled,
    /// A status that the protocol does not define, such as one of an extension.
    Custom,
}

impl ToolCallStatus {
    pub fn of(text: Text<'_>) -> Self {
        text.read(|word| match word {
            "pending" => Self::Pending,
            "in_progress" => Self::InProgress,
            "paused" => Self::Paused,
            "completed" => Self::Completed,
            "failed" => Self::Failed,
            "cancelled" => Self::Cancelled,
            _ => Self::Custom,
        })
    }

    pub fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }

    /// The status as the protocol spells it; "custom" for one that it does not define.
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

    /// The status that the `status` member of an update sets, and its node; `None` when it sets
    /// none. Null changes nothing on version 1; on version 2 it resets the status to pending.
    pub fn set_by(status: Option<Node<'_>>, version: Option<Version>) -> Option<(Self, Node<'_>)> {
        let node = status?;
        match node.text() {
            Some(text) => Some((Self::of(text), node)),
            None if node.is_null() && version == Some(Version::V2) => Some((Self::Pending, node)),
            None => None,
        }
    }
}

/// The tool calls of one session, by id, with indices for rules that look for unfinished ones.
#[derive(Clone, Debug, Default)]
pub struct ToolCalls {
    /// All tool calls by id, in the order in which messages first named them. Other fields hold
    /// indices into this map.
    calls: IndexMap<Box<str>, ToolCall>,
    /// Index of the tool call that was found last: many rules on one message ask for the same one.
    last: Last,
    /// Indices of tool calls that were reported since the session was last loaded or resumed.
    fresh: Vec<usize>,
    /// Indices of tool calls whose status is pending or in progress.
    under_way: BTreeSet<usize>,
    /// Tool calls that ended and still offer to be cancelled: their indices, by the number of the
    /// message that ended them.
    offering: BTreeMap<u64, usize>,
    /// Whether the client has asked to cancel any tool call, known or not.
    pub any_cancelled: bool,
    /// Message number of the message that named the newest tool call first; 0 without tool calls.
    newest: u64,
    /// The first elicitation about each tool call that was unknown when it was asked, by the id of
    /// the tool call.
    mentions: Map<Box<str>, Mention>,
}

/// An index that can be changed while the tool calls are only read. Atomic, since threads share the
/// empty value.
#[derive(Debug, Default)]
struct Last(AtomicUsize);

impl Last {
    fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    fn set(&self, place: usize) {
        self.0.store(place, Ordering::Relaxed);
    }
}

impl Clone for Last {
    fn clone(&self) -> Self {
        Self(self.get().into())
    }
}

/// An `elicitation/create` request about a tool call that was not known at that time.
#[derive(Clone, Copy, Debug)]
pub struct Mention {
    /// Place of the `toolCallId` in the request, so that a finding can point at it.
    pub at: Anchor,
    /// Number of the permission request that named the tool call.
    pub number: u64,
}

/// What is known of a tool call, from the first message that names it.
#[expect(clippy::struct_excessive_bools, reason = "independent facts, in a byte each")]
#[derive(Clone, Debug)]
pub struct ToolCall {
    /// Message number of the first message that names the tool call.
    pub first_number: u64,
    /// Place of what announced the tool call: `tool_call` on version 1; on version 2 the first
    /// `tool_call_update`, or the permission request with the tool call in it. `None` before that.
    pub announced: Option<Anchor>,
    /// Place of the last update of the tool call, so that a finding can point at it; of its id in
    /// the first mention before the first update.
    pub last: Anchor,
    /// The tool call's status, the place where it was set, and the number of that message. `None`
    /// until an update names the tool call; a permission request only proposes a status.
    pub status: Option<(ToolCallStatus, Anchor, u64)>,
    /// Place and number of the first update after the last permission request that set the status
    /// to `in_progress` or `completed`; `None` when the tool call has not proceeded.
    pub proceeded: Option<(Anchor, u64)>,
    /// Whether the tool call was ever reported as `in_progress`, by an update or in a permission request.
    pub was_running: bool,
    /// Whether any permission request named the tool call.
    pub is_asked: bool,
    /// Whether a permission request for the tool call came after it last went on.
    is_asked_again: bool,
    /// Whether a session update has named the tool call; otherwise only permission requests have.
    is_updated: bool,
    /// Whether all reports on the tool call came before the session was attached again, so that it
    /// may be reported anew.
    pub is_past: bool,
    /// Rarely known facts of the tool call; allocated on demand, since a recording may have a
    /// million tool calls.
    details: Option<Box<Details>>,
}

/// Facts that few tool calls have: programmatic name, terminals, cancellation, refused permission.
#[derive(Clone, Debug)]
struct Details {
    name: Option<(Box<str>, Anchor)>,
    terminals: Vec<Box<str>>,
    cancellation: Cancellation,
    denied: Option<Denial>,
}

impl Details {
    const NONE: Self =
        Self { name: None, terminals: Vec::new(), cancellation: Cancellation::NONE, denied: None };
}

impl ToolCall {
    fn new(first: Anchor, first_number: u64) -> Self {
        Self {
            first_number,
            announced: None,
            last: first,
            status: None,
            proceeded: None,
            was_running: false,
            is_asked: false,
            is_asked_again: false,
            is_updated: false,
            is_past: false,
            details: None,
        }
    }

    fn details(&self) -> &Details {
        static NONE: Details = Details::NONE;
        self.details.as_deref().unwrap_or(&NONE)
    }

    fn details_mut(&mut self) -> &mut Details {
        self.details.get_or_insert_with(|| Box::new(Details::NONE))
    }

    /// The tool call's programmatic name (`name`), and where it was set; `None` without one.
    pub fn name(&self) -> Option<&(Box<str>, Anchor)> {
        self.details().name.as_ref()
    }

    /// Ids of the terminals that the tool call's content shows. Kept on version 2 only.
    pub fn terminals(&self) -> &[Box<str>] {
        &self.details().terminals
    }

    pub fn cancellation(&self) -> &Cancellation {
        &self.details().cancellation
    }

    /// The last answer that did not approve the tool call; `None` when there is none, or once an
    /// answer approves it or the tool call ends.
    pub fn denied(&self) -> Option<Denial> {
        self.details().denied
    }

    /// Applies the terminals in the `content` of an update: a list replaces those shown before, a
    /// single item is added.
    fn show(&mut self, update: Node<'_>) {
        let Some(content) = update.get("content") else { return };
        if let Some(details) = self.details.as_mut().filter(|_| !content.is_object()) {
            details.terminals.clear();
        }
        let chunk = content.is_object().then_some(content);
        for shown in content.elements().chain(chunk).filter_map(terminals::shown) {
            self.details_mut().terminals.push(shown.to_boxed());
        }
    }

    /// Takes the answer to a permission request for this call: `Some` where it was not approved,
    /// `None` where it was, which clears an earlier refusal.
    fn deny(&mut self, denied: Option<Denial>) {
        if denied.is_some() || self.details.is_some() {
            self.details_mut().denied = denied;
        }
    }

    /// Whether the tool call is known only as the reference of a permission request for a command.
    pub fn is_only_referenced(&self) -> bool {
        self.announced.is_none() && !self.is_asked && !self.is_updated
    }

    pub fn is_final(&self) -> bool {
        self.status.is_some_and(|(status, ..)| status.is_final())
    }

    /// Message number of the update that ended the tool call, if the call offers to be cancelled
    /// since that update or longer, and the client has not asked for it; `None` otherwise.
    fn offers_since(&self) -> Option<u64> {
        let (status, _, number) = self.status?;
        let Cancellation { offered, changed, asked, .. } = *self.cancellation();
        (status.is_final() && offered.is_some() && changed <= number && !asked).then_some(number)
    }

    /// Whether the tool call's status is pending or in progress.
    pub fn is_under_way(&self) -> bool {
        matches!(self.status, Some((ToolCallStatus::Pending | ToolCallStatus::InProgress, ..)))
    }
}

on_demand::empty!(ToolCalls);

impl ToolCalls {
    pub fn get(&self, id: Text<'_>) -> Option<&ToolCall> {
        self.named(&id.as_cow())
    }

    pub fn named(&self, id: &str) -> Option<&ToolCall> {
        Some(&self.calls[self.place(id)?])
    }

    fn place(&self, id: &str) -> Option<usize> {
        let last = self.last.get();
        if self.calls.get_index(last).is_some_and(|(known, _)| **known == *id) {
            return Some(last);
        }
        let place = self.calls.get_index_of(id)?;
        self.last.set(place);
        Some(place)
    }

    fn named_mut(&mut self, id: &str) -> Option<&mut ToolCall> {
        let place = self.place(id)?;
        Some(&mut self.calls[place])
    }

    fn at(&self, place: usize) -> Option<(&str, &ToolCall)> {
        self.calls.get_index(place).map(|(id, call)| (&**id, call))
    }

    /// Elicitations about tool calls that no message had announced yet: the id of each such tool
    /// call, and the first elicitation about it. In no order.
    pub fn mentions(&self) -> impl Iterator<Item = (&str, &Mention)> {
        self.mentions.iter().map(|(id, mention)| (&**id, mention))
    }

    /// All tool calls with their ids, in the order of their first mention.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &ToolCall)> {
        self.calls.iter().map(|(id, call)| (&**id, call))
    }

    /// Whether any tool call was named for the first time after the message with this number. Costs
    /// less than looking at the tool calls.
    pub fn has_new_since(&self, number: u64) -> bool {
        self.newest > number
    }

    /// Pending and running tool calls that were named for the first time after the message with
    /// this number, with their ids, in the order of their first mention.
    pub fn under_way_since(&self, number: u64) -> impl Iterator<Item = (&str, &ToolCall)> {
        let first = self.calls.partition_point(|_, call| call.first_number <= number);
        self.under_way.range(first..).filter_map(|place| self.at(*place))
    }

    /// Tool calls that ended after the message with this number and still offer to be cancelled,
    /// with their ids, in the order in which they ended.
    pub fn offering_since(&self, number: u64) -> impl Iterator<Item = (&str, &ToolCall)> {
        let later = self.offering.range(number + 1..);
        later.filter_map(|(_, place)| self.at(*place))
    }

    /// Notes that the session is attached again, so that known tool calls may be reported again.
    pub(super) fn age(&mut self) {
        for place in self.fresh.drain(..) {
            self.calls[place].is_past = true;
        }
    }

    /// The index in `calls` of the tool call with this id. A call that is not known yet is added as
    /// one that message `number` mentions first.
    fn admit(&mut self, id: Text<'_>, pointer: Pointer, number: u64) -> usize {
        let name = id.as_cow();
        self.place(&name).unwrap_or_else(|| {
            let call = ToolCall::new(Anchor::of(id.node(), pointer), number);
            let (place, _) = self.calls.insert_full((&*name).into(), call);
            self.last.set(place);
            self.fresh.push(place);
            self.newest = number;
            place
        })
    }

    pub(super) fn apply_update(
        &mut self,
        kind: &str,
        update: &Update<'_>,
        version: Option<Version>,
        number: u64,
    ) {
        let body = update.update;
        let Some(id) = update.tool_call_id else { return };
        let place = self.admit(id, &"/params/update/toolCallId", number);
        let call = &mut self.calls[place];
        let (was_under_way, offered) = (call.is_under_way(), call.offers_since());
        call.last = Anchor::of(body, &"/params/update");
        call.is_updated = true;
        // Only version 2 has states that list the work in the background.
        if version == Some(Version::V2) {
            call.show(body);
        }
        if kind == "tool_call_content_chunk" {
            return;
        }
        if call.is_past {
            self.fresh.push(place);
        }
        let announces = kind == "tool_call" || version == Some(Version::V2);
        if announces && (call.announced.is_none() || call.is_past) {
            call.announced = Some(call.last);
        }
        call.is_past = false;
        // Version 2 does not define this update: it shows that the tool call exists, but sets no
        // status.
        if kind == "tool_call" && version == Some(Version::V2) {
            return;
        }
        if let Some((status, node)) = ToolCallStatus::set_by(update.status, version) {
            let at = Anchor::of(node, &"/params/update/status");
            let before = call.status.map(|(before, ..)| before);
            let is_first = call.proceeded.is_none() || call.is_asked_again;
            if matches!(status, ToolCallStatus::InProgress | ToolCallStatus::Completed)
                && before != Some(status)
                && is_first
            {
                call.proceeded = Some((at, number));
                call.is_asked_again = false;
            }
            call.status = Some((status, at, number));
            call.was_running |= status == ToolCallStatus::InProgress;
            if status.is_final() {
                call.deny(None);
            }
        } else if announces && call.status.is_none() {
            call.status = Some((ToolCallStatus::Pending, call.last, number));
        }
        if let Some(name) = body.get("name").and_then(Node::text) {
            let is_known = call.name().is_some_and(|(known, _)| name == **known);
            if !is_known {
                let at = Anchor::of(name.node(), &"/params/update/name");
                call.details_mut().name = Some((name.to_boxed(), at));
            }
        }
        if body.get("capabilities").is_some() {
            call.details_mut().cancellation.apply(body, number, update.at);
        }
        let is_under_way = call.is_under_way();
        let offers = call.offers_since();
        if offered != offers {
            if let Some(number) = offered {
                self.offering.remove(&number);
            }
            if let Some(number) = offers {
                self.offering.insert(number, place);
            }
        }
        if is_under_way && !was_under_way {
            self.under_way.insert(place);
        } else if was_under_way && !is_under_way {
            self.under_way.remove(&place);
        }
    }

    /// Applies an `elicitation/create` request, which may be about a tool call. `number` is the
    /// number of the message.
    pub(super) fn apply_question(&mut self, call: &Call<'_>, number: u64) {
        let Some(id) = call.param("toolCallId").and_then(Node::text) else { return };
        if self.get(id).is_none() {
            let at = Anchor::of(id.node(), &"/params/toolCallId");
            self.mentions.entry(id.to_boxed()).or_insert(Mention { at, number });
        }
    }

    /// Applies a permission request for a tool call. On version 2 it reports the tool call as an
    /// update does. `number` is the number of the message.
    pub(super) fn apply_request(&mut self, request: &Call<'_>, number: u64) {
        let subject = request.param("subject");
        let (id, pointer) = match request.param("toolCall") {
            Some(call) => (call.get("toolCallId"), &"/params/toolCall/toolCallId"),
            None => (
                subject.and_then(|subject| subject.path(&["toolCall", "toolCallId"])),
                &"/params/subject/toolCall/toolCallId",
            ),
        };
        if let Some(id) = id.and_then(Node::text) {
            let place = self.admit(id, pointer, number);
            let call = &mut self.calls[place];
            let report = request.param("toolCall").or_else(|| subject?.get("toolCall"));
            let status = report.and_then(|report| report.get("status"));
            call.was_running |= status.is_some_and(|status| status.is("in_progress"));
            call.is_asked = true;
            call.is_asked_again = true;
            if let Some(report) = subject.and_then(|subject| subject.get("toolCall")) {
                let pointer = &"/params/subject/toolCall/capabilities";
                if report.get("capabilities").is_some() {
                    let cancellation = &mut call.details_mut().cancellation;
                    cancellation.apply_at(report, pointer, number, request.at);
                }
            }
            if subject.is_some() && call.announced.is_none() {
                call.announced = Some(Anchor::of(request.node, &""));
            }
        }
        // A command may belong to a tool call that no message has reported yet.
        if let Some(id) = subject.and_then(|subject| subject.get("toolCallId")?.text()) {
            self.admit(id, &"/params/subject/toolCallId", number);
        }
    }

    pub(super) fn decide(&mut self, id: &str, denied: Option<Denial>) {
        if let Some(call) = self.named_mut(id) {
            let was_running = matches!(call.status, Some((ToolCallStatus::InProgress, ..)));
            call.deny(denied.map(|denied| Denial { was_running, ..denied }));
        }
    }

    pub(super) fn ask_cancellation(&mut self, id: Text<'_>) {
        self.any_cancelled = true;
        if let Some(place) = self.place(&id.as_cow()) {
            let call = &mut self.calls[place];
            if let Some(number) = call.offers_since() {
                self.offering.remove(&number);
            }
            call.details_mut().cancellation.asked = true;
        }
    }

    pub(super) fn accept_cancellation(&mut self, id: &str, answer: Anchor) {
        if let Some(call) = self.named_mut(id) {
            call.details_mut().cancellation.accepted = Some(answer);
        }
    }
}
