use crate::{model::Anchor, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "session/cursor-filter-changed",
    summary: "the filter changes between two pages of one list",
    level: By::each(Level::Derived, Level::Must),
    severity: By::both(Severity::Warning),
    binds: Bound::Client,
    surfaces: Surfaces::ALL,
    editions: By::each(Editions::ALL, Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("ListSessionsRequest"),
        requires: "the filter stays the same from page to page",
    }],
    explanation: r"
The cursor continues the list that it comes from. With another filter the agent cannot know whether
to continue or to start again. Sessions are skipped or listed twice.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Initialized,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/list","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessions":[],"nextCursor":"p2"}}
{"jsonrpc":"2.0","id":2,"method":"session/list","params":{"cwd":"/other","cursor":"p2"}}
{"jsonrpc":"2.0","id":2,"result":{"sessions":[]}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/list","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessions":[],"nextCursor":"p2"}}
{"jsonrpc":"2.0","id":2,"method":"session/list","params":{"cwd":"/work","cursor":"p2"}}
{"jsonrpc":"2.0","id":2,"result":{"sessions":[]}}"#,
        ),
        Example::new(
            Surface::V2Unstable,
            Opening::Initialized,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/list","params":{"archived":"include"}}
{"jsonrpc":"2.0","id":1,"result":{"sessions":[],"nextCursor":"p2"}}
{"jsonrpc":"2.0","id":2,"method":"session/list","params":{"cursor":"p2"}}
{"jsonrpc":"2.0","id":2,"result":{"sessions":[]}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/list","params":{"archived":"include"}}
{"jsonrpc":"2.0","id":1,"result":{"sessions":[],"nextCursor":"p2"}}
{"jsonrpc":"2.0","id":2,"method":"session/list","params":{"archived":"include","cursor":"p2"}}
{"jsonrpc":"2.0","id":2,"result":{"sessions":[]}}"#,
        ),
    ],
    on: &[On::Call(&["session/list"], check)],
    variants: &[(Severity::Info, "for `cwd` on version 2")],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let cursor = call.param("cursor")?.text()?;
    let first = &connection.session_lists.cursor(&cursor.as_cow())?.query;
    let is_changed = |name, known: &Option<(Box<str>, Anchor)>| {
        call.param(name).and_then(Node::text).map(Text::as_cow)
            != known.as_ref().map(|(text, _)| text.as_ref().into())
    };
    let (name, known) = if is_changed("archived", &first.archived) {
        ("archived", &first.archived)
    } else if is_changed("cwd", &first.cwd) {
        ("cwd", &first.cwd)
    } else {
        return Some(Verdict::Pass);
    };
    let finding = Finding::new(format!("the filter `{name}` changes between two pages of a list"));
    let finding = match call.param(name) {
        Some(value) => finding.at(value, "on this page"),
        None => finding.at(cursor, "missing for this page"),
    };
    let finding = finding.at(known.as_ref().map_or(first.at, |(_, at)| *at), "on the page before");
    let is_inferred = name == "cwd" && connection.version() == Some(Version::V2);
    Some(finding.as_severity_if(is_inferred, Severity::Info).into())
}
