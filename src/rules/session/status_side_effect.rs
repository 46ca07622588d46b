use crate::{model::SessionOrigin, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "session/status-side-effect",
    summary: "a status request opens the session",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::UNSTABLE,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("SessionStatusRequest"),
        requires: "asking for the status changes nothing",
    }],
    requirements: &["session.status-read-only"],
    explanation: r"
The client asks for the status of sessions that it does not open, perhaps many for a list. If asking
opens them, the client gets updates for conversations that it does not show, and their tools start.
",
    examples: &[Example::new(
        Surface::V2Unstable,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"status":{}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/status","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":1,"result":{"status":"saved"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"session_info_update","title":"Hello"}}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"status":{}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/status","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":1,"result":{"status":"saved"}}
{"jsonrpc":"2.0","id":2,"method":"session/resume","params":{"sessionId":"s","cwd":"/work"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
{"jsonrpc":"2.0","id":2,"result":{}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"session_info_update","title":"Hello"}}}"#,
    )],
    on: &[On::Update(&[], check)],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let id = update.session_id;
    let session = connection.session(id).filter(|_| connection.head_is_complete())?;
    let probed = session.info.probed?;
    let is_known = !matches!(session.origin, SessionOrigin::Listed | SessionOrigin::Assumed);
    if is_known || session.is_replaying() || session.turn.number > 0 {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new(format!("session `{id}` is opened by a status request"))
            .at(id, "the client has not opened this session")
            .at(probed, "the client asks for its status here")
            .once_per(&*id.as_cow())
            .into(),
    )
}
