//! The version that a conversation looks like before an `initialize` tells it.

use crate::{
    json::Node,
    protocol::{Edition, Surface, Version, schema::Protocol},
};

/// Session updates that only one version has and that no custom update can be mistaken for.
const UPDATES_V1: [&str; 3] = ["tool_call", "plan", "current_mode_update"];
const UPDATES_V2: [&str; 6] = [
    "state_update",
    "tool_call_content_chunk",
    "terminal_update",
    "terminal_output_chunk",
    "user_message",
    "agent_message",
];

/// The version that the first `initialize` answer names; else the one that the first request
/// offers; else the one that most marked messages speak; else version 1, which nearly all peers
/// speak.
pub fn version<'t>(messages: impl Iterator<Item = Node<'t>>) -> Version {
    let (mut first, mut second) = (0_u32, 0_u32);
    let mut offered = None;
    for message in messages {
        let named = |part| Version::of(message.path(&[part, "protocolVersion"])?.integer()?);
        if let Some(answered) = named("result") {
            return answered;
        }
        offered = offered.or_else(|| named("params"));
        match marked(message) {
            Some(Version::V1) => first += 1,
            Some(Version::V2) => second += 1,
            None => {}
        }
    }
    offered.unwrap_or(if second > first { Version::V2 } else { Version::V1 })
}

/// The version that alone has what this message does.
fn marked(message: Node<'_>) -> Option<Version> {
    if let Some(result) = message.get("result") {
        return if result.get("stopReason").is_some() {
            Some(Version::V1)
        } else if result.get("messageId").is_some() {
            Some(Version::V2)
        } else {
            None
        };
    }
    let method = message.get("method")?.text()?;
    if method.as_cow() == "session/update" {
        let kind = message.path(&["params", "update", "sessionUpdate"])?;
        return if UPDATES_V1.iter().any(|name| kind.is(name)) {
            Some(Version::V1)
        } else if UPDATES_V2.iter().any(|name| kind.is(name)) {
            Some(Version::V2)
        } else {
            None
        };
    }
    let method = method.as_cow();
    let known = |surface| Protocol::of(surface, Edition::CURRENT).method(&method).is_some();
    match (known(Surface::V1Unstable), known(Surface::V2Unstable)) {
        (true, false) => Some(Version::V1),
        (false, true) => Some(Version::V2),
        _ => None,
    }
}
