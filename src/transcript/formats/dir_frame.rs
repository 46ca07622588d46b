//! Reads `dir-frame` files, as several small scripts and probes write them: one object a line with
//! the direction under `dir` and the message under `frame` or `rpc`.
//!
//! ```text
//! {"dir":">","frame":{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}}
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
    name: "dir-frame",
    about: "objects with `dir` and `frame` or `rpc` (wayland-nano, farcooler, neko, hermes)",
    obtain: "write a line `{\"dir\":\"c2a\",\"frame\":MESSAGE}` for each message, with `a2c` for messages of the agent",
    limits: &[],
    fidelity: Fidelity::Messages,
    detect,
    read: Read::Values(read),
};

const WRAPPERS: [Wrapper; 2] = [Wrapper::of("dir", "frame"), Wrapper::of("dir", "rpc")];

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    beginning.mostly(|line| WRAPPERS.iter().any(|shape| shape.fits(line)))
}

fn read(line: Node<'_>) -> Record<'_> {
    WRAPPERS[usize::from(line.get("rpc").is_some())].read(line)
}
