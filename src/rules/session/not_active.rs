use crate::{
    model::{Session, SessionOrigin},
    rule::prelude::*,
};

pub(crate) static RULE: Rule = Rule {
    id: "session/not-active",
    summary: "the client uses a session that it has not opened",
    level: By::each(Level::Derived, Level::Must),
    severity: By::each(Severity::Warning, Severity::Error),
    binds: Bound::Client,
    surfaces: Surfaces::ALL,
    needs: &[Loss::AnswersOf(Side::Agent)],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-setup#loading-sessions"),
            requires: "the agent answers `session/load` after the whole conversation was replayed; \
                       then the session is open",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/session-setup#resuming-sessions"),
            requires: "the client resumes a saved session before it uses it",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("SessionStatus"),
            requires: "a saved session is not open",
        },
    ],
    requirements: &["session.call-to-attach", "session.open-elsewhere"],
    explanation: r"
A list shows the sessions that the agent has stored. For such a session the agent has nothing in
memory: no directory and no MCP servers. So it answers that the session does not exist.
`session/resume` opens it.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":1,"result":{"sessions":[{"sessionId":"s","cwd":"/work"}]}}
{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Tidy up"}]}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32002,"message":"Refused"}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":1,"result":{"sessions":[{"sessionId":"s","cwd":"/work"}]}}
{"jsonrpc":"2.0","id":2,"method":"session/resume","params":{"sessionId":"s","cwd":"/work"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
{"jsonrpc":"2.0","id":2,"result":{}}
{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Tidy up"}]}}"#,
    )],
    on: &[On::Call(
        &[
            "session/prompt",
            "session/cancel",
            "session/set_mode",
            "session/set_config_option",
            "tool_call/cancel",
            "terminal/cancel",
        ],
        check,
    )],
    variants: &[(Severity::Warning, "where the resume is not answered yet")],
    ..Rule::DEFAULT
};

/// What the use of a session shows that existed before.
const CALL: &[&str] = &["session.call-to-attach"];

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let id = call.session_id()?;
    let session = connection.session(id).filter(|_| connection.head_is_complete())?;
    if connection.version() != Some(Version::V2) {
        return loading(call, session);
    }
    let is_stored = match session.origin {
        SessionOrigin::Listed => true,
        SessionOrigin::Assumed => session.info.probed.is_some(),
        _ => return Some(Verdict::PassOf(if session.is_fully_recorded() { &[] } else { CALL })),
    };
    let finding = || Finding::new(format!("session `{id}` is used without being resumed"));
    let finding = match session.replay {
        _ if !is_stored => return None,
        Some(request) => finding()
            .at(id, "not open yet")
            .at(request, "requested, but not answered yet")
            .as_severity(Severity::Warning),
        None => finding()
            .at(id, "not open")
            .at(session.first, "only listed here")
            .help("send `session/resume` first"),
    };
    // That a session is open elsewhere, only a status tells.
    let finding = if session.info.probed.is_some() { finding } else { finding.about(CALL) };
    Some(finding.once_per(&*id.as_cow()).into())
}

/// Checks that the client does not use a session of version 1 while it is being loaded or resumed,
/// unless it was open before.
fn loading(call: &Call<'_>, session: &Session) -> Option<Verdict> {
    const USES: [&str; 3] = ["session/prompt", "session/set_mode", "session/set_config_option"];
    if !USES.iter().any(|method| call.method == *method) {
        return None;
    }
    let Some(request) = session.replay else {
        return Some(Verdict::PassOf(if session.is_fully_recorded() { &[] } else { CALL }));
    };
    let is_first = request.span().start <= session.first.span().start;
    if !is_first && session.origin != SessionOrigin::Listed {
        return None;
    }
    let id = call.session_id()?;
    Some(
        Finding::new(format!("session `{id}` is used before its load or resume is answered"))
            .at(id, "not open yet")
            .at(request, "requested, but not answered yet")
            .help("wait for the answer first")
            .about(CALL)
            .once_per(&*id.as_cow())
            .into(),
    )
}
