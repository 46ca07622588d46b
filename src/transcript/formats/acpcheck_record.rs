//! Reads `acpcheck-record` files, which `acpcheck record` writes: each line of the connection as it
//! crossed the wire, with its direction and time.
//!
//! ```text
//! {"t":0.004178,"dir":"c2a","msg":{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}}
//! ```

use crate::{
    json::Node,
    protocol::Side,
    transcript::{
        driven::{Driven, ScenarioState},
        format::{Beginning, Fidelity, Format, Likelihood, Read},
        record::{Body, Record, SenderLabel},
        time,
    },
};

pub(super) static FORMAT: Format = Format {
    name: "acpcheck-record",
    about: "recordings of `acpcheck record`: every line of a connection, with direction and time",
    obtain: "put `acpcheck record -o recordings/ --` in front of the agent's command; `acpcheck record --help` shows where that is in editors and tests",
    limits: &[],
    fidelity: Fidelity::Recorded,
    detect: |beginning: &Beginning<'_>| {
        let is_start = |line: &Node<'_>| line.get("format").is_some_and(|it| it.is(FORMAT.name));
        Likelihood::sure_if(beginning.values.iter().any(is_start))
    },
    read: Read::Values(read),
};

fn read(line: Node<'_>) -> Record<'_> {
    let side = line.get("dir").and_then(|direction| match direction {
        _ if direction.is("c2a") => Some(Side::Client),
        _ if direction.is("a2c") => Some(Side::Agent),
        _ => None,
    });
    Record {
        body: body(line, side),
        label: side.map(SenderLabel::Side),
        at: time::of(line),
        lane: None,
    }
}

fn body(line: Node<'_>, side: Option<Side>) -> Body<'_> {
    let event = |name: &str| line.get("event").is_some_and(|event| event.is(name));
    if event("not-started") {
        return Body::NotStarted;
    }
    let Some(side) = side else {
        let is = |name: &str, text: &str| line.get(name).is_some_and(|it| it.is(text));
        return if is("type", "start") && is("format", FORMAT.name) {
            Body::Start(Driven::of(line).map(Box::new))
        } else if event("scenario") {
            Body::Scenario(Box::new(ScenarioState::of(line)))
        } else {
            Body::Nothing
        };
    };
    if event("eof") {
        return Body::End { sender: side, left: side };
    }
    if event("reader-gone") {
        return Body::End { sender: side, left: side.peer() };
    }
    let text = |name: &str| line.get(name).and_then(Node::text);
    if let Some(message) = line.get("msg") {
        Body::Message(message)
    } else if let Some(text) = text("text") {
        Body::Escaped(text)
    } else if let Some(text) = text("base64") {
        Body::Base64(text)
    } else if line.get("gap").is_some() {
        Body::Lost
    } else {
        Body::Nothing
    }
}
