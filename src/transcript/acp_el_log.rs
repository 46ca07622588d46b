//! The log buffer of acp.el.

use crate::{
    protocol::Side,
    transcript::{Beginning, Body, Fidelity, Format, Likelihood, Read, Record, scan},
};

pub(super) static FORMAT: Format = Format {
    name: "acp-el-log",
    about: "the log buffer of acp.el (agent-shell in Emacs)",
    obtain: "in Emacs, set `acp-logging-enabled` to t, then save the buffer that \
             `agent-shell-view-acp-logs` shows",
    limits: &["the buffer is cut at its beginning when it grows; lines of the agent that are no \
               JSON cannot be told from others"],
    fidelity: Fidelity::Messages,
    detect,
    read: Read::Text(read),
};

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    let heads = ["INCOMING LINE >", "OUTGOING TEXT >", "OUTGOING OBJECT >", "INCOMING TEXT >"];
    Likelihood::sure_if(beginning.lines().any(|line| heads.contains(&line)))
}

fn read<'t>(text: &'t str, records: &mut Vec<Record<'t>>) {
    let blocks = scan::blocks(text, |line| {
        // Only two kinds have whole messages, and each message once.
        match line.trim() {
            "INCOMING LINE >" => Some(Some(Side::Agent)),
            "OUTGOING TEXT >" => Some(Some(Side::Client)),
            line if line.ends_with(" >") && !line.starts_with(['{', '[']) => Some(None),
            _ => None,
        }
    });
    records.extend(
        blocks
            .into_iter()
            .filter_map(|(side, place)| Some(Record::said_by(Body::Text(place), side?))),
    );
}
