//! Events of checking a message against its schema: values that the schema rejects, and values that
//! it accepts and rules look at, such as unknown members.

use crate::{
    event::Message,
    model::request::Request,
    protocol::{
        Version,
        schema::{Observation, SchemaFault},
    },
};

/// A value of a message that the schema refuses, or accepts with something to report; `what` says
/// which. Rules on the schema get this as their event.
#[derive(Clone, Debug)]
pub struct SchemaEvent<'t, T> {
    pub message: &'t Message<'t>,
    /// The version by whose schema the part is judged. For `initialize` it may differ from the
    /// connection's.
    pub version: Version,
    /// The method whose params, result or error the value belongs to.
    pub method: &'t str,
    pub part: MessagePart,
    pub what: T,
    /// The answered request, when the value is in a result or an error; `None` for params.
    pub request: Option<&'t Request>,
}

/// The part of a message that is judged by a definition of the schema, such as `params`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessagePart {
    Params,
    Result,
    Error,
}

impl MessagePart {
    /// The name of the member of a message that holds this part, such as `params`.
    pub fn member(self) -> &'static str {
        match self {
            Self::Params => "params",
            Self::Result => "result",
            Self::Error => "error",
        }
    }
}

impl<'t> SchemaEvent<'t, ()> {
    /// A copy of the event for something that was found in it, such as a fault: `what`.
    pub fn with<T>(&self, what: T) -> SchemaEvent<'t, T> {
        let Self { message, version, method, part, request, .. } = *self;
        SchemaEvent { message, version, method, part, what, request }
    }
}

/// A value that the schema refuses. Rules on malformed messages get this as their event.
pub type Rejected<'t> = SchemaEvent<'t, SchemaFault<'t>>;
/// A value that the schema accepts but that rules look at, such as an unknown member.
pub type Observed<'t> = SchemaEvent<'t, Observation<'t>>;
