use crate::{
    event::Update,
    model::Connection,
    protocol::{Edition, Surface, Surfaces, Version},
    rule::{
        Bound, By, Citation, Editions, Example, Finding, Gates, Level, On, Opening, Rule, Severity,
        SourceText, Verdict,
    },
    rules::capability::gate::{self, Marker},
};

pub(crate) static RULE: Rule = Rule {
    id: "capability/gated-update",
    summary: "the agent sends an update that the client did not advertise",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    gates: By::both(Gates::INITIALIZED),
    editions: By::both(Editions::ALL),
    cites: &[
        Citation {
            version: None,
            source: SourceText::Definition("SessionUpdate"),
            requires: "notices and compactions go only to clients that have advertised them",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/draft/prompt-turn#session-compaction"),
            requires: "compactions are reported only to clients that have advertised them",
        },
    ],
    explanation: r"
Clients that do not know an update cannot read it: version 1 has no room for unknown kinds, and some
libraries drop the connection over one. That is why the newer kinds have to be asked for.
",
    tck: &[],
    examples: &[Example::new(
        Surface::V1,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"notice","severity":"info","title":"Heads up"}}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"session":{"notices":{}}},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"notice","severity":"info","title":"Heads up"}}}"#,
    )],
    on: &[On::Update(
        &[
            "notice",
            "compaction_update",
            "compaction_summary_chunk",
            "subagent_update",
            "session_message",
            "session_message_chunk",
        ],
        check,
    )],
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let client = gate::client(connection)?;
    let kind = update.kind.as_cow();
    let marker = Marker::Object(match &*kind {
        "notice" => "session.notices",
        "compaction_update" | "compaction_summary_chunk" => "session.compaction",
        _ => "subagents",
    });
    if marker.is_in(client) {
        return Some(Verdict::Pass);
    }
    // Notices had no gate before.
    let is_older =
        connection.pinned_edition().is_some_and(|edition| edition < Edition::September2026);
    if is_older && kind == "notice" {
        return None;
    }
    Some(
        Finding::new(format!("the client did not advertise `{kind}`"))
            .at(update.kind, format!("rests on the capability `{}`", marker.path()))
            .at(marker.lack(client), "not advertised")
            .once_per(marker.path())
            .into(),
    )
}
