use crate::{
    rule::prelude::*,
    rules::capability::gate::{self, Marker},
};

pub(crate) static RULE: Rule = Rule {
    id: "capability/auth-status-update",
    summary: "the agent reports auth status without having advertised it",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2_UNSTABLE,
    gates: By::both(Gates::INITIALIZED),
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("AuthStatusUpdateNotification"),
        requires: "status updates come only from agents that advertise `auth.status`",
    }],
    explanation: r"
A client reads `auth.status` to decide whether it can rely on being told. Updates from an agent that
promises none end in no handler, and the client goes on guessing.
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

const MARKER: Marker = Marker::Object("auth.status");

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let agent = gate::agent(connection)?;
    if MARKER.is_in(agent) {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new("the authentication status is reported without having been advertised")
            .at(call.method, format!("rests on the capability `{}`", MARKER.path()))
            .at(MARKER.lack(agent), "not advertised")
            .help(MARKER.advice())
            .once_per("status")
            .into(),
    )
}
