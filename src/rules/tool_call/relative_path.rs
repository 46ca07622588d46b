use crate::{
    rule::prelude::*,
    rules::{paths, tool_call::report},
};

pub(crate) static RULE: Rule = Rule {
    id: "tool-call/relative-path",
    summary: "a path of a tool call is not absolute",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/overview#argument-requirements"),
            requires: "every file path is absolute",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/tool-calls#following-the-agent"),
            requires: "a location names a file by its absolute path",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/tool-calls#diffs"),
            requires: "a diff names its file by its absolute path",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/overview#argument-requirements"),
            requires: "every file path is absolute",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("ToolCallLocation"),
            requires: "a location names a file by its absolute path",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("DiffPathChange"),
            requires: "a change names its file by its absolute path",
        },
    ],
    requirements: &["path.absolute", "tool-call.diff-paths"],
    explanation: r"
The client opens the file, follows the agent to it, or applies the diff. It cannot know what a
relative path is relative to: the session's directory, another directory, or where the tool ran.
Editors usually do nothing with such a path, and some open an empty new file.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Run the tests","locations":[{"path":"src/main.rs","line":3}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Run the tests","locations":[{"path":"/work/src/main.rs","line":3}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Edit","status":"completed","content":[{"type":"diff","changes":[{"operation":"add","path":"notes.md"}]}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Edit","status":"completed","content":[{"type":"diff","changes":[{"operation":"add","path":"/work/notes.md"}]}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        ),
    ],
    on: &[
        On::Update(&["tool_call", "tool_call_update", "tool_call_content_chunk"], |update, _| {
            check(update.update)
        }),
        On::Call(&["session/request_permission"], |request, _| check(report::in_request(request)?)),
    ],
    ..Rule::DEFAULT
};

fn check(report: Node<'_>) -> Option<Verdict> {
    let locations = report.get("locations").into_iter().flat_map(Node::elements);
    let of_locations = locations.filter_map(|location| location.get("path"));
    let of_diffs = report::content_of(report, "diff").flat_map(|diff| {
        let changes = diff.get("changes").into_iter().flat_map(Node::elements);
        let of_changes = changes.flat_map(|change| [change.get("path"), change.get("oldPath")]);
        [diff.get("path")].into_iter().chain(of_changes).flatten()
    });
    let all = of_locations.chain(of_diffs).filter_map(Node::text);
    let verdict = Verdict::on_each(all, |path| {
        paths::relative(path, |path| format!("path `{path}` of a tool call is not absolute"))
    })?;
    let has_diff = report::content_of(report, "diff").next().is_some();
    Some(if has_diff { verdict } else { verdict.about(&["path.absolute"]) })
}
