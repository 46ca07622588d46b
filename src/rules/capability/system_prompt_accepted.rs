use crate::{
    rule::prelude::*,
    rules::capability::needs::{self, has_sessions},
};

pub(crate) static RULE: Rule = Rule {
    id: "capability/system-prompt-accepted",
    summary: "an agent that supports system prompts accepts one that it cannot apply",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::INITIALIZED),
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[
        Citation {
            version: None,
            source: SourceText::Definition("SystemPrompt"),
            requires: "the request fails if the agent cannot apply the system prompt",
        },
        Citation {
            version: None,
            source: SourceText::Definition("SystemPromptMode"),
            requires: "an agent refuses a mode that it does not support",
        },
    ],
    requirements: &["system-prompt.refused", "system-prompt.text"],
    explanation: r"
The session runs without the instructions, or with other ones. Only an error tells the client about
that. What the client did wrong is a separate finding. An agent that does not advertise
`systemPrompt` may not know the member; it is not blamed.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"systemPrompt":{}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","systemPrompt":{"mode":"override","content":[{"type":"text","text":"Be brief"}]}}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"systemPrompt":{}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","systemPrompt":{"mode":"override","content":[{"type":"text","text":"Be brief"}]}}}
{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Cannot do that"}}"#,
    )
    .beside(&[
        "capability/system-prompt",
        "capability/system-prompt-override",
        "capability/system-prompt-content",
        "ext/unprefixed-value",
    ])],
    on: &[On::Answer(methods::SET_UP_SESSION, check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let supported = needs::system_prompt(connection);
    let overriding = needs::system_prompt_override(connection);
    let prompt = answer.request.facts.equipment()?.instructions.as_ref()?;
    let agent = needs::advertised_by_agent(connection).filter(|_| has_sessions(connection))?;
    // Others ignore a member that they may not know.
    if !supported.is_in(agent) {
        return None;
    }
    let refused = &["system-prompt.refused"];
    let Some(result) = answer.result() else { return Some(Verdict::PassOf(refused)) };
    let (message, place, lack) = match (&prompt.mode, &prompt.foreign) {
        (Some((mode, at)), _) if **mode == *"override" && !overriding.is_in(agent) => (
            "the agent accepts an override of its system prompt, but did not advertise that"
                .to_owned(),
            *at,
            Some(overriding.lack(agent)),
        ),
        (Some((mode, at)), _) if !is_known(mode) => {
            (format!("the agent accepts a system prompt of the unknown mode `{mode}`"), *at, None)
        }
        (_, Some((kind, at))) if !kind.starts_with('_') => {
            (format!("the agent accepts a system prompt with `{kind}` content"), *at, None)
        }
        _ => return Some(Verdict::PassOf(&["system-prompt.text"])),
    };
    Some(
        Finding::new(message)
            .at(result, "accepted here")
            .at(place, "the system prompt")
            .and_at(lack, "not advertised")
            .about(refused)
            .help("refuse a system prompt that cannot be applied, with error -32602")
            .into(),
    )
}

/// Whether a mode of system prompts is defined on version 2, or custom.
fn is_known(mode: &str) -> bool {
    matches!(mode, "append" | "override") || mode.starts_with('_')
}
