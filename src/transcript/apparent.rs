//! Guesses from the form of messages: the version where no `initialize` states it, and the side that
//! sent an answer.

use crate::{
    json::Node,
    protocol::{Edition, Side, Surface, Version, schema::Protocol},
};

/// Kinds of session updates that only version 1 has and no extension would use, by which version 1
/// is recognized.
const UPDATES_V1: [&str; 3] = ["tool_call", "plan", "current_mode_update"];
const UPDATES_V2: [&str; 6] = [
    "state_update",
    "tool_call_content_chunk",
    "terminal_update",
    "terminal_output_chunk",
    "user_message",
    "agent_message",
];

/// The version that messages without a recorded negotiation speak: that of the first answer to
/// `initialize`, else of the first request, else the one whose features most messages show, else
/// version 1.
pub fn version<'t>(messages: &(impl Iterator<Item = Node<'t>> + Clone)) -> Version {
    // Marks are looked for last: telling them takes the schemas of both versions.
    named(messages, "result").or_else(|| named(messages, "params")).unwrap_or_else(|| {
        let (mut first, mut second) = (0_u32, 0_u32);
        for message in messages.clone() {
            match marked(message) {
                Some(Version::V1) => first += 1,
                Some(Version::V2) => second += 1,
                None => {}
            }
        }
        if second > first { Version::V2 } else { Version::V1 }
    })
}

fn named<'t>(
    messages: &(impl Iterator<Item = Node<'t>> + Clone),
    part: &'static str,
) -> Option<Version> {
    let named = |message: Node<'t>| message.path(&[part, "protocolVersion"])?.integer();
    messages.clone().find_map(move |message| Version::of(named(message)?))
}

/// The version that alone has the features of this message; `None` where both have them.
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

/// The side that alone gives answers with such a result; `None` where both may.
pub fn answering_side(result: Node<'_>) -> Option<Side> {
    const AGENT: [&str; 5] =
        ["protocolVersion", "stopReason", "sessionId", "sessions", "configOptions"];
    const CLIENT: [&str; 4] = ["outcome", "terminalId", "output", "exitCode"];
    let has = |names: &[&str]| names.iter().any(|name| result.get(name).is_some());
    match (has(&AGENT), has(&CLIENT)) {
        (true, false) => Some(Side::Agent),
        (false, true) => Some(Side::Client),
        _ => None,
    }
}

/// The side that most likely sent a response with this result, although the other side may have;
/// `None` when both are as likely.
pub fn likely_answering_side(result: Node<'_>) -> Option<Side> {
    const CLIENT: [&str; 2] = ["content", "exitStatus"];
    let is_of_client = || CLIENT.iter().any(|name| result.get(name).is_some());
    answering_side(result).or_else(|| is_of_client().then_some(Side::Client))
}
