//! Reads `openmausbot` files: what `OpenMausBot` logs of its native drivers. One object a line.
//!
//! ```text
//! {"at":"2026-06-01T08:00:00.500Z","dir":"out","source":"native","msg":{"jsonrpc":"2.0",…}}
//! ```

use crate::{
    json::Node,
    transcript::{
        format::{Beginning, Fidelity, Format, Likelihood, Read},
        limits::{APPENDED, MASKED},
        record::Record,
        wrapper::Wrapper,
    },
};

pub(super) static FORMAT: Format = Format {
    name: "openmausbot",
    about: "logs of OpenMausBot's native drivers",
    obtain: "in OpenMausBot, switch on the log of the native protocol; it writes one file for each session",
    limits: &[APPENDED, MASKED],
    fidelity: Fidelity::Masked,
    detect,
    read: Read::Values(read),
};

const WRAPPER: Wrapper = Wrapper::of("dir", "msg");

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    beginning.mostly(|line| WRAPPER.fits(line) && line.get("source").is_some())
}

fn read(line: Node<'_>) -> Record<'_> {
    // Drivers of other protocols write to the same files.
    let members = ["jsonrpc", "id", "method", "result", "error"];
    let is_other = line.get("msg").is_some_and(|message| {
        message.is_object() && members.iter().all(|name| message.get(name).is_none())
    });
    if is_other { Record::NOTHING } else { WRAPPER.read(line) }
}
