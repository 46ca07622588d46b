use crate::{rule::prelude::*, rules::recent};

pub(crate) static RULE: Rule = Rule {
    id: "state/custom-without-standard",
    summary: "work is reported only by a custom state",
    level: By::both(Level::Must),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::LateNovember2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("StateUpdate.other"),
        requires: "custom states do not replace the standard ones",
    }],
    requirements: &["state.custom"],
    explanation: r"
A client that does not know the custom state does not see that the agent is at work. It shows no
progress, and no button to stop.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Session,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Tidy up"}]}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"_musing"}}}
{"jsonrpc":"2.0","id":2,"result":{"messageId":"u1"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"u1","content":[{"type":"text","text":"Tidy up"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Tidy up"}]}}
{"jsonrpc":"2.0","id":2,"result":{"messageId":"u1"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message","messageId":"u1","content":[{"type":"text","text":"Tidy up"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"running"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"_musing"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
    )],
    on: &[On::Update(&["state_update"], check)],
    variants: &[(Severity::Error, "with `--edition 2026-11-20`")],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let state = update.update.get("state").filter(|state| state.is("idle"))?;
    let session =
        connection.session(update.session_id).filter(|session| !session.is_replaying())?;
    let since = &session.activity.since_idle;
    let (name, at) = since.custom.as_ref()?;
    if since.is_standard {
        return Some(Verdict::Pass);
    }
    // A client that advertises the state knows it.
    let is_known = connection.client_capabilities().is_none_or(|client| client.speaks_of(name));
    if !since.has_worked || is_known || connection.lost_to(Some(Side::Agent)) > 0 {
        return None;
    }
    Some(
        Finding::new(format!("work is reported only by the custom state `{name}`"))
            .at(*at, "no standard state since the last idle state")
            .at(state, "the work ends here")
            .help("report `running` or `requires_action` first")
            .as_severity(recent::severity(connection, Severity::Warning))
            .once_per(&**name)
            .into(),
    )
}
