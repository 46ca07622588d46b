use crate::{rule::prelude::*, rules::tool_call::report};

pub(crate) static RULE: Rule = Rule {
    id: "tool-call/line-zero",
    summary: "a location has line 0",
    level: By::each(Level::Derived, Level::Must),
    severity: By::each(Severity::Warning, Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    editions: By::each(Editions::ALL, Editions::since(Edition::November2026)),
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/overview#argument-requirements"),
            requires: "line numbers start at 1",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("ToolCallLocation"),
            requires: "the line of a location is at least 1",
        },
    ],
    explanation: r"
Some editors jump to the last line, others to the line before the first, or nowhere. An agent that
counts from 0 is also wrong by one for all other lines, which is harder to notice.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Run the tests","locations":[{"path":"/work/a.rs","line":0}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Run the tests","locations":[{"path":"/work/a.rs","line":1}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Read","status":"completed","locations":[{"path":"/work/a.rs","line":0}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Read","status":"completed","locations":[{"path":"/work/a.rs","line":1}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        ),
    ],
    on: &[
        On::Update(&["tool_call", "tool_call_update"], |update, _| check(update.update)),
        On::Call(&["session/request_permission"], |request, _| check(report::in_request(request)?)),
    ],
    ..Rule::DEFAULT
};

fn check(report: Node<'_>) -> Option<Verdict> {
    let locations = report.get("locations")?.elements();
    let lines = locations.filter_map(|location| location.get("line"));
    Verdict::on_each(lines.filter(|line| line.is_number()), |line| {
        (line.integer() == Some(0)).then(|| {
            Finding::new("a location has line 0")
                .at(line, "lines start at 1")
                .help("add 1, or leave the line out if it is unknown")
                .explains(line)
        })
    })
}
