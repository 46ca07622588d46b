//! Reads `stdio-lines` files: JSON documents, such as the reports of optimus-cost-agent, that hold
//! the lines of a conversation in a list.

use crate::{
    json::Node,
    transcript::{
        format::{Beginning, Fidelity, Format, Likelihood, Read},
        formats::envelope,
        record::{Body, Record},
        syntax::members,
    },
};

pub(super) static FORMAT: Format = Format {
    name: "stdio-lines",
    about: "reports with the messages in a list `stdio_lines`, such as those of optimus-cost-agent",
    obtain: "run an end-to-end test of optimus-cost-agent; its report contains the messages",
    limits: &[],
    fidelity: Fidelity::Messages,
    detect,
    read: Read::Document(read),
};

/// The member that holds the list of lines, as optimus-cost-agent writes it.
const LINES: &str = "stdio_lines";

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    /// How many bytes at the beginning of a message are searched for `jsonrpc`.
    const HEAD: usize = 4096;
    if members::has(beginning.text, &[LINES]) {
        return Likelihood::Sure;
    }
    if memchr::memmem::find(beginning.bytes, b"jsonrpc").is_none() {
        return Likelihood::No;
    }
    let is_list = |(name, value): &(&str, &str)| {
        let first = members::first_element(value);
        let head = first.char_indices().nth(HEAD).map_or(first, |(end, _)| &first[..end]);
        // An object with a version and a list in it is a message.
        *name != "params" && first.starts_with('{') && head.contains("jsonrpc")
    };
    let members = members::of(beginning.text);
    let is_message = members.iter().any(|(name, _)| *name == "jsonrpc");
    if !is_message && members.iter().any(is_list) { Likelihood::Possible } else { Likelihood::No }
}

fn read<'t>(document: Node<'t>, records: &mut Vec<Record<'t>>) {
    let is_told = |line: Node<'t>| !matches!(envelope::read(line).body, Body::Nothing);
    let is_conversation = |list: &Node<'t>| list.elements().take(8).any(is_told);
    let lists = || document.members().map(|(_, value)| value).filter(|value| value.is_array());
    let lines = document.get(LINES).or_else(|| lists().find(is_conversation));
    records.extend(lines.into_iter().flat_map(Node::elements).map(envelope::read));
}
