use crate::{rule::prelude::*, rules::session::attached};

pub(crate) static RULE: Rule = Rule {
    id: "session/resume-state-before-replay",
    summary: "the state is sent before the replayed history",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("ResumeSessionResponse"),
        requires: "the state comes after the replayed history",
    }],
    requirements: &["session.resume-state"],
    explanation: r"
The state describes the session at the end of the history. If it comes earlier, a client takes the
replayed messages as new messages of an idle session, and marks them as unexpected.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Initialized,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/work","replayFrom":{"type":"start"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"u0","content":[{"type":"text","text":"Earlier"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/work","replayFrom":{"type":"start"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"u0","content":[{"type":"text","text":"Earlier"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
{"jsonrpc":"2.0","id":1,"result":{}}"#,
    )],
    on: &[On::Answer(&["session/resume"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let (session, attachment) = attached::attachment(answer, connection)?;
    let state = attachment.state.filter(|_| session.wants_history)?;
    let late = attachment.idle.zip(attachment.after_idle);
    Some(Verdict::from(late.map(|(idle, late)| {
        Finding::new("the state is sent before the replayed history")
            // Messages after `running` may be live.
            .disputed_if(!state.is_idle)
            .at(idle, "describes the session after the history")
            .at(late, "history that comes later")
    })))
}
