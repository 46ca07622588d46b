use crate::{model::SessionOrigin, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "tool-call/unknown-id",
    summary: "an update names a tool call that was never announced",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    gates: By::both(Gates::HEAD.with(Gates::ORIGIN)),
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Page("protocol/v1/tool-calls#updating"),
        requires: "an update changes a tool call that was reported before",
    }],
    explanation: r"
Clients look up the tool call to update it. If neither `tool_call` nor a permission request
announced it, they do not find it. The update is lost, or the client shows an entry without title
and kind. Often the announcement went to another session, or the id was changed on the way.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Run the tests"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
    )],
    on: &[On::Update(&["tool_call_update"], check)],
    variants: &[(Severity::Info, "where a line cannot be read")],
    ..Rule::DEFAULT
};

/// Most other sessions in which the tool call's id is looked for, to explain the fault; the finding
/// does not depend on them.
const MANY: usize = 256;

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(update.session_id)?;
    let id = update.tool_call_id?;
    // The replay of a loaded session reports all tool calls.
    let is_history = session.is_replaying()
        && session.origin == SessionOrigin::Loaded
        && session.attachment.as_ref().is_some_and(|attachment| !attachment.is_live_in_part());
    let is_judged = session.is_fully_recorded() && !session.is_replaying() || is_history;
    if !is_judged {
        return None;
    }
    if let Some(call) = session.tool_calls.get(id) {
        return (call.announced.is_some() || call.is_asked).then_some(Verdict::Pass);
    }
    let mut others = connection.sessions().take(MANY);
    let elsewhere = others.find(|(_, other)| other.tool_calls.get(id).is_some());
    let finding = Finding::new(format!("tool call `{id}` is updated but was never announced"))
        .at(id, "no `tool_call` or permission request has this id");
    let finding = match elsewhere {
        Some((session, _)) => {
            finding.help(format!("session `{session}` has a tool call with this id"))
        }
        None => finding
            .help("announce it with `tool_call` first: readers drop updates of unknown tool calls"),
    };
    Some(finding.as_severity_if(connection.lost_to(Some(Side::Agent)) > 0, Severity::Info).into())
}
