use std::{borrow::Cow, collections::hash_map::Entry};

use crate::{
    map::Map,
    rule::prelude::*,
    rules::state::background::{self, Work},
};

pub(crate) static RULE: Rule = Rule {
    id: "state/background-duplicate",
    summary: "the background list has the same work twice",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("BackgroundWork"),
        requires: "each piece of work is listed once",
    }],
    requirements: &["state.background-once"],
    explanation: r"
Clients list and count the background work, so they show the same thing twice.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","command":"make watch","cwd":"/work"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn","background":[{"type":"terminal","terminalId":"x1"},{"type":"terminal","terminalId":"x1"}]}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","command":"make watch","cwd":"/work"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x2","command":"tail -f log","cwd":"/work"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn","background":[{"type":"terminal","terminalId":"x1"},{"type":"terminal","terminalId":"x2"}]}}}"#,
    )],
    on: &[On::Update(&["state_update"], check)],
    variants: &[(Severity::Warning, "for a tool call and its terminal")],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let list = update.update.get("background").filter(|list| !list.is_empty())?;
    let mut seen: Vec<(Work, Text<'_>, Node<'_>)> = Vec::new();
    // The index in `seen`.
    let mut places = Map::default();
    let mut findings = Vec::new();
    for item in list.elements() {
        let Some((what, id)) = background::item(item) else { continue };
        match places.entry((what, id.as_cow())) {
            Entry::Vacant(place) => {
                place.insert(seen.len());
                seen.push((what, id, item));
            }
            Entry::Occupied(_) if findings.len() == Verdict::MOST => {}
            Entry::Occupied(first) => findings.push(
                Finding::new(format!("{} `{id}` is in the background list twice", what.name()))
                    .at(item, "listed again")
                    .at(seen[*first.get()].2, "first listed here")
                    .once_per(&*id.as_cow()),
            ),
        }
    }
    let calls = connection.session(update.session_id).map(|session| &session.tool_calls);
    let listed = |what: Work| seen.iter().filter(move |(known, ..)| *known == what);
    for (_, id, item) in listed(Work::ToolCall) {
        if findings.len() == Verdict::MOST {
            break;
        }
        let Some(call) = calls.and_then(|calls| calls.get(*id)) else { continue };
        let shown = call.terminals().iter();
        let places = shown.filter_map(|id| places.get(&(Work::Terminal, Cow::Borrowed(&**id))));
        let Some((_, terminal, other)) = places.min().map(|first| seen[*first]) else { continue };
        findings.push(
            Finding::new(format!("tool call `{id}` and its terminal `{terminal}` are both listed"))
                .at(*item, "the tool call")
                .at(other, "the terminal it runs in")
                .help("list only the terminal")
                .as_severity(Severity::Warning)
                .once_per((&*id.as_cow(), &*terminal.as_cow())),
        );
    }
    Some(findings.into_iter().collect())
}
