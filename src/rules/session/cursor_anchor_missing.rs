use crate::{
    model::{SessionOrigin, session::cursors},
    rule::prelude::*,
};

pub(crate) static RULE: Rule = Rule {
    id: "session/cursor-anchor-missing",
    summary: "the first update of a cursor has no anchor",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::UNSTABLE,
    editions: By::both(Editions::since(Edition::LateNovember2026)),
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("CursorUpdate"),
        requires: "the first update of a cursor says where it is",
    }],
    requirements: &["session.cursor-anchor-first"],
    explanation: r"
A cursor is a place in the conversation. Without an anchor the client does not know where that is, so
it cannot offer to fork the session there.
",
    examples: &[Example::new(
        Surface::V2Unstable,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"fork":{}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"cursor_update","cursorId":"c1","capabilities":{"fork":{}}}}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"fork":{}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"cursor_update","cursorId":"c1","anchor":{"type":"user_message","messageId":"u1","position":"before"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"cursor_update","cursorId":"c1","capabilities":{"fork":{}}}}}"#,
    )],
    on: &[On::Update(&["cursor_update"], check)],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let id = update.update.get("cursorId")?.text()?;
    let session = connection.session(update.session_id)?;
    let is_placed = cursors::place(update.update).is_some();
    if is_placed || session.info.cursors.get(id).is_some() {
        return Some(Verdict::Pass);
    }
    // An earlier update may stand in another recording.
    let is_loaded = session.origin == SessionOrigin::Loaded && session.wants_history;
    if !(session.is_fully_recorded() || is_loaded) || connection.lost_to(Some(Side::Agent)) > 0 {
        return None;
    }
    Some(
        Finding::new(format!("cursor `{id}` is reported without its place"))
            .at(id, "its place was never given")
            .at(Mark::missing_in(update.update), "`anchor` is missing here")
            .help("send `anchor` with the first update of each cursor")
            .once_per((&*update.session_id.as_cow(), &*id.as_cow()))
            .into(),
    )
}
