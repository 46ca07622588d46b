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

/// A value in a message that the schema refuses, or an observation on one that it accepts.
#[derive(Clone, Debug)]
pub struct SchemaEvent<'t, T> {
    pub message: &'t Message<'t>,
    /// The version by which the part is judged. For `initialize` it may differ from the
    /// connection's.
    pub version: Version,
    /// The method whose params, result or error it concerns.
    pub method: &'t str,
    pub part: MessagePart,
    pub what: T,
    /// The answered request, for results and errors.
    pub request: Option<&'t Request>,
}

/// The part of a message that a definition describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessagePart {
    Params,
    Result,
    Error,
}

impl MessagePart {
    /// The member of a message that holds the part.
    pub fn member(self) -> &'static str {
        match self {
            Self::Params => "params",
            Self::Result => "result",
            Self::Error => "error",
        }
    }
}

impl<'t> SchemaEvent<'t, ()> {
    /// The event that something happens in this part of a message.
    pub fn with<T>(&self, what: T) -> SchemaEvent<'t, T> {
        let Self { message, version, method, part, request, .. } = *self;
        SchemaEvent { message, version, method, part, what, request }
    }
}

/// A place that the schema refuses.
pub type Rejected<'t> = SchemaEvent<'t, SchemaFault<'t>>;
/// A place that the schema accepts and that rules look at.
pub type Observed<'t> = SchemaEvent<'t, Observation<'t>>;
