use crate::{model::session::messages::MessageKind, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "prompt/missing-user-message",
    summary: "an accepted prompt is never reported as a user message",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    gates: By::both(Gates::TAIL),
    editions: By::both(Editions::since(Edition::September2026)),
    cites: &[
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/prompt-lifecycle#2-prompt-accepted"),
            requires: "an accepted prompt is reported as a user message with the id from the \
                       answer",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("PromptResponse"),
            requires: "`messageId` is the id of the user message",
        },
    ],
    explanation: r"
The client shows the conversation as the agent reports it. If the agent never reports an accepted
prompt, the conversation lacks it, for other clients and for later loads of the session too.
",
    tck: &["PROMPT-203"],
    examples: &[Example::new(
        Surface::V2,
        Opening::Session,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Go on"}]}}
{"jsonrpc":"2.0","id":2,"result":{"messageId":"u1"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m1","content":{"type":"text","text":"Done"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Go on"}]}}
{"jsonrpc":"2.0","id":2,"result":{"messageId":"u1"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"u1","content":[{"type":"text","text":"Go on"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m1","content":{"type":"text","text":"Done"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
    )
    .closed()],
    on: &[On::End(check)],
    ..Rule::DEFAULT
};

fn check(_: &End, connection: &Connection) -> Option<Verdict> {
    if connection.lost() > 0 {
        return None;
    }
    let mut missing: Vec<_> = connection
        .sessions()
        .flat_map(|(_, session)| {
            let prompts = session.work.prompts();
            prompts.filter(|(id, prompt)| {
                let is_reported = session.messages.named(MessageKind::User, id).is_some();
                // The agent has sent output since. `message/empty-id` reports an empty id.
                !is_reported && !id.is_empty() && session.work.updated > prompt.number
            })
        })
        .collect();
    missing.sort_by_key(|(_, prompt)| prompt.number);
    let findings: Vec<_> = missing
        .into_iter()
        .map(|(id, prompt)| {
            Finding::new(format!("accepted prompt `{id}` is never reported as a user message"))
                .at(prompt.at, "accepted with this message id")
                .and_at(connection.last_message(), "the connection ends here")
                .help("send `user_message` with this id")
        })
        .collect();
    Verdict::failed(findings)
}
