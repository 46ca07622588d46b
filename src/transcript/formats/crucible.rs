//! Reads `crucible` files: what the recorder of Crucible keeps of an agent. After a header, one
//! object a line; a frame that could not be read is `null`.
//!
//! ```text
//! {"t_ms":0,"dir":"out","frame":{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}}
//! ```

use crate::{
    json::Node,
    transcript::{
        format::{Beginning, Fidelity, Format, Likelihood, Read},
        limits::{Limit, Loss},
        record::{Body, Record},
        time,
        wrapper::Wrapper,
    },
};

pub(super) static FORMAT: Format = Format {
    name: "crucible",
    about: "recordings of Crucible; lines that it could not parse are `null`",
    obtain: "start Crucible with `CRUCIBLE_ACP_RECORD_DIR=DIR`; it writes `<agent>-<time>.jsonl` into that folder",
    limits: &[Limit::new(
        "Crucible writes `null` for lines that it could not parse, so their contents are lost",
        Loss::Nothing,
    )],
    fidelity: Fidelity::Messages,
    detect,
    read: Read::Values(read),
};

const WRAPPER: Wrapper = Wrapper::of("dir", "frame");

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    let is_header = |line: &Node<'_>| {
        ["version", "agent", "recorded_at"].iter().all(|name| line.get(name).is_some())
    };
    let is_headed = beginning.values.first().is_some_and(is_header);
    let is_own = |line: Node<'_>| line.get("t_ms").is_some() && line.get("dir").is_some();
    beginning.headed(is_headed, is_own)
}

fn read(line: Node<'_>) -> Record<'_> {
    match line.get("recorded_at").and_then(Node::text) {
        // Times count from there.
        Some(begun) if line.get("frame").is_none() => {
            let at = time::date(&begun.as_cow());
            Record { body: Body::Nothing, label: None, at, lane: None }
        }
        _ => WRAPPER.read(line),
    }
}
