use crate::{model::RequestFacts, rule::prelude::*, rules::capability::needs};

pub(crate) static RULE: Rule = Rule {
    id: "session/archive-filter-violated",
    summary: "a listed session does not match the archive filter",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::UNSTABLE,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("SessionArchiveFilter"),
        requires: "the filter decides whether archived sessions are listed; without it they are \
                   not",
    }],
    requirements: &["session.archive-filter"],
    explanation: r"
The client shows what it gets as what it asked for. So an archived session appears among the others,
or a session in use appears in the archive, where the user does not look for it.
",
    examples: &[Example::new(
        Surface::V2Unstable,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"archive":{}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/list","params":{"archived":"only"}}
{"jsonrpc":"2.0","id":1,"result":{"sessions":[{"sessionId":"a","cwd":"/work","archived":false}]}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"archive":{}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/list","params":{"archived":"include"}}
{"jsonrpc":"2.0","id":1,"result":{"sessions":[{"sessionId":"a","cwd":"/work","archived":false},{"sessionId":"b","cwd":"/work","archived":true}]}}"#,
    )],
    on: &[On::Answer(&["session/list"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let RequestFacts::List(query) = &answer.request.facts else { return None };
    let sessions = answer.result()?.get("sessions")?;
    if !needs::archives(connection).is_in(connection.agent_capabilities()?) {
        return None;
    }
    let filter = query.archived.as_ref();
    let unwanted = match filter.map_or("exclude", |(filter, _)| filter) {
        "exclude" => true,
        "only" => false,
        _ => return Some(Verdict::Pass),
    };
    let states = sessions.elements().filter_map(|entry| entry.get("archived"));
    let wrong = states.filter(|state| state.boolean() == Some(unwanted));
    Some(
        wrong
            .map(|state| {
                let what =
                    if unwanted { "an archived session" } else { "a session that is not archived" };
                Finding::new(format!("{what} is listed although the filter excludes it"))
                    .at(state, "excluded by the filter")
                    .at(filter.map_or(query.at, |(_, at)| *at), "the filter")
                    .once_per("filter")
            })
            .collect(),
    )
}
