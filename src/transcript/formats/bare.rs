//! Reads `ndjson` files: bare JSON-RPC messages, one a line, as they crossed the wire. Files that
//! match no other format are read as this one.
//!
//! ```text
//! {"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}
//! ```

use crate::{
    json::Node,
    transcript::{
        format::{Beginning, Fidelity, Format, Likelihood, Read},
        wrapper::{first, looks_like_message},
    },
};

pub(super) static FORMAT: Format = Format {
    name: "ndjson",
    about: "JSON-RPC messages as sent, one on each line",
    obtain: "use `acpx --format json` or `dart_acp -o jsonl`; swissarmyhammer writes `.acp/**/raw.jsonl`; for any other client, use `acpcheck record` (see `acpcheck-record`)",
    limits: &[],
    fidelity: Fidelity::Wire,
    detect,
    read: Read::Messages { is_note },
};

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    let lines = beginning.values;
    let frames = lines.iter().filter(|line| looks_like_message(**line)).count();
    let plain = lines.iter().filter(|line| is_marked(**line)).count();
    if plain * 2 > lines.len() {
        Likelihood::Sure
    } else if frames > 0 {
        Likelihood::Possible
    } else {
        Likelihood::No
    }
}

/// Whether a line has the member `jsonrpc`. Only that marks a bare message, since many recorders
/// repeat the other members.
fn is_marked(line: Node<'_>) -> bool {
    first(line).get("jsonrpc").is_some()
}

pub(super) fn is_note(line: Node<'_>) -> bool {
    is_of_acpx(line)
        || is_marker(line) && line.get("jsonrpc").is_none() && !looks_like_message(line)
}

/// Whether a line is an error of acpx itself rather than a message of a peer.
fn is_of_acpx(line: Node<'_>) -> bool {
    let is_only_error = line.get("method").is_none() && line.get("result").is_none();
    line.get("error").filter(|_| is_only_error).is_some_and(|error| {
        line.get("id").is_none_or(Node::is_null)
            && error.path(&["data", "acpxCode"]).is_some()
            && error.path(&["data", "origin"]).is_some_and(|origin| origin.is("cli"))
    })
}

/// Whether a line is a marker between the messages of an acpx journal.
pub(super) fn is_marker(line: Node<'_>) -> bool {
    line.get("schema").and_then(Node::text).is_some_and(|name| name.starts_with("acpx."))
}
