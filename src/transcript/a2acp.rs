//! The corpus of a2acp.

use crate::{
    json::Node,
    transcript::{Beginning, Fidelity, Format, Likelihood, Read, Record, shape::Shape},
};

pub(super) static FORMAT: Format = Format {
    name: "a2acp",
    about: "the corpus of a2acp: lines as sent and received",
    obtain: "take `crates/bridge-acp/tests/corpus/*.jsonl` of a2acp, or record with its bridge",
    limits: &[],
    fidelity: Fidelity::Messages,
    detect,
    read: Read::Values(read),
};

const SHAPE: Shape = Shape::of("dir", "line");

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    beginning.mostly(|line| {
        line.get("dir").is_some()
            && line.get("line").is_some_and(|line| line.is_object() || line.is_string())
    })
}

fn read(line: Node<'_>) -> Record<'_> {
    SHAPE.read(line)
}
