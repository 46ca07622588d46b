use crate::{
    model::session::{activity::AgentState, info::Idle},
    rule::prelude::*,
};

pub(crate) static RULE: Rule = Rule {
    id: "session/usage-recounted",
    summary: "a repeated idle state reports another usage",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::V2_UNSTABLE,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("IdleStateUpdate"),
        requires: "a repeated idle state has the usage of the same turn",
    }],
    explanation: r"
A client that adds up the usage of turns counts an idle state once. If the numbers change without
work in between, its sum is wrong.
",
    examples: &[Example::new(
        Surface::V2Unstable,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn","usage":{"totalTokens":12,"inputTokens":10,"outputTokens":2}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn","usage":{"totalTokens":15,"inputTokens":12,"outputTokens":3}}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn","usage":{"totalTokens":12,"inputTokens":10,"outputTokens":2}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn","usage":{"totalTokens":12,"inputTokens":10,"outputTokens":2}}}}"#,
    )],
    on: &[On::Update(&["state_update"], check)],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session =
        connection.session(update.session_id).filter(|session| !session.is_replaying())?;
    let told = Idle::of(update.update).filter(|_| session.activity.state == AgentState::Idle)?;
    let before = session.info.idle.filter(|before| before.reason == told.reason)?;
    Some(Verdict::from((before.usage != told.usage).then(|| {
        Finding::new("a repeated idle state reports another usage")
            .at(told.at, "the new usage")
            .at(before.at, "the usage before, with no work in between")
            .once_per(&*update.session_id.as_cow())
    })))
}
