use crate::{
    rule::prelude::*,
    rules::capability::needs::{self, has_sessions},
};

pub(crate) static RULE: Rule = Rule {
    id: "capability/system-prompt",
    summary: "the client sets a system prompt that the agent did not advertise",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Client,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::INITIALIZED),
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("SystemPrompt"),
        requires: "a client sends a system prompt only to agents that advertise the capability `systemPrompt`",
    }],
    requirements: &["capability.gated-params", "session.same-system-prompt"],
    explanation: r"
An agent that does not know the member runs the session without these instructions. Their author
believes that they are in force.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","systemPrompt":{"mode":"append","content":[{"type":"text","text":"Be brief"}]}}}
{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Refused"}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"systemPrompt":{}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","systemPrompt":{"mode":"append","content":[{"type":"text","text":"Be brief"}]}}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}"#,
    )],
    on: &[On::Call(methods::SET_UP_SESSION, check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let verdict = judged(call, connection)?;
    // Only a session that exists has the same system prompt.
    let is_new = call.method == "session/new";
    Some(if is_new { verdict.about(&["capability.gated-params"]) } else { verdict })
}

fn judged(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let supported = needs::system_prompt(connection);
    let agent = needs::advertised_by_agent(connection).filter(|_| has_sessions(connection))?;
    let prompt = call.param("systemPrompt").filter(|prompt| !prompt.is_null())?;
    if !supported.is_missing_from(agent) {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new("the client sets a system prompt, but the agent did not advertise that")
            .at(prompt, format!("requires the capability `{}`", supported.path()))
            .at(supported.lack(agent), "not advertised")
            .help("leave `systemPrompt` out for this agent")
            .once_per("system prompt")
            .into(),
    )
}
