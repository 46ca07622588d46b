use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "prompt/suggestion-empty",
    summary: "a suggested prompt has only white space",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::UNSTABLE,
    editions: By::both(Editions::since(Edition::LateNovember2026)),
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("PromptSuggestion.prompt"),
        requires: "a suggestion has more than white space",
    }],
    requirements: &["prompt.suggestion-has-text"],
    explanation: r"
The client shows a suggestion as a button that sends it. The user sees a button without a word, and
pressing it sends nothing.
",
    examples: &[Example::new(
        Surface::V1Unstable,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"session":{"promptSuggestions":{}}},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"authMethods":[],"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Tidy up"}]}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"prompt_suggestions_update","suggestions":[{"prompt":[{"type":"text","text":" "}]}]}}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"session":{"promptSuggestions":{}}},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"authMethods":[],"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Tidy up"}]}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"prompt_suggestions_update","suggestions":[{"prompt":[{"type":"text","text":"Run the tests"}]}]}}}"#,
    )],
    on: &[On::Update(&["prompt_suggestions_update"], check)],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, _: &Connection) -> Option<Verdict> {
    let suggestions = update.update.get("suggestions")?.elements();
    Verdict::on_each(suggestions.filter_map(|suggestion| suggestion.get("prompt")), |prompt| {
        let first = prompt.at(0)?;
        let is_blank = |block: Node<'_>| {
            block.get("type").is_some_and(|kind| kind.is("text"))
                && block.get("text").and_then(Node::text).is_some_and(Text::is_blank)
        };
        prompt.elements().all(is_blank).then(|| {
            Finding::new("a suggested prompt has only white space")
                .at(first.get("text").unwrap_or(first), "nothing to send")
                .help("leave the suggestion out")
        })
    })
}
