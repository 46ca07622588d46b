//! The form of a message: which of its values say what it is.

use crate::{
    event::{Call, Envelope, Traits, Update},
    json::{Doc, Node, NodeId, Text},
    model::message::Voice,
    transcript::looks_like_message,
};

/// The form of a message: where in its document the values stand that say what it is.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Form {
    /// Whether it has the members of a JSON-RPC message.
    pub(super) is_message: bool,
    envelope: Envelope<NodeId>,
    /// Of a call.
    pub(super) traits: Traits,
    /// The session id in the params of a call.
    session: Option<NodeId>,
    /// The update of a `session/update`, and its kind.
    update: Option<(NodeId, NodeId)>,
    /// Strings of the update: the tool call and the message that it names.
    tool_call: Option<NodeId>,
    message_id: Option<NodeId>,
    /// The `status` of the update.
    status: Option<NodeId>,
    /// Whether the kind is one of plans.
    pub(super) is_of_plan: bool,
    /// The text, where the update is a piece of what a side says.
    pub(super) piece: Option<NodeId>,
}

/// The text of a piece of what a side says, if that is what an update of this kind is.
fn piece<'t>(update: Node<'t>, kind: Text<'_>) -> Option<Node<'t>> {
    let kind = kind.as_cow();
    let content = update.get("content")?;
    let is_text = kind.ends_with("_chunk")
        && Voice::of(&kind).is_some()
        && content.get("type").is_some_and(|kind| kind.is("text"));
    content.get("text").filter(|text| is_text && text.is_string())
}

impl Form {
    pub(super) fn of(message: Node<'_>) -> Self {
        let envelope = Envelope::of(message);
        let params = envelope.params.filter(|_| envelope.method.is_some());
        let session = params.and_then(|params| params.get("sessionId").filter(|id| id.is_string()));
        let calls = |name| envelope.method.is_some_and(|method| method.is(name));
        let traits = Traits {
            is_marked: envelope.jsonrpc.is_some_and(|version| version.is("2.0")),
            is_update: calls("session/update"),
            opens: calls("initialize"),
        };
        let update = params.filter(|_| traits.is_update).and_then(|params| {
            let update = params.get("update")?;
            Some((update, update.get("sessionUpdate")?.text()?))
        });
        let member = |name| update.and_then(|(update, _)| update.get(name));
        let string = |name| member(name).filter(|value| value.is_string()).map(Node::id);
        Self {
            is_message: !message.is_array() && looks_like_message(message),
            envelope: envelope.map(Node::id),
            traits,
            session: session.map(Node::id),
            update: update.map(|(update, kind)| (update.id(), kind.node().id())),
            tool_call: string("toolCallId"),
            message_id: string("messageId"),
            status: member("status").map(Node::id),
            is_of_plan: update.is_some_and(|(_, kind)| kind.starts_with("plan")),
            piece: update.and_then(|(update, kind)| piece(update, kind)).map(Node::id),
        }
    }

    /// The members of a message of this form.
    pub(super) fn envelope<'t>(&self, doc: &'t Doc<'t>) -> Envelope<Node<'t>> {
        self.envelope.map(|id| doc.node(id))
    }

    /// The session that a call of this form names.
    pub(super) fn session<'t>(&self, doc: &'t Doc<'t>) -> Option<Text<'t>> {
        doc.node(self.session?).text()
    }

    /// What kind of update a `session/update` of this form has.
    pub(super) fn kind<'t>(&self, doc: &'t Doc<'t>) -> Option<Text<'t>> {
        doc.node(self.update?.1).text()
    }

    /// The update of a call of this form, which is a `session/update`.
    pub(super) fn update<'t>(&self, call: &'t Call<'t>) -> Option<Update<'t>> {
        let (update, _) = self.update?;
        let doc = call.node.doc();
        let text = |id: Option<NodeId>| doc.node(id?).text();
        Some(Update {
            call,
            session_id: call.session_id()?,
            kind: self.kind(doc)?,
            update: doc.node(update),
            tool_call_id: text(self.tool_call),
            message_id: text(self.message_id),
            status: self.status.map(|id| doc.node(id)),
        })
    }
}
