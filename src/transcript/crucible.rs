//! What Crucible records of an agent.

use crate::{
    json::Node,
    transcript::{Beginning, Fidelity, Format, Likelihood, Read, Record, shape::Shape},
};

pub(super) static FORMAT: Format = Format {
    name: "crucible",
    about: "what the recorder of Crucible keeps of an agent; unreadable lines are `null`",
    obtain: "record a scenario with Crucible; its files are in `recorded/<agent>/<scenario>.jsonl`",
    limits: &[],
    fidelity: Fidelity::Messages,
    detect,
    read: Read::Values(read),
};

const SHAPE: Shape = Shape::of("dir", "frame");

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    beginning.mostly(|line| line.get("t_ms").is_some() && line.get("dir").is_some())
}

fn read(line: Node<'_>) -> Record<'_> {
    SHAPE.read(line)
}
