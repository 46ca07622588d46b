use crate::{model::session::terminals::TerminalState, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "terminal/never-released",
    summary: "a terminal is never released",
    level: By::both(Level::Must),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    needs: &[Loss::AgentRequests, Loss::AnswersOf(Side::Client)],
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Page("protocol/v1/terminals#executing-commands"),
        requires: "the agent releases every terminal that it creates",
    }],
    requirements: &["terminal.released"],
    explanation: r"
Until the release, a client keeps the process, the output and usually a tab. A terminal for every
command adds up in a long session. The release may still come while the turn runs, so the rule waits
for the end of the turn. If the recording has the end of the connection, the finding is an error.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","id":10,"method":"terminal/create","params":{"sessionId":"s","command":"make"}}
{"jsonrpc":"2.0","id":10,"result":{"terminalId":"x1"}}
{"jsonrpc":"2.0","id":11,"method":"terminal/wait_for_exit","params":{"sessionId":"s","terminalId":"x1"}}
{"jsonrpc":"2.0","id":11,"result":{"exitCode":0}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        r#"{"jsonrpc":"2.0","id":10,"method":"terminal/create","params":{"sessionId":"s","command":"make"}}
{"jsonrpc":"2.0","id":10,"result":{"terminalId":"x1"}}
{"jsonrpc":"2.0","id":11,"method":"terminal/wait_for_exit","params":{"sessionId":"s","terminalId":"x1"}}
{"jsonrpc":"2.0","id":11,"result":{"exitCode":0}}
{"jsonrpc":"2.0","id":19,"method":"terminal/release","params":{"sessionId":"s","terminalId":"x1"}}
{"jsonrpc":"2.0","id":19,"result":{}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
    )],
    on: &[On::Answer(&["terminal/create"], exercised), On::End(check)],
    variants: &[(Severity::Error, "where the recording ends with the connection")],
    ..Rule::DEFAULT
};

fn exercised(answer: &Answer<'_>, _: &Connection) -> Option<Verdict> {
    answer.result()?.get("terminalId")?;
    Some(Verdict::Pass)
}

fn check(_: &End, connection: &Connection) -> Option<Verdict> {
    let is_closed = connection.tail_is_closed();
    let idle = connection.sessions().filter(|(_, session)| session.open_prompts == 0);
    let findings: Vec<_> = idle
        .flat_map(|(name, session)| session.terminals.iter().map(move |terminal| (name, terminal)))
        .filter(|(_, (_, terminal))| terminal.tenure == TerminalState::Live)
        .map(|(session, (id, terminal))| {
            let finding = Finding::new(format!("terminal `{id}` is never released"))
                .at(terminal.created, "created here")
                .and_at(terminal.used, "last used here")
                .help("send `terminal/release` when you do not need the output any more")
                .once_per(session);
            finding.as_severity_if(is_closed, Severity::Error)
        })
        .collect();
    Verdict::failed(findings)
}
