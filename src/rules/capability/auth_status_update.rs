use crate::{
    rule::prelude::*,
    rules::capability::needs::{self, Capability},
};

pub(crate) static RULE: Rule = Rule {
    id: "capability/auth-status-update",
    summary: "the agent reports its auth status without advertising it",
    level: By::both(Level::Derived),
    severity: By::each(Severity::Warning, Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::UNSTABLE,
    gates: By::both(Gates::INITIALIZED),
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("AuthStatusUpdateNotification"),
        requires: "only agents that advertise `auth.status` send status updates",
    }],
    requirements: &["auth.status-advertised"],
    explanation: r"
A client reads `auth.status` to learn whether the agent will report changes. If the agent did not
advertise it, the client does not handle the updates.
",
    examples: &[Example::new(
        Surface::V2Unstable,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","method":"auth/status_update","params":{"state":"authenticated"}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{},"auth":{"status":{}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","method":"auth/status_update","params":{"state":"authenticated"}}"#,
    )],
    on: &[On::Call(&["auth/status_update"], check)],
    ..Rule::DEFAULT
};

const CAPABILITY: Capability = Capability::Object("auth.status");

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let agent = needs::advertised_by_agent(connection)?;
    if !CAPABILITY.is_missing_from(agent) {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new("the agent reports its auth status, but did not advertise that")
            .at(call.method, format!("requires the capability `{}`", CAPABILITY.path()))
            .at(CAPABILITY.lack(agent), "not advertised")
            .help(CAPABILITY.advice())
            .once_per("status")
            .into(),
    )
}
