//! Reports with the lines of a conversation among other things.

use crate::{
    json::Node,
    transcript::{Beginning, Fidelity, Format, Likelihood, Read, Record, members, shape::Shape},
};

pub(super) static FORMAT: Format = Format {
    name: "stdio-lines",
    about: "reports with a conversation in `stdio_lines`, as optimus writes them",
    obtain: "run an end-to-end test of optimus-cost-agent; its report holds the lines",
    limits: &[],
    fidelity: Fidelity::Messages,
    detect,
    read: Read::Document(read),
};

const SHAPE: Shape = Shape::of("direction", "message");

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    Likelihood::sure_if(members::has(beginning.text, &["stdio_lines"]))
}

fn read<'t>(document: Node<'t>, records: &mut Vec<Record<'t>>) {
    let lines = document.get("stdio_lines").map(Node::elements);
    records.extend(lines.into_iter().flatten().map(|line| SHAPE.read(line)));
}
