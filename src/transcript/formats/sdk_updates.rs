//! Reads `sdk-updates` files: calls that an agent makes on the TypeScript SDK, as its tests record
//! them. They have the params of session updates.
//!
//! ```text
//! {"method":"sessionUpdate","args":[{"sessionId":"bed-7","update":{"sessionUpdate":"plan","entries":[]}}]}
//! ```

use crate::{
    json::Node,
    protocol::Side,
    transcript::{
        format::{Beginning, Fidelity, Format, Read},
        limits::{NO_ENVELOPE, UPDATES_ONLY},
        rebuilt::Rebuilt,
        record::{Body, Record},
    },
};

pub(super) static FORMAT: Format = Format {
    name: "sdk-updates",
    about: "calls of an agent to the TypeScript SDK, with the name of the function: the params of session updates",
    obtain: "in a test of an agent, write each call to its connection as `{\"method\":\"sessionUpdate\",\"args\":[PARAMS]}`, as codex-acp does",
    limits: &[UPDATES_ONLY, NO_ENVELOPE],
    fidelity: Fidelity::Messages,
    detect: |beginning: &Beginning<'_>| beginning.mostly(is_call),
    read: Read::Values(read),
};

fn is_call(line: Node<'_>) -> bool {
    line.get("args").is_some_and(Node::is_array)
        && line.get("method").is_some_and(Node::is_string)
        && line.get("jsonrpc").is_none()
}

fn read(line: Node<'_>) -> Record<'_> {
    let is_update = line.get("method").is_some_and(|method| method.is("sessionUpdate"));
    match line.get("args").and_then(|args| args.at(0)).filter(|_| is_update) {
        Some(params) => Record::said_by(Body::Rebuilt(Rebuilt::update(params)), Side::Agent),
        None => Record::NOTHING,
    }
}
