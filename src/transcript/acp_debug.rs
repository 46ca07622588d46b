//! What acp-debug records between client and agent.

use crate::{
    json::Node,
    transcript::{Beginning, Fidelity, Format, Likelihood, Read, Record, shape::Shape},
};

pub(super) static FORMAT: Format = Format {
    name: "acp-debug",
    about: "what `acp-debug tap` of ActiveContext records between client and agent",
    obtain: "name `acp-debug tap -- my-agent` as the agent in the client",
    limits: &[],
    fidelity: Fidelity::Messages,
    detect,
    read: Read::Values(read),
};

const SHAPE: Shape = Shape::of("dir", "msg");

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    beginning.mostly(|line| SHAPE.fits(line) && line.get("ts").is_some_and(Node::is_number))
}

fn read(line: Node<'_>) -> Record<'_> {
    SHAPE.read(line)
}
