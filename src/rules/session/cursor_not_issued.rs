use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "session/cursor-not-issued",
    summary: "a page is requested with a cursor that the agent never sent",
    level: By::both(Level::Must),
    severity: By::each(Severity::Warning, Severity::Error),
    binds: Bound::Client,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::HEAD),
    needs: &[Loss::AnswersOf(Side::Agent)],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-list#pagination"),
            requires: "cursors come from the agent; clients do not read or keep them",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/session-list#pagination"),
            requires: "cursors come from the agent and are sent back unchanged",
        },
    ],
    requirements: &["session.cursor-opaque"],
    explanation: r"
A cursor means something only to the agent that made it, on the same connection. If the client made
it up or kept it from an earlier connection, the result is an error or the wrong page.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Initialized,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/list","params":{"cursor":"page-2"}}
{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Refused"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":1,"result":{"sessions":[],"nextCursor":"p2"}}
{"jsonrpc":"2.0","id":2,"method":"session/list","params":{"cursor":"p2"}}
{"jsonrpc":"2.0","id":2,"result":{"sessions":[]}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Initialized,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/list","params":{"cursor":"page-2"}}
{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Refused"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":1,"result":{"sessions":[],"nextCursor":""}}
{"jsonrpc":"2.0","id":2,"method":"session/list","params":{"cursor":""}}
{"jsonrpc":"2.0","id":2,"result":{"sessions":[]}}"#,
        ),
    ],
    on: &[On::Call(&["session/list"], check)],
    variants: &[
        (Severity::Info, "on version 1 where a line cannot be read"),
        (Severity::Warning, "on version 2 where a line cannot be read"),
    ],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let cursor = call.param("cursor")?.text()?;
    let session_lists = &connection.session_lists;
    if session_lists.cursor(&cursor.as_cow()).is_some() {
        return Some(Verdict::Pass);
    }
    if connection.has_gaps() {
        return None; // The page may be there.
    }
    let finding = Finding::new(format!("the agent never sent the cursor `{cursor}`"))
        .at(cursor, "no page had this `nextCursor`")
        .and_at(session_lists.last, "the last cursor from the agent");
    // The cursor may be in a line that could not be read.
    Some(
        match (connection.lost_to(Some(Side::Client)), connection.version()) {
            (0, _) => finding,
            (_, Some(Version::V2)) => finding.as_severity(Severity::Warning),
            _ => finding.as_severity(Severity::Info),
        }
        .into(),
    )
}
