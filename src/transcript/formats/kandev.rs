//! Reads `kandev-acpdbg` files: what the protocol debugger of kandev records. One object a line: a
//! message or an event of the debugger.
//!
//! ```text
//! {"ts":"2026-06-01T08:00:00.500Z","direction":"sent","frame":{"jsonrpc":"2.0",…}}
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
    name: "kandev-acpdbg",
    about: "recordings of kandev's protocol debugger",
    obtain: "build it with `make -C apps/backend build-acpdbg` and run `acpdbg probe <agent>` or another command; each shows the path of its file",
    limits: &[],
    fidelity: Fidelity::Messages,
    detect,
    read: Read::Values(read),
};

const WRAPPER: Wrapper = Wrapper::of("direction", "frame");

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    beginning.mostly(|line| {
        let words = ["sent", "received", "meta", "stderr"];
        line.get("ts").is_some()
            && line.get("direction").is_some_and(|word| words.iter().any(|own| word.is(own)))
            && ["frame", "event", "line"].iter().any(|name| line.get(name).is_some())
    })
}

fn read(line: Node<'_>) -> Record<'_> {
    WRAPPER.read(line)
}
