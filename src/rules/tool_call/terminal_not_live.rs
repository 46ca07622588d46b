use crate::{
    model::{
        SessionOrigin,
        session::terminals::{self, Terminal, TerminalState},
    },
    rule::prelude::*,
    rules::tool_call::report,
};

pub(crate) static RULE: Rule = Rule {
    id: "tool-call/terminal-not-live",
    summary: "a tool call shows a terminal that does not exist",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    gates: By::both(Gates::HEAD),
    needs: &[Loss::AgentRequests, Loss::AnswersOf(Side::Client)],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/tool-calls#terminals"),
            requires: "a tool call shows a terminal that `terminal/create` created",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::Other("schema crate, doc comment of `ToolCallContent::Terminal`"),
            requires: "the terminal is put into the tool call before it is released",
        },
    ],
    requirements: &["terminal.live-in-tool-call"],
    explanation: r"
The client looks for the terminal among those that it created. It does not know the id, or the
terminal is released and has nothing to show, unless the tool call already had it. Agents that run
commands themselves need another way. Some clients support terminals that the agent announces in
`_meta`; the rule ignores those.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Run the tests","status":"completed","content":[{"type":"terminal","terminalId":"x9"}]}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        r#"{"jsonrpc":"2.0","id":10,"method":"terminal/create","params":{"sessionId":"s","command":"make"}}
{"jsonrpc":"2.0","id":10,"result":{"terminalId":"x1"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Run the tests","status":"completed","content":[{"type":"terminal","terminalId":"x1"}]}}}
{"jsonrpc":"2.0","id":11,"method":"terminal/release","params":{"sessionId":"s","terminalId":"x1"}}
{"jsonrpc":"2.0","id":11,"result":{}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
    )],
    on: &[
        On::Update(&["tool_call", "tool_call_update"], |update, connection| {
            check(update, update.update, connection)
        }),
        On::Call(&["session/request_permission"], |request, connection| {
            check(request, report::in_request(request)?, connection)
        }),
    ],
    variants: &[(Severity::Warning, "in a session that was loaded")],
    ..Rule::DEFAULT
};

/// Most other sessions in which the terminal is looked for, to explain the fault; the finding does
/// not depend on them.
const MANY: usize = 256;

fn check(call: &Call<'_>, report: Node<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(call.session_id()?)?;
    // Terminals end with their connection, sessions do not.
    let is_past = matches!(
        session.origin,
        SessionOrigin::Loaded | SessionOrigin::Resumed | SessionOrigin::Forked
    ) || session.reattached && session.origin == SessionOrigin::New;
    let is_loaded = is_past && connection.head_is_complete();
    let is_known = session.is_fully_recorded() || is_loaded;
    if !is_known || session.is_replaying() || connection.lost_to(Some(Side::Agent)) > 0 {
        return None;
    }
    let announced = terminals::announced(report);
    let mut verdict = None;
    for item in report::content_of(report, "terminal") {
        let Some(id) = item.get("terminalId").and_then(Node::text) else { continue };
        let is_foreign = announced == Some(id) || session.terminals.is_foreign(id);
        let is_elsewhere = || {
            let mut others = connection.sessions();
            let mut first = others.by_ref().take(MANY);
            // A session that is not searched may have the terminal.
            first.any(|(_, other)| other.terminals.get(id).is_some()) || others.next().is_some()
        };
        let known = session.terminals.get(id);
        if is_foreign || (known.is_none() && is_elsewhere()) {
            continue;
        }
        let findings: &mut Vec<Finding> = verdict.get_or_insert_with(Vec::new);
        if findings.len() == Verdict::MOST {
            break;
        }
        match known {
            None => findings.push({
                let finding = Finding::new(format!(
                    "a tool call shows terminal `{id}`, which was never created"
                ))
                .at(id, "no `terminal/create` has returned this id")
                .help("create the terminal with `terminal/create` first")
                .once_per((&*id.as_cow(), "created"));
                finding.as_severity_if(is_loaded, Severity::Warning)
            }),
            Some(Terminal {
                tenure: TerminalState::Released { answer },
                is_embedded: false,
                ..
            }) => {
                findings.push(
                    Finding::new(format!("a tool call shows terminal `{id}` after its release"))
                        .at(id, "nothing to show any more")
                        .at(*answer, "released here")
                        .help("put the terminal into the tool call before you release it")
                        .once_per((&*id.as_cow(), "released")),
                );
            }
            Some(_) => {}
        }
    }
    verdict.map(|findings| findings.into_iter().collect())
}
