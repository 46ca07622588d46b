use crate::{
    model::{Session, SessionOrigin, connection::rpc::LOOKED_AT},
    rule::prelude::*,
};

pub(crate) static RULE: Rule = Rule {
    id: "session/deleted-still-listed",
    summary: "a deleted session is listed again",
    level: By::each(Level::Derived, Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-delete#semantics"),
            requires: "a deleted session is not listed any more",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/session-delete#semantics"),
            requires: "a deleted session is not listed any more",
        },
    ],
    explanation: r"
The user deleted the conversation and finds it in the list again. So the user does not know whether
it still exists and who can read it.
",
    tck: &["DELETE-202"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"list":{},"delete":{}}},"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"method":"session/delete","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"result":{}}
{"jsonrpc":"2.0","id":3,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":3,"result":{"sessions":[{"sessionId":"s","cwd":"/work"}]}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"list":{},"delete":{}}},"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"method":"session/delete","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"result":{}}
{"jsonrpc":"2.0","id":3,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":3,"result":{"sessions":[{"sessionId":"t","cwd":"/work"}]}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"delete":{}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"method":"session/delete","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"result":{}}
{"jsonrpc":"2.0","id":3,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":3,"result":{"sessions":[{"sessionId":"s","cwd":"/work"}]}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"delete":{}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"method":"session/delete","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"result":{}}
{"jsonrpc":"2.0","id":3,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":3,"result":{"sessions":[{"sessionId":"t","cwd":"/work"}]}}"#,
        ),
    ],
    on: &[On::Answer(&["session/list"], check)],
    variants: &[(
        Severity::Warning,
        "where another connection deleted it and a client that is not on record may have had it since",
    )],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let sessions = answer.result()?.get("sessions")?;
    let ids = sessions.elements().filter_map(|entry| entry.get("sessionId")?.text());
    let ghosts = ids.filter_map(|id| {
        let session = connection.session(id);
        let Some(deleted) = session.and_then(|session| session.info.deleted) else {
            let is_unused = session.is_none_or(|session| {
                session.origin == SessionOrigin::Listed
                    && session.story.as_ref().is_none_or(|story| story.used.is_none())
            });
            let id_text = id.as_cow();
            let (at, is_closed) = connection.stories.deletion(&id_text).filter(|_| is_unused)?;
            let severity = if is_closed { Severity::Error } else { Severity::Warning };
            return Some(
                Finding::new(format!("session `{id}` is listed after it was deleted"))
                    .at(id, "listed again")
                    .at(at, "deleted here")
                    .once_per(&*id_text)
                    .as_severity(severity),
            );
        };
        (answer.request.number > deleted.number).then(|| {
            Finding::new(format!("session `{id}` is listed after it was deleted"))
                .at(id, "listed again")
                .at(deleted.at, "deleted here")
                .once_per(&*id.as_cow())
        })
    });
    let found: Verdict = ghosts.collect();
    // The condition: a session was deleted. Looks at a few, since lists may be asked for often.
    let is_deleted = |session: &Session| session.info.deleted.is_some();
    let is_met = matches!(found, Verdict::Fail(_))
        || connection.sessions().take(LOOKED_AT).any(|(_, session)| is_deleted(session));
    is_met.then_some(found)
}
