//! Reads `conductor-debug` files: the debug log of the conductor of the Rust SDK. It has every line
//! between the conductor and each component: lane, arrow, milliseconds, message.

use std::borrow::Cow;

use crate::transcript::{
    format::{Beginning, Fidelity, Format, Likelihood, Read},
    record::{Body, Record, SenderLabel},
};

pub(super) static FORMAT: Format = Format {
    name: "conductor-debug",
    about: "debug logs of the Rust SDK's conductor: every line between it and each component",
    obtain: "in the client, set the agent's command to `agent-client-protocol-conductor --debug --debug-dir DIR agent \"my-agent\"`",
    limits: &[],
    fidelity: Fidelity::Wire,
    detect,
    read: Read::Lines(read),
};

/// The name of the connection between client and conductor. With only one component, it repeats the
/// messages of that component.
pub(super) const CLIENT_LANE: &str = "C";

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    let is_headed = beginning.text.trim_start().starts_with("=== Conductor Debug Log");
    Likelihood::sure_if(is_headed).max(beginning.mostly_lines(|line| split(line).is_some()))
}

/// Lane, arrow, milliseconds and message of a line; `None` for other lines.
fn split(line: &str) -> Option<(&str, &str, &str, &str)> {
    let (hop, rest) = line.split_once(' ')?;
    let is_hop = hop == CLIENT_LANE || hop.bytes().all(|byte| byte.is_ascii_digit());
    let (arrow, rest) = rest.split_once(' ')?;
    let (time, rest) = rest.strip_prefix('+')?.split_once("ms ")?;
    let is_own = is_hop && !hop.is_empty() && matches!(arrow, "→" | "←" | "!");
    is_own.then_some((hop, arrow, time, rest))
}

fn read(line: &str) -> Record<'_> {
    let Some((hop, arrow, time, rest)) = split(line) else { return Record::NOTHING };
    if arrow == "!" {
        return Record::NOTHING;
    }
    Record {
        body: Body::Text(line.len() - rest.len()..line.len()),
        label: Some(SenderLabel::Word(Cow::Borrowed(arrow))),
        at: time.parse::<f64>().ok().map(|time| time / 1e3),
        lane: Some(Cow::Borrowed(hop)),
    }
}
