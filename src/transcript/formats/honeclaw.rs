//! Reads `honeclaw` files: the log of honeclaw. One object a line; several conversations share a
//! file.
//!
//! ```text
//! {"timestamp":"…","direction":"send","session_id":"u","identity":"u","payload":{"jsonrpc":"2.0",…}}
//! ```

use crate::{
    json::Node,
    transcript::{
        format::{Beginning, Fidelity, Format, Likelihood, Read},
        limits::{APPENDED, Limit, Loss, MASKED},
        record::{Body, Record},
        wrapper::Wrapper,
    },
};

pub(super) static FORMAT: Format = Format {
    name: "honeclaw",
    about: "logs of honeclaw, with several actors in one file",
    obtain: "honeclaw always writes `logs/acp-events.log` in its data folder",
    limits: &[
        APPENDED,
        MASKED,
        Limit::new(
            "honeclaw logs lines that it could not parse without their contents",
            Loss::Nothing,
        ),
    ],
    fidelity: Fidelity::Masked,
    detect,
    read: Read::Values(read),
};

const WRAPPER: Wrapper = Wrapper { lane: "identity", ..Wrapper::of("direction", "payload") };

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    beginning.mostly(|line| line.get("runner").is_some() && line.get("event_kind").is_some())
}

/// How honeclaw writes a line that is not JSON; older versions leave the line out.
const RAW: Wrapper = Wrapper { message: "raw_line", ..WRAPPER };

fn read(line: Node<'_>) -> Record<'_> {
    let is_unparsed = line.get("event_kind").is_some_and(|kind| kind.is("parse_error"));
    match (is_unparsed, line.get(RAW.message)) {
        (false, _) => WRAPPER.read(line),
        (true, Some(_)) => RAW.read(line),
        (true, None) => Record { body: Body::Lost, ..WRAPPER.read(line) },
    }
}
