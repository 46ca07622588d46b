use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "session/title-overwritten",
    summary: "the agent replaces a title that the client has set",
    level: By::both(Level::ShouldNot),
    severity: By::both(Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::UNSTABLE,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("SetSessionTitleRequest"),
        requires: "a generated title does not replace the user's title",
    }],
    requirements: &["session.title-kept"],
    explanation: r"
Users name a session to find it again. A generated title that comes later destroys that name.
Another client of the session may have renamed it, so this is only an info.
",
    examples: &[Example::new(
        Surface::V2Unstable,
        Opening::Session,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/set_title","params":{"sessionId":"s","title":"Mine"}}
{"jsonrpc":"2.0","id":2,"result":{"title":"Mine"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"session_info_update","title":"Generated"}}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/set_title","params":{"sessionId":"s","title":"Mine"}}
{"jsonrpc":"2.0","id":2,"result":{"title":"Mine"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"session_info_update","title":"Mine"}}}"#,
    )],
    on: &[On::Update(&["session_info_update"], check)],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let title = update.update.get("title")?.text()?;
    let session = connection.session(update.session_id)?;
    let (own, at) = session.info.title.as_ref()?;
    let id = update.session_id.as_cow();
    let mut renaming = connection.rpc.perhaps_open_in(&id, Side::Client, "session/set_title");
    if title == **own || renaming.next().is_some() {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new(format!("the client's title `{own}` is replaced by `{title}`"))
            .at(title, "the new title")
            .at(*at, "set by the client")
            .once_per(&*update.session_id.as_cow())
            .into(),
    )
}
