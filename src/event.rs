//! What can happen in a transcript, in the protocol's words.
//!
//! The events of one message are told from the general to the particular: the message, the call or
//! answer that it is, the session update it carries, the plan in it. A rule observes the most
//! particular event that shows its fault; names of methods and updates are subscribed to, not
//! compared by every rule.

use std::{borrow::Cow, ops::Deref};

use crate::{
    json::{Node, Text},
    model::{
        plan::{Relation, Snapshot},
        rpc::{Done, Request},
    },
    protocol::{
        Edition, Side, Version,
        schema::{Observation, SchemaFault},
    },
    source::Span,
};

pub(crate) mod block;

/// A line or passage of the transcript that is no message, or no clean one.
#[derive(Clone, Debug)]
pub struct Flaw {
    pub kind: FlawKind,
    /// What it is about: the bytes, the line, the header.
    pub span: Span,
    /// Who wrote it, where the recording says so.
    pub sender: Option<Side>,
    /// The beginning of the text concerned, for the message; at most 80 characters.
    pub excerpt: String,
}

/// What is wrong with a passage that is no message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FlawKind {
    /// Not a JSON text; with what the parser expected.
    NotJson { expected: String },
    /// An LSP header line.
    LspHeader,
    /// The first line of a message that goes on over the lines up to `last`.
    EmbeddedNewline { last: Span },
    /// Bytes that are not UTF-8.
    InvalidUtf8,
    /// The whole file is UTF-16, and nothing in it is read.
    Utf16,
    /// A byte order mark.
    ByteOrderMark,
    /// The last line has no end and is no JSON text.
    CutTail,
}

impl FlawKind {
    /// Whether the passage may have been a message that now nobody knows.
    pub fn loses_message(&self) -> bool {
        matches!(self, Self::NotJson { .. } | Self::InvalidUtf8 | Self::Utf16 | Self::CutTail)
    }
}

/// One JSON value that a side sent.
#[derive(Clone, Copy, Debug)]
pub struct Message<'t> {
    pub node: Node<'t>,
    /// Who sent it: as recorded, else as the method or the answered request tells.
    pub sender: Option<Side>,
    /// Who sent it according to the recording.
    pub recorded: Option<Side>,
    /// Seconds on the recorder's clock.
    pub at: Option<f64>,
    /// The array it came in, for an element of a batch.
    pub batch: Option<Node<'t>>,
    /// Its members; all `None` for what is no object.
    pub envelope: Envelope<Node<'t>>,
}

/// The members of a JSON-RPC message. Of repeated ones the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Envelope<T> {
    pub jsonrpc: Option<T>,
    pub id: Option<T>,
    pub method: Option<T>,
    pub params: Option<T>,
    pub result: Option<T>,
    pub error: Option<T>,
    /// The name of the first member that JSON-RPC does not define.
    pub foreign: Option<T>,
}

impl Envelope<()> {
    /// What JSON-RPC defines.
    pub const MEMBERS: [&'static str; 6] = ["jsonrpc", "id", "method", "params", "result", "error"];
}

impl<T> Default for Envelope<T> {
    fn default() -> Self {
        Self {
            jsonrpc: None,
            id: None,
            method: None,
            params: None,
            result: None,
            error: None,
            foreign: None,
        }
    }
}

impl<'t> Envelope<Node<'t>> {
    /// One pass over the members of a message.
    pub fn of(node: Node<'t>) -> Self {
        let mut envelope = Self::default();
        for (name, value) in node.members() {
            let member = match name {
                _ if name.is("jsonrpc") => &mut envelope.jsonrpc,
                _ if name.is("id") => &mut envelope.id,
                _ if name.is("method") => &mut envelope.method,
                _ if name.is("params") => &mut envelope.params,
                _ if name.is("result") => &mut envelope.result,
                _ if name.is("error") => &mut envelope.error,
                _ => {
                    envelope.foreign = envelope.foreign.or(Some(name));
                    continue;
                }
            };
            *member = Some(value);
        }
        envelope
    }
}

/// A request or notification.
#[derive(Clone, Copy, Debug)]
pub struct Call<'t> {
    pub message: &'t Message<'t>,
    /// The `method` member's value.
    pub method: Text<'t>,
    /// The `id` member; `None` makes it a notification.
    pub id: Option<Node<'t>>,
    /// The `params` member, whatever its type; `None` when absent.
    pub params: Option<Node<'t>>,
    /// See [`Call::session_id`].
    session: Option<Text<'t>>,
    pub standing: Standing,
    /// As what the connection's version defines the method, drafts included; `None` when it does
    /// not.
    pub kind: Option<CallKind>,
    /// The method once more, where `kind` is known.
    name: Option<&'static str>,
}

/// As what a method may be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallKind {
    Request,
    Notification,
    /// `mcp/message` is both.
    Either,
}

/// What the protocol knows of a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The connection's version defines it.
    Defined,
    /// The drafts of the connection's version define it, its stable surface does not.
    Draft,
    /// Only the other version, drafts included, defines it.
    OtherVersion,
    /// An extension method: the name begins with `_`.
    Extension,
    /// A `$/` method that the protocol does not define.
    Dollar,
    /// No version knows it.
    Undefined,
    /// The connection's version is not known yet.
    Unknown,
}

impl<'t> Deref for Call<'t> {
    type Target = Message<'t>;

    fn deref(&self) -> &Message<'t> {
        self.message
    }
}

impl<'t> Call<'t> {
    /// The call that a message makes. `defined`: the method's name and kind, where the connection's
    /// version defines it.
    pub(crate) fn new(
        message: &'t Message<'t>,
        method: Text<'t>,
        standing: Standing,
        defined: Option<(&'static str, CallKind)>,
    ) -> Self {
        let Envelope { id, params, .. } = message.envelope;
        let session = params.and_then(|params| params.get("sessionId")?.text());
        let (name, kind) = defined.unzip();
        Self { message, method, id, params, session, standing, kind, name }
    }

    /// The method, to be kept. Allocates only for methods that the connection's version does not
    /// define.
    pub(crate) fn name(&self) -> Cow<'static, str> {
        self.name.map_or_else(|| Cow::Owned(self.method.as_cow().into_owned()), Cow::Borrowed)
    }

    /// A member of the params; `None` when there are none or they are no object.
    pub fn param(&self, name: &str) -> Option<Node<'t>> {
        self.params?.get(name)
    }

    /// Whether some version of the protocol, drafts included, defines the method; not so for
    /// `$/cancel_request`, which belongs to the layer below.
    pub fn uses_protocol(&self) -> bool {
        matches!(self.standing, Standing::Defined | Standing::Draft | Standing::OtherVersion)
            && !self.method.starts_with("$/")
    }

    /// The session the call names.
    pub fn session_id(&self) -> Option<Text<'t>> {
        self.session
    }
}

/// A response and the request it answers.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'t> {
    pub message: &'t Message<'t>,
    /// The `id` member.
    pub id: Node<'t>,
    pub outcome: Outcome<'t>,
    /// The request that is answered.
    pub request: &'t Request,
    /// Whether the id was outstanding on both sides and the pairing is a guess. No error rests on
    /// such an answer.
    pub ambiguous: bool,
}

impl<'t> Deref for Answer<'t> {
    type Target = Message<'t>;

    fn deref(&self) -> &Message<'t> {
        self.message
    }
}

impl<'t> Answer<'t> {
    /// The result, when the request succeeded.
    pub fn result(&self) -> Option<Node<'t>> {
        match self.outcome {
            Outcome::Result(node) => Some(node),
            Outcome::Error(_) => None,
        }
    }

    /// The error, when the request failed.
    pub fn error(&self) -> Option<Node<'t>> {
        match self.outcome {
            Outcome::Error(node) => Some(node),
            Outcome::Result(_) => None,
        }
    }

    /// The error's code, when the request failed and the code is an integer.
    pub fn error_code(&self) -> Option<i64> {
        self.error()?.get("code")?.integer()
    }
}

/// The `result` or `error` member of a response.
#[derive(Clone, Copy, Debug)]
pub enum Outcome<'t> {
    Result(Node<'t>),
    Error(Node<'t>),
}

/// A response to no outstanding request.
#[derive(Clone, Copy, Debug)]
pub struct Stray<'t> {
    pub message: &'t Message<'t>,
    /// The `id` member.
    pub id: Node<'t>,
    pub why: StrayKind<'t>,
}

impl<'t> Deref for Stray<'t> {
    type Target = Message<'t>;

    fn deref(&self) -> &Message<'t> {
        self.message
    }
}

/// Why a response answers nothing that is outstanding.
#[derive(Clone, Copy, Debug)]
pub enum StrayKind<'t> {
    /// No request has ever had this id.
    Unknown,
    /// The request with this id was answered before.
    Answered(Done),
    /// An outstanding request has this id in another JSON type.
    OtherType(&'t Request),
    /// The id is null.
    Null,
}

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
    /// Its `status`.
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

/// A content block that a call carries, with a `type` that is a string.
#[derive(Clone, Copy, Debug)]
pub struct Block<'t> {
    pub call: &'t Call<'t>,
    /// The discriminator `type`.
    pub kind: Text<'t>,
    pub block: Node<'t>,
}

impl<'t> Deref for Block<'t> {
    type Target = Call<'t>;

    fn deref(&self) -> &Call<'t> {
        self.call
    }
}

/// A `plan` or `plan_update`: what the client is to show now.
#[derive(Clone, Debug)]
pub struct PlanUpdated<'t> {
    pub update: &'t Update<'t>,
    pub snapshot: Snapshot<'t>,
    /// How its entries relate to those that the client shows; `None` when it is no item plan.
    pub relation: Option<Relation>,
}

impl<'t> Deref for PlanUpdated<'t> {
    type Target = Update<'t>;

    fn deref(&self) -> &Update<'t> {
        self.update
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

/// What the schema walk saw in a message, or what its schema refuses.
#[derive(Clone, Debug)]
pub struct Shape<'t, T> {
    pub message: &'t Message<'t>,
    /// The version by which the part is judged: for `initialize` not that of the connection.
    pub version: Version,
    /// The method whose params, result or error it concerns.
    pub method: &'t str,
    pub part: Part,
    pub what: T,
    /// The answered request, for results and errors.
    pub request: Option<&'t Request>,
}

/// The part of a message that a definition describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Params,
    Result,
    Error,
}

/// A place that the schema refuses.
pub type Refused<'t> = Shape<'t, SchemaFault<'t>>;
/// A place that the schema admits and yet is worth a look.
pub type Seen<'t> = Shape<'t, Observation<'t>>;

/// The connection's end in the transcript.
#[derive(Clone, Copy, Debug)]
pub struct End {
    /// The last message.
    pub span: Span,
}
