use crate::{model::session::activity::AgentState, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "session/status-contradiction",
    summary: "a reported status contradicts other messages",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::UNSTABLE,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("SessionStatusResponse"),
        requires: "`open` is a session in use, `saved` is one not in use; the state is its \
                   current state",
    }],
    explanation: r"
Client and agent disagree about the session. A client that trusts the answer offers to resume a
session that is already open, or shows work that has ended.
",
    examples: &[Example::new(
        Surface::V2Unstable,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","id":3,"method":"session/status","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":3,"result":{"status":"saved"}}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"session/status","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":3,"result":{"status":"open","state":{"state":"running"}}}"#,
    )],
    on: &[On::Answer(&["session/status"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let id = answer.request.session_id.as_deref()?;
    let result = answer.result()?;
    let session = connection.session_named(id).filter(|session| {
        session.is_attached() && !session.is_replaying() && session.info.closing.is_none()
    })?;
    let status = result.get("status")?;
    let activity = &session.activity;
    if status.is("saved") {
        let finding =
            Finding::new(format!("session `{id}` is reported as `saved` while it is open"))
                .at(status, "means not in use")
                .at(session.born.unwrap_or(session.first), "in use since here");
        return Some(finding.into());
    }
    // A change after the request may have crossed it.
    let state = result.get("state")?.get("state")?;
    if activity.changed > answer.request.number {
        return None;
    }
    let is_wrong = match activity.state {
        AgentState::Idle => state.is("running") || state.is("requires_action"),
        AgentState::Running | AgentState::RequiresAction => state.is("idle"),
        AgentState::Unset | AgentState::Other => return None,
    };
    Some(Verdict::from(is_wrong.then(|| {
        Finding::new(format!("the status of session `{id}` contradicts its last state"))
            .at(state, "the reported state")
            .at(answer.request.method_at, "no other state was reported before this request")
    })))
}
