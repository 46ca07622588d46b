//! What the inspector of acp-kit writes.

use crate::{
    json::Node,
    transcript::{
        Beginning, Fidelity, Format, Likelihood, Read, Record,
        limits::{LATE, MASKED},
        shape::Shape,
    },
};

pub(super) static FORMAT: Format = Format {
    name: "acp-kit",
    about: "what the inspector of acp-kit writes: messages among observations",
    obtain: "in code, `createRuntimeInspector({ includeWire: true })` of `@acp-kit/core`, with `redact: false` where nothing is secret; write what its `toJSONL()` returns to a file",
    limits: &[LATE, MASKED],
    fidelity: Fidelity::Masked,
    detect,
    read: Read::Values(read),
};

const SHAPE: Shape = Shape::of("direction", "frame");

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    let kinds = ["wire", "observation", "session.event"];
    let is_own =
        |line: Node<'_>| line.get("kind").is_some_and(|kind| kinds.iter().any(|own| kind.is(own)));
    beginning.mostly(is_own)
}

fn read(line: Node<'_>) -> Record<'_> {
    match line.get("kind") {
        Some(kind) if !kind.is("wire") => Record::NOTHING,
        _ => SHAPE.read(line),
    }
}
