//! Reads `acp-debug` files: what the command `acp-debug tap` records between client and agent. One
//! object a line.
//!
//! ```text
//! {"ts":1780000000.5,"dir":"c2a","msg":{"jsonrpc":"2.0","id":0,"method":"initialize"}}
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
    name: "acp-debug",
    about: "recordings of `acp-debug tap` (ActiveContext)",
    obtain: "in the client, set the agent's command to `acp-debug tap --agent \"my-agent\" --output FILE`",
    limits: &[],
    fidelity: Fidelity::Messages,
    detect,
    read: Read::Values(read),
};

const WRAPPER: Wrapper = Wrapper::of("dir", "msg");
/// How other tools that record in this way write a line that is not JSON.
const RAW: Wrapper = Wrapper::of("dir", "raw");

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    beginning.mostly(|line| WRAPPER.fits(line) && line.get("ts").is_some_and(Node::is_number))
}

fn read(line: Node<'_>) -> Record<'_> {
    if line.get("msg").is_some() { WRAPPER.read(line) } else { RAW.read(line) }
}
