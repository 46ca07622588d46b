use crate::{model::SessionOrigin, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "session/replay-complete-unexpected",
    summary: "`replay_complete` is sent where no replay ends",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::LateNovember2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("ReplayComplete"),
        requires: "`replay_complete` is sent once for each resume with `replayFrom`, and never else",
    }],
    explanation: r"
The marker ends the history that a `session/resume` has asked for. A client that did not ask for any, or
that has had the marker, takes whatever comes next for something that it is not.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Initialized,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/work"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/work","replayFrom":{"type":"start"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
{"jsonrpc":"2.0","id":1,"result":{}}"#,
    )],
    on: &[On::Update(&["replay_complete"], check)],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(update.session_id)?;
    let Some(attachment) = &session.attachment else {
        // The resume request may be older than the recording.
        let is_born = session.origin == SessionOrigin::Forked && !session.reattached;
        if !session.is_fully_recorded() && !is_born {
            return None;
        }
        let finding =
            Finding::new("`replay_complete` is sent for a session that nobody has resumed")
                .at(update.kind, "no replay ends here");
        return Some(finding.into());
    };
    let finding = if !session.wants_history {
        Finding::new("`replay_complete` is sent though no history was asked for")
            .at(update.kind, "no replay ends here")
            .at(attachment.request, "asks for no history")
            .help("send it only where the resume has `replayFrom`")
    } else if let Some(first) = attachment.complete {
        Finding::new("`replay_complete` is sent twice for one resume")
            .at(update.kind, "the second one")
            .at(first, "the replay was complete here")
    } else if let Some(answer) = attachment.answer {
        Finding::new("`replay_complete` comes behind the response")
            .at(update.kind, "too late to end the replay")
            .at(answer, "the response says that the session is resumed")
            .help("send it behind the history and before the response")
    } else {
        return Some(Verdict::Pass);
    };
    Some(finding.once_per(attachment.number).into())
}
