//! Reads `acpx-flow` files: the sessions in a flow bundle of acpx. One object a line.
//!
//! ```text
//! {"seq":1,"at":"2026-06-01T08:00:00.500Z","direction":"outbound","message":{"jsonrpc":"2.0",…}}
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
    name: "acpx-flow",
    about: "sessions in an acpx flow bundle, from the first prompt on",
    obtain: "run a flow with `acpx flow run`; its bundle contains `sessions/<id>/events.ndjson` (`trace.ndjson` contains no messages)",
    limits: &[],
    fidelity: Fidelity::Messages,
    detect,
    read: Read::Values(read),
};

const WRAPPER: Wrapper = Wrapper::of("direction", "message");

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    beginning
        .mostly(|line| WRAPPER.fits(line) && line.get("seq").is_some() && line.get("at").is_some())
}

fn read(line: Node<'_>) -> Record<'_> {
    WRAPPER.read(line)
}
