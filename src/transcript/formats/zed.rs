//! Reads `zed` files: what Zed copies from its log of an agent. The file is one JSON array; answers
//! stand in `params`.

use crate::{
    json::{Node, Text},
    transcript::{
        format::{Beginning, Fidelity, Format, Likelihood, Read},
        limits::{LATE, Limit, Loss, NO_ENVELOPE},
        rebuilt::Rebuilt,
        record::{Body, Record},
        syntax::members,
        wrapper,
    },
};

pub(super) static FORMAT: Format = Format {
    name: "zed",
    about: "messages copied from Zed's agent log: one array, with answers in `params`",
    obtain: "in Zed, run `dev: open acp logs` from the command palette before the session; after it, press Copy All Messages and paste them into a file",
    limits: &[
        LATE,
        NO_ENVELOPE,
        Limit::new(
            "Zed does not state whether an answer is a result or an error; acpcheck takes an answer with `code` and `message` for an error",
            Loss::Outcome,
        ),
    ],
    fidelity: Fidelity::Messages,
    detect,
    read: Read::Document(read),
};

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    let first = members::first_element(beginning.text);
    let head = &first[..first.len().min(1 << 16).min(first.find('}').map_or(first.len(), |at| at))];
    Likelihood::sure_if(head.contains("\"_direction\"") && head.contains("\"_type\""))
}

fn read<'t>(document: Node<'t>, records: &mut Vec<Record<'t>>) {
    records.extend(document.elements().map(entry));
}

fn entry(entry: Node<'_>) -> Record<'_> {
    let is = |kind: &str| entry.get("_type").is_some_and(|own| own.is(kind));
    let label = entry.get("_direction").and_then(wrapper::label);
    let params = entry.get("params");
    let has_id = entry.get("id").is_some_and(|id| !id.is_null());
    if is("stderr") || entry.get("_direction").is_some_and(|own| own.is("stderr")) {
        return Record::NOTHING;
    }
    // One version names no type.
    let is_unrecognized = |name: Node<'_>| name.is("[unrecognized response]");
    let is_response = is("response") || entry.get("method").is_some_and(is_unrecognized);
    if is_response && params.is_some_and(is_unrecognized) {
        return Record::labelled(Body::Lost, label);
    }
    let is_error = is_response && params.is_some_and(looks_like_error);
    if is_response && params.is_none() && entry.get("result").is_none() {
        return Record::labelled(Body::Rebuilt(without_result(entry)), label);
    }
    let rebuilt = Rebuilt::message(entry, |name| match name {
        "id" if has_id || is("request") => Some("id"),
        "method" if !is_response => Some("method"),
        // What had no params has `null` here.
        "params" if !is_response && params.is_some_and(Node::is_null) => None,
        "params" if is_error => Some("error"),
        "params" if is_response => Some("result"),
        "params" => Some("params"),
        "result" => Some("result"),
        "error" => Some("error"),
        _ => None,
    });
    Record::labelled(Body::Rebuilt(rebuilt), label)
}

fn looks_like_error(params: Node<'_>) -> bool {
    let is_own = |name: Node<'_>| ["code", "message", "data"].iter().any(|own| name.is(own));
    params.members().all(|(name, _)| is_own(name))
        && params.get("code").is_some_and(Node::is_number)
        && params.get("message").and_then(Node::text).is_some_and(|text| !text.is_empty())
}

/// An answer of which nothing but the id, and perhaps the error, is kept. Its result is guessed as
/// `null`.
fn without_result(entry: Node<'_>) -> Rebuilt {
    let mut rebuilt = Rebuilt::default();
    rebuilt.open(entry);
    for (name, value) in entry.members().filter(|(name, _)| name.is("id") || name.is("error")) {
        rebuilt.member(&name.text().map(Text::as_cow).unwrap_or_default(), name, value);
    }
    if entry.get("error").is_none() {
        let end = entry.range().end - 1;
        rebuilt.write(",\"result\":", end..end);
        rebuilt.guess("null", end..end);
    }
    rebuilt.close(entry);
    rebuilt
}
