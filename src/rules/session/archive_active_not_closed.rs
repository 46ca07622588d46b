use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "session/archive-active-not-closed",
    summary: "an active session is archived without being closed",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2_UNSTABLE,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("ArchiveSessionRequest"),
        requires: "archiving a session in use closes it first",
    }],
    explanation: r"
What is archived is put away: its work is cancelled and reported as such, and nothing more is sent
for it. Work that goes on in an archived session has no window and nobody to ask.
",
    examples: &[Example::new(
        Surface::V2Unstable,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","id":3,"method":"session/archive","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":3,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"session/archive","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"cancelled"}}}
{"jsonrpc":"2.0","id":3,"result":{}}"#,
    )],
    on: &[On::Answer(&["session/archive"], check), On::Call(&[], spoke)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let id = answer.request.session_id.as_deref()?;
    let session = connection.session_named(id).filter(|_| answer.result().is_some())?;
    if !session.activity.is_active() {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new(format!("session `{id}` is archived while work goes on"))
            .at(answer.node, "confirmed")
            .at(answer.request.at, "the client archives it")
            .and_at(session.turn.began, "the work began here")
            .help("report `idle` with the stop reason `cancelled` first")
            .once_per(id)
            .into(),
    )
}

fn spoke(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let id = call.session_id()?;
    if call.sender != Some(Side::Agent) || call.method.starts_with("_") {
        return None;
    }
    let session = connection.session(id)?;
    let archived = session.info.archived.filter(|archived| archived.was_open)?;
    let is_over = session.closed.is_none() && !session.is_replaying();
    is_over.then(|| {
        Finding::new(format!("the agent sends something for session `{id}` after archiving it"))
            .at(id, "archived, and so closed")
            .at(archived.mark.at, "archived here")
            .once_per(&*id.as_cow())
            .into()
    })
}
