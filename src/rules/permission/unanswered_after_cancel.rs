use crate::{
    event::Answer,
    model::Connection,
    protocol::{Surface, Surfaces, Version},
    rule::{
        Bound, By, Citation, Editions, Example, Finding, Gates, Level, On, Opening, Rule, Severity,
        SourceText, Verdict,
    },
    rules::permission::open,
};

pub(crate) static RULE: Rule = Rule {
    id: "permission/unanswered-after-cancel",
    summary: "a permission request stays open after the cancelled turn",
    level: By::both(Level::Must),
    severity: By::both(Severity::Warning),
    binds: Bound::Client,
    surfaces: Surfaces::V1,
    gates: By::both(Gates::NONE),
    editions: By::both(Editions::ALL),
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Page("protocol/v1/prompt-turn#cancellation"),
        requires: "a client that cancels a turn answers the permission requests that are open",
    }],
    explanation: r"
The agent owes the answer to the prompt only after its own requests are answered; many agents simply
wait. One that does not wait leaves a request behind whose answer, when it comes, belongs to no turn.
The answer may still follow the end of the turn, so this is a warning.
",
    tck: &[],
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Run the tests"}}}
{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c1"},"options":[{"optionId":"yes","name":"Allow once","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}]}}
{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"failed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"cancelled"}}
{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"cancelled"}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Run the tests"}}}
{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c1"},"options":[{"optionId":"yes","name":"Allow once","kind":"allow_once"},{"optionId":"no","name":"Reject","kind":"reject_once"}]}}
{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"cancelled"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"failed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"cancelled"}}"#,
    )],
    on: &[On::Answer(&["session/prompt"], check)],
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let id = answer.request.session_id.as_deref()?;
    let session = connection.session_named(id)?;
    let cancelled = session.cancelled?;
    if session.open_prompts > 1 {
        return None; // Nobody can tell which of the turns it belongs to.
    }
    let waiting = open::of(connection, id).filter(|(request, _)| request.cancelled.is_none());
    Some(
        waiting
            .map(|(request, _)| {
                Finding::new("a permission request is still open at the end of its cancelled turn")
                    .at(request.at, "not answered")
                    .at(cancelled.at, "the client cancels the turn here")
                    .at(answer.node, "the turn ends here")
                    .help("answer open permission requests with the outcome `cancelled` when cancelling")
            })
            .collect(),
    )
}
