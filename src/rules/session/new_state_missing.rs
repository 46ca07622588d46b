use crate::{
    model::{Session, SessionOrigin, session::activity::AgentState},
    rule::prelude::*,
    rules::recent,
};

pub(crate) static RULE: Rule = Rule {
    id: "session/new-state-missing",
    summary: "a new session is at work, and its state is not reported after the answer",
    level: By::both(Level::Must),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::LateNovember2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("NewSessionResponse"),
        requires: "a new session that is not idle tells its state after the answer",
    }],
    requirements: &["session.new-state"],
    explanation: r"
Before the answer, the client does not know the session, so it may drop what is reported for it. A
client that does not know that the agent is at work offers no way to stop it.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Initialized,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Tidy up"}]}}
{"jsonrpc":"2.0","id":2,"result":{"messageId":"u1"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Tidy up"}]}}
{"jsonrpc":"2.0","id":2,"result":{"messageId":"u1"}}"#,
    )],
    on: &[On::Answer(&["session/prompt"], answered), On::End(ended)],
    variants: &[(Severity::Error, "with `--edition 2026-11-20`")],
    ..Rule::DEFAULT
};

/// Checks, when the first prompt of a new session is answered, that the agent has reported the
/// session's state before.
fn answered(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let id = answer.request.session_id.as_deref()?;
    let session = connection.session_named(id).filter(|session| session.inserted.is_empty())?;
    answer.result()?;
    check(id, session, connection)
}

fn ended(_: &End, connection: &Connection) -> Option<Verdict> {
    let is_closed = connection.tail_is_closed();
    let sessions = connection.sessions().filter(|(_, session)| session.inserted.is_empty());
    Verdict::all(
        sessions.filter(|_| is_closed).filter_map(|(id, session)| check(id, session, connection)),
    )
}

fn check(id: &str, session: &Session, connection: &Connection) -> Option<Verdict> {
    let born = session.born.filter(|_| session.origin == SessionOrigin::New)?;
    let activity = &session.activity;
    let reported = activity.reported?;
    if session.reattached || connection.lost_to(Some(Side::Agent)) > 0 {
        return None;
    }
    let is_early = reported.span().start < born.span().start;
    if matches!(activity.state, AgentState::Unset | AgentState::Idle) {
        return None;
    }
    let finding = is_early.then(|| {
        Finding::new(format!(
            "session `{id}` is at work when it is created, and does not tell it after the answer"
        ))
        .at(born, "no state follows")
        .at(reported, "the state before the answer")
        .help("report the state again after the answer")
        .as_severity(recent::severity(connection, Severity::Warning))
        .once_per(id)
    });
    Some(finding.into())
}
