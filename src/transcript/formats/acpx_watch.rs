//! Reads `acpx-watch` files: what `acpx sessions watch` prints. One object a line: a message, or
//! the beginning or end of a turn.
//!
//! ```text
//! {"cursor":"abc0","type":"message","requestId":"q","message":{"jsonrpc":"2.0",…}}
//! ```

use crate::{
    json::Node,
    transcript::{
        format::{Beginning, Fidelity, Format, Likelihood, Read},
        limits::APPENDED,
        record::Record,
        wrapper::Wrapper,
    },
};

pub(super) static FORMAT: Format = Format {
    name: "acpx-watch",
    about: "output of `acpx sessions watch`: messages and turns, each with a cursor",
    obtain: "run `acpx --format json <agent> sessions watch -s <session>`",
    limits: &[APPENDED],
    fidelity: Fidelity::Messages,
    detect,
    read: Read::Values(read),
};

const WRAPPER: Wrapper = Wrapper::of("direction", "message");

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    beginning.mostly(|line| {
        line.get("cursor").is_some_and(Node::is_string) && line.get("type").is_some()
    })
}

fn read(line: Node<'_>) -> Record<'_> {
    WRAPPER.read(line)
}
