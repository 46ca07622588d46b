use crate::{
    model::RequestFacts,
    rule::prelude::*,
    rules::{accepted, capability::needs},
};

pub(crate) static RULE: Rule = Rule {
    id: "prompt/unsupported-content-accepted",
    summary: "the agent accepts content that it did not advertise",
    level: By::both(Level::Must),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("ContentBlock"),
        requires: "the agent rejects content that it does not support with -32602",
    }],
    requirements: &["content.rejects-unknown"],
    explanation: r"
The agent accepts the prompt but ignores the block. So it answers without it, and the user believes
that the model saw the image. The client's own mistake is a separate finding.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Bare,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"What is this?"},{"type":"image","mimeType":"image/png","data":"iVBORw0KGgo="}]}}
{"jsonrpc":"2.0","id":2,"result":{"messageId":"u1"}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"What is this?"},{"type":"image","mimeType":"image/png","data":"iVBORw0KGgo="}]}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"No images"}}"#,
    )
    .beside(&["capability/prompt-content", "ext/unprefixed-value"])],
    on: &[On::Answer(&["session/prompt"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let RequestFacts::Prompt(prompt) = &answer.request.facts else { return None };
    let values = accepted::Values {
        all: &prompt.blocks,
        need: needs::content,
        label: "the content",
        help: "advertise the content if you support it, otherwise reject it with -32602",
    };
    values.check(answer, connection, |kind, is_defined| {
        if is_defined {
            format!("the agent accepts `{kind}` content, but does not advertise it")
        } else {
            format!("the agent accepts content of the unknown type `{kind}`")
        }
    })
}
