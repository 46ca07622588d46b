use crate::{
    rule::prelude::*,
    rules::state::{
        background::{self, Work},
        states,
    },
};

pub(crate) static RULE: Rule = Rule {
    id: "state/background-listed-after-final",
    summary: "finished work stays on the background list",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("BackgroundTerminal"),
            requires: "a terminal is in the background until it has exited",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("BackgroundToolCall"),
            requires: "a tool call is in the background until it has a final status",
        },
    ],
    explanation: r"
The client shows finished work as running. One list may have been on its way at that moment; the
rule ignores it.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","command":"make watch","cwd":"/work"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","exitStatus":{"exitCode":0}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m1","content":{"type":"text","text":"Done"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn","background":[{"type":"terminal","terminalId":"x1"}]}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","command":"make watch","cwd":"/work"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m1","content":{"type":"text","text":"Done"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"terminal_update","terminalId":"x1","exitStatus":{"exitCode":0}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn","background":[{"type":"terminal","terminalId":"x1"}]}}}"#,
    )],
    on: &[On::Update(&["state_update"], check)],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = states::live(update, connection)?;
    let list = update.update.get("background").filter(|list| !list.is_empty())?;
    let findings = list.elements().filter_map(|item| {
        let (what, id) = background::item(item)?;
        let (at, number) = match what {
            Work::Terminal => session.agent_terminals.get(id)?.exit?,
            Work::ToolCall => {
                let (status, at, number) = session.tool_calls.get(id)?.status?;
                status.is_final().then_some((at, number))?
            }
            Work::Session => return None,
        };
        (session.work.updated > number).then(|| {
            Finding::new(format!(
                "{} `{id}` is finished but still in the background list",
                what.name()
            ))
            .at(item, "still listed")
            .at(at, "finished here")
            .once_per(&*id.as_cow())
        })
    });
    Some(findings.collect())
}
