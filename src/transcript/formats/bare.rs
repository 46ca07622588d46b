//! Nothing but messages, one a line.

use crate::{
    json::Node,
    transcript::{
        Beginning, Fidelity, Format, Likelihood, Read, acpx_journal::is_marker, prefixed::is_fenced,
    },
};

pub(crate) static FORMAT: Format = Format {
    name: "ndjson",
    about: "bare JSON-RPC messages, one a line, as they crossed the wire",
    obtain: "put `tee` between the two: name `sh -c 'tee -a client.ndjson | my-agent | tee -a agent.ndjson'` as the agent in the client; for both sides in one file, `acpx --format json`, `dart_acp -o jsonl`; swissarmyhammer keeps `.acp/**/raw.jsonl`",
    limits: &[],
    fidelity: Fidelity::Wire,
    detect,
    read: Read::Messages { is_note },
};

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    let lines = beginning.values;
    let frames = lines.iter().filter(|line| looks_like_message(**line)).count();
    let plain = lines.iter().filter(|line| is_marked(**line)).count();
    if plain * 2 > lines.len() && !is_fenced(beginning.text) {
        Likelihood::Sure
    } else if frames > 0 {
        Likelihood::Possible
    } else {
        Likelihood::No
    }
}

/// Only a member `jsonrpc` makes a message at once: many recorders repeat the others.
fn is_marked(line: Node<'_>) -> bool {
    first(line).get("jsonrpc").is_some()
}

/// The first value that is no array, in however many of them; an array where there is none.
fn first(mut value: Node<'_>) -> Node<'_> {
    while let Some(first) = value.elements().next() {
        value = first;
    }
    value
}

pub(crate) fn is_note(line: Node<'_>) -> bool {
    is_of_acpx(line) || is_marker(line) && line.get("jsonrpc").is_none()
}

/// Whether acpx tells of an error of its own among the messages.
fn is_of_acpx(line: Node<'_>) -> bool {
    line.get("error").is_some_and(|error| {
        line.get("id").is_none_or(Node::is_null)
            && error.path(&["data", "acpxCode"]).is_some()
            && error.path(&["data", "origin"]).is_some_and(|origin| origin.is("cli"))
    })
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
