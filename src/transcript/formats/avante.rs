//! Reads `avante` files: the session log of the Neovim plugin avante.nvim. Lines of equals signs
//! separate the entries. What the client sends is JSON; what the agent sends is a Lua table.
//!
//! ```text
//! request: {"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}
//! ```

use crate::{
    json::{Doc, Tape},
    protocol::{Edition, Side, Surface, schema::Protocol},
    source::Origin,
    transcript::{
        format::{Beginning, Fidelity, Format, Likelihood, Read},
        labels::method_sender,
        limits::{APPENDED, Limit, Loss},
        rebuilt::Rebuilt,
        record::{Body, Record},
        syntax::{lua, scan},
    },
};

pub(super) static FORMAT: Format = Format {
    name: "avante",
    about: "session logs of avante.nvim: the client's messages as JSON, the agent's as Lua tables",
    obtain: "in Neovim, set `debug = true` for avante; `avante-acp-session.log` is in `stdpath(\"log\")` (older versions: `/tmp`)",
    limits: &[
        APPENDED,
        Limit {
            what: "the log lacks the ids of the agent's requests and the client's answers to them",
            loss: Loss::AnswersOf(Side::Client),
        },
        Limit::new("acpcheck makes up the ids of the agent's requests", Loss::AgentIds),
        Limit::new(
            "Lua writes empty arrays and empty objects in the same way; such values are not judged",
            Loss::Nothing,
        ),
    ],
    fidelity: Fidelity::Messages,
    detect,
    read: Read::Text(read),
};

/// Beginning of the line between entries; its length varies.
const RULE: &str = "==========";
const HEADS: [&str; 4] = ["request: ", "notification: ", "response: ", "method: "];

fn detect(beginning: &Beginning<'_>) -> Likelihood {
    let is_own = |line: &str| {
        let rest = HEADS.iter().find_map(|head| line.strip_prefix(head));
        rest.is_some_and(|rest| rest.starts_with('{') || rest.starts_with(char::is_alphabetic))
    };
    let has_rule = memchr::memmem::find(beginning.bytes, RULE.as_bytes()).is_some();
    Likelihood::sure_if(has_rule && beginning.lines().any(is_own))
}

/// Offset of the head of the next entry, and the head itself; `None` when no entry follows.
fn head(text: &str) -> Option<(usize, &'static str)> {
    HEADS.iter().filter_map(|head| Some((text.find(head)?, *head))).min()
}

fn read<'t>(text: &'t str, records: &mut Vec<Record<'t>>) {
    let mut at = 0;
    while let Some((offset, head)) = head(&text[at..]) {
        let start = at + offset + head.len();
        let is_json = matches!(head, "request: " | "notification: ");
        let rest = &text[start..];
        let end = if is_json && rest.starts_with('{') {
            start + scan::length(rest)
        } else {
            start + rest.find(RULE).unwrap_or(rest.len())
        };
        let record = match head {
            _ if is_json => json(text, start, end),
            "response: " => {
                let mut rebuilt = Rebuilt::default();
                lua::table(text, start..end, &mut rebuilt)
                    .map(|()| Record::said_by(Body::Rebuilt(rebuilt), Side::Agent))
            }
            _ => call(text, start, end, records.len()),
        };
        records.extend(record);
        at = end;
    }
}

/// The record of a request or notification that is logged as JSON from offset `start` to `end`;
/// `None` for other text, such as answers, whose requests are unknown.
fn json(text: &str, start: usize, end: usize) -> Option<Record<'_>> {
    let mut tape = Tape::default();
    tape.parse(&text[start..end]).ok()?;
    let doc = Doc::new(&text[start..end], &tape, Origin::START);
    let root = doc.root();
    root.get("method")?;
    let side = method_sender(root).unwrap_or(Side::Client);
    Some(Record::said_by(Body::Text(start..end), side))
}

/// The record of a call of the agent: the method, and the params on the lines below. A request gets
/// `number` as its id.
fn call(text: &str, start: usize, end: usize, number: usize) -> Option<Record<'_>> {
    let end = start + text[start..end].trim_end().len();
    let line = text[start..end].find('\n').unwrap_or(end - start);
    let method = text[start..start + line].trim_end();
    let place = start..start + method.len();
    let mut rebuilt = Rebuilt::default();
    rebuilt.write("{\"jsonrpc\":\"2.0\",\"method\":", start..start);
    rebuilt.string(method, place.clone());
    if is_request(method) {
        rebuilt.write(&format!(",\"id\":\"{number}\""), place.end..place.end);
    }
    let params = start + line;
    rebuilt.write(",\"params\":", params..params);
    lua::table(text, params..end, &mut rebuilt)?;
    rebuilt.write("}", end..end);
    Some(Record::said_by(Body::Rebuilt(rebuilt), Side::Agent))
}

/// Whether a method is called by requests rather than notifications.
fn is_request(method: &str) -> bool {
    [Surface::V1Unstable, Surface::V2Unstable].into_iter().any(|surface| {
        let known = Protocol::of(surface, Edition::CURRENT).method(method);
        known.and_then(|method| method.call(true)).is_some_and(|call| call.result.is_some())
    })
}
