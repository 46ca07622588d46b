use crate::{
    model::{connection::rpc::LOOKED_AT, session::activity::AgentState},
    rule::prelude::*,
};

pub(crate) static RULE: Rule = Rule {
    id: "subagent/state-mismatch",
    summary: "the parent reports another state of a subagent than the subagent itself",
    level: By::both(Level::Should),
    severity: By::both(Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("SubagentUpdate"),
        requires: "the parent reports the known state of its subagent",
    }],
    requirements: &["subagent.state-mirrored"],
    explanation: r"
Many clients show only what the parent reports. They show a subagent as working that has finished
long ago. An agent may leave out these states; then the rule does not apply.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"subagent_update","sessionId":"kid","state":{"state":"running"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"kid","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"subagent_update","sessionId":"kid","state":{"state":"running"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"kid","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"subagent_update","sessionId":"kid","state":{"state":"idle"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
    )],
    on: &[On::Update(&["state_update"], check)],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let parent = connection.session(update.session_id)?;
    if !parent.activity.is_ended_by(update) || parent.is_replaying() {
        return None;
    }
    let session_id = update.session_id.as_cow();
    let children = connection.busy_subagents(&session_id);
    let stale = children.filter(|(_, child)| child.activity.state == AgentState::Idle);
    let stale = stale.filter_map(|(id, child)| Some((id, child.parent.as_ref()?.state.as_ref()?)));
    let findings = stale.map(|(id, (mirrored, at))| {
        Finding::new(format!(
            "subagent `{id}` is idle, but its parent still reports `{mirrored}` when its own work \
             ends"
        ))
        .at(update.kind, "the parent's work ends")
        .at(*at, "the parent's last report of the subagent")
        .once_per(id)
    });
    let found: Verdict = findings.collect();
    // The condition: there are subagents. Looks at a few sessions.
    let is_met = matches!(found, Verdict::Fail(_))
        || connection.sessions().take(LOOKED_AT).any(|(_, session)| session.parent.is_some());
    is_met.then_some(found)
}
