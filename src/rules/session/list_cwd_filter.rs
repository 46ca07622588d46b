use crate::{
    model::RequestFacts,
    rule::prelude::*,
    rules::{
        paths,
        session::directories::{self, Likeness},
    },
};

pub(crate) static RULE: Rule = Rule {
    id: "session/list-cwd-filter",
    summary: "a listed session does not match the requested working directory",
    level: By::each(Level::Derived, Level::Must),
    severity: By::each(Severity::Warning, Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-list#listing-sessions"),
            requires: "`cwd` limits the list to sessions of that directory",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("ListSessionsRequest"),
            requires: "`cwd` limits the list to sessions of that directory",
        },
    ],
    requirements: &["session.list-cwd"],
    explanation: r"
A client that asks for the sessions of a project shows the result under that project. So sessions of
other projects appear there, and resuming one runs it in the wrong place.
",
    tck: &["LIST-203"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"list":{},"delete":{}}},"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/list","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessions":[{"sessionId":"x","cwd":"/other"}]}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"list":{},"delete":{}}},"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/list","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessions":[{"sessionId":"x","cwd":"/work"}]}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/list","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessions":[{"sessionId":"x","cwd":"/other"}]}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/list","params":{"cwd":"/work/"}}
{"jsonrpc":"2.0","id":1,"result":{"sessions":[{"sessionId":"x","cwd":"/work"}]}}"#,
        ),
    ],
    on: &[On::Answer(&["session/list"], check)],
    variants: &[(Severity::Warning, "where only upper and lower case differ")],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let RequestFacts::List(query) = &answer.request.facts else { return None };
    let (filter, at) = query.cwd.as_ref().filter(|(filter, _)| paths::is_absolute(filter))?;
    let sessions = answer.result()?.get("sessions")?;
    let cwds = sessions.elements().filter_map(|entry| entry.get("cwd")?.text());
    // `session/relative-path` reports the others.
    let cwds = cwds.filter(|cwd| paths::is_absolute(&cwd.as_cow()));
    let strays = cwds.filter_map(|cwd| {
        let likeness = directories::compare(filter, &cwd.as_cow());
        if likeness == Likeness::Same {
            return None;
        }
        let finding = Finding::new(format!(
            "a session of `{cwd}` is listed, but the client asked for `{filter}`"
        ))
        .at(cwd, "another directory")
        .at(*at, "the filter")
        .once_per(&**filter);
        let is_doubtful =
            likeness == Likeness::SameButSpelling && connection.version() == Some(Version::V2);
        Some(finding.as_severity_if(is_doubtful, Severity::Warning))
    });
    Some(strays.collect())
}
