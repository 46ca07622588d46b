//! Reads `acp-inspector-trace` files: traces that sagikazarmark/acp-inspector exports. A header line
//! comes first; every other line holds the text of a message as a string.
//!
//! ```text
//! {"type":"frame","at":1780000000000,"connection":1,"direction":"client -> agent","encoding":"utf8","frame":"{…}"}
//! ```

use crate::{
    json::Node,
    transcript::{
        format::{Beginning, Fidelity, Format, Likelihood, Read},
        limits::LATE,
        record::{Body, Record, SenderLabel},
        wrapper::Wrapper,
    },
};

pub(super) static FORMAT: Format = Format {
    name: "acp-inspector-trace",
    about: "traces exported by sagikazarmark/acp-inspector: each message is a string, with the number of its connection",
    obtain: "connect to the agent with acp-inspector and press Export; it writes `acp-trace-<time>.jsonl` into the folder for temporary files and shows the path",
    limits: &[LATE],
    fidelity: Fidelity::Wire,
    detect,
    read: Read::Values(read),
};

const WRAPPER: Wrapper = Wrapper { lane: "connection", ..Wrapper::of("direction", "frame") };

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    let is_header =
        |line: &Node<'_>| line.get("format").is_some_and(|format| format.is("acp-inspector-trace"));
    let is_frame = |line: Node<'_>| {
        line.get("type").is_some_and(|kind| kind.is("frame")) && line.get("frame").is_some()
    };
    let begins_so = beginning.values.first().is_some_and(is_header);
    beginning.headed(begins_so, is_frame)
}

fn read(line: Node<'_>) -> Record<'_> {
    // What the ring buffer has dropped stood before the first frame.
    if line.get("dropped").and_then(Node::integer).is_some_and(|dropped| dropped > 0) {
        return Record::labelled(Body::Lost, None::<SenderLabel<'_>>);
    }
    WRAPPER.read(line)
}
