use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "subagent/parent-changed",
    summary: "a subagent moves to another parent",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("SubagentUpdate"),
        requires: "a subagent belongs to the session that announced it first",
    }],
    explanation: r"
Clients show subagents below their parent. A subagent with two parents appears twice, or sends its
questions to the wrong conversation. One that is its own ancestor cannot be shown at all.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":2,"result":{"sessionId":"t"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"subagent_update","sessionId":"kid"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"t","update":{"sessionUpdate":"subagent_update","sessionId":"kid"}}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":2,"result":{"sessionId":"t"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"subagent_update","sessionId":"kid"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"subagent_update","sessionId":"kid","title":"Tests"}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":2,"result":{"sessionId":"t"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"subagent_update","sessionId":"kid"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"t","update":{"sessionUpdate":"subagent_update","sessionId":"kid"}}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":2,"result":{"sessionId":"t"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"subagent_update","sessionId":"kid"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"subagent_update","sessionId":"kid","title":"Tests"}}}"#,
        ),
    ],
    on: &[On::Update(&["subagent_update"], check)],
    ..Rule::DEFAULT
};

/// Most ancestors of a session that are followed to find a cycle; beyond them, none is reported.
const DEEPEST: usize = 64;

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let id = update.update.get("sessionId")?.text()?;
    if id == update.session_id {
        return Some(
            Finding::new(format!("session `{id}` is announced as its own subagent"))
                .at(id, "the session itself")
                .into(),
        );
    }
    let parent = connection.session(id).and_then(|session| session.parent.as_ref());
    if let Some(parent) = parent {
        let is_same = update.session_id == *parent.session_id;
        return Some(Verdict::from((!is_same).then(|| {
            Finding::new(format!(
                "subagent `{id}` moves from session `{}` to `{}`",
                parent.session_id, update.session_id
            ))
            .at(update.session_id, "another parent")
            .at(parent.announced, "first announced here")
            .once_per(&*id.as_cow())
        })));
    }
    let parent = update.session_id.as_cow();
    let mut ancestor = connection.session_named(&parent);
    for _ in 0..DEEPEST {
        let Some(parent) = ancestor.and_then(|session| session.parent.as_ref()) else { break };
        if id == *parent.session_id {
            return Some(
                Finding::new(format!("session `{id}` becomes a subagent of its own subagent"))
                    .at(id, "the ancestor")
                    .at(parent.announced, "has this subagent")
                    .into(),
            );
        }
        ancestor = connection.session_named(&parent.session_id);
    }
    Some(Verdict::Pass)
}
