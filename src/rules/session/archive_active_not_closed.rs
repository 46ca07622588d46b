use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "session/archive-active-not-closed",
    summary: "an active session is archived without being closed",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::UNSTABLE,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("ArchiveSessionRequest"),
        requires: "archiving a session in use closes it first",
    }],
    requirements: &["session.archive-closes"],
    explanation: r"
Archiving closes a session: its work is cancelled and reported as cancelled, and the agent sends
nothing more for it. If work goes on in an archived session, the user does not see it and cannot
answer its questions.
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
    if connection.version() != Some(Version::V2) {
        return Some(prompted(id, answer, connection).into());
    }
    if !session.activity.is_active() {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new(format!("session `{id}` is archived while its work goes on"))
            .at(answer.node, "confirmed")
            .at(answer.request.at, "the client archives it")
            .and_at(session.turn.began, "the work began here")
            .help("report `idle` with the stop reason `cancelled` first")
            .once_per(id)
            .into(),
    )
}

/// The finding for a prompt of version 1 that came before the session was archived and has no
/// answer; `None` where there is none.
fn prompted(id: &str, answer: &Answer<'_>, connection: &Connection) -> Option<Finding> {
    let mut open = connection.rpc.open_in(id, Side::Client, "session/prompt");
    let prompt = open.find(|prompt| prompt.number < answer.request.number)?;
    Some(
        Finding::new(format!("session `{id}` is archived while its prompt is open"))
            .at(answer.node, "confirmed while the prompt is open")
            .at(answer.request.at, "the client archives it")
            .at(prompt.at, "the prompt")
            .help("answer the prompt with the stop reason `cancelled` first")
            .once_per(id),
    )
}

/// Checks on version 2 that the agent sends nothing more for a session that was active when the
/// client archived it.
fn spoke(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let id = call.session_id()?;
    let is_v2 = connection.version() == Some(Version::V2);
    if !is_v2 || call.sender != Some(Side::Agent) || call.method.starts_with("_") {
        return None;
    }
    let session = connection.session(id)?;
    let archived = session.info.archived.filter(|archived| archived.was_open)?;
    let is_over = session.closed.is_none() && !session.is_replaying();
    is_over.then(|| {
        Finding::new(format!("the agent sends a message for session `{id}` after archiving it"))
            .at(id, "archived, so it is closed")
            .at(archived.mark.at, "archived here")
            .once_per(&*id.as_cow())
            .into()
    })
}
