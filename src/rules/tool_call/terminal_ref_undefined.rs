use crate::{model::session::agent_terminals::Reference, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "tool-call/terminal-ref-undefined",
    summary: "a tool call refers to a terminal that never appears",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    gates: By::both(Gates::TAIL),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Page("protocol/v2/draft/tool-calls#display-only-terminals"),
        requires: "terminal updates describe a terminal that a tool call shows, before or after it",
    }],
    explanation: r"
The reference is only an id. Clients show an empty box until an update brings the command and the
output. Here none comes.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Make","status":"completed","content":[{"type":"terminal","terminalId":"x9"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Make","content":[{"type":"terminal","terminalId":"x1"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","command":"make","exitStatus":{"exitCode":0}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
    )
    .closed()],
    on: &[On::End(check)],
    ..Rule::DEFAULT
};

fn check(_: &End, connection: &Connection) -> Option<Verdict> {
    let recorded = connection.sessions().filter(|(_, session)| session.is_fully_recorded());
    let mut shown = recorded
        .flat_map(|(_, session)| session.agent_terminals.iter())
        .filter_map(|(id, display)| match display.referenced {
            Some(Reference::ToolCall(at)) => Some((id, display, at)),
            _ => None,
        })
        .peekable();
    shown.peek()?;
    let missing = shown
        .filter(|(_, display, _)| display.reported.is_none())
        .map(|(id, _, at)| {
            Finding::new(format!("a tool call shows terminal `{id}`, which never appears"))
                .at(at, "no update describes it")
                .help("send `terminal_update` with its command and output")
        })
        .collect();
    Some(Verdict::of(missing))
}
