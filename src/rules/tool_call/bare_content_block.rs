use crate::{rule::prelude::*, rules::tool_call::report};

pub(crate) static RULE: Rule = Rule {
    id: "tool-call/bare-content-block",
    summary: "a content block of a tool call is not wrapped",
    level: By::both(Level::Schema),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Definition("ToolCallContent"),
        requires: "an item of a tool call's content is a wrapped content block, a diff or a \
                   terminal",
    }],
    explanation: r#"
The content of a tool call is a list of items. A content block is one kind of item and must say so:
`{"type":"content","content":{…}}`. Official readers silently drop a bare block, so the result of
the tool is missing on the screen, without any error. An example in the documentation once had the
bare form.
"#,
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Run the tests","status":"completed","content":[{"type":"text","text":"3 passed"}]}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Run the tests","status":"completed","content":[{"type":"content","content":{"type":"text","text":"3 passed"}}]}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
    )],
    on: &[
        On::Update(&["tool_call", "tool_call_update"], |update, _| check(update.update)),
        On::Call(&["session/request_permission"], |request, _| check(report::in_request(request)?)),
    ],
    ..Rule::DEFAULT
};

fn check(report: Node<'_>) -> Option<Verdict> {
    let content = report.get("content")?;
    content.at(0)?;
    let bare = content.elements().filter_map(|item| {
        let kind = item.get("type")?.text()?;
        let name = kind.as_cow();
        let is_block = matches!(&*name, "text" | "image" | "audio" | "resource_link" | "resource");
        is_block.then(|| {
            Finding::new(format!("the content of a tool call has a bare `{name}` block"))
                .at(kind, "a content block, not an item")
                .help(r#"wrap it: `{"type":"content","content":{…}}`; official readers drop it"#)
                .explains(item)
        })
    });
    Some(bare.collect())
}
