//! Reads `mistral-vibe` files: what Mistral Vibe logs as an agent. One object a line; `in` goes to
//! the agent.
//!
//! ```text
//! {"ts":"2026-06-01T08:00:00.500Z","dir":"in","msg":{"jsonrpc":"2.0","id":0,"method":"initialize"}}
//! ```

use crate::{
    json::Node,
    transcript::{
        format::{Beginning, Fidelity, Format, Likelihood, Read},
        limits::APPENDED,
        record::Record,
        wrapper::Wrapper,
    },
};

pub(super) static FORMAT: Format = Format {
    name: "mistral-vibe",
    about: "logs of Mistral Vibe as an agent; `in` goes to the agent",
    obtain: "start `VIBE_ACP_LOGGING_ENABLED=1 vibe-acp`; it writes `~/.vibe/logs/acp/messages.jsonl`, and older parts to `messages.jsonl.1` and so on",
    limits: &[APPENDED],
    fidelity: Fidelity::Messages,
    detect,
    read: Read::Values(read),
};

const WRAPPER: Wrapper = Wrapper::of("dir", "msg");

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    beginning.mostly(|line| {
        WRAPPER.fits(line) && line.get("ts").is_some() && line.get("source").is_none()
    })
}

fn read(line: Node<'_>) -> Record<'_> {
    WRAPPER.read(line)
}
