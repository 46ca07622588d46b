//! Reads `envelope` files, which no particular tool writes: one object a line that holds the
//! message under one of several usual names, beside a direction and a time.
//!
//! ```text
//! {"when":0,"side":"client","message":{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}}
//! ```

use crate::{
    json::{Node, Text},
    transcript::{
        format::{Beginning, Fidelity, Format, Likelihood, Read},
        record::{Body, Record, SenderLabel},
        time,
        wrapper::{self, looks_like_message},
    },
};

pub(super) static FORMAT: Format = Format {
    name: "envelope",
    about: "other objects with a message, a direction and a time, one on each line",
    obtain: "write a line such as `{\"ts\":1.5,\"dir\":\"c2a\",\"msg\":MESSAGE}` for each message, with `a2c` for messages of the agent",
    limits: &[],
    fidelity: Fidelity::Messages,
    detect,
    read: Read::Values(read),
};

/// Members of a record that may hold the message, the preferred first.
const PAYLOADS: [&str; 10] =
    ["msg", "message", "frame", "rpc", "payload", "data", "json", "raw", "line", "text"];
/// Members of a record that may name the sender or the direction.
const DIRECTIONS: [&str; 7] =
    ["dir", "direction", "_direction", "from", "sender", "side", "source"];
/// Members of a record that may hold the name of the connection.
const LANES: [&str; 2] = ["connection", "connection_id"];

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    let lines = beginning.values;
    // Many recorders repeat members of the message beside it.
    let is_wrapped = |line: &&Node<'_>| {
        line.get("jsonrpc").is_none()
            && match body(**line) {
                Body::Nothing => false,
                Body::Message(message) => message.range() != line.range(),
                _ => !looks_like_message(**line),
            }
    };
    let wrapped = lines.iter().filter(is_wrapped).count();
    if wrapped * 2 > lines.len() {
        Likelihood::Sure
    } else if wrapped > 0 {
        Likelihood::Possible
    } else {
        Likelihood::No
    }
}

pub(super) fn read(line: Node<'_>) -> Record<'_> {
    let label = told(line).or_else(|| told(line.get("fields")?));
    let connection = LANES
        .into_iter()
        .find_map(|name| line.get(name))
        .map(|value| value.text().map_or_else(|| value.raw().into(), Text::as_cow));
    Record { body: body(line), label, at: time::of(line), lane: connection }
}

/// What an object says about the sender; `None` where it says nothing.
fn told(object: Node<'_>) -> Option<SenderLabel<'_>> {
    DIRECTIONS.into_iter().find_map(|name| wrapper::label(object.get(name)?))
}

/// The member with a message in a log line of Docker's `json-file` driver or Rust's `tracing`;
/// `None` for lines without a message, which such logs have too.
fn logged(line: Node<'_>) -> Option<Node<'_>> {
    let in_fields = line
        .get("fields")
        .into_iter()
        .flat_map(|fields| PAYLOADS.iter().rev().filter_map(move |name| fields.get(name)));
    in_fields.chain(line.get("log")).find(|value| {
        let text = value.text().map(Text::as_cow);
        text.is_some_and(|text| text.trim_start().starts_with('{')) || looks_like_message(*value)
    })
}

fn body(line: Node<'_>) -> Body<'_> {
    if line.get("jsonrpc").is_some() {
        return Body::Message(line);
    }
    for name in PAYLOADS {
        let Some(value) = line.get(name) else { continue };
        if !value.is_null() {
            return wrapper::body(line, value);
        }
    }
    if let Some(value) = logged(line) {
        return wrapper::body(line, value);
    }
    if looks_like_message(line) { Body::Message(line) } else { Body::Nothing }
}
