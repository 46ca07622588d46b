//! Reports of the official test suite.

use std::borrow::Cow;

use crate::{
    json::Node,
    transcript::{
        Beginning, Body, Fidelity, Format, Likelihood, Read, Record, limits::Limit,
        looks_like_message, members, shape, time,
    },
};

pub(super) static FORMAT: Format = Format {
    name: "acp-tck",
    about: "reports of the official test suite: the conversation of each test that failed",
    obtain: "`uv run acp-tck --report-json FILE -- my-agent`",
    limits: &[Limit::mere(
        "the test suite breaks rules on purpose; what the client does in these conversations is the suite's doing, and only those of failed tests are kept",
    )],
    fidelity: Fidelity::Messages,
    detect,
    read: Read::Document(read),
};

/// Members that hold the message of an entry.
const MESSAGES: [&str; 7] = ["message", "frame", "msg", "payload", "raw", "line", "data"];
const DIRECTIONS: [&str; 3] = ["direction", "dir", "from"];

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    let is_there = memchr::memmem::find(beginning.bytes, b"\"transcript\"").is_some();
    let has_verdict = memchr::memmem::find(beginning.bytes, b"\"verdict\"").is_some();
    let is_own = is_there && has_verdict && members::has(beginning.text, &["requirements"]);
    Likelihood::sure_if(is_own)
}

fn read<'t>(document: Node<'t>, records: &mut Vec<Record<'t>>) {
    let requirements = document.get("requirements").into_iter().flat_map(children);
    let tests = requirements.filter_map(|requirement| requirement.get("tests"));
    for (number, test) in tests.flat_map(children).enumerate() {
        for line in test.get("transcript").into_iter().flat_map(Node::elements) {
            let lane = Some(Cow::Owned(number.to_string()));
            records.push(Record { lane, ..entry(line) });
        }
    }
}

/// The elements of an array, or the values of an object.
fn children(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    node.elements().chain(node.members().map(|(_, value)| value))
}

fn entry(line: Node<'_>) -> Record<'_> {
    if let Some(text) = line.text() {
        return Record::of(Body::Escaped(text));
    }
    if looks_like_message(line) {
        return Record::of(Body::Message(line));
    }
    let message = MESSAGES.into_iter().find_map(|name| line.get(name));
    let body = message.map_or(Body::Nothing, |message| shape::body(line, message));
    let label = DIRECTIONS.into_iter().find_map(|name| shape::label(line.get(name)?));
    Record { body, label, at: time::of(line), lane: None }
}
