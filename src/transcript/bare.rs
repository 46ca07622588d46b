//! Nothing but messages, one a line.

use crate::{
    json::Node,
    transcript::{Body, Format, Likelihood, Record},
};

pub(super) static FORMAT: Format = Format {
    name: "ndjson",
    about: "bare JSON-RPC messages, one a line, as they crossed the wire",
    detect,
    read,
};

fn detect(lines: &[Node<'_>]) -> Likelihood {
    let frames = lines.iter().filter(|line| looks_like_message(**line)).count();
    if frames == 0 {
        Likelihood::No
    } else if frames * 2 > lines.len() {
        Likelihood::Sure
    } else {
        Likelihood::Possible
    }
}

fn read(line: Node<'_>) -> Record<'_> {
    Record { body: Body::Message(line), from: None, at: None }
}

/// Whether a value has the members of a JSON-RPC message, or is an array of such values.
pub(crate) fn looks_like_message(value: Node<'_>) -> bool {
    if value.is_array() {
        return value.at(0).is_some_and(looks_like_message);
    }
    value.get("jsonrpc").is_some_and(|version| version.is("2.0"))
        || value.get("method").is_some_and(Node::is_string)
            && (value.get("params").is_some() || value.get("id").is_some())
        || value.get("id").is_some()
            && (value.get("result").is_some() || value.get("error").is_some())
}
