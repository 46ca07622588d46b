use crate::{model::RequestFacts, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "prompt/idempotency-id-changed",
    summary: "a prompt that is sent again gets another message id",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::LateNovember2026)),
    cites: &[
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("PromptRequest"),
            requires: "a prompt that is sent again with its key gets the `messageId` that it has, and \
                       no second message",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/prompt-lifecycle#retrying-a-prompt"),
            requires: "an agent knows the key as long as it keeps the message",
        },
    ],
    explanation: r"
A client that does not know whether its prompt has arrived sends it again under the same
`idempotencyKey`. Another message id says that the prompt was taken a second time: the work is done
twice. A session that was attached anew in between is left alone unless the message was replayed then,
since the agent may have forgotten a message that it never stored.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Session,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","idempotencyKey":"k","prompt":[{"type":"text","text":"Tidy up"}]}}
{"jsonrpc":"2.0","id":2,"result":{"messageId":"u1"}}
{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","idempotencyKey":"k","prompt":[{"type":"text","text":"Tidy up"}]}}
{"jsonrpc":"2.0","id":3,"result":{"messageId":"u2"}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","idempotencyKey":"k","prompt":[{"type":"text","text":"Tidy up"}]}}
{"jsonrpc":"2.0","id":2,"result":{"messageId":"u1"}}
{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","idempotencyKey":"k","prompt":[{"type":"text","text":"Tidy up"}]}}
{"jsonrpc":"2.0","id":3,"result":{"messageId":"u1"}}"#,
    )],
    on: &[On::Answer(&["session/prompt"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let RequestFacts::Prompt(prompt) = &answer.request.facts else { return None };
    let id = answer.result()?.get("messageId")?.text()?;
    let session = connection.session_named(answer.request.session_id.as_deref()?)?;
    let keyed = session.work.keyed(prompt)?;
    let inserted = keyed.inserted.as_ref()?;
    let is_replayed = || {
        let attachment = session.attachment.as_ref();
        attachment.is_some_and(|it| it.replayed.iter().any(|message| message.id == inserted.id))
    };
    if keyed.is_past && !is_replayed() {
        return None;
    }
    if id.as_cow() == *inserted.id {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new(format!(
            "a prompt that is sent again gets the message id `{id}`, not `{}`",
            inserted.id
        ))
        .at(id, "another id")
        .at(inserted.at, "the prompt was accepted under this id")
        .at(keyed.at, "the key under which it was first sent")
        .help("answer with the id that the message has, and do not take the prompt a second time")
        .into(),
    )
}
