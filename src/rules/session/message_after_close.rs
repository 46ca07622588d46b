use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "session/message-after-close",
    summary: "the agent sends a message for a session after closing it",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::November2026)),
    needs: &[Loss::AnswersOf(Side::Agent)],
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("CloseSessionRequest"),
        requires: "after the response, the agent sends nothing more for the session on this \
                   connection",
    }],
    requirements: &["session.close-cancels"],
    explanation: r"
The client has discarded the session. In some clients a late update opens it again as an empty
conversation, and the client cannot answer a late request. Answers to earlier requests may still
come.
",
    tck: &["CLOSE-202"],
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","id":3,"method":"session/close","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"cancelled"}}}
{"jsonrpc":"2.0","id":3,"result":{}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"session_info_update","title":"Late"}}}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"session/close","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"session_info_update","title":"In time"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"cancelled"}}}
{"jsonrpc":"2.0","id":3,"result":{}}
{"jsonrpc":"2.0","id":4,"method":"session/resume","params":{"sessionId":"s","cwd":"/work"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
{"jsonrpc":"2.0","id":4,"result":{}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"session_info_update","title":"Again"}}}"#,
    )],
    on: &[On::Call(&[], check), On::Answer(&["session/close"], closed)],
    variants: &[(Severity::Warning, "for a subagent of the closed session")],
    ..Rule::DEFAULT
};

/// Passes for each confirmed `session/close` that stopped work, so that the rule counts as exercised.
fn closed(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    answer.result()?;
    let session = connection.session_named(answer.request.session_id.as_deref()?)?;
    session.work.was_active_at_close.then_some(Verdict::Pass)
}

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let id = call.session_id()?;
    if call.sender != Some(Side::Agent) || call.method.starts_with("_") {
        return None;
    }
    let session = connection.session(id)?;
    if let Some(closed) = session.closed.filter(|_| !session.is_replaying()) {
        let finding =
            Finding::new(format!("the agent sends a message for session `{id}` after closing it"))
                .at(id, "closed")
                .at(closed, "closed here")
                .once_per(&*id.as_cow());
        return Some(finding.into());
    }
    let parent =
        session.parent.as_ref().and_then(|parent| connection.session_named(&parent.session_id));
    let closed = parent.filter(|parent| !parent.is_replaying()).and_then(|parent| parent.closed);
    closed.map(|closed| {
        Finding::new(format!(
            "the agent sends a message for subagent `{id}` after closing its parent"
        ))
        .at(id, "belongs to a closed session")
        .at(closed, "its parent was closed here")
        .as_severity(Severity::Warning)
        .once_per(&*id.as_cow())
        .into()
    })
}
