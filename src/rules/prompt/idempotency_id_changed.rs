use crate::{
    model::{RequestFacts, session::messages::MessageKind},
    rule::prelude::*,
};

pub(crate) static RULE: Rule = Rule {
    id: "prompt/idempotency-id-changed",
    summary: "a repeated prompt gets another message id",
    level: By::both(Level::Must),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::LateNovember2026)),
    cites: &[
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("PromptRequest"),
            requires: "a prompt that is sent again with the same key keeps its `messageId` and \
                       adds no second message",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/prompt-lifecycle#retrying-a-prompt"),
            requires: "an agent knows the key as long as it keeps the message",
        },
    ],
    requirements: &["prompt.idempotency-supported"],
    explanation: r"
A client may not know whether its prompt arrived. It sends the prompt again with the same
`idempotencyKey`. If the agent answers with another message id, it took the prompt a second time,
and the work is done twice.

The key came on 20 November 2026, and an older agent ignores it. With that edition another id is an
error; without `--edition` it is a warning.

If the session was loaded or resumed in between, the agent may have forgotten a message that it
never stored. Then the rule applies only if the message was replayed.
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
    variants: &[(Severity::Error, "where `--edition` is set")],
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
        attachment.is_some_and(|it| it.has_whole(MessageKind::User, &inserted.id))
    };
    if session.work.is_past(keyed) && !is_replayed() {
        return None;
    }
    if id.as_cow() == *inserted.id {
        return Some(Verdict::Pass);
    }
    let finding = Finding::new(format!(
        "a repeated prompt gets the message id `{id}`, not `{}`",
        inserted.id
    ))
    .at(id, "another id")
    .at(inserted.at, "accepted with this id before")
    .at(keyed.at, "first sent with this key")
    .help("answer with the first message id, and do not take the prompt a second time");
    let is_pinned = connection.pinned_edition().is_some();
    Some(if is_pinned { finding.as_severity(Severity::Error) } else { finding }.into())
}
