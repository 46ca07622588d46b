//! Reads `acp-el-log` files: the text of the log buffer of the Emacs package acp.el. A heading is
//! followed by one JSON text.
//!
//! ```text
//! OUTGOING TEXT >
//!
//! {"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}
//! ```

use crate::{
    protocol::Side,
    transcript::{
        format::{Beginning, Fidelity, Format, Likelihood, Read},
        limits::{LATE, Limit, Loss},
        record::{Body, Record},
        syntax::scan,
    },
};

pub(super) static FORMAT: Format = Format {
    name: "acp-el-log",
    about: "the log buffer of acp.el (agent-shell in Emacs)",
    obtain: "in Emacs, run `M-x agent-shell-toggle-logging` before the session; after it, run `M-x agent-shell-view-acp-logs` and save the buffer with `C-x C-w`",
    limits: &[
        Limit {
            what: "acp.el does not log its answers to the agent",
            loss: Loss::AnswersOf(Side::Client),
        },
        LATE,
    ],
    fidelity: Fidelity::Wire,
    detect,
    read: Read::Text(read),
};

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    let heads = ["INCOMING LINE >", "OUTGOING TEXT >", "OUTGOING OBJECT >", "INCOMING TEXT >"];
    Likelihood::sure_if(beginning.lines().any(|line| heads.contains(&line)))
}

/// Headings of log entries that hold one line as it was sent, each with the sender of the line.
/// Other entries repeat such lines, or hold no messages.
const LINES: [(&str, Side); 2] =
    [("INCOMING LINE >", Side::Agent), ("OUTGOING TEXT >", Side::Client)];

/// Whether a line that begins like JSON also ends with its value; `true` for other lines.
fn is_balanced(line: &str) -> bool {
    let line = line.trim_end();
    !line.starts_with(['{', '[']) || line.ends_with(['}', ']']) && scan::length(line) == line.len()
}

/// Length of the text up to the next blank line. Some versions spread a message over lines.
fn paragraph(text: &str) -> usize {
    let end = ["\n\n", "\n\r\n"].iter().filter_map(|gap| text.find(gap)).min();
    end.unwrap_or(text.len())
}

fn read<'t>(text: &'t str, records: &mut Vec<Record<'t>>) {
    let mut side = None;
    for (start, line) in scan::lines(text) {
        if let Some((_, own)) = LINES.iter().find(|(head, _)| *head == line) {
            side = Some(*own);
        } else if !line.trim().is_empty()
            && let Some(side) = side.take()
        {
            let length = if is_balanced(line) { line.len() } else { paragraph(&text[start..]) };
            records.push(Record::said_by(Body::Text(start..start + length), side));
        }
    }
}
