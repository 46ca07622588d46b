use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "cancel/wrong-stop-reason",
    summary: "a cancelled turn ends with a stop reason other than `cancelled`",
    level: By::both(Level::Must),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/prompt-turn#cancellation"),
            requires: "a turn that the client cancels ends with the stop reason `cancelled`",
        },
        Citation {
            version: None,
            source: SourceText::Definition("StopReason"),
            requires: "`cancelled` confirms that the turn was cancelled",
        },
    ],
    requirements: &["cancel.order", "cancel.stop-reason"],
    explanation: r"
The client waits for `cancelled` to tell the user that the turn was stopped. With any other reason,
the cancellation seems to have come too late. The answer may have been on its way already, so this
is a warning. It is an error if updates of the turn came for more than a second after the
cancellation.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        r#"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"cancelled"}}"#,
    )],
    on: &[On::Answer(&["session/prompt"], check)],
    variants: &[(Severity::Error, "where the agent has had time to stop")],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let reason = answer.result()?.get("stopReason")?.text()?;
    let session = connection.session_named(answer.request.session_id.as_deref()?)?;
    let cancel =
        session.work.stops.cancel.filter(|cancel| cancel.number > answer.request.number)?;
    if reason == "cancelled" {
        return Some(Verdict::Pass);
    }
    let (cancels, severity) = if cancel.is_old {
        (
            "cancelled here; the agent sent updates for more than a second after this",
            Severity::Error,
        )
    } else {
        ("the client cancels the turn", Severity::Warning)
    };
    let finding = Finding::new(format!("a cancelled turn ends with the stop reason `{reason}`"))
        .at(reason, "expected `cancelled`")
        .at(cancel.at, cancels)
        .at(answer.request.at, "the prompt")
        .help("answer a cancelled prompt with the stop reason `cancelled`")
        .as_severity(severity);
    Some(finding.into())
}
