use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "tool-call/name-changed",
    summary: "the name of a tool changes during a call",
    level: By::each(Level::ShouldNot, Level::Derived),
    severity: By::both(Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    editions: By::each(Editions::ALL, Editions::since(Edition::November2026)),
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Other("RFD tool-call-name"),
            requires: "the programmatic name of a tool stays the same during a call",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("ToolCallUpdate"),
            requires: "`name` is the programmatic name of the tool that is called",
        },
    ],
    explanation: r"
Clients group, filter and allow tools by the name; people read the title. If the name changes, a
decision about the first tool does not hold for the second.
",
    tck: &["PATCH-208"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Run the tests","name":"grep"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","name":"rg","status":"completed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Run the tests","name":"grep"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","name":null,"status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","name":"grep"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Search","name":"grep"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","name":"rg","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Search","name":null}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","name":"grep","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        ),
    ],
    on: &[On::Update(&["tool_call", "tool_call_update"], check)],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let name = update.update.get("name")?.text()?;
    let session = connection.session(update.session_id)?;
    let id = update.tool_call_id?;
    if session.is_replaying() {
        return None;
    }
    let call = session.tool_calls.get(id).filter(|call| !call.is_past);
    let Some((known, at)) = call.and_then(|call| call.name()) else {
        return Some(Verdict::Pass);
    };
    if name == **known {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new(format!("the tool of call `{id}` was `{known}` before and is `{name}` now"))
            .at(name, "another name")
            .at(*at, "named here")
            .help("put text for people into `title`; report another tool as another call")
            .once_per((&*update.session_id.as_cow(), &*id.as_cow()))
            .into(),
    )
}
