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
        record::{Body, Record},
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

/// Members that hold the message, in the order of preference.
const PAYLOADS: [&str; 10] =
    ["msg", "message", "frame", "rpc", "payload", "data", "json", "raw", "line", "text"];
/// Members that name the sender or the way it went.
const DIRECTIONS: [&str; 7] =
    ["dir", "direction", "_direction", "from", "sender", "side", "source"];
/// Members that name the connection.
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
    let label = DIRECTIONS.into_iter().find_map(|name| wrapper::label(line.get(name)?));
    let connection = LANES
        .into_iter()
        .find_map(|name| line.get(name))
        .map(|value| value.text().map_or_else(|| value.raw().into(), Text::as_cow));
    Record { body: body(line), label, at: time::of(line), lane: connection }
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
    if looks_like_message(line) { Body::Message(line) } else { Body::Nothing }
}
