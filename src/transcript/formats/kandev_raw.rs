//! Reads `kandev-raw` files: the raw agent log of kandev. It has the params of session updates
//! alone.
//!
//! ```text
//! {"ts":1780000000005,"protocol":"acp","agent":"gardener","event":"session_notification","data":{"sessionId":"bed-7",…}}
//! ```

use crate::{
    json::Node,
    protocol::Side,
    transcript::{
        format::{Beginning, Fidelity, Format, Likelihood, Read},
        limits::{NO_ENVELOPE, UPDATES_ONLY},
        rebuilt::Rebuilt,
        record::{Body, Record, SenderLabel},
        time,
    },
};

pub(super) static FORMAT: Format = Format {
    name: "kandev-raw",
    about: "raw agent logs of kandev: the params of session updates",
    obtain: "start kandev with `KANDEV_DEBUG_AGENT_MESSAGES=true`; it writes `raw-acp-<agent>-<session>.jsonl` into `KANDEV_DEBUG_LOG_DIR` or its working folder",
    limits: &[UPDATES_ONLY, NO_ENVELOPE],
    fidelity: Fidelity::Messages,
    detect,
    read: Read::Values(read),
};

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    beginning.mostly(|line| {
        line.get("event").is_some_and(Node::is_string)
            && line.get("data").is_some()
            && line.get("protocol").is_some_and(|protocol| protocol.is("acp"))
    })
}

fn read(line: Node<'_>) -> Record<'_> {
    let is_update = line.get("event").is_some_and(|event| event.is("session_notification"));
    let Some(params) = line.get("data").filter(|_| is_update) else { return Record::NOTHING };
    Record {
        body: Body::Rebuilt(Rebuilt::update(params)),
        label: Some(SenderLabel::Side(Side::Agent)),
        at: time::of(line),
        lane: None,
    }
}
