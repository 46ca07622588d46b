//! What acp-debug records between client and agent.

use crate::{
    json::Node,
    transcript::{Beginning, Fidelity, Format, Likelihood, Read, Record, shape::Shape},
};

pub(crate) static FORMAT: Format = Format {
    name: "acp-debug",
    about: "what `acp-debug tap` of ActiveContext records between client and agent",
    obtain: "name `acp-debug tap --agent \"my-agent\" --output FILE` as the agent in the client",
    limits: &[],
    fidelity: Fidelity::Messages,
    detect,
    read: Read::Values(read),
};

const SHAPE: Shape = Shape::of("dir", "msg");
/// How other tools that record in this way write a line that is not JSON.
const RAW: Shape = Shape::of("dir", "raw");

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    beginning.mostly(|line| SHAPE.fits(line) && line.get("ts").is_some_and(Node::is_number))
}

fn read(line: Node<'_>) -> Record<'_> {
    if line.get("msg").is_some() { SHAPE.read(line) } else { RAW.read(line) }
}
