use crate::{rule::prelude::*, rules::state::states};

pub(crate) static RULE: Rule = Rule {
    id: "state/idle-without-running",
    summary: "the end of work is reported, but not its beginning",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    cites: &[
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("StateUpdate"),
            requires: "`running` is reported when work begins, and `idle` when it ends",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/prompt-lifecycle#3-agent-reports-output"),
            requires: "the agent reports `running` before it works",
        },
    ],
    requirements: &["state.running"],
    explanation: r"
An idle state with a stop reason says that work has ended, but no `running` came before it. Clients
that show a spinner while the state is running never showed one, and take the text as background
work. The rule skips a repeated idle state and one without a reason.
",
    tck: &["STATE-201"],
    examples: &[Example::new(
        Surface::V2,
        Opening::Session,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Go on"}]}}
{"jsonrpc":"2.0","id":2,"result":{"messageId":"u1"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"u1","content":[{"type":"text","text":"Go on"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Go on"}]}}
{"jsonrpc":"2.0","id":2,"result":{"messageId":"u1"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"u1","content":[{"type":"text","text":"Go on"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
    )],
    on: &[On::Update(&["state_update"], check)],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = states::live(update, connection)?;
    let reason = update.update.get("stopReason")?.text()?;
    if !update.update.get("state")?.is("idle") {
        return None;
    }
    if session.activity.is_active() {
        return Some(Verdict::Pass);
    }
    let custom = session.activity.since_idle.custom.as_ref();
    // A client that advertises the state knows it.
    let is_known = custom.is_some_and(|(name, _)| {
        connection.client_capabilities().is_some_and(|client| client.speaks_of(name))
    });
    if is_known || !states::is_idle_or_custom(session) || states::ends_again(session, update) {
        return None;
    }
    let work = &session.work;
    let is_repeated = work.last_reason.as_ref().is_some_and(|last| reason == **last);
    if is_repeated && work.accepted.is_none() && work.output.is_none() {
        return None;
    }
    // The agent has said that it is idle, and no work has ended.
    let said_idle = work
        .output
        .zip(work.state)
        .is_some_and(|(output, state)| output.span().start < state.span().start);
    Some(
        Finding::new("work ends but was never reported as running")
            .at(update.update, "reports the end of work")
            .and_at(work.accepted, "a prompt is accepted here")
            .and_at(work.output, "the agent sends output here")
            .help("send `running` when work begins")
            .disputed_if(said_idle || custom.is_some())
            .into(),
    )
}
