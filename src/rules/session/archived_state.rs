use crate::{
    map::Set,
    model::{
        RequestFacts, Session, SessionOrigin, connection::rpc::LOOKED_AT, request::query::ListQuery,
    },
    rule::prelude::*,
    rules::codes,
};

pub(crate) static RULE: Rule = Rule {
    id: "session/archived-state",
    summary: "a listing contradicts an earlier archive or unarchive",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::UNSTABLE,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[
        Citation {
            version: None,
            source: SourceText::Definition("ArchiveSessionRequest"),
            requires: "an archived session disappears from normal lists; archiving it again \
                       succeeds",
        },
        Citation {
            version: None,
            source: SourceText::Definition("UnarchiveSessionRequest"),
            requires: "an unarchived session is listed again",
        },
    ],
    explanation: r"
The user has archived the session, and it is still there. Archiving it again fails or does nothing,
and the list never gets shorter.
",
    examples: &[Example::new(
        Surface::V2Unstable,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"archive":{}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"method":"session/archive","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"result":{}}
{"jsonrpc":"2.0","id":3,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":3,"result":{"sessions":[{"sessionId":"s","cwd":"/work","archived":false}]}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"archive":{}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"method":"session/archive","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"result":{}}
{"jsonrpc":"2.0","id":3,"method":"session/list","params":{"archived":"include"}}
{"jsonrpc":"2.0","id":3,"result":{"sessions":[{"sessionId":"s","cwd":"/work","archived":true}]}}"#,
    )],
    on: &[
        On::Answer(&["session/list"], listed),
        On::Answer(&["session/archive"], archived),
        On::Update(&[], updated),
    ],
    ..Rule::DEFAULT
};

fn listed(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let RequestFacts::List(query) = &answer.request.facts else { return None };
    let sessions = answer.result()?.get("sessions")?;
    // The condition: a session was archived or unarchived. Looks at a few, since lists may be asked for
    // often.
    let is_known = |session: &Session| session.info.archived.is_some();
    let is_met = connection.sessions().take(LOOKED_AT).any(|(_, session)| is_known(session));
    if query.archived.as_ref().is_some_and(|(filter, _)| &**filter != "exclude") {
        return is_met.then_some(Verdict::Pass);
    }
    let ghosts = sessions.elements().filter_map(|entry| {
        let id = entry.get("sessionId")?.text()?;
        let archived = connection.session(id)?.info.archived?;
        let is_stale = archived.is_archived && answer.request.number > archived.mark.number;
        let is_told = entry.get("archived").and_then(Node::boolean) == Some(true);
        (is_stale && !is_told).then(|| {
            Finding::new(format!("session `{id}` is listed as not archived, but it was archived"))
                .at(id, "listed")
                .at(archived.mark.at, "archived here")
                .once_per(&*id.as_cow())
        })
    });
    let ghosts: Vec<_> = ghosts.collect();
    let missing = missing(answer, query, sessions, connection);
    let found: Verdict = ghosts.into_iter().chain(missing).collect();
    (is_met || matches!(found, Verdict::Fail(_))).then_some(found)
}

/// The findings for unarchived sessions that are missing in a list of a single page.
fn missing<'c>(
    answer: &Answer<'_>,
    query: &ListQuery,
    sessions: Node<'_>,
    connection: &'c Connection,
) -> impl Iterator<Item = Finding> + use<'c> {
    let next = answer.result().and_then(|result| result.get("nextCursor"));
    let is_whole = query.cursor.is_none() && next.is_none_or(Node::is_null);
    let ids =
        sessions.elements().filter_map(|entry| Some(entry.get("sessionId")?.text()?.to_boxed()));
    let listed: Set<Box<str>> = if is_whole { ids.collect() } else { Set::default() };
    let cwd = query.cwd.as_ref().map(|(cwd, _)| cwd.clone());
    let asked = answer.request.number;
    let list = Mark::from(sessions);
    let known = is_whole.then(|| connection.unarchived());
    known.into_iter().flatten().filter_map(move |(id, session)| {
        let back = session.info.archived.filter(|archived| !archived.is_archived)?;
        let home = session.home.as_ref().map(|home| &*home.path);
        let is_meant = cwd.is_none() || cwd.as_deref() == home;
        let is_due = back.mark.number < asked && session.info.deleted.is_none() && is_meant;
        (is_due && !listed.contains(id)).then(|| {
            Finding::new(format!("session `{id}` is not listed, but it was unarchived"))
                .at(list.clone(), "not in this list")
                .at(back.mark.at, "unarchived here")
                .once_per(("missing", id))
        })
    })
}

/// Checks that no update comes for a session between its restoring from the archive and its next
/// opening.
fn updated(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let id = update.session_id;
    let session = connection.session(id).filter(|_| connection.head_is_complete())?;
    let back = session.info.archived.filter(|archived| !archived.is_archived)?;
    let is_closed =
        session.shelved || matches!(session.origin, SessionOrigin::Listed | SessionOrigin::Assumed);
    // session/status-side-effect
    if !is_closed
        || session.is_replaying()
        || session.closed.is_some()
        || session.info.probed.is_some()
    {
        return None;
    }
    Some(
        Finding::new(format!("session `{id}` is updated, but it was only unarchived"))
            .at(id, "the client has not opened this session")
            .at(back.mark.at, "unarchived here")
            .once_per(("updated", &*id.as_cow()))
            .into(),
    )
}

fn archived(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let id = answer.request.session_id.as_deref()?;
    let archived = connection.session_named(id)?.info.archived.filter(|found| found.is_archived)?;
    let Some(code) = answer.error_code() else { return Some(Verdict::Pass) };
    (!codes::is_unrelated_to_params(code)).then(|| {
        Finding::new(format!("archiving session `{id}` fails because it is already archived"))
            .at(answer.node, "must succeed")
            .at(archived.mark.at, "archived here")
            .into()
    })
}
