use crate::{model::SessionOrigin, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "session/replay-complete-unexpected",
    summary: "`replay_complete` is sent, but no replay ends there",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::LateNovember2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("ReplayComplete"),
        requires: "`replay_complete` is sent once for each resume with `replayFrom`, and never \
                   otherwise",
    }],
    requirements: &["session.replay-complete-only"],
    explanation: r"
The marker ends the history that a `session/resume` asked for. A client that did not ask for
history, or already got the marker, misunderstands what comes next.
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
        let finding = Finding::new("`replay_complete` is sent for a session that was not resumed")
            .at(update.kind, "no replay ends here");
        return Some(finding.into());
    };
    let finding = if !session.wants_history {
        Finding::new("`replay_complete` is sent, but no history was requested")
            .at(update.kind, "no replay ends here")
            .at(attachment.request, "does not ask for history")
            .help("send it only if the resume has `replayFrom`")
    } else if let Some(first) = attachment.complete.filter(|_| !attachment.is_shared) {
        Finding::new("`replay_complete` is sent twice for one resume")
            .at(update.kind, "the second one")
            .at(first, "the replay was completed here")
    } else if attachment.is_shared {
        // It may answer the earlier request.
        return None;
    } else if attachment.is_late || attachment.late.is_some() {
        // session/replay-after-response
        return None;
    } else if let Some(answer) = attachment.answer {
        Finding::new("`replay_complete` comes after the response")
            .at(update.kind, "too late to end the replay")
            .at(answer, "this response ends the replay")
            .help("send it after the history and before the response")
    } else {
        return Some(Verdict::Pass);
    };
    Some(finding.once_per(attachment.number).into())
}
