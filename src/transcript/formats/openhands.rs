//! Reads `openhands` files: what `OpenHands` logs as an agent in debug mode. One object a line; `>>>`
//! goes to the agent.
//!
//! ```text
//! {"ts":"2026-06-01T08:00:00.500Z","dir":">>>","msg":{"jsonrpc":"2.0","id":0,"method":"initialize"}}
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
    name: "openhands",
    about: "logs of OpenHands as an agent; `>>>` goes to the agent",
    obtain: "start `openhands acp --debug`; it writes `~/.openhands/acp-debug/<time>_acp.jsonl`",
    limits: &[],
    fidelity: Fidelity::Messages,
    detect,
    read: Read::Values(read),
};

const WRAPPER: Wrapper = Wrapper::of("dir", "msg");

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    beginning.mostly(|line| {
        let is_arrow = |word: Node<'_>| word.is(">>>") || word.is("<<<");
        WRAPPER.fits(line) && line.get("dir").is_some_and(is_arrow)
    })
}

fn read(line: Node<'_>) -> Record<'_> {
    WRAPPER.read(line)
}
