//! Reads `acp-devtools` files: captures that acp-devtools exports. The file is one JSON document
//! with a list of messages, each as text (`raw`) and parsed.

use crate::{
    json::Node,
    transcript::{
        format::{Beginning, Fidelity, Format, Likelihood, Read},
        limits::MASKED,
        record::{Body, Record},
        syntax::members,
        time, wrapper,
    },
};

pub(super) static FORMAT: Format = Format {
    name: "acp-devtools",
    about: "captures exported by acp-devtools: one JSON document, with each message as text and as JSON",
    obtain: "in the client, set the agent's command to `acp-devtools proxy my-agent`; after the session, run `acp-devtools export -o FILE` (for an older capture, `acp-devtools export ID -o FILE`; `acp-devtools list` lists the ids); with `--raw`, nothing is masked",
    limits: &[MASKED],
    fidelity: Fidelity::Masked,
    detect,
    read: Read::Document(read),
};

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    let is_there = memchr::memmem::find(beginning.bytes, b"\"acp-devtools\"").is_some();
    Likelihood::sure_if(is_there && members::has(beginning.text, &["tool", "messages"]))
}

fn read<'t>(document: Node<'t>, records: &mut Vec<Record<'t>>) {
    let messages = document.get("messages").map(Node::elements);
    records.extend(messages.into_iter().flatten().map(entry));
}

fn entry(entry: Node<'_>) -> Record<'_> {
    let parsed = entry.get("payload").filter(|payload| payload.is_object() || payload.is_array());
    // What could not be parsed is there as text only.
    let raw = || Some(Body::Escaped(entry.get("raw")?.text()?));
    let body = parsed.map(Body::Message).or_else(raw).unwrap_or(Body::Lost);
    let label = entry.get("direction").and_then(wrapper::label);
    Record { body, label, at: time::of(entry), lane: None }
}
