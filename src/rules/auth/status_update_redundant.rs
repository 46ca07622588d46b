use crate::{model::connection::auth::AuthReport, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "auth/status-update-redundant",
    summary: "the agent reports an auth status that has not changed",
    level: By::both(Level::Should),
    severity: By::both(Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::UNSTABLE,
    gates: By::both(Gates::INITIALIZED),
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("AuthStatusUpdateNotification"),
        requires: "the agent sends an update when the state or the accounts change",
    }],
    requirements: &["auth.status-on-change"],
    explanation: r"
A client reacts to an update: it sends a request, or it tells the user. An update without news costs
a round trip or shows a false alarm.
",
    examples: &[Example::new(
        Surface::V2Unstable,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{},"auth":{"status":{}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","method":"auth/status_update","params":{"state":"authenticated"}}
{"jsonrpc":"2.0","method":"auth/status_update","params":{"state":"authenticated"}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{},"auth":{"status":{}}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","method":"auth/status_update","params":{"state":"unauthenticated"}}
{"jsonrpc":"2.0","method":"auth/status_update","params":{"state":"authenticated"}}"#,
    )],
    on: &[On::Call(&["auth/status_update"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let state = call.param("state")?;
    let before = connection.authentication.update.as_ref();
    let same = before.filter(|before| call.params.map(AuthReport::digest) == Some(before.digest));
    Some(Verdict::from(same.map(|before| {
        Finding::new("the agent reports the auth status again, but it has not changed")
            .at(state, "the same as before")
            .at(before.at, "the report before")
            .help("send an update only after a change")
    })))
}
