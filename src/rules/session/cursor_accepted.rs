use crate::{model::RequestFacts, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "session/cursor-accepted",
    summary: "a page is returned for a cursor that no page had",
    level: By::both(Level::Should),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::HEAD),
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-list#pagination"),
            requires: "an agent answers an invalid cursor with an error",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/session-list#pagination"),
            requires: "an agent answers an invalid cursor with an error",
        },
    ],
    requirements: &["session.cursor-refused"],
    explanation: r"
The client believes that it has the page that it asked for. If the agent starts again from the
beginning, the client lists sessions twice, or never reaches the end.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Initialized,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/list","params":{"cursor":"page-2"}}
{"jsonrpc":"2.0","id":1,"result":{"sessions":[]}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/list","params":{"cursor":"page-2"}}
{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Unknown cursor"}}"#,
        )
        .beside(&["session/cursor-not-issued"]),
        Example::new(
            Surface::V2,
            Opening::Initialized,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/list","params":{"cursor":"page-2"}}
{"jsonrpc":"2.0","id":1,"result":{"sessions":[]}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/list","params":{"cursor":"page-2"}}
{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Unknown cursor"}}"#,
        )
        .beside(&["session/cursor-not-issued"]),
    ],
    on: &[On::Answer(&["session/list"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let RequestFacts::List(query) = &answer.request.facts else { return None };
    let (cursor, at) = query.cursor.as_ref()?;
    if connection.session_lists.cursor(cursor).is_some()
        || connection.lost_to(Some(Side::Agent)) > 0
    {
        return None;
    }
    let finding = answer.result().map(|result| {
        Finding::new(format!("a page is returned for the cursor `{cursor}`, which no page had"))
            .at(result, "accepted")
            .at(*at, "the agent never sent this cursor")
            .help("answer a cursor that is not yours with an error")
            .once_per(&**cursor)
    });
    Some(finding.into())
}
