//! Reads `acp-tck` files: reports of the official test kit (TCK). The file is one JSON document;
//! it has the conversation of each test that failed.

use std::borrow::Cow;

use crate::{
    json::{Node, Text},
    transcript::{
        format::{Beginning, Fidelity, Format, Likelihood, Read},
        limits::{Limit, Loss},
        record::{Body, Record},
        syntax::members,
        time, wrapper,
    },
};

pub(super) static FORMAT: Format = Format {
    name: "acp-tck",
    about: "reports of the official test kit (acp-tck): the messages of each failed test",
    obtain: "run `uv run acp-tck --report-json FILE -- my-agent`",
    limits: &[Limit::new(
        "the test suite keeps only failed tests, at most 400 lines of each and 4 kB of each line; its client breaks rules on purpose",
        Loss::Nothing,
    )],
    fidelity: Fidelity::Wire,
    detect,
    read: Read::Document(read),
};

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    // The verdict stands behind everything else, beyond what is looked at of a long report.
    let is_own = ["tck_version", "verdict"]
        .iter()
        .any(|name| members::has(beginning.text, &["requirements", name]));
    Likelihood::sure_if(is_own)
}

fn read<'t>(document: Node<'t>, records: &mut Vec<Record<'t>>) {
    let requirements = document.get("requirements").into_iter().flat_map(Node::elements);
    let tests = requirements.filter_map(|requirement| requirement.get("tests"));
    let mut known: Vec<Cow<'t, str>> = Vec::new();
    for test in tests.flat_map(Node::elements) {
        let Some(lines) = test.get("transcript").filter(|lines| !lines.is_empty()) else {
            continue;
        };
        // A test stands under each requirement that it is about.
        let name = test.get("nodeid").and_then(Node::text).map(Text::as_cow);
        if name.as_ref().is_some_and(|name| known.contains(name)) {
            continue;
        }
        let lane = Some(Cow::Owned(known.len().to_string()));
        known.push(name.unwrap_or_default());
        records.extend(lines.elements().map(|line| Record { lane: lane.clone(), ..entry(line) }));
    }
}

fn entry(line: Node<'_>) -> Record<'_> {
    let label = line.get("dir").and_then(wrapper::label);
    let is_gap = line.get("dir").is_some_and(|word| word.is("gap"));
    let raw = line.get("raw").and_then(Node::text).filter(|raw| !is_gap && !is_cut(*raw));
    Record {
        label: label.filter(|_| !is_gap),
        at: time::of(line),
        ..Record::of(raw.map_or(Body::Lost, Body::Escaped))
    }
}

/// Whether a line is not recorded as it was sent: it was too long, or not UTF-8.
fn is_cut(raw: Text<'_>) -> bool {
    let raw = raw.as_cow();
    raw.ends_with(" byte(s)]...") && raw.contains("...[truncated ")
        || raw.starts_with("<undecodable: ")
}
