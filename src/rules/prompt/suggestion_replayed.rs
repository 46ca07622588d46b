use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "prompt/suggestion-replayed",
    summary: "suggestions are replayed as part of the history",
    level: By::both(Level::ShouldNot),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::UNSTABLE,
    editions: By::both(Editions::since(Edition::LateNovember2026)),
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("PromptSuggestionsUpdate"),
        requires: "suggestions are left out when the history is replayed",
    }],
    requirements: &["prompt.suggestion-not-replayed"],
    explanation: r"
Suggestions are about what the user may do next. Those of an earlier turn offer what is done
already. After the answer the agent may suggest what fits now.
",
    examples: &[Example::new(
        Surface::V1Unstable,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"session":{"promptSuggestions":{}}},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true},"authMethods":[],"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"Hello"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"prompt_suggestions_update","suggestions":[{"prompt":[{"type":"text","text":"Run it"}]}]}}}
{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"session":{"promptSuggestions":{}}},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"loadSession":true},"authMethods":[],"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"Hello"}}}}
{"jsonrpc":"2.0","id":1,"result":{}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"prompt_suggestions_update","suggestions":[{"prompt":[{"type":"text","text":"Run it"}]}]}}}"#,
    )],
    on: &[On::Update(&["prompt_suggestions_update"], check)],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(update.session_id)?;
    let Some(attachment) = session.attachment.as_ref().filter(|_| session.is_replaying()) else {
        return Some(Verdict::Pass);
    };
    let was_closed = session.was_closed_before(attachment);
    let suggestions = update.update.get("suggestions")?;
    let is_history = session.wants_history && was_closed && attachment.complete.is_none();
    (is_history && !suggestions.is_empty()).then(|| {
        Finding::new("suggestions are sent while the history is replayed")
            .at(update.kind, "no part of the history")
            .at(attachment.request, "the request that the history answers")
            .help("send suggestions after the answer, if they still fit")
            .once_per(&*update.session_id.as_cow())
            .into()
    })
}
