use crate::{
    model::session::{
        permissions::{Denial, Refusal},
        tool_calls::ToolCallStatus,
    },
    rule::prelude::*,
    rules::codes,
};

pub(crate) static RULE: Rule = Rule {
    id: "permission/proceeded-without-approval",
    summary: "a tool runs although it was not approved",
    level: By::each(Level::Derived, Level::MustNot),
    severity: By::each(Severity::Warning, Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    needs: &[Loss::AnswersOf(Side::Client)],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/tool-calls#permission-options"),
            requires: "if the user selects an option that rejects, the tool does not run",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("RequestPermissionOutcome"),
            requires: "only a selected option that allows is an approval; without one the action \
                       does not continue",
        },
    ],
    requirements: &[
        "cancel.permissions-dropped",
        "permission.match-option",
        "permission.not-cancelled",
        "permission.not-rejected",
        "permission.unknown-outcome",
    ],
    explanation: r"
The user must be able to rely on a rejection. It destroys this trust if a tool runs although the
user rejected it, the request was cancelled, or the client answered with an error. Some agents
report a rejected tool call as `completed`, meaning that it is dealt with. `failed` is clear.
",
    tck: &["ENUM-203"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Run the tests"}}}
{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c1"},"options":[{"optionId":"yes","name":"Allow once","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}]}}
{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"no"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"in_progress"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Run the tests"}}}
{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c1"},"options":[{"optionId":"yes","name":"Allow once","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}]}}
{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"no"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"failed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Run the tests"}}}
{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","title":"Run the tests?","options":[{"optionId":"yes","name":"Allow once","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}],"subject":{"type":"tool_call","toolCall":{"toolCallId":"c1"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"requires_action"}}}
{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"cancelled"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"in_progress"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Run the tests"}}}
{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","title":"Run the tests?","options":[{"optionId":"yes","name":"Allow once","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}],"subject":{"type":"tool_call","toolCall":{"toolCallId":"c1"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"requires_action"}}}
{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"cancelled"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"failed"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        ),
    ],
    on: &[
        On::Update(&["tool_call", "tool_call_update"], run),
        On::Update(&["terminal_update", "terminal_output_chunk"], written),
    ],
    variants: &[
        (Severity::Info, "on version 1 where the tool call is only reported as completed"),
        (Severity::Warning, "on version 2 where the tool call is only reported as completed"),
    ],
    ..Rule::DEFAULT
};

fn run(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(update.session_id)?;
    let id = update.tool_call_id?;
    let denied = session.tool_calls.get(id)?.denied()?;
    // A finding about its work has said so.
    let has_effect = session.authority.call(id).is_some_and(|own| own.has_effect);
    if has_effect || session.authority.may_be_lifted(&denied) {
        return None;
    }
    let status = update.status?.text()?;
    let version = connection.version()?;
    if session.is_replaying() || (version == Version::V1 && !refuses_on_v1(&denied)) {
        return None;
    }
    let severity = match (version, ToolCallStatus::of(status)) {
        (_, ToolCallStatus::InProgress) if denied.was_running => return None,
        (Version::V1, ToolCallStatus::Completed) => Severity::Info,
        (Version::V1, ToolCallStatus::InProgress) | (Version::V2, ToolCallStatus::Completed) => {
            Severity::Warning
        }
        (Version::V2, ToolCallStatus::InProgress) => Severity::Error,
        _ => return Some(Verdict::PassOf(requirements(&denied))),
    };
    let finding = Finding::new(format!("tool call `{id}` continues although it was not approved"))
        .at(status, "not approved since");
    Some(
        explained(finding, &denied)
            .as_severity(severity)
            .once_per((&*update.session_id.as_cow(), &*id.as_cow()))
            .into(),
    )
}

/// Whether an answer of version 1 refuses the tool call. An answer to a withdrawn request does not,
/// since the agent may have asked in another way; nor does the error of a client that does not know
/// the method.
fn refuses_on_v1(denied: &Denial) -> bool {
    match denied.why {
        Refusal::Rejected => true,
        Refusal::Cancelled => !denied.was_withdrawn,
        Refusal::Failed => !denied.was_withdrawn && denied.code != Some(codes::METHOD_NOT_FOUND),
        Refusal::NotOffered | Refusal::UnknownOutcome => false,
    }
}

/// Checks on version 2 that a terminal of the agent has output only if the client approved its
/// command.
fn written(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(update.session_id)?;
    let id = update.update.get("terminalId")?.text()?;
    let denied = session.agent_terminals.get(id)?.denied?;
    let output = update.update.get("data").or_else(|| update.update.get("output"))?;
    if session.is_replaying() || output.is_null() || session.authority.may_be_lifted(&denied) {
        return None;
    }
    let finding = Finding::new(format!(
        "terminal `{id}` writes output although its command was not approved"
    ))
    .at(output, "not approved since");
    Some(explained(finding, &denied).once_per((&*update.session_id.as_cow(), &*id.as_cow())).into())
}

/// The requirements that a tool which runs after this answer breaks.
fn requirements(denied: &Denial) -> &'static [&'static str] {
    match denied.why {
        Refusal::Rejected => &["permission.not-rejected"],
        Refusal::NotOffered => &["permission.match-option"],
        Refusal::Cancelled => &["cancel.permissions-dropped", "permission.not-cancelled"],
        Refusal::UnknownOutcome => &["permission.not-cancelled", "permission.unknown-outcome"],
        Refusal::Failed => &["permission.not-cancelled"],
    }
}

fn explained(finding: Finding, denied: &Denial) -> Finding {
    let why = match denied.why {
        Refusal::Rejected => "the client selects an option that rejects",
        Refusal::NotOffered => "the client selects an option that was not offered",
        Refusal::Cancelled => "the request is cancelled here",
        Refusal::UnknownOutcome => "this outcome is not an approval",
        Refusal::Failed => "the request fails here",
    };
    finding
        .at(denied.answer, why)
        .at(denied.request, "the agent asks for permission here")
        .about(requirements(denied))
        .help("report `failed` if the tool was not allowed to run, or ask again")
}
