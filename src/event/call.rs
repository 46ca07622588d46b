//! Requests and notifications. In goes a message that has a method; out comes a [`Call`] with its
//! params, its session, and what the protocol knows of the method.

use std::{borrow::Cow, ops::Deref};

use crate::{
    event::message::{Envelope, Message},
    json::{Node, Text},
};

/// A request or notification. Rules on methods get this as their event.
#[derive(Clone, Copy, Debug)]
pub struct Call<'t> {
    pub message: &'t Message<'t>,
    /// The name of the method, the value of the `method` member.
    pub method: Text<'t>,
    /// The `id` member of a request; `None` for a notification.
    pub id: Option<Node<'t>>,
    /// The `params` member, of any JSON type; `None` when absent.
    pub params: Option<Node<'t>>,
    /// The `sessionId` in the params; `None` when it is absent or not a string.
    session: Option<Text<'t>>,
    pub method_status: MethodStatus,
    /// Whether the connection's version, drafts included, defines the method as a request, a
    /// notification or both; `None` when it does not define the method.
    pub kind: Option<CallKind>,
    /// The method as a static string; `None` when the connection's version does not define it.
    name: Option<&'static str>,
    /// Whether the recording states a sender, and only the other side can send the method. Such a
    /// call changes no state of the connection.
    pub is_misdirected: bool,
}

/// Whether the protocol defines a method as a request, a notification, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallKind {
    Request,
    Notification,
    /// The method may be a request or a notification, as `mcp/message` may.
    Either,
}

/// What the protocol says of a method in the version of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MethodStatus {
    /// The stable surface of the connection's version defines the method.
    Defined,
    /// Only the drafts of the connection's version define the method.
    Draft,
    /// Only the other version of the protocol, with drafts, defines the method.
    OtherVersion,
    /// The method is an extension: its name begins with `_`.
    Extension,
    /// The method begins with `$/`, and the protocol does not define it.
    Dollar,
    /// No version of the protocol defines the method.
    Undefined,
    /// The protocol version of the connection is not known yet, and so nothing about the method is.
    Unknown,
}

impl<'t> Deref for Call<'t> {
    type Target = Message<'t>;

    fn deref(&self) -> &Message<'t> {
        self.message
    }
}

impl<'t> Call<'t> {
    /// The call in a message with a `method`. `defined` has the method's static name and kind; it
    /// is `None` when the connection's version does not define the method.
    pub(crate) fn new(
        message: &'t Message<'t>,
        method: Text<'t>,
        method_status: MethodStatus,
        defined: Option<(&'static str, CallKind)>,
        is_misdirected: bool,
    ) -> Self {
        let Envelope { id, params, .. } = message.envelope;
        let session = params.and_then(|params| params.get("sessionId")?.text());
        let (name, kind) = defined.unzip();
        Self { message, method, id, params, session, method_status, kind, name, is_misdirected }
    }

    /// The method as a string that outlives the message. Allocates for methods that the
    /// connection's version does not define.
    pub(crate) fn name(&self) -> Cow<'static, str> {
        self.name.map_or_else(|| Cow::Owned(self.method.as_cow().into_owned()), Cow::Borrowed)
    }

    /// A member of the params; `None` when it is absent, or the params are absent or not an object.
    pub fn param(&self, name: &str) -> Option<Node<'t>> {
        self.params?.get(name)
    }

    /// Whether some version of the protocol, drafts included, defines the method. `false` for `$/`
    /// methods, which belong to the JSON-RPC layer.
    pub fn uses_protocol(&self) -> bool {
        matches!(
            self.method_status,
            MethodStatus::Defined | MethodStatus::Draft | MethodStatus::OtherVersion
        ) && !self.method.starts_with("$/")
    }

    /// The `sessionId` in the params; `None` when it is absent or not a string.
    pub fn session_id(&self) -> Option<Text<'t>> {
        self.session
    }
}
