use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "permission/no-options",
    summary: "a permission request offers no options",
    level: By::both(Level::Hint),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/tool-calls#permission-options"),
            requires: "a request lists the options for the user",
        },
        Citation {
            version: None,
            source: SourceText::Definition("RequestPermissionRequest"),
            requires: "on version 2 the list has at least one option",
        },
    ],
    requirements: &["permission.has-options"],
    explanation: r"
Without an option the user can neither allow nor reject. Clients show an empty dialog, cancel the
request, or fail.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Run the tests"}}}
{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c1"},"options":[]}}
{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"cancelled"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"failed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Run the tests"}}}
{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c1"},"options":[{"optionId":"yes","name":"Allow once","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}]}}
{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"cancelled"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"failed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
    )],
    on: &[On::Call(&["session/request_permission"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, _: &Connection) -> Option<Verdict> {
    let options = call.param("options").filter(|options| options.is_array())?;
    if !options.is_empty() {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new("a permission request offers no options")
            .at(options, "nothing to choose from")
            .help("offer at least one option that allows and one that rejects")
            .into(),
    )
}
