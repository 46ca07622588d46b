use std::sync::Arc;

use crate::{
    rule::prelude::*,
    rules::session::directories::{self, Likeness},
};

pub(crate) static RULE: Rule = Rule {
    id: "session/cwd-mismatch",
    summary: "a session is loaded or resumed with another working directory",
    level: By::each(Level::Derived, Level::Must),
    severity: By::each(Severity::Warning, Severity::Error),
    binds: Bound::Client,
    surfaces: Surfaces::ALL,
    editions: By::each(Editions::ALL, Editions::since(Edition::November2026)),
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-setup#additional-workspace-roots"),
            requires: "the working directory of the request is that of the session",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("ResumeSessionRequest"),
            requires: "`cwd` is the working directory of the session",
        },
    ],
    requirements: &["session.send-cwd"],
    explanation: r"
A session keeps one working directory: its paths, permissions and memory depend on it. With another
one the agent refuses the request. Or it silently keeps the old one, and the client shows the new
one.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/load","params":{"sessionId":"s","cwd":"/other","mcpServers":[]}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Refused"}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/load","params":{"sessionId":"s","cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":2,"result":{}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/resume","params":{"sessionId":"s","cwd":"/other"}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Refused"}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/resume","params":{"sessionId":"s","cwd":"/work/"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
{"jsonrpc":"2.0","id":2,"result":{}}"#,
        ),
    ],
    on: &[On::Call(methods::ATTACH_SESSION, check)],
    variants: &[(Severity::Warning, "where both may be the same folder")],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let id = call.session_id()?;
    let cwd = call.param("cwd")?.text()?;
    let home = connection.session(id).and_then(|session| session.home.as_ref());
    let (path, given) = if let Some(home) = home {
        (Arc::clone(&home.path), Mark::from(home.at))
    } else {
        let Some(origin) = connection.origin(call) else { return Some(Verdict::NotAssessable) };
        let (path, place) = origin.home?;
        (path, place.into())
    };
    let likeness = directories::compare(&path, &cwd.as_cow());
    if likeness == Likeness::Same {
        return Some(Verdict::Pass);
    }
    let finding =
        Finding::new(format!("session `{id}` is loaded or resumed with another working directory"))
            .at(cwd, "requested here")
            .at(given, format!("the session works in `{path}`"));
    let is_doubtful = likeness > Likeness::Different && connection.version() == Some(Version::V2);
    Some(finding.as_severity_if(is_doubtful, Severity::Warning).into())
}
