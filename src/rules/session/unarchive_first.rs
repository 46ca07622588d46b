use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "session/unarchive-first",
    summary: "an archived session is opened without being unarchived",
    level: By::both(Level::Should),
    severity: By::both(Severity::Warning),
    binds: Bound::Client,
    surfaces: Surfaces::UNSTABLE,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("UnarchiveSessionRequest"),
        requires: "a client unarchives an archived session before it goes on with it",
    }],
    requirements: &["session.unarchive-first"],
    explanation: r"
An archived session is hidden from the usual lists. If the user goes on with it while it is
archived, its new messages are hidden, too.
",
    examples: &[Example::new(
        Surface::V1Unstable,
        Opening::Initialized,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":1,"result":{"sessions":[{"sessionId":"shed","cwd":"/work","archived":false}]}}
{"jsonrpc":"2.0","id":2,"method":"session/archive","params":{"sessionId":"shed"}}
{"jsonrpc":"2.0","id":2,"result":{}}
{"jsonrpc":"2.0","id":3,"method":"session/load","params":{"sessionId":"shed","cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":3,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":1,"result":{"sessions":[{"sessionId":"shed","cwd":"/work","archived":false}]}}
{"jsonrpc":"2.0","id":2,"method":"session/archive","params":{"sessionId":"shed"}}
{"jsonrpc":"2.0","id":2,"result":{}}
{"jsonrpc":"2.0","id":3,"method":"session/unarchive","params":{"sessionId":"shed"}}
{"jsonrpc":"2.0","id":3,"result":{}}
{"jsonrpc":"2.0","id":4,"method":"session/load","params":{"sessionId":"shed","cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":4,"result":{}}"#,
    )],
    on: &[On::Call(&["session/load", "session/resume"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let id = call.session_id()?;
    let session = connection.session(id)?;
    // The condition: the session is or was archived.
    if session.info.archived.is_none() && session.info.shown_archived.is_none() {
        return None;
    }
    let finding = session.info.shown_archived.map(|shown| {
        Finding::new(format!("the archived session `{id}` is opened without being unarchived"))
            .at(id, "archived")
            .at(shown, "archived here")
            .help("send `session/unarchive` first")
            .once_per(&*id.as_cow())
    });
    Some(finding.into())
}
