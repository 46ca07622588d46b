use crate::{
    model::{RequestFacts, request::permission::OptionKind},
    rule::prelude::*,
};

pub(crate) static RULE: Rule = Rule {
    id: "permission/always-granted",
    summary: "a client allows something always",
    level: By::both(Level::Contract),
    severity: By::both(Severity::Off),
    binds: Bound::Client,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/tool-calls#requesting-permission"),
            requires: "an option of the kind `allow_always` allows the tool call and remembers the choice",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/tool-calls#requesting-permission"),
            requires: "an option of the kind `allow_always` allows the tool call and remembers the choice",
        },
    ],
    explanation: r"
How far such an answer reaches is up to the agent: this command, this tool, this session, all sessions.
This rule is a policy for those who review such grants: it is off by default, and `--profile audit`
reports it as information. It cannot see who or what in the client chose the option, or which later
tool calls rely on it.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","kind":"execute","title":"Drain","status":"pending","rawInput":{"command":"drain pond"}}}}
{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c1"},"options":[{"optionId":"yes","name":"Allow once","kind":"allow_once"},{"optionId":"all","name":"Allow always","kind":"allow_always"},{"optionId":"no","name":"Reject","kind":"reject_once"}]}}
{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"all"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","kind":"execute","title":"Drain","status":"pending","rawInput":{"command":"drain pond"}}}}
{"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c1"},"options":[{"optionId":"yes","name":"Allow once","kind":"allow_once"},{"optionId":"all","name":"Allow always","kind":"allow_always"},{"optionId":"no","name":"Reject","kind":"reject_once"}]}}
{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"yes"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
    )],
    on: &[On::Answer(&["session/request_permission"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, _: &Connection) -> Option<Verdict> {
    let RequestFacts::Permission(ask) = &answer.request.facts else { return None };
    let chosen = answer.result()?.get("outcome")?.get("optionId")?.text()?;
    if ask.offered(&chosen.as_cow())? != OptionKind::AllowAlways {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new("the client chooses an option of the kind `allow_always`")
            .at(chosen, "allowed from now on")
            .at(answer.request.at, "the agent asks for permission here")
            .help("review what the agent does without asking from here on")
            .into(),
    )
}
