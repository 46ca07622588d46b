use crate::{rule::prelude::*, rules::tool_call::report};

pub(crate) static RULE: Rule = Rule {
    id: "tool-call/missing-title",
    summary: "the first report of a tool call has no title",
    level: By::both(Level::Should),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Page("protocol/v2/draft/tool-calls#reporting-tool-calls"),
        requires: "the first report of a tool call has a title",
    }],
    requirements: &["tool-call.title"],
    explanation: r"
The user reads the title. On version 2 reports are patches, so the schema does not require it. If
the first patch has no title, the client shows an empty line or only the id until another patch
brings it.
",
    tck: &["PATCH-208"],
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","kind":"read","status":"in_progress"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Read a file","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Read a file","status":"in_progress"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
    )],
    on: &[
        On::Update(&["tool_call_update"], |update, connection| {
            check(update, update.update, connection)
        }),
        On::Call(&["session/request_permission"], |request, connection| {
            check(request, report::in_request(request)?, connection)
        }),
    ],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, report: Node<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(call.session_id()?)?;
    let id = report.get("toolCallId")?.text()?;
    let is_known = session.tool_calls.get(id).is_some_and(|call| call.announced.is_some());
    if !session.is_fully_recorded()
        || session.is_replaying()
        || is_known
        || connection.lost_to(Some(Side::Agent)) > 0
    {
        return None;
    }
    let mark = match report.get("title") {
        None => Mark::missing_in(report),
        Some(title) if title.is_null() => title.into(),
        Some(title) if title.text()?.is_empty() => title.into(),
        Some(_) => return Some(Verdict::Pass),
    };
    Some(
        Finding::new(format!("the first report of tool call `{id}` has no title"))
            .at(mark, "`title` is missing here")
            .help("say in a few words what the call does; later reports may leave it out")
            .into(),
    )
}
