use crate::{
    model::{Session, session::attachment::Attachment},
    rule::prelude::*,
    rules::session::attached,
};

pub(crate) static RULE: Rule = Rule {
    id: "session/resume-missing-state",
    summary: "a resume is answered without a `state_update` before it",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("ResumeSessionResponse"),
            requires: "a snapshot of the state comes before the response",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page(
                "protocol/v2/draft/session-setup#current-state-synchronization",
            ),
            requires: "a snapshot of the state comes before the response",
        },
    ],
    requirements: &["session.resume-state"],
    explanation: r"
A resumed session may be idle or at work. Without the state the client does not know which, so it
does not know whether to offer a prompt or a stop button.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Initialized,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/work"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
{"jsonrpc":"2.0","id":1,"result":{}}"#,
    )],
    on: &[
        On::Answer(&["session/resume"], check),
        On::Call(&attached::FOLLOWING, |call, connection| {
            attached::before(call, connection, missing)
        }),
        On::End(|_, connection| attached::at_end(connection, missing)),
    ],
    variants: &[(Severity::Warning, "where the state is not a defined one")],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let id = answer.request.session_id.as_deref()?;
    let (_, attachment) = attached::attachment(answer, connection)?;
    match attachment.state {
        Some(state) if state.is_defined => Some(Verdict::Pass),
        Some(state) => Some(
            Finding::new(format!("session `{id}` is resumed with an unknown state"))
                .at(answer.node, "confirmed")
                .at(state.at, "clients cannot read this state")
                .at(answer.request.method_at, "the client resumes it")
                .as_severity(Severity::Warning)
                .into(),
        ),
        None => None,
    }
}

/// Checks a session that has been resumed. A state that comes with a late replay is reported by
/// `session/replay-after-response`.
fn missing(id: &str, _: &Session, attachment: &Attachment) -> Option<Finding> {
    let answer = attachment.answer.filter(|_| attachment.is_resume)?;
    let is_late = attachment.is_late && attachment.is_state_late;
    if attachment.is_judged || attachment.state.is_some() || is_late {
        return None;
    }
    let finding = Finding::new(format!("session `{id}` is resumed without a `state_update`"))
        .at(answer, "confirmed")
        .at(attachment.request, "no `state_update` has come since")
        .help("send a `state_update` after the replay and before the response")
        .once_per(attachment.number);
    Some(finding)
}
