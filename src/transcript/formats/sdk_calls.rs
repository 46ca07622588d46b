//! Reads `sdk-calls` files: test fixtures of swissarmyhammer. The file is one JSON document that
//! lists calls of the SDK, each with its request, response and notifications.

use crate::{
    json::Node,
    protocol::Side,
    transcript::{
        format::{Beginning, Fidelity, Format, Likelihood, Read},
        limits::{Limit, Loss, NO_ENVELOPE, NO_IDS},
        rebuilt::Rebuilt,
        record::{Body, Record},
        syntax::members,
    },
};

pub(super) static FORMAT: Format = Format {
    name: "sdk-calls",
    about: "fixtures of swissarmyhammer: SDK calls with request, response and notifications",
    obtain: "run the conformance tests of swissarmyhammer with recording on; the files are in `.fixtures/<agent>/`",
    limits: &[
        NO_ENVELOPE,
        NO_IDS,
        Limit::new("swissarmyhammer does not keep requests of the agent", Loss::AgentRequests),
        Limit::new(
            "swissarmyhammer does not keep the order of the messages within a call",
            Loss::Order,
        ),
        Limit::new(
            "swissarmyhammer does not keep the first calls of a connection",
            Loss::FirstCalls,
        ),
    ],
    fidelity: Fidelity::Messages,
    detect,
    read: Read::Document(read),
};

/// Names of calls in the SDK, with the methods of the protocol that they stand for.
const METHODS: [(&str, &str); 12] = [
    ("new_session", "session/new"),
    ("load_session", "session/load"),
    ("list_sessions", "session/list"),
    ("fork_session", "session/fork"),
    ("resume_session", "session/resume"),
    ("close_session", "session/close"),
    ("delete_session", "session/delete"),
    ("prompt", "session/prompt"),
    ("cancel", "session/cancel"),
    ("set_session_mode", "session/set_mode"),
    ("set_session_model", "session/set_model"),
    ("set_session_config_option", "session/set_config_option"),
];

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    let is_there = |name: &str| memchr::memmem::find(beginning.bytes, name.as_bytes()).is_some();
    let has_all = is_there("\"request\"") && is_there("\"notifications\"");
    Likelihood::sure_if(has_all && members::has(beginning.text, &["calls"]))
}

fn read<'t>(document: Node<'t>, records: &mut Vec<Record<'t>>) {
    let calls = document.get("calls").map(Node::elements);
    for (id, call) in calls.into_iter().flatten().enumerate() {
        let Some(name) = call.get("method").and_then(Node::text) else { continue };
        let name = name.as_cow();
        let known = METHODS.iter().find(|(own, _)| *own == name);
        let method = known.map_or(&*name, |(_, method)| method);
        let response = call.get("response").filter(|response| !response.is_null());
        let mut add = |body, side| records.push(Record::said_by(body, side));
        if let Some(request) = call.get("request") {
            // A notification has no answer.
            let id = Some(id).filter(|_| method != "session/cancel");
            add(Body::Rebuilt(Rebuilt::call(method, id, request)), Side::Client);
        }
        for params in call.get("notifications").into_iter().flat_map(Node::elements) {
            // What the agent's MCP servers tell stands among them.
            let is_update = params.get("update").is_some() || params.get("sessionId").is_some();
            if is_update {
                add(Body::Rebuilt(Rebuilt::update(params)), Side::Agent);
            } else {
                add(Body::Foreign(None), Side::Agent);
            }
        }
        let error = call.get("error").filter(|error| error.is_object());
        match (response, error) {
            (Some(response), _) => {
                add(Body::Rebuilt(Rebuilt::response(id, "result", response)), Side::Agent);
            }
            (None, Some(error)) => {
                add(Body::Rebuilt(Rebuilt::response(id, "error", error)), Side::Agent);
            }
            (None, None) => {}
        }
    }
}
