use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "tool-call/unfinished-at-turn-end",
    summary: "a turn ends while its tool call is unfinished",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Page("protocol/v1/prompt-turn#4-check-for-completion"),
        requires: "a turn ends when no tool call is pending",
    }],
    requirements: &["prompt.answered"],
    explanation: r"
For the client, the answer to the prompt ends the turn. It removes the spinners, or leaves them. A
tool call that continues or whose end is never reported stays unfinished on the screen. Tools may
really run in the background, so this is a warning.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Run the tests","status":"in_progress"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","title":"Run the tests","status":"in_progress"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"failed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
    )],
    on: &[On::Answer(&["session/prompt"], check)],
    ..Rule::DEFAULT
};

/// Most unfinished tool calls that one finding points at; the others are counted.
const SHOWN: usize = 3;

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session_named(answer.request.session_id.as_deref()?)?;
    let reason = answer.result()?.get("stopReason")?;
    // With several turns at once the tool call may belong to any of them.
    if !reason.is("end_turn") || session.open_prompts > 1 || session.cancelled.is_some() {
        return None;
    }
    let asked = answer.request.number;
    if !session.tool_calls.has_new_since(asked) {
        return None;
    }
    let calls: Vec<_> = session.tool_calls.under_way_since(asked).collect();
    let [(id, first), others @ ..] = calls.as_slice() else { return Some(Verdict::Pass) };
    let message = match others.len() {
        0 => format!("the turn ends while tool call `{id}` is unfinished"),
        1 => format!("the turn ends while tool call `{id}` and 1 other are unfinished"),
        others => {
            format!("the turn ends while tool call `{id}` and {others} others are unfinished")
        }
    };
    let finding =
        Finding::new(message).at(reason, "the turn ends here").at(first.last, "last reported here");
    Some(
        others
            .iter()
            .take(SHOWN - 1)
            .fold(finding, |finding, (id, call)| {
                finding.at(call.last, format!("`{id}` is also unfinished"))
            })
            .help("report `completed` or `failed` for every tool call before answering the prompt")
            .into(),
    )
}
