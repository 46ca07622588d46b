//! Wrappers: objects, one a line, that hold the message under one member, beside a direction and a
//! time.

use crate::{
    json::{Node, Text},
    transcript::{
        record::{Body, Record, SenderLabel},
        time,
    },
};

/// Names of the members in which a recorder's object holds the message, the direction and the
/// connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wrapper {
    pub(super) message: &'static str,
    pub(super) direction: &'static str,
    /// Member with the name of the connection; empty where there is none.
    pub(super) lane: &'static str,
}

impl Wrapper {
    pub(super) const fn of(direction: &'static str, message: &'static str) -> Self {
        Self { message, direction, lane: "" }
    }

    /// Reads a line. A line without the message's member is a note, or itself a message if it has
    /// `jsonrpc`.
    pub(super) fn read<'t>(&self, line: Node<'t>) -> Record<'t> {
        let label = line.get(self.direction).and_then(label);
        let Some(value) = line.get(self.message) else {
            let is_message = line.get("jsonrpc").is_some();
            let body = if is_message { Body::Message(line) } else { Body::Nothing };
            return Record { body, label, at: None, lane: None };
        };
        Record { body: body(line, value), label, at: time::of(line), lane: self.lane(line) }
    }

    fn lane<'t>(&self, line: Node<'t>) -> Option<std::borrow::Cow<'t, str>> {
        if self.lane.is_empty() {
            return None;
        }
        let name = line.get(self.lane)?;
        Some(name.text().map_or_else(|| name.raw().into(), Text::as_cow))
    }

    /// Whether a line has the members for message and direction.
    pub(super) fn fits(&self, line: Node<'_>) -> bool {
        line.get(self.direction).is_some_and(Node::is_string)
            && line.get(self.message).is_some_and(|value| {
                value.is_string() || value.is_null() || looks_like_message(value)
            })
    }
}

/// The sender label in a member of a record; `None` when the value is not a string.
pub(super) fn label(word: Node<'_>) -> Option<SenderLabel<'_>> {
    word.text().map(|word| SenderLabel::Word(word.as_cow()))
}

/// The message in a value, decoded as the `encoding` of the record says. Null stands for a lost
/// message.
pub(super) fn body<'t>(line: Node<'t>, value: Node<'t>) -> Body<'t> {
    match value.text() {
        Some(text) if line.get("encoding").is_some_and(|name| name.is("base64")) => {
            Body::Base64(text)
        }
        Some(text) => Body::Escaped(text),
        None if value.is_null() => Body::Lost,
        None => Body::Message(value),
    }
}

/// Whether a value has the members of a JSON-RPC message, or is an array of such values.
pub(crate) fn looks_like_message(value: Node<'_>) -> bool {
    let value = first(value);
    value.get("jsonrpc").is_some_and(|version| version.is("2.0"))
        || value.get("method").is_some_and(Node::is_string)
            && (value.get("params").is_some() || value.get("id").is_some())
        || value.get("id").is_some()
            && (value.get("result").is_some() || value.get("error").is_some())
}

/// The first value inside arrays, however deep; the array itself where it is empty.
pub(super) fn first(mut value: Node<'_>) -> Node<'_> {
    while let Some(first) = value.elements().next() {
        value = first;
    }
    value
}
