use crate::{rule::prelude::*, rules::capability::needs};

pub(crate) static RULE: Rule = Rule {
    id: "capability/system-prompt-content",
    summary: "a system prompt is empty or holds content other than text",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Client,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::INITIALIZED),
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("SystemPrompt"),
        requires: "the content is text and is not empty",
    }],
    requirements: &["system-prompt.not-empty", "system-prompt.only-text"],
    explanation: r"
A model reads a system prompt as text. The agent cannot use an image there and has to refuse it. An
empty override would leave the model without instructions; agents may refuse that, too.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{"systemPrompt":{}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","systemPrompt":{"mode":"append","content":[]}}}
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
    let supported = needs::system_prompt(connection);
    let content =
        call.param("systemPrompt")?.get("content").filter(|content| content.is_array())?;
    let agent = needs::advertised_by_agent(connection)?;
    if !supported.is_in(agent) {
        return None;
    }
    if content.is_empty() {
        let finding = Finding::new("the system prompt is empty")
            .at(content, "this list is empty")
            .help("leave the member out")
            .about(&["system-prompt.not-empty"])
            .explains(content);
        return Some(finding.into());
    }
    let kinds = content.elements().filter_map(|block| block.get("type"));
    let others = kinds.filter(|kind| !kind.is("text"));
    Some(
        others
            .map(|kind| {
                Finding::new("the system prompt holds content other than text")
                    .at(kind, "expected `text`")
                    .help("send only `text` blocks")
                    .about(&["system-prompt.only-text"])
            })
            .collect(),
    )
}
