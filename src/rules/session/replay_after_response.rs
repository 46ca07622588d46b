use crate::{model::Anchor, rule::prelude::*, rules::session::attached};

pub(crate) static RULE: Rule = Rule {
    id: "session/replay-after-response",
    summary: "replayed history comes after the response",
    level: By::both(Level::Must),
    severity: By::each(Severity::Warning, Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    needs: &[Loss::Order],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-setup#loading-a-session"),
            requires: "the response comes after the whole conversation",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/session-setup#resuming-sessions"),
            requires: "the requested history comes before the response",
        },
    ],
    requirements: &["session.replay-before-answer"],
    explanation: r"
The response tells the client that the history is complete. The client takes later messages as new:
it shows the old message at the end, or believes that somebody else sent it.
",
    tck: &["RESUME-202"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Initialized,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"Earlier question"}}}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/load","params":{"sessionId":"s","cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"Earlier question"}}}}
{"jsonrpc":"2.0","id":1,"result":{}}
{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Tidy up"}]}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"Tidy up"}}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Initialized,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/work","replayFrom":{"type":"start"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
{"jsonrpc":"2.0","id":1,"result":{}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"u0","content":[{"type":"text","text":"Earlier question"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message","messageId":"m0","content":[{"type":"text","text":"Earlier answer"}]}}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/work","replayFrom":{"type":"start"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"u0","content":[{"type":"text","text":"Earlier question"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
{"jsonrpc":"2.0","id":1,"result":{}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"session_info_update","title":"Tidy"}}}
{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Tidy up"}]}}
{"jsonrpc":"2.0","id":2,"result":{"messageId":"u1"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"u1","content":[{"type":"text","text":"Tidy up"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}"#,
        ),
    ],
    on: &[On::Update(&[], check), On::Answer(methods::ATTACH_SESSION, attached), On::End(ended)],
    variants: &[(Severity::Info, "where the messages may be new work")],
    ..Rule::DEFAULT
};

/// Checks that no user message comes after the response that ended the replay. On version 2, such a
/// message may be of another client; then work follows it.
fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(update.session_id).filter(|session| session.wants_history)?;
    let attachment = session.attachment.as_ref()?;
    let answer = attachment.answer?;
    if let Some(late) = attachment.late {
        let state = update.update.get("state");
        let is_work = state.is_some_and(|state| state.is("running") || state.is("requires_action"));
        let finding = late_message(late.into(), answer, attachment.number);
        return Some(finding.as_severity_if(is_work, Severity::Info).into());
    }
    (update.kind == "user_message_chunk"
        && connection.version() == Some(Version::V1)
        && !attachment.has_worked)
        .then(|| late_message(update.kind.into(), answer, attachment.number).into())
}

fn attached(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    attached::session(answer, connection)?.wants_history.then_some(Verdict::Pass)
}

fn ended(_: &End, connection: &Connection) -> Option<Verdict> {
    let late = connection.sessions().filter(|(_, session)| session.wants_history);
    let late = late.filter_map(|(_, session)| {
        let attachment = session.attachment.as_ref()?;
        let finding = late_message(attachment.late?.into(), attachment.answer?, attachment.number);
        Some(finding.as_severity(Severity::Info))
    });
    Verdict::all(late.map(Verdict::from))
}

fn late_message(mark: Mark, answer: Anchor, number: u64) -> Finding {
    Finding::new("a user message comes after the end of the replay")
        .at(mark, "no prompt was sent since")
        .at(answer, "this response ends the replay")
        .once_per(number)
}
