use crate::{
    model::{Session, SessionOrigin},
    rule::prelude::*,
    rules::{capability::needs, named, subagent::announcement},
};

pub(crate) static RULE: Rule = Rule {
    id: "session/unknown-id",
    summary: "a message names a session that does not exist on this connection",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Sender,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::HEAD.with(Gates::INITIALIZED)),
    needs: &[Loss::AnswersOf(Side::Agent)],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-setup#session-id"),
            requires: "messages name a session by the id from the answer that set it up",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/session-setup#session-id"),
            requires: "messages name a session by the id from the answer that set it up",
        },
    ],
    requirements: &["session.call-to-attach", "session.open-elsewhere"],
    explanation: r"
`session/new`, `session/load`, `session/resume` or `session/fork` sets up a session, or another
session announces it as its subagent. A message with any other id is lost: agents answer with an
error, and clients drop it. Usually two sessions or processes were mixed up, or the id comes from an
earlier connection.
",
    tck: &["PROMPT-205", "INFO-UNKNOWNSESSION-001"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"t","update":{"sessionUpdate":"session_info_update","title":"Tidy"}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"session_info_update","title":"Tidy"}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"t","update":{"sessionUpdate":"session_info_update","title":"Tidy"}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"session_info_update","title":"Tidy"}}}"#,
        ),
    ],
    on: &[
        On::Call(&[], named),
        On::Answer(methods::CREATE_SESSION, created),
        On::Answer(methods::ATTACH_SESSION, attached),
        On::End(ended),
    ],
    variants: &[
        (Severity::Info, "for `session/close` on version 2, or where a line cannot be read"),
        (Severity::Warning, "where the session was only listed"),
    ],
    ..Rule::DEFAULT
};

/// What each verdict of this rule is about.
const ATTACH: &[&str] = &["session.call-to-attach"];

const BEFORE_AGREEMENT: &str = "named before the connection was initialized";

fn named(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let verdict = called(call, connection)?;
    let session = connection.session(call.session_id()?);
    let is_listed = session.is_some_and(|session| session.origin == SessionOrigin::Listed);
    let is_born_here = session.is_some_and(Session::is_fully_recorded);
    Some(verdict.about(if is_listed {
        &["session.call-to-attach", "session.open-elsewhere"]
    } else if is_born_here {
        &[]
    } else {
        ATTACH
    }))
}

fn called(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let id = call.session_id().filter(|id| !id.is_empty())?;
    if call.method != "session/update" {
        let method = call.method.as_cow();
        if method.starts_with(['_', '$']) || methods::NAME_STORED_SESSION.contains(&&*method) {
            return None;
        }
    }
    let Some(session) = connection.session(id) else {
        // A response without an id may have created it.
        if connection.rpc.has_unnamed_answer_to(call.sender) {
            return None;
        }
        // An agent that advertises no sessions must not name one.
        if connection.version() == Some(Version::V2) && needs::agent_lacks_sessions(connection) {
            return None;
        }
        // The session that is being created may send updates before the response that names it.
        let awaited = call.sender != Some(Side::Client)
            && connection.rpc.may_wait_for(Side::Client, methods::CREATE_SESSION);
        if awaited {
            return None;
        }
        if call.sender == Some(Side::Agent) && announcement::is_expected(connection) {
            return None;
        }
        let known = named::first(connection.sessions().take(3).map(|(id, _)| id));
        let finding = Finding::new(format!("session `{id}` does not exist on this connection"))
            .at(id, "no `session/new`, `load`, `resume` or `fork` has this id")
            .help(match &*known {
                "" => "no session has been set up so far".to_owned(),
                known => format!("sessions so far: {known}"),
            })
            .once_per(&*id.as_cow());
        let closes = call.method == "session/close" && connection.version() == Some(Version::V2);
        let finding = finding.as_severity_if(closes, Severity::Info);
        return Some(hedged(finding, call.sender, connection).into());
    };
    match session.origin {
        SessionOrigin::Listed if session.is_replaying() => None,
        SessionOrigin::Listed => Some(
            Finding::new(format!("session `{id}` is listed but was not set up on this connection"))
                .at(id, "named here")
                .at(session.first, "only listed here")
                .as_severity(Severity::Warning)
                .once_per(&*id.as_cow())
                .into(),
        )
        .filter(|_| connection.version() == Some(Version::V1)),
        SessionOrigin::Assumed | SessionOrigin::Early => None,
        _ => Some(Verdict::Pass),
    }
}

/// Checks sessions that were named before they existed. Runs at the answer to a request that
/// creates a session, when no other open request can explain the name.
fn created(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    if let Some(finding) = too_early(answer, connection) {
        return Some(Verdict::from(finding).about(ATTACH));
    }
    if connection.rpc.may_wait_for(Side::Client, methods::CREATE_SESSION) {
        return None;
    }
    connection.early_sessions().next()?;
    let born = answer.result().and_then(|result| result.get("sessionId")?.text());
    Some(unaccounted(connection, |id| born.is_some_and(|born| born == *id)).about(ATTACH))
}

/// Checks sessions that were named before the connection was initialized, and are attached later.
fn attached(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let id = answer.result().and(answer.request.session_id.as_deref())?;
    let session = connection.session_named(id)?;
    let is_early = session.origin == SessionOrigin::Assumed
        && announcement::is_awaited(session)
        && is_before_agreement(session, connection)
        && !is_before_initialize(session, connection);
    if !is_early {
        return None;
    }
    let finding = Finding::new(format!("session `{id}` does not exist on this connection"))
        .at(session.first, BEFORE_AGREEMENT)
        .at(answer.request.at, "attached only here")
        .help("name a session after it is set up")
        .blaming(session.first_sender)
        .once_per(id);
    Some(Verdict::from(hedged(finding, session.first_sender, connection)).about(ATTACH))
}

/// Checks, at the end of the connection, sessions that the agent has named but never announced.
fn ended(_: &End, connection: &Connection) -> Option<Verdict> {
    // An agent that advertises no sessions must not name one.
    if connection.version() == Some(Version::V2) && needs::agent_lacks_sessions(connection) {
        return None;
    }
    let is_expected = announcement::is_expected(connection);
    let awaited = |session: &Session| {
        let is_open = is_expected || is_before_agreement(session, connection);
        is_open
            && !is_before_initialize(session, connection)
            && session.origin == SessionOrigin::Assumed
            && announcement::is_awaited(session)
    };
    let unknown = connection.sessions().filter(|(_, session)| awaited(session));
    let findings = unknown.map(|(id, session)| {
        let finding = Finding::new(format!("session `{id}` does not exist on this connection"))
            .at(session.first, "not set up and not announced as a subagent")
            .blaming(session.first_sender)
            .once_per(id);
        hedged(finding, session.first_sender, connection)
    });
    Some(Verdict::all(findings.map(Verdict::from))?.about(ATTACH))
}

/// The finding for a session that the agent named before the client asked for it; `None` for other
/// sessions.
fn too_early(answer: &Answer<'_>, connection: &Connection) -> Option<Finding> {
    let id = answer.result()?.get("sessionId")?.text()?;
    let session = connection.session(id)?;
    let is_unexplained =
        session.origin == SessionOrigin::Assumed && announcement::is_awaited(session);
    let is_before_all = is_before_agreement(session, connection);
    let is_early = is_before_all || session.first.span().start < answer.request.at.span().start;
    if !is_unexplained || !is_early || is_before_initialize(session, connection) {
        return None;
    }
    let when =
        if is_before_all { BEFORE_AGREEMENT } else { "named before the request that creates it" };
    let finding = Finding::new(format!("session `{id}` does not exist on this connection"))
        .at(session.first, when)
        .at(id, "created only here")
        .help("create a session before you name it")
        .blaming(session.first_sender)
        .once_per(&*id.as_cow());
    Some(hedged(finding, session.first_sender, connection))
}

/// Whether the session was named before the answer to `initialize`.
fn is_before_agreement(session: &Session, connection: &Connection) -> bool {
    let agreed = connection.negotiation.answered.map(|(_, at)| at.span().start);
    agreed.is_some_and(|agreed| session.first.span().start < agreed)
}

/// Whether the session was named before `initialize` on version 2, which another rule reports.
fn is_before_initialize(session: &Session, connection: &Connection) -> bool {
    let asked = connection.negotiation.first.map(|at| at.span().start);
    connection.version() == Some(Version::V2)
        && asked.is_some_and(|asked| session.first.span().start < asked)
}

fn unaccounted(connection: &Connection, is_accounted: impl Fn(&str) -> bool) -> Verdict {
    connection
        .early_sessions()
        .filter(|(id, _)| !is_accounted(id))
        .map(|(id, session)| {
            let finding = Finding::new(format!("session `{id}` does not exist on this connection"))
                .at(session.first, "the session created meanwhile has another id")
                .blaming(session.first_sender)
                .once_per(id);
            hedged(finding, session.first_sender, connection)
        })
        .collect()
}

/// Lowers the severity of a finding about `side` to `Info` where messages were lost to it, one of
/// which may have created the session.
fn hedged(finding: Finding, side: Option<Side>, connection: &Connection) -> Finding {
    if connection.lost_to(side) == 0 {
        return finding;
    }
    finding
        .as_severity(Severity::Info)
        .help("this is a fault unless an unreadable part of the recording set up the session")
}
