//! What can happen in a transcript, in the protocol's words.
//!
//! The events of one message are told from the general to the particular: the message, the call or
//! answer that it is, the session update it carries, the plan in it. A rule observes the most
//! particular event that shows its fault; names of methods and updates are subscribed to, not
//! compared by every rule.

use std::{borrow::Cow, ops::Deref};

use crate::{
    json::{Node, Text},
    protocol::{Edition, Side},
    source::Span,
};

pub(crate) mod block;

// Until the rename.
pub use crate::model::{
    response::{Answer, Outcome, Stray, StrayKind},
    schema_event::{Part, Refused, Seen, Shape},
    session::plans::PlanUpdated,
};

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

impl<T: Copy> Envelope<T> {
    pub(crate) fn map<U>(&self, into: impl Fn(T) -> U) -> Envelope<U> {
        Envelope {
            jsonrpc: self.jsonrpc.map(&into),
            id: self.id.map(&into),
            method: self.method.map(&into),
            params: self.params.map(&into),
            result: self.result.map(&into),
            error: self.error.map(&into),
            foreign: self.foreign.map(&into),
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
    pub(crate) traits: Traits,
    /// See [`Call::session_id`].
    session: Option<Text<'t>>,
    pub standing: Standing,
    /// As what the connection's version defines the method, drafts included; `None` when it does
    /// not.
    pub kind: Option<CallKind>,
    /// The method once more, where `kind` is known.
    name: Option<&'static str>,
}

/// What can be told of a call by its form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Traits {
    /// Whether its `jsonrpc` is `2.0`.
    pub(crate) is_marked: bool,
    /// Whether its method is `session/update`.
    pub(crate) is_update: bool,
    /// Whether its method is `initialize`.
    pub(crate) opens: bool,
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
    /// The call of a message that names this session.
    pub(crate) fn new(
        message: &'t Message<'t>,
        method: Text<'t>,
        traits: Traits,
        session: Option<Text<'t>>,
        standing: Standing,
        defined: Option<(&'static str, CallKind)>,
    ) -> Self {
        let Envelope { id, params, .. } = message.envelope;
        let (name, kind) = defined.unzip();
        Self { message, method, id, params, traits, session, standing, kind, name }
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
    #[inline]
    pub fn session_id(&self) -> Option<Text<'t>> {
        self.session
    }
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

/// The connection's end in the transcript.
#[derive(Clone, Copy, Debug)]
pub struct End {
    /// The last message.
    pub span: Span,
}
