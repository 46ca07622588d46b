use crate::{model::session::cursors, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "session/cursor-anchor-changed",
    summary: "a cursor moves to another place",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::UNSTABLE,
    editions: By::both(Editions::since(Edition::LateNovember2026)),
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("CursorUpdate.anchor"),
        requires: "the anchor of a cursor stays as it was reported first",
    }],
    requirements: &["session.cursor-anchor-fixed", "session.cursor-id-once"],
    explanation: r"
The client has shown the user a place where the session can be forked. If the cursor moves, the fork
begins somewhere else. A new place is a new cursor.
",
    examples: &[Example::new(
        Surface::V2Unstable,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"fork":{}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"cursor_update","cursorId":"c1","anchor":{"type":"user_message","messageId":"u1","position":"before"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"cursor_update","cursorId":"c1","anchor":{"type":"user_message","messageId":"u1","position":"after"}}}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"fork":{}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"cursor_update","cursorId":"c1","anchor":{"type":"user_message","messageId":"u1","position":"before"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"cursor_update","cursorId":"c1","anchor":{"type":"user_message","messageId":"u1","position":"before"}}}}"#,
    )],
    on: &[On::Update(&["cursor_update"], check)],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let id = update.update.get("cursorId")?.text()?;
    let place = cursors::place(update.update)?;
    let session = connection.session(update.session_id)?;
    let (first, at) = session.info.cursors.get(id)?.place?;
    let finding = (cursors::digest(place) != first).then(|| {
        Finding::new(format!("cursor `{id}` moves to another place"))
            .at(place, "differs")
            .at(at, "the first anchor")
            .help("report a new place under a new cursor id")
            .once_per((&*update.session_id.as_cow(), &*id.as_cow()))
    });
    Some(finding.into())
}
