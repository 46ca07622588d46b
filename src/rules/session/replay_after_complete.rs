use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "session/replay-after-complete",
    summary: "history is replayed after `replay_complete`",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::LateNovember2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("ReplayComplete"),
        requires: "`replay_complete` comes after the last update of the replay",
    }],
    requirements: &["session.replay-complete"],
    explanation: r"
After this marker, the client takes each message as new. It may notify the user about an old
message. If work goes on in the session, updates after the marker may be new; then the rule reports
nothing. If the agent reports the work only during the replay, the message counts as not judged.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Initialized,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/work","replayFrom":{"type":"start"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"u1","content":[{"type":"text","text":"Tidy up"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/work","replayFrom":{"type":"start"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"u1","content":[{"type":"text","text":"Tidy up"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
{"jsonrpc":"2.0","id":1,"result":{}}"#,
    )],
    on: &[On::Update(&[], check)],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(update.session_id).filter(|it| it.is_replaying())?;
    let attachment = session.attachment.as_ref().filter(|it| !it.may_be_live && !it.is_shared)?;
    let kind = update.kind.as_cow();
    if kind == "replay_complete" {
        return Some(Verdict::Pass);
    }
    let complete = attachment.complete.filter(|_| attachment.counts_as_history(&kind))?;
    Some(
        Finding::new("history is replayed after `replay_complete`")
            .at(update.kind, "clients take it as new")
            .at(complete, "the replay was completed here")
            .disputed_if(attachment.reports_work)
            .once_per(attachment.number)
            .into(),
    )
}
