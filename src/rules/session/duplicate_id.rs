use crate::{
    model::{Session, SessionOrigin},
    rule::prelude::*,
};

pub(crate) static RULE: Rule = Rule {
    id: "session/duplicate-id",
    summary: "a new session gets the id of an existing one",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    gates: By::each(Gates::ORIGIN, Gates::HEAD),
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-setup#creating-a-session"),
            requires: "the result has a new, unique session id",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/session-setup#creating-a-session"),
            requires: "the result has a new, unique session id",
        },
    ],
    requirements: &["session.unique-id"],
    explanation: r"
From now on the client cannot tell to which of the two conversations a message belongs. Clients
overwrite the first with the second, or mix both in one window.
",
    tck: &["SESSION-002"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":2,"result":{"sessionId":"t"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/close","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"result":{}}
{"jsonrpc":"2.0","id":3,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":3,"result":{"sessionId":"s"}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":2,"result":{"sessionId":"t"}}"#,
        ),
    ],
    on: &[On::Answer(methods::CREATE_SESSION, check)],
    variants: &[(
        Severity::Warning,
        "on version 1, where another process of `drive` has the other session, or another recording with `--story one`",
    )],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let id = answer.result()?.get("sessionId")?.text()?;
    if let Some(place) = connection.stories.older(&id.as_cow())
        && connection.session(id).is_none()
    {
        let is_version_1 = connection.version() == Some(Version::V1);
        return Some(
            finding(id)
                .at(place, "the other session, which a later process still had")
                .as_severity_if(is_version_1, Severity::Warning)
                .into(),
        );
    }
    // The first session has an id that no other has.
    connection.sessions().next()?;
    let is_taken = |session: &&Session| {
        if connection.version() == Some(Version::V1) {
            let is_over = session.closed.is_some() || session.info.deleted.is_some();
            return session.is_fully_recorded() && !is_over;
        }
        match session.origin {
            // The list may already have the session that is being created.
            SessionOrigin::Listed => session.first_number < answer.request.number,
            SessionOrigin::Early | SessionOrigin::Assumed => false,
            _ => true,
        }
    };
    let Some(session) = connection.session(id).filter(is_taken) else { return Some(Verdict::Pass) };
    Some(finding(id).at(session.born.unwrap_or(session.first), "the other session").into())
}

fn finding(id: Text<'_>) -> Finding {
    Finding::new(format!("a new session gets the id `{id}`, which another session has"))
        .at(id, "the new session")
}
