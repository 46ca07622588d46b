use crate::{map::Map, model::RequestFacts, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "session/list-duplicate-session",
    summary: "a list has the same session twice",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("SessionInfo"),
        requires: "the id identifies the session",
    }],
    explanation: r"
The user sees one conversation twice and cannot know that it is the same. A session may move to
another page while the client reads the list. But within one page this is always a mistake.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"list":{},"delete":{}}},"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":1,"result":{"sessions":[{"sessionId":"a","cwd":"/work"},{"sessionId":"a","cwd":"/work"}]}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"list":{},"delete":{}}},"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":1,"result":{"sessions":[{"sessionId":"a","cwd":"/work"},{"sessionId":"b","cwd":"/work"}]}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":1,"result":{"sessions":[{"sessionId":"a","cwd":"/work"},{"sessionId":"a","cwd":"/work"}]}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":1,"result":{"sessions":[{"sessionId":"a","cwd":"/work"},{"sessionId":"b","cwd":"/work"}]}}"#,
        ),
    ],
    on: &[On::Answer(&["session/list"], check)],
    variants: &[(Severity::Info, "where it is on an earlier page")],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let sessions = answer.result()?.get("sessions").filter(|sessions| sessions.is_array())?;
    // A session alone in the first page stands beside none.
    let is_further =
        matches!(&answer.request.facts, RequestFacts::List(query) if query.cursor.is_some());
    if sessions.elements().nth(1).is_none() && !is_further {
        return None;
    }
    let mut first = Map::default();
    let ids = sessions.elements().filter_map(|entry| entry.get("sessionId")?.text());
    let twins = ids.filter_map(|id| {
        let earlier = *first.entry(id.as_cow()).or_insert(id.node());
        let finding = |first: Mark| {
            Finding::new(format!("a list has session `{id}` twice"))
                .at(id, "the second time")
                .at(first, "the first time")
        };
        if earlier.span() != id.node().span() {
            return Some(finding(earlier.into()));
        }
        let RequestFacts::List(query) = &answer.request.facts else { return None };
        let cursor = &query.cursor.as_ref()?.0;
        // `session/list-cursor-loop` reports a page that leads to itself.
        let is_loop = answer.result()?.get("nextCursor").is_some_and(|next| next.is(cursor));
        let is_repeated = is_loop
            || connection.session_lists.cursor(cursor).is_some_and(|cursor| cursor.used.is_some());
        let earlier = connection.session_lists.listed_before(query, id).filter(|_| !is_repeated)?;
        Some(finding(earlier.into()).as_severity(Severity::Info))
    });
    Some(twins.collect())
}
