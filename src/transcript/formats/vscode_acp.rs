//! Reads `vscode-acp` files: the output channel "ACP Traffic" of the ACP client for VS Code. A
//! heading is followed by a message over several lines.
//!
//! ```text
//! [2026-06-01T08:00:00.500Z] >>> CLIENT → AGENT [REQUEST] x
//! {
//!   "jsonrpc": "2.0",
//! ```

use std::borrow::Cow;

use crate::transcript::{
    format::{Beginning, Fidelity, Format, Likelihood, Read},
    limits::APPENDED,
    record::{Body, Record, SenderLabel},
    syntax::scan,
    time,
};

pub(super) static FORMAT: Format = Format {
    name: "vscode-acp",
    about: "the output channel \"ACP Traffic\" of the ACP client for VS Code",
    obtain: "in VS Code, open View | Output, choose ACP Traffic, and save it with the menu of the panel; the setting `acp.logTraffic` must be on (it is by default)",
    limits: &[APPENDED],
    fidelity: Fidelity::Messages,
    detect,
    read: Read::Text(read),
};

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    Likelihood::sure_if(beginning.lines().any(|line| heading(line).is_some()))
}

/// Time and direction in a heading; `None` for other lines.
fn heading(line: &str) -> Option<(&str, &'static str)> {
    let (time, rest) = line.strip_prefix('[')?.split_once("] ")?;
    let is = |head: &str| rest.starts_with(head);
    if is(">>> CLIENT") {
        Some((time, "client → agent"))
    } else if is("<<< AGENT") {
        Some((time, "agent → client"))
    } else {
        None
    }
}

fn read<'t>(text: &'t str, records: &mut Vec<Record<'t>>) {
    records.extend(scan::blocks(text, heading).into_iter().map(|((time, word), place)| Record {
        body: place.map_or(Body::Unread, Body::Text),
        label: Some(SenderLabel::Word(Cow::Borrowed(word))),
        at: time::date(time),
        lane: None,
    }));
}
