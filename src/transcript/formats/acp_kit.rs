//! Reads `acp-kit` files: what the inspector of acp-kit writes, with messages among observations.
//! Recognises `acp-kit-events` files, which hold no messages and cannot be read.
//!
//! ```text
//! {"kind":"wire","at":1780000000000,"direction":"out","method":"initialize","frame":{"jsonrpc":"2.0",…}}
//! ```

use crate::{
    json::Node,
    transcript::{
        format::{Beginning, Fidelity, Format, Likelihood, Read},
        limits::{LATE, MASKED},
        record::Record,
        wrapper::Wrapper,
    },
};

pub(super) static FORMAT: Format = Format {
    name: "acp-kit",
    about: "recordings of the acp-kit inspector: messages and other events",
    obtain: "in code, call `createRuntimeInspector({ includeWire: true })` of `@acp-kit/core`, with `redact: false` if nothing is secret, and write the result of its `toJSONL()` to a file",
    limits: &[LATE, MASKED],
    fidelity: Fidelity::Masked,
    detect,
    read: Read::Values(read),
};

/// A format of event logs without messages, which is recognized in order to refuse it.
pub(super) static EVENTS: Format = Format {
    name: "acp-kit-events",
    about: "events of acp-kit; cannot be read",
    obtain: "use its inspector instead: see `acp-kit`",
    limits: &[],
    fidelity: Fidelity::Messages,
    detect: |beginning| {
        let is_wire = |line: &Node<'_>| line.get("kind").is_some_and(|kind| kind.is("wire"));
        if beginning.values.iter().any(is_wire) { Likelihood::No } else { detect(beginning) }
    },
    read: Read::Refused(
        "the events of acp-kit are not messages; create an inspector with `includeWire: true` and write the result of its `toJSONL()` to a file",
    ),
};

const WRAPPER: Wrapper = Wrapper::of("direction", "frame");

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    let kinds = ["wire", "observation", "session.event"];
    let is_own =
        |line: Node<'_>| line.get("kind").is_some_and(|kind| kinds.iter().any(|own| kind.is(own)));
    beginning.mostly(is_own)
}

fn read(line: Node<'_>) -> Record<'_> {
    match line.get("kind") {
        Some(kind) if !kind.is("wire") => Record::NOTHING,
        _ => WRAPPER.read(line),
    }
}
