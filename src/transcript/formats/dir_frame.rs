//! Captures with a direction and a frame, as small scripts write them.

use crate::{
    json::Node,
    transcript::{Beginning, Fidelity, Format, Likelihood, Read, Record, shape::Shape},
};

pub(crate) static FORMAT: Format = Format {
    name: "dir-frame",
    about: "captures of scripts and probes: `dir` beside `frame` or `rpc` (wayland-nano, farcooler, \
            neko, hermes)",
    obtain: "write a line `{\"dir\":\"c2a\",\"frame\":MESSAGE}` for each message, `a2c` for those of the agent",
    limits: &[],
    fidelity: Fidelity::Messages,
    detect,
    read: Read::Values(read),
};

const SHAPES: [Shape; 2] = [Shape::of("dir", "frame"), Shape::of("dir", "rpc")];

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    beginning.mostly(|line| SHAPES.iter().any(|shape| shape.fits(line)))
}

fn read(line: Node<'_>) -> Record<'_> {
    SHAPES[usize::from(line.get("rpc").is_some())].read(line)
}
