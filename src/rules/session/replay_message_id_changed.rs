use crate::{
    map::{Map, Set},
    model::session::{
        attachment::{Attachment, Inserted},
        messages::MessageKind,
    },
    rule::prelude::*,
    rules::session::attached,
};

pub(crate) static RULE: Rule = Rule {
    id: "session/replay-message-id-changed",
    summary: "a replayed message has another id than before",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::September2026)),
    cites: &[
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("PromptResponse"),
            requires: "a stored message is replayed with its original id",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/session-setup#resuming-sessions"),
            requires: "a stored message is replayed with its original id",
        },
    ],
    requirements: &["session.replay-ids"],
    explanation: r"
The client finds the message by the id from the prompt's response. With another id it becomes a
second message with the same text, and the first one has no answer.
",
    tck: &["RESUME-204"],
    examples: &[Example::new(
        Surface::V2,
        Opening::Session,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Tidy up"}]}}
{"jsonrpc":"2.0","id":2,"result":{"messageId":"u1"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"u1","content":[{"type":"text","text":"Tidy up"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message","messageId":"m1","content":[{"type":"text","text":"Done"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}
{"jsonrpc":"2.0","id":3,"method":"session/resume","params":{"sessionId":"s","cwd":"/work","replayFrom":{"type":"start"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"u9","content":[{"type":"text","text":"Tidy up"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
{"jsonrpc":"2.0","id":3,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Tidy up"}]}}
{"jsonrpc":"2.0","id":2,"result":{"messageId":"u1"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"u1","content":[{"type":"text","text":"Tidy up"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message","messageId":"m1","content":[{"type":"text","text":"Done"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}
{"jsonrpc":"2.0","id":3,"method":"session/resume","params":{"sessionId":"s","cwd":"/work","replayFrom":{"type":"start"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"u1","content":[{"type":"text","text":"Tidy up"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
{"jsonrpc":"2.0","id":3,"result":{}}"#,
    )],
    on: &[On::Answer(&["session/resume"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let (session, attachment) = attached::attachment(answer, connection)?;
    let Attachment { prompts, replayed, .. } = attachment;
    // What was lost before may be a command that cleared the history, and the same prompt once more.
    if replayed.is_empty() || attachment.lost > 0 {
        return None;
    }
    if session.inserted.is_empty() && prompts.is_empty() {
        return attachment.is_unknown().then_some(Verdict::NotAssessable);
    }
    let ids: Set<&str> = replayed.iter().map(|replayed| &*replayed.id).collect();
    let by_content = by_content(replayed.iter().map(|replayed| (replayed.content, replayed)));
    // Prompts of other connections, if no two have the same content.
    let earlier = self::by_content(prompts.iter().map(|prompt| (prompt.0.content, prompt)));
    let only = |message: &&Inserted| by_content.get(&message.content).is_some_and(Option::is_some);
    let renamed = replayed.iter().filter(only).filter_map(|replayed| {
        let earlier = earlier.get(&replayed.content);
        let (id, at) = match session.inserted.get(&replayed.content) {
            Some(prompt) if earlier.is_none() => {
                let prompt = prompt.as_ref()?;
                (&prompt.id, Mark::from(prompt.at))
            }
            Some(_) => return None,
            None => {
                let (prompt, place) = (*earlier?)?;
                (&prompt.id, place.clone().into())
            }
        };
        if ids.contains(&**id) {
            return None;
        }
        let is_known = session.messages.named(MessageKind::User, &replayed.id);
        let is_new = is_known.is_none_or(|known| known.first_number > attachment.number);
        is_new.then(|| {
            Finding::new(format!("message `{id}` is replayed as `{}`", replayed.id))
                .at(replayed.at, "the same content with another id")
                .at(at, "its original id")
        })
    });
    Some(renamed.collect())
}

/// Values by the hash of their content, to match messages; `None` where several values have equal
/// content, so that none can be matched.
fn by_content<T>(all: impl Iterator<Item = (u64, T)>) -> Map<u64, Option<T>> {
    let mut by_content = Map::default();
    for (content, value) in all {
        let only = |known: &mut Option<_>| *known = None;
        by_content.entry(content).and_modify(only).or_insert(Some(value));
    }
    by_content
}
