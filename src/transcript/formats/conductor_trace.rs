//! Reads `conductor-trace` files: traces of the conductor of the Rust SDK. One object a line
//! describes a message on its way from one component to the next, and keeps its params or result.
//!
//! ```text
//! {"type":"request","ts":0.0,"protocol":"acp","from":"Client","to":"Agent","id":"…","method":"initialize","params":{}}
//! ```

use std::borrow::Cow;

use crate::{
    json::{Node, Text},
    protocol::Side,
    transcript::{
        format::{Beginning, Fidelity, Format, Likelihood, Read},
        limits::{NO_ENVELOPE, OTHER_IDS},
        rebuilt::Rebuilt,
        record::{Body, Record, SenderLabel},
        time,
    },
};

pub(super) static FORMAT: Format = Format {
    name: "conductor-trace",
    about: "traces of the Rust SDK's conductor: the messages between each two components",
    obtain: "in the client, set the agent's command to `agent-client-protocol-conductor --trace FILE.jsons agent \"my-agent\"`",
    limits: &[NO_ENVELOPE, OTHER_IDS],
    fidelity: Fidelity::Messages,
    detect,
    read: Read::Values(read),
};

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    beginning.mostly(|line| {
        ["type", "from", "to"].iter().all(|name| line.get(name).is_some_and(Node::is_string))
            && (line.get("method").is_some() || line.get("payload").is_some())
    })
}

fn read(line: Node<'_>) -> Record<'_> {
    let text = |name| line.get(name).and_then(Node::text).map(Text::as_cow);
    let (Some(from), Some(to)) = (text("from"), text("to")) else { return Record::NOTHING };
    let (sender, receiver) = (distance(&from), distance(&to));
    let is_acp = line.get("protocol").is_none_or(|protocol| protocol.is("acp"));
    let is_error = line.get("is_error").and_then(Node::boolean) == Some(true);
    // What had no params has `null` here.
    let has_params = line.get("params").is_some_and(|params| !params.is_null());
    let body = if is_acp {
        Body::Rebuilt(Rebuilt::message(line, |name| match name {
            "id" => Some("id"),
            "method" => Some("method"),
            "params" => has_params.then_some("params"),
            "payload" if is_error => Some("error"),
            "payload" => Some("result"),
            _ => None,
        }))
    } else {
        Body::Foreign(line.get("id"))
    };
    let side = if sender < receiver { Side::Client } else { Side::Agent };
    let (near, far) = if sender < receiver { (from, to) } else { (to, from) };
    let hop = Cow::Owned(format!("{near} {far}"));
    Record { body, label: Some(SenderLabel::Side(side)), at: time::of(line), lane: Some(hop) }
}

/// Number of connections between the client and a component, by the name of the component.
fn distance(name: &str) -> usize {
    if name.eq_ignore_ascii_case("client") {
        return 0;
    }
    let number: String = name.chars().filter(char::is_ascii_digit).take(9).collect();
    number.parse().map_or(usize::MAX, |number: usize| number + 1)
}
