//! Recognises `autodev` files: the log of `AutoDev`. It keeps objects of its own instead of messages,
//! so the format cannot be read.

use crate::transcript::format::{Beginning, Fidelity, Format, Likelihood, Read};

pub(super) static FORMAT: Format = Format {
    name: "autodev",
    about: "the log of AutoDev; cannot be read",
    obtain: "use `acpcheck record` instead: see `acpcheck-record`",
    limits: &[],
    fidelity: Fidelity::Messages,
    detect,
    read: Read::Refused(
        "the log of AutoDev does not contain the messages; put `acpcheck record -o recordings/ --` in front of the agent's command to record them",
    ),
};

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    beginning.mostly(|line| {
        let own = ["event_type", "update_type"];
        own.iter().any(|name| line.get(name).is_some())
            || line.get("type").is_some_and(|kind| kind.is("prompt_start") || kind.is("prompt_end"))
    })
}
