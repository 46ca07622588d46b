use crate::{rule::prelude::*, rules::tool_call::report};

pub(crate) static RULE: Rule = Rule {
    id: "tool-call/unknown-session",
    summary: "a tool call refers to a session that the client does not know",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::HEAD.with(Gates::INITIALIZED)),
    editions: By::both(Editions::since(Edition::LateNovember2026)),
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("SessionReference"),
        requires: "the client knows the session from its set-up or from a `subagent_update`",
    }],
    requirements: &["tool-call.known-session"],
    explanation: r"
The reference is only an id. The client shows the session behind it, usually a subagent, so it must
know it. Announce the subagent with `subagent_update` first.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c","title":"Delegate","content":[{"type":"session","sessionId":"kid"}]}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"subagent_update","sessionId":"kid","title":"Counter"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c","title":"Delegate","content":[{"type":"session","sessionId":"kid"}]}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c","title":"Delegate","content":[{"type":"session","sessionId":"kid"}]}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"subagent_update","sessionId":"kid","title":"Counter"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c","title":"Delegate","content":[{"type":"session","sessionId":"kid"}]}}}"#,
        ),
    ],
    on: &[
        On::Update(
            &["tool_call", "tool_call_update", "tool_call_content_chunk"],
            |update, connection| check(update.update, update.session_id, connection),
        ),
        On::Call(&["session/request_permission"], |call, connection| {
            check(report::in_request(call)?, call.session_id()?, connection)
        }),
    ],
    ..Rule::DEFAULT
};

fn check(report: Node<'_>, session_id: Text<'_>, connection: &Connection) -> Option<Verdict> {
    let mut references = report::content_of(report, "session").peekable();
    references.peek()?;
    // The history of a session may refer to sessions of earlier connections.
    let session = connection.session(session_id)?;
    if !session.is_fully_recorded()
        || session.is_replaying()
        || connection.lost_to(Some(Side::Agent)) > 0
    {
        return None;
    }
    let ids = references.filter_map(|reference| reference.get("sessionId")?.text());
    let unknown = ids.filter(|id| connection.session(*id).is_none());
    Some(
        unknown
            .map(|id| {
                Finding::new(format!(
                    "a tool call refers to session `{id}`, which was never announced"
                ))
                .at(id, "not set up or announced on this connection")
                .help("announce the subagent with `subagent_update` first")
                .once_per(&*id.as_cow())
            })
            .collect(),
    )
}
