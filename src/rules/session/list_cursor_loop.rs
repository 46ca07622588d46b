use crate::{model::RequestFacts, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "session/list-cursor-loop",
    summary: "a page has a cursor that was already used",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-list#pagination"),
            requires: "`nextCursor` leads to the next page",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/session-list#pagination"),
            requires: "`nextCursor` leads to the next page",
        },
    ],
    explanation: r"
A client that follows the cursors never comes to an end: it gets the same pages forever. Usually the
agent returns the cursor of the request instead of the next one.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Initialized,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":1,"result":{"sessions":[],"nextCursor":"p2"}}
{"jsonrpc":"2.0","id":2,"method":"session/list","params":{"cursor":"p2"}}
{"jsonrpc":"2.0","id":2,"result":{"sessions":[],"nextCursor":"p2"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":1,"result":{"sessions":[],"nextCursor":"p2"}}
{"jsonrpc":"2.0","id":2,"method":"session/list","params":{"cursor":"p2"}}
{"jsonrpc":"2.0","id":2,"result":{"sessions":[],"nextCursor":"p3"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Initialized,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":1,"result":{"sessions":[],"nextCursor":"p2"}}
{"jsonrpc":"2.0","id":2,"method":"session/list","params":{"cursor":"p2"}}
{"jsonrpc":"2.0","id":2,"result":{"sessions":[],"nextCursor":"p2"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":1,"result":{"sessions":[],"nextCursor":"p2"}}
{"jsonrpc":"2.0","id":2,"method":"session/list","params":{"cursor":"p2"}}
{"jsonrpc":"2.0","id":2,"result":{"sessions":[],"nextCursor":"p3"}}"#,
        ),
    ],
    on: &[On::Answer(&["session/list"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let RequestFacts::List(query) = &answer.request.facts else { return None };
    let next = answer.result()?.get("nextCursor")?.text()?;
    let earlier = connection.session_lists.leads_back(query, next);
    Some(Verdict::from(earlier.map(|earlier| {
        Finding::new(format!("the cursor `{next}` leads back to an earlier page of the same list"))
            .at(next, "already used")
            .at(earlier, "used here")
            .once_per("loop")
    })))
}
