use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "cancel/unsolicited",
    summary: "a turn ends as cancelled, but the client did not cancel it",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    gates: By::both(Gates::HEAD),
    needs: &[Loss::AnswersOf(Side::Client)],
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Page("protocol/v1/prompt-turn#stop-reasons"),
        requires: "`cancelled` says that the client cancelled the turn",
    }],
    explanation: r"
`cancelled` tells the client that the user stopped the turn, so the client shows nothing. If the
agent stopped for its own reason, say so: with `refusal`, `max_tokens`, `max_turn_requests`, or an
error. A user who refuses one step, by a permission or a declined question, has not stopped the turn.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","id":2,"result":{"stopReason":"cancelled"}}"#,
        r#"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"cancelled"}}"#,
    )],
    on: &[On::Answer(&["session/prompt"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let reason = answer.result()?.get("stopReason").filter(|reason| reason.is("cancelled"))?;
    let session = connection.session_named(answer.request.session_id.as_deref()?)?;
    if connection.lost_to(Some(Side::Agent)) > 0 {
        return None;
    }
    // Another prompt may have replaced this one.
    let stopped = session.work.stopped.max(connection.vaguely_cancelled);
    let is_wanted = stopped.max(session.work.prompted) > answer.request.number
        || answer.request.may_be_cancelled;
    let finding = (!is_wanted).then(|| {
        Finding::new("a turn ends as cancelled, but the client did not cancel it")
            .at(reason, "no cancellation came before")
            .at(answer.request.at, "the prompt")
            .help("if the agent stopped for its own reason, use `refusal` or an error")
    });
    Some(finding.into())
}
