use crate::{rule::prelude::*, rules::capability::needs};

pub(crate) static RULE: Rule = Rule {
    id: "capability/system-prompt-override",
    summary: "the client overrides the system prompt, but the agent did not advertise that mode",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Client,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::INITIALIZED),
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("SystemPromptMode"),
        requires: "a client uses `override` only if the agent advertises `systemPrompt.mode.override`",
    }],
    requirements: &["system-prompt.override"],
    explanation: r"
The system prompt often holds what the agent needs to work. So agents allow an override only if they
are made for it. Others refuse it; `append` works with every agent that supports system prompts.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"systemPrompt":{}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","systemPrompt":{"mode":"override","content":[{"type":"text","text":"Be brief"}]}}}
{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Refused"}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"systemPrompt":{"mode":{"override":{}}}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","systemPrompt":{"mode":"override","content":[{"type":"text","text":"Be brief"}]}}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}"#,
    )],
    on: &[On::Call(methods::SET_UP_SESSION, check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let supported = needs::system_prompt(connection);
    let overriding = needs::system_prompt_override(connection);
    let agent = needs::advertised_by_agent(connection)?;
    let mode = call.param("systemPrompt")?.get("mode")?;
    if !supported.is_in(agent) {
        return None;
    }
    if !mode.is("override") || !overriding.is_missing_from(agent) {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new(
            "the client overrides the system prompt, but the agent did not advertise that",
        )
        .at(mode, format!("requires the capability `{}`", overriding.path()))
        .at(overriding.lack(agent), "not advertised")
        .help("use the mode `append`")
        .once_per("override")
        .into(),
    )
}
