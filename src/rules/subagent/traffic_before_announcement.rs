use crate::{rule::prelude::*, rules::subagent::announcement};

pub(crate) static RULE: Rule = Rule {
    id: "subagent/traffic-before-announcement",
    summary: "a subagent sends a message before it is announced",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    editions: By::each(Editions::ALL, Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("SubagentUpdate"),
        requires: "a subagent is announced before anything else is sent for it",
    }],
    requirements: &["subagent.announced"],
    explanation: r"
The client does not know where the message belongs. It drops the message, so the beginning of the
subagent's work is missing.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"kid","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Hello"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"subagent_update","sessionId":"kid","title":"Tests"}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"subagent_update","sessionId":"kid","title":"Tests"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"kid","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Hello"}}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"kid","update":{"sessionUpdate":"agent_message","messageId":"m","content":[{"type":"text","text":"Hello"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"subagent_update","sessionId":"kid","title":"Tests"}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"subagent_update","sessionId":"kid","title":"Tests"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"kid","update":{"sessionUpdate":"agent_message","messageId":"m","content":[{"type":"text","text":"Hello"}]}}}"#,
        ),
    ],
    on: &[On::Update(&["subagent_update"], check)],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let id = update.update.get("sessionId")?.text()?;
    if !announcement::is_expected(connection) {
        return None; // reported as an unknown session at once
    }
    let session = connection.session(id).filter(|session| announcement::is_awaited(session));
    Some(Verdict::from(session.map(|session| {
        Finding::new(format!("subagent `{id}` sends a message before it is announced"))
            .at(session.first, "the client does not know this session yet")
            .at(id, "announced here")
    })))
}
