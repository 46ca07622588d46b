//! Reads `acp-inspector` files: traces of the F# tool ACP-inspector. One object a line holds the
//! text of a message as a string.
//!
//! ```text
//! {"ts":"2026-06-01T08:00:00.500Z","direction":"fromClient","json":"{\"jsonrpc\":\"2.0\",…}"}
//! ```

use crate::{
    json::Node,
    transcript::{
        format::{Beginning, Fidelity, Format, Likelihood, Read},
        record::Record,
        wrapper::Wrapper,
    },
};

pub(super) static FORMAT: Format = Format {
    name: "acp-inspector",
    about: "traces of venikman/ACP-inspector: each message is a string",
    obtain: "pipe one side's messages into `ACP.Inspector record --out FILE --direction fromAgent` or `tap-stdin --direction fromAgent --record FILE`",
    limits: &[],
    fidelity: Fidelity::Wire,
    detect,
    read: Read::Values(read),
};

const WRAPPER: Wrapper = Wrapper::of("direction", "json");

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    beginning.mostly(|line| {
        line.get("direction").is_some() && line.get("json").is_some_and(Node::is_string)
    })
}

fn read(line: Node<'_>) -> Record<'_> {
    WRAPPER.read(line)
}
