use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "prompt/empty",
    summary: "a prompt has no content blocks",
    level: By::each(Level::Hint, Level::MustNot),
    severity: By::each(Severity::Info, Severity::Error),
    binds: Bound::Client,
    surfaces: Surfaces::ALL,
    editions: By::each(Editions::ALL, Editions::since(Edition::November2026)),
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v2/draft/prompt-lifecycle#1-user-message"),
            requires: "a prompt has at least one content block; version 2 demands it",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("PromptRequest"),
            requires: "`prompt` has at least one block",
        },
    ],
    explanation: r"
There is nothing to answer, and the client shows an empty user message. Version 1 allows it; agents
reject it or send an empty prompt to the model.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Empty"}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":""}]}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"Sorry"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Empty"}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":""}]}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"Sorry"}}"#,
        ),
    ],
    on: &[On::Call(&["session/prompt"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, _: &Connection) -> Option<Verdict> {
    let prompt = call.param("prompt").filter(|prompt| prompt.is_array())?;
    let finding = prompt.is_empty().then(|| {
        Finding::new("a prompt has no content blocks")
            .at(prompt, "expected at least one content block")
            .explains(prompt)
    });
    Some(finding.into())
}
