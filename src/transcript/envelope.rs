//! An object a line that holds the message under one member, beside a direction and a time.

use crate::{
    json::Node,
    protocol::Side,
    transcript::{Body, Format, Likelihood, Record, bare::looks_like_message},
};

pub(super) static FORMAT: Format = Format {
    name: "envelope",
    about: "one object a line that holds the message beside a direction and a time",
    detect,
    read,
};

/// Members that hold the message, in the order of preference.
const PAYLOADS: [&str; 10] =
    ["msg", "message", "frame", "payload", "data", "json", "rpc", "raw", "line", "text"];
/// Members that name the sender or the way it went.
const DIRECTIONS: [&str; 6] = ["dir", "direction", "from", "sender", "side", "source"];
/// Members that hold the time, and how many make a second.
const TIMES: [(&str, f64); 8] = [
    ("ts", 1.0),
    ("t", 1.0),
    ("time", 1.0),
    ("at", 1.0),
    ("timestamp", 1.0),
    ("ts_ms", 1e3),
    ("t_ms", 1e3),
    ("at_ms", 1e3),
];

fn detect(lines: &[Node<'_>]) -> Likelihood {
    let wrapped = lines
        .iter()
        .filter(|line| !looks_like_message(**line) && !matches!(read(**line).body, Body::Nothing))
        .count();
    if wrapped * 2 > lines.len() {
        Likelihood::Sure
    } else if wrapped > 0 {
        Likelihood::Possible
    } else {
        Likelihood::No
    }
}

fn read(line: Node<'_>) -> Record<'_> {
    let from = DIRECTIONS
        .into_iter()
        .find_map(|name| line.get(name)?.text())
        .and_then(|word| sender(&word.as_cow()));
    let at = TIMES.into_iter().find_map(|(name, unit)| Some(line.get(name)?.number()? / unit));
    Record { body: body(line), from, at }
}

fn body(line: Node<'_>) -> Body<'_> {
    for name in PAYLOADS {
        let Some(value) = line.get(name) else { continue };
        if value.is_object() || value.is_array() {
            return Body::Message(value);
        }
        if let Some(text) = value.text() {
            return Body::Escaped(text);
        }
        if value.is_number() || value.boolean().is_some() {
            return Body::Message(value);
        }
    }
    if looks_like_message(line) { Body::Message(line) } else { Body::Nothing }
}

/// Who sends what goes in the direction that a recorder calls so. Words that could be meant from
/// either end are read from the client's; the calibration by methods turns them round if need be.
fn sender(word: &str) -> Option<Side> {
    let word = word.trim().to_ascii_lowercase().replace([' ', '_', '-'], "");
    let client = [
        "client->agent",
        "client>agent",
        "clienttoagent",
        "c2a",
        "c->a",
        "toagent",
        "fromclient",
        "client",
        "editor",
        "editortoagent",
        "host->agent",
        "out",
        "outbound",
        "outgoing",
        "send",
        "sent",
        ">",
        "->",
        "->>",
        "-->",
        ">>",
        "→",
        "stdin",
        "tx",
        "write",
        "request",
    ];
    let agent = [
        "agent->client",
        "agent>client",
        "agenttoclient",
        "a2c",
        "a->c",
        "toclient",
        "fromagent",
        "agent",
        "agenttoeditor",
        "agent->host",
        "in",
        "inbound",
        "incoming",
        "recv",
        "received",
        "receive",
        "<",
        "<-",
        "<<-",
        "<--",
        "<<",
        "←",
        "stdout",
        "rx",
        "read",
        "response",
    ];
    let strip = |list: &[&str]| list.iter().any(|entry| entry.replace('-', "") == word);
    if strip(&client) {
        Some(Side::Client)
    } else if strip(&agent) {
        Some(Side::Agent)
    } else {
        None
    }
}
