use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "session/list-continue-after-end",
    summary: "the client requests a page again",
    level: By::both(Level::Must),
    severity: By::both(Severity::Info),
    binds: Bound::Client,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-list#pagination"),
            requires: "a page without `nextCursor` is the last",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/session-list#pagination"),
            requires: "a page without `nextCursor` is the last",
        },
    ],
    requirements: &["session.page-end"],
    explanation: r"
The client already has this page. An agent sends the same sessions again, or an error. Clients that
loop like this show sessions twice.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Initialized,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":1,"result":{"sessions":[],"nextCursor":"p2"}}
{"jsonrpc":"2.0","id":2,"method":"session/list","params":{"cursor":"p2"}}
{"jsonrpc":"2.0","id":2,"result":{"sessions":[]}}
{"jsonrpc":"2.0","id":3,"method":"session/list","params":{"cursor":"p2"}}
{"jsonrpc":"2.0","id":3,"result":{"sessions":[]}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":1,"result":{"sessions":[],"nextCursor":"p2"}}
{"jsonrpc":"2.0","id":2,"method":"session/list","params":{"cursor":"p2"}}
{"jsonrpc":"2.0","id":2,"result":{"sessions":[]}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Initialized,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":1,"result":{"sessions":[],"nextCursor":"p2"}}
{"jsonrpc":"2.0","id":2,"method":"session/list","params":{"cursor":"p2"}}
{"jsonrpc":"2.0","id":2,"result":{"sessions":[]}}
{"jsonrpc":"2.0","id":3,"method":"session/list","params":{"cursor":"p2"}}
{"jsonrpc":"2.0","id":3,"result":{"sessions":[]}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":1,"result":{"sessions":[],"nextCursor":"p2"}}
{"jsonrpc":"2.0","id":2,"method":"session/list","params":{"cursor":"p2"}}
{"jsonrpc":"2.0","id":2,"result":{"sessions":[]}}"#,
        ),
    ],
    on: &[On::Call(&["session/list"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let text = call.param("cursor")?.text()?;
    let cursor = connection.session_lists.cursor(&text.as_cow())?;
    Some(Verdict::from(cursor.used.map(|used| {
        Finding::new(format!("the page of cursor `{text}` is requested again"))
            .at(text, "this cursor was used before")
            .at(used, "its page was sent here")
    })))
}
