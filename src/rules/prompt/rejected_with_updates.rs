use crate::{
    model::{RequestFacts, connection::rpc::LOOKED_AT, digest, session::messages::MessageKind},
    rule::prelude::*,
};

pub(crate) static RULE: Rule = Rule {
    id: "prompt/rejected-with-updates",
    summary: "a rejected prompt still appears in the conversation",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Page("protocol/v2/draft/prompt-lifecycle#2-prompt-accepted"),
        requires: "a prompt that is answered with an error does not appear in the conversation",
    }],
    requirements: &["prompt.no-error-after-insertion"],
    explanation: r"
The user was told that the message was not sent. Then it appears, and the agent acts on it. A prompt
is either accepted and inserted, or rejected and not inserted.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Session,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Go on"}]}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"Busy"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"u1","content":[{"type":"text","text":"Go on"}]}}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Go on"}]}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"Busy"}}
{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Go on"}]}}
{"jsonrpc":"2.0","id":3,"result":{"messageId":"u1"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"u1","content":[{"type":"text","text":"Go on"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
    )],
    on: &[On::Update(&["user_message"], check)],
    variants: &[(Severity::Warning, "where several rejected prompts have this text")],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(update.session_id).filter(|it| !it.is_replaying())?;
    if !session.work.has_rejected() {
        return None;
    }
    let content = update.update.get("content").filter(|content| content.is_array())?;
    let id = update.message_id;
    // A further chunk of a known message.
    if id.is_some_and(|id| session.messages.get(MessageKind::User, id).is_some()) {
        return None;
    }
    // The message may belong to another prompt with equal content.
    let said = digest::of(content);
    let is_alike = |open: &Request| matches!(&open.facts, RequestFacts::Prompt(prompt) if prompt.content() == said);
    let here = update.session_id.as_cow();
    let open = connection.rpc.perhaps_open_in(&here, Side::Client, "session/prompt");
    if id.is_some_and(|id| session.work.prompt(id).is_some())
        || open.rev().take(LOOKED_AT).any(is_alike)
    {
        return Some(Verdict::Pass);
    }
    let mut rejected = session.work.rejected(content);
    let Some(first) = rejected.next() else { return Some(Verdict::Pass) };
    let finding = Finding::new("a rejected prompt still appears in the conversation")
        .at(content, "the text of the rejected prompt")
        .at(first.answer, "rejected here")
        .at(first.request, "the prompt")
        .help("if you insert the prompt, answer with its message id");
    let is_unclear = rejected.next().is_some();
    Some(finding.as_severity_if(is_unclear, Severity::Warning).into())
}
