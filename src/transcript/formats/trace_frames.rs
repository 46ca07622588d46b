//! Reads `trace-frames` files: what bridges, such as the one beside acp-inspector, write with
//! `--trace-frames`. One object a line holds the text of a message as a string.
//!
//! ```text
//! {"connection":"ws-1","direction":"client -> agent","encoding":"utf8","frame":"{\"jsonrpc\":…}"}
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
    name: "trace-frames",
    about: "output of bridges with `--trace-frames`: each message is a string, with its connection",
    obtain: "start the bridge with `--trace-frames FILE`",
    limits: &[],
    fidelity: Fidelity::Wire,
    detect,
    read: Read::Values(read),
};

const WRAPPER: Wrapper = Wrapper { lane: "connection", ..Wrapper::of("direction", "frame") };

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    let is_headed = beginning
        .values
        .iter()
        .take(1)
        .any(|line| line.get("format").is_some_and(|format| format.is("bridge-trace-frames")));
    let is_own = |line: Node<'_>| line.get("encoding").is_some() && line.get("frame").is_some();
    beginning.headed(is_headed, is_own)
}

fn read(line: Node<'_>) -> Record<'_> {
    WRAPPER.read(line)
}
