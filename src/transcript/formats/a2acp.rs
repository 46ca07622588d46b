//! Reads `a2acp` files: the recorded conversations in the test corpus of the a2acp bridge. One
//! object a line holds a message under `line`, and its direction under `dir`.
//!
//! ```text
//! {"dir":"send","line":{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}}
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
    name: "a2acp",
    about: "test recordings of a2acp: lines as sent and received",
    obtain: "a2acp has such files in `crates/bridge-acp/tests/corpus/`; to write one, write each message on a line as `{\"dir\":\"send\",\"line\":MESSAGE}`, with `recv` for messages of the agent",
    limits: &[],
    fidelity: Fidelity::Messages,
    detect,
    read: Read::Values(read),
};

const WRAPPER: Wrapper = Wrapper::of("dir", "line");

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    let is_headed = beginning.values.first().is_some_and(|line| line.get("_provenance").is_some());
    beginning.headed(is_headed, |line| {
        line.get("dir").is_some()
            && line
                .get("line")
                .is_some_and(|line| line.is_object() || line.is_array() || line.is_string())
    })
}

fn read(line: Node<'_>) -> Record<'_> {
    WRAPPER.read(line)
}
