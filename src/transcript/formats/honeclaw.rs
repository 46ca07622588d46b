//! The log of honeclaw.

use crate::{
    json::Node,
    transcript::{
        Beginning, Body, Fidelity, Format, Likelihood, Read, Record,
        limits::{APPENDED, Limit, MASKED},
        shape::Shape,
    },
};

pub(crate) static FORMAT: Format = Format {
    name: "honeclaw",
    about: "the log of honeclaw, with several actors in one file",
    obtain: "honeclaw writes `logs/acp-events.log` in its data folder",
    limits: &[
        APPENDED,
        MASKED,
        Limit::mere("lines that could not be parsed are logged without their contents"),
    ],
    fidelity: Fidelity::Masked,
    detect,
    read: Read::Values(read),
};

const SHAPE: Shape = Shape { lane: "identity", ..Shape::of("direction", "payload") };

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    beginning.mostly(|line| line.get("runner").is_some() && line.get("event_kind").is_some())
}

/// How it writes a line that is no JSON; older versions without the line.
const RAW: Shape = Shape { message: "raw_line", ..SHAPE };

fn read(line: Node<'_>) -> Record<'_> {
    let is_unparsed = line.get("event_kind").is_some_and(|kind| kind.is("parse_error"));
    match (is_unparsed, line.get(RAW.message)) {
        (false, _) => SHAPE.read(line),
        (true, Some(_)) => RAW.read(line),
        (true, None) => Record { body: Body::Lost, ..SHAPE.read(line) },
    }
}
