use crate::{
    model::{
        Session,
        session::{messages::MessageKind, work::Prompt},
    },
    rule::prelude::*,
    rules::state::states,
};

pub(crate) static RULE: Rule = Rule {
    id: "prompt/missing-user-message",
    summary: "an accepted prompt is never reported as a user message",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
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
    requirements: &["prompt.reported"],
    explanation: r"
The client shows the conversation as the agent reports it. If the agent never reports an accepted
prompt, the conversation lacks it, for other clients and for later loads of the session too. The
rule looks at a prompt when the work on it has ended, when the next one was accepted, or at the end.
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
    )],
    on: &[
        On::Update(&["state_update"], idle),
        On::Answer(&["session/prompt"], accepted),
        On::End(ended),
    ],
    ..Rule::DEFAULT
};

/// Checks, at the update that ends work, that the prompts of this work were shown as user messages.
fn idle(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = states::live(update, connection)?;
    if !session.activity.is_ended_by(update) {
        return None;
    }
    let missing = missing(session.work.unshown_at_end(), session, connection, |finding| {
        finding.at(update.update, "the work on it ends here")
    });
    if missing.is_empty() {
        return session.work.accepted.is_some().then_some(Verdict::Pass);
    }
    Verdict::failed(missing)
}

/// Checks, at the answer that accepts a prompt, whether the prompts before it were shown as user
/// messages.
fn accepted(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let result = answer.result()?;
    let session = connection.session_named(answer.request.session_id.as_deref()?)?;
    if session.is_replaying() {
        return None;
    }
    let begun = session.work.unshown_before(answer.request.number);
    let missing = missing(begun, session, connection, |finding| {
        finding.at(result, "the next prompt is accepted here")
    });
    Verdict::failed(missing)
}

fn ended(_: &End, connection: &Connection) -> Option<Verdict> {
    if !connection.tail_is_closed() || connection.version() != Some(Version::V2) {
        return None;
    }
    let sessions = connection.sessions();
    let findings = sessions.flat_map(|(_, session)| {
        // The agent has sent something since.
        let is_due = |prompt: &Prompt| session.work.updated > prompt.number;
        let unshown = session.work.unshown().filter(|(_, prompt)| is_due(prompt));
        missing(unshown, session, connection, |finding| {
            finding.and_at(connection.last_message(), "the connection ends here")
        })
    });
    let mut findings: Vec<_> = findings.collect();
    findings.sort_by_key(|finding| finding.labels.first().map(|label| label.span.start));
    Verdict::failed(findings)
}

/// The findings about prompts that no user message has shown. `until` adds the place at which they
/// should have been shown.
fn missing<'s>(
    prompts: impl Iterator<Item = (&'s str, &'s Prompt)>,
    session: &Session,
    connection: &Connection,
    until: impl Fn(Finding) -> Finding,
) -> Vec<Finding> {
    if connection.lost_to(Some(Side::Agent)) > 0 {
        return Vec::new();
    }
    let missing = prompts.filter(|(id, _)| {
        let is_reported = session.messages.named(MessageKind::User, id).is_some();
        // `message/empty-id` reports an empty id.
        !is_reported && !id.is_empty()
    });
    let mut missing: Vec<_> = missing.collect();
    missing.sort_by_key(|(_, prompt)| prompt.number);
    let finding = |(id, prompt): (&str, &Prompt)| {
        let finding =
            Finding::new(format!("accepted prompt `{id}` is never reported as a user message"))
                .at(prompt.at, "accepted with this message id");
        until(finding).help("send `user_message` with this id")
    };
    missing.into_iter().map(finding).collect()
}
