use crate::{model::SessionOrigin, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "cancel/no-active-turn",
    summary: "the client cancels, but no turn is running",
    level: By::both(Level::Hint),
    severity: By::both(Severity::Info),
    binds: Bound::Client,
    surfaces: Surfaces::V1,
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Page("protocol/v1/prompt-turn#cancellation"),
        requires: "`session/cancel` stops a running turn",
    }],
    explanation: r"
Nothing happens. Probably the turn ended a moment before. If this occurs often, the client does not
notice the end of turns.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Session,
        r#"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Go on"}]}}
{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"cancelled"}}"#,
    )],
    on: &[On::Call(&["session/cancel"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(call.session_id()?)?;
    // For other sessions it is unknown what was in progress before.
    let is_known = connection.head_is_complete()
        && matches!(
            session.origin,
            SessionOrigin::New
                | SessionOrigin::Loaded
                | SessionOrigin::Resumed
                | SessionOrigin::Forked
        );
    if !is_known || call.id.is_some() {
        return None;
    }
    // A prompt whose response cannot be told from another one may still be in progress.
    let id = call.session_id()?.as_cow();
    let mut open = connection.rpc.perhaps_open_in(&id, Side::Client, "session/prompt");
    let finding = (session.open_prompts == 0 && open.next().is_none()).then(|| {
        Finding::new("the client cancels, but no turn is running")
            .at(call.method, "all prompts are already answered")
            .at(session.first, "the session")
            .once_per(session.first.span().start)
    });
    Some(finding.into())
}
