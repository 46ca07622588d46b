use crate::{model::Session, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "session/fork-cursor-unknown",
    summary: "the client forks at a cursor that the session does not offer",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Client,
    surfaces: Surfaces::UNSTABLE,
    gates: By::both(Gates::HEAD),
    editions: By::both(Editions::since(Edition::LateNovember2026)),
    cites: &[
        Citation {
            version: None,
            source: SourceText::Definition("ForkSessionRequest.cursorId"),
            requires: "a fork names a cursor of the session that now allows it",
        },
        Citation {
            version: None,
            source: SourceText::Definition("CursorId"),
            requires: "the client uses cursor ids as they came",
        },
    ],
    requirements: &["session.fork-cursor", "session.cursor-id-opaque"],
    explanation: r"
The agent refuses the fork. Cursor ids come from `cursor_update`, and an update can take the
permission to fork away again.
",
    examples: &[Example::new(
        Surface::V2Unstable,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"fork":{}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"cursor_update","cursorId":"c1","anchor":{"type":"user_message","messageId":"u1","position":"before"},"capabilities":{"fork":{}}}}}
{"jsonrpc":"2.0","id":2,"method":"session/fork","params":{"sessionId":"s","cwd":"/work","cursorId":"c7"}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"No such cursor"}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"fork":{}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"cursor_update","cursorId":"c1","anchor":{"type":"user_message","messageId":"u1","position":"before"},"capabilities":{"fork":{}}}}}
{"jsonrpc":"2.0","id":2,"method":"session/fork","params":{"sessionId":"s","cwd":"/work","cursorId":"c1"}}
{"jsonrpc":"2.0","id":2,"result":{"sessionId":"t"}}"#,
    )],
    on: &[On::Call(&["session/fork"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let id = call.param("cursorId")?.text()?;
    let session = connection.session(call.session_id()?)?;
    let finding =
        Finding::new(format!("the client forks at the cursor `{id}`, which is not offered"));
    let Some(cursor) = session.info.cursors.get(id) else {
        return is_complete(session, Side::Client, connection)
            .then(|| finding.at(id, "never announced for this session"))
            .map(|finding| finding.about(&["session.cursor-id-opaque"]).into());
    };
    if cursor.may_fork {
        return Some(Verdict::Pass);
    }
    // The update that takes the fork away may cross the request.
    if cursor.might_fork && cursor.number > connection.last_of(Side::Client) {
        return None;
    }
    Some(
        finding
            .at(id, "no fork is allowed there")
            .at(cursor.at, "the last update of its capabilities")
            .help("fork only at cursors with the capability `fork`")
            .about(&["session.fork-cursor"])
            .into(),
    )
}

/// Whether all cursors of the session are on record, so that an unknown one can be reported as the
/// fault of `side`.
pub(in crate::rules) fn is_complete(
    session: &Session,
    side: Side,
    connection: &Connection,
) -> bool {
    session.is_fully_recorded() && connection.lost_to(Some(side)) == 0
}
