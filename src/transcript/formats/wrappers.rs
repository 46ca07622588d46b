//! Formats that wrap each message in an object of its own, one a line, and differ in the names of its
//! members. A format is one row: how it is recognised, and under which names it is read.
//!
//! ```text
//! {"ts":1780000000.5,"dir":"c2a","msg":{"jsonrpc":"2.0","id":0,"method":"initialize"}}
//! ```

use crate::{
    json::Node,
    transcript::{
        format::{Fidelity, Format, Read},
        limits::APPENDED,
        wrapper::Wrapper,
    },
};

const DIR_LINE: Wrapper = Wrapper::of("dir", "line");
const DIR_MSG: Wrapper = Wrapper::of("dir", "msg");
const DIR_RAW: Wrapper = Wrapper::of("dir", "raw");
const DIR_FRAME: Wrapper = Wrapper::of("dir", "frame");
const DIR_RPC: Wrapper = Wrapper::of("dir", "rpc");
const DIRECTION_FRAME: Wrapper = Wrapper::of("direction", "frame");
const DIRECTION_JSON: Wrapper = Wrapper::of("direction", "json");
const DIRECTION_MESSAGE: Wrapper = Wrapper::of("direction", "message");
const OF_CONNECTION: Wrapper = Wrapper { lane: "connection", ..DIRECTION_FRAME };

/// Members that the formats of this module have in common; each replaces what differs.
const ROW: Format = Format {
    name: "",
    about: "",
    obtain: "",
    limits: &[],
    fidelity: Fidelity::Messages,
    detect: |_| crate::transcript::Likelihood::No,
    read: Read::Values(|line| DIR_MSG.read(line)),
};

/// Format of the test corpus of the a2acp bridge.
pub(super) static A2ACP: Format = Format {
    name: "a2acp",
    about: "test recordings of a2acp: lines as sent and received",
    obtain: "a2acp has such files in `crates/bridge-acp/tests/corpus/`; to write one, write each message on a line as `{\"dir\":\"send\",\"line\":MESSAGE}`, with `recv` for messages of the agent",
    detect: |beginning| {
        let first = beginning.values.first();
        beginning.headed(first.is_some_and(|line| has(*line, &["_provenance"])), |line| {
            let is_one = |line: Node<'_>| line.is_object() || line.is_array() || line.is_string();
            has(line, &["dir"]) && line.get("line").is_some_and(is_one)
        })
    },
    read: Read::Values(|line| DIR_LINE.read(line)),
    ..ROW
};

/// Format of `acp-debug tap`. Lines with `raw` instead of `msg` are not JSON; other tools write
/// them so.
pub(super) static ACP_DEBUG: Format = Format {
    name: "acp-debug",
    about: "recordings of `acp-debug tap` (ActiveContext)",
    obtain: "in the client, set the agent's command to `acp-debug tap --agent \"my-agent\" --output FILE`",
    detect: |beginning| {
        beginning.mostly(|line| DIR_MSG.fits(line) && line.get("ts").is_some_and(Node::is_number))
    },
    read: Read::Values(
        |line| {
            if has(line, &["msg"]) { DIR_MSG.read(line) } else { DIR_RAW.read(line) }
        },
    ),
    ..ROW
};

pub(super) static ACP_INSPECTOR: Format = Format {
    name: "acp-inspector",
    about: "traces of venikman/ACP-inspector: each message is a string",
    obtain: "pipe one side's messages into `ACP.Inspector record --out FILE --direction fromAgent` or `tap-stdin --direction fromAgent --record FILE`",
    fidelity: Fidelity::Wire,
    detect: |beginning| {
        let is_text = |line: Node<'_>| line.get("json").is_some_and(Node::is_string);
        beginning.mostly(|line| has(line, &["direction"]) && is_text(line))
    },
    read: Read::Values(|line| DIRECTION_JSON.read(line)),
    ..ROW
};

pub(super) static ACPX_FLOW: Format = Format {
    name: "acpx-flow",
    about: "sessions in an acpx flow bundle, from the first prompt on",
    obtain: "run a flow with `acpx flow run`; its bundle contains `sessions/<id>/events.ndjson` (`trace.ndjson` contains no messages)",
    detect: |beginning| {
        beginning.mostly(|line| DIRECTION_MESSAGE.fits(line) && has(line, &["seq", "at"]))
    },
    read: Read::Values(|line| DIRECTION_MESSAGE.read(line)),
    ..ROW
};

/// Format of `acpx sessions watch`: each line is a message, or the beginning or end of a turn.
pub(super) static ACPX_WATCH: Format = Format {
    name: "acpx-watch",
    about: "output of `acpx sessions watch`: messages and turns, each with a cursor",
    obtain: "run `acpx --format json <agent> sessions watch -s <session>`",
    limits: &[APPENDED],
    detect: |beginning| {
        let has_cursor = |line: Node<'_>| line.get("cursor").is_some_and(Node::is_string);
        beginning.mostly(|line| has_cursor(line) && has(line, &["type"]))
    },
    read: Read::Values(|line| DIRECTION_MESSAGE.read(line)),
    ..ROW
};

/// Format of several small scripts and probes: objects with `dir` and `frame` or `rpc`.
pub(super) static DIR_FRAMES: Format = Format {
    name: "dir-frame",
    about: "objects with `dir` and `frame` or `rpc` (wayland-nano, farcooler, neko, hermes)",
    obtain: "write a line `{\"dir\":\"c2a\",\"frame\":MESSAGE}` for each message, with `a2c` for messages of the agent",
    detect: |beginning| beginning.mostly(|line| DIR_FRAME.fits(line) || DIR_RPC.fits(line)),
    read: Read::Values(
        |line| {
            if has(line, &["rpc"]) { DIR_RPC.read(line) } else { DIR_FRAME.read(line) }
        },
    ),
    ..ROW
};

/// Format of kandev's protocol debugger: each line is a message or an event of the debugger.
pub(super) static KANDEV: Format = Format {
    name: "kandev-acpdbg",
    about: "recordings of kandev's protocol debugger",
    obtain: "build it with `make -C apps/backend build-acpdbg` and run `acpdbg probe <agent>` or another command; each shows the path of its file",
    detect: |beginning| {
        beginning.mostly(|line| {
            has(line, &["ts"])
                && is_one_of(line, "direction", &["sent", "received", "meta", "stderr"])
                && ["frame", "event", "line"].iter().any(|name| has(line, &[name]))
        })
    },
    read: Read::Values(|line| DIRECTION_FRAME.read(line)),
    ..ROW
};

pub(super) static OPENHANDS: Format = Format {
    name: "openhands",
    about: "logs of OpenHands as an agent; `>>>` goes to the agent",
    obtain: "start `openhands acp --debug`; it writes `~/.openhands/acp-debug/<time>_acp.jsonl`",
    detect: |beginning| {
        beginning.mostly(|line| DIR_MSG.fits(line) && is_one_of(line, "dir", &[">>>", "<<<"]))
    },
    ..ROW
};

/// Format of bridges such as the one beside acp-inspector: each line holds the text of a message as
/// a string.
pub(super) static TRACE_FRAMES: Format = Format {
    name: "trace-frames",
    about: "output of bridges with `--trace-frames`: each message is a string, with its connection",
    obtain: "start the bridge with `--trace-frames FILE`",
    fidelity: Fidelity::Wire,
    detect: |beginning| {
        let first = beginning.values.first();
        let is_header = |line: &Node<'_>| is_one_of(*line, "format", &["bridge-trace-frames"]);
        beginning.headed(first.is_some_and(is_header), |line| has(line, &["encoding", "frame"]))
    },
    read: Read::Values(|line| OF_CONNECTION.read(line)),
    ..ROW
};

/// Format of Mistral Vibe's logs; `in` marks messages to the agent.
pub(super) static VIBE: Format = Format {
    name: "mistral-vibe",
    about: "logs of Mistral Vibe as an agent; `in` goes to the agent",
    obtain: "start `VIBE_ACP_LOGGING_ENABLED=1 vibe-acp`; it writes `~/.vibe/logs/acp/messages.jsonl`, and older parts to `messages.jsonl.1` and so on",
    limits: &[APPENDED],
    detect: |beginning| {
        let is_own = |line: Node<'_>| has(line, &["ts"]) && !has(line, &["source"]);
        beginning.mostly(|line| DIR_MSG.fits(line) && is_own(line))
    },
    ..ROW
};

/// Whether a record has all members with these names.
fn has(line: Node<'_>, names: &[&str]) -> bool {
    names.iter().all(|name| line.get(name).is_some())
}

/// Whether the member `name` of a line is one of these words.
fn is_one_of(line: Node<'_>, name: &str, words: &[&str]) -> bool {
    line.get(name).is_some_and(|word| words.iter().any(|own| word.is(own)))
}
