use crate::{
    model::{RequestFacts, connection::rpc::LOOKED_AT},
    rule::prelude::*,
};

pub(crate) static RULE: Rule = Rule {
    id: "prompt/error-after-insertion",
    summary: "a prompt fails although its message is already in the conversation",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("ErrorStopReason"),
            requires: "after the message is inserted, the state reports failures",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/prompt-lifecycle#2-prompt-accepted"),
            requires: "only a prompt that is not inserted is answered with an error",
        },
    ],
    requirements: &["prompt.no-error-after-insertion"],
    explanation: r"
On an error the client removes the message or offers to send it again. But the agent has it in the
conversation. Answer with the message id, and report the failure with an idle state and the stop
reason `error`.
",
    tck: &["CANCEL-203"],
    examples: &[Example::new(
        Surface::V2,
        Opening::Session,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Go on"}]}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"u1","content":[{"type":"text","text":"Go on"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"Model unavailable"}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Go on"}]}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"Model unavailable"}}"#,
    )],
    on: &[On::Answer(&["session/prompt"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let error = answer.error()?;
    let RequestFacts::Prompt(prompt) = &answer.request.facts else { return None };
    let session_id = answer.request.session_id.as_deref()?;
    let session = connection.session_named(session_id)?;
    let Some(shown) = session.work.shown(prompt, answer.request.number).next() else {
        return Some(Verdict::Pass);
    };
    if session.info.closing.is_some_and(|closing| closing.number > answer.request.number) {
        return None; // session/close-pending-prompt-code
    }
    // Another prompt with equal content may be the inserted one.
    let is_alike = |open: &Request| matches!(&open.facts, RequestFacts::Prompt(other) if other.is_like(prompt));
    let open = connection.rpc.perhaps_open_in(session_id, Side::Client, "session/prompt");
    if open.rev().take(LOOKED_AT).any(is_alike) {
        return None;
    }
    Some(
        Finding::new("a prompt fails although its message is already in the conversation")
            .at(error, "fails here")
            .at(shown.at, "inserted here")
            .at(answer.request.at, "the prompt")
            .help("answer with the message id, and report the failure with `state_update`")
            .into(),
    )
}
