use crate::{
    model::SessionOrigin,
    rule::prelude::*,
    rules::state::background::{self, Work},
};

pub(crate) static RULE: Rule = Rule {
    id: "state/background-unannounced",
    summary: "the background list names work that was never announced",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("BackgroundWork"),
        requires: "all work is announced before a list names it",
    }],
    requirements: &["state.background-announced"],
    explanation: r"
The client has nothing to show for the id: no command and no title. Send the terminal, tool call or
session first.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn","background":[{"type":"terminal","terminalId":"x7"}]}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","command":"make watch","cwd":"/work"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn","background":[{"type":"terminal","terminalId":"x1"}]}}}"#,
    )],
    on: &[On::Update(&["state_update"], check)],
    variants: &[(Severity::Info, "where the beginning of the session is missing")],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(update.session_id)?;
    let list = update.update.get("background").filter(|list| !list.is_empty())?;
    if session.origin == SessionOrigin::Assumed || connection.lost_to(Some(Side::Agent)) > 0 {
        return None;
    }
    let findings = list.elements().filter_map(|item| {
        let (what, id) = background::item(item)?;
        let is_known = match what {
            Work::Terminal => {
                session.agent_terminals.get(id).is_some_and(|it| it.reported.is_some())
            }
            Work::ToolCall => {
                session.tool_calls.get(id).is_some_and(|it| it.announced.is_some() || it.is_asked)
            }
            Work::Session => connection.session(id).is_some(),
        };
        if is_known {
            return None;
        }
        let finding = Finding::new(format!(
            "{} `{id}` is in the background list but was never announced",
            what.name()
        ))
        .at(item, "never announced")
        .help(format!("send {} before the list that names it", what.update()))
        .once_per(&*id.as_cow());
        // Work that began before the session was attached may have been announced then.
        let is_past = !session.is_fully_recorded();
        Some(finding.as_severity_if(is_past, Severity::Info))
    });
    Some(findings.collect())
}
