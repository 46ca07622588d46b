use crate::{model::Phase, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "lifecycle/reinitialize",
    summary: "the client initializes a connection that is already in use",
    level: By::each(Level::Derived, Level::MustNot),
    severity: By::each(Severity::Warning, Severity::Error),
    binds: Bound::Client,
    surfaces: Surfaces::ALL,
    editions: By::each(Editions::ALL, Editions::since(Edition::November2026)),
    needs: &[Loss::Boundaries, Loss::AnswersOf(Side::Agent)],
    cites: &[
        Citation {
            version: None,
            source: SourceText::Definition("InitializeRequest"),
            requires: "version 1 initializes once, when the connection begins; version 2 lets a \
                       client repeat it until its first other request, and the last success counts",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/initialization#version-negotiation"),
            requires: "a client whose version was refused may offer another one",
        },
    ],
    explanation: r"
Sessions use the version and the capabilities that were agreed on before. Nobody knows what happens
to them when these change: some agents start over, others keep the old ones. For another version or
other capabilities, open a new connection. On both versions the client may try again after a failed
`initialize`.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":1,"agentInfo":{"name":"agent","version":"1.0.0"}}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":2,"result":{"sessionId":"t"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":2,"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":2,"info":{"name":"agent","version":"1.0.0"},"capabilities":{"session":{}}}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":2,"result":{"sessionId":"t"}}"#,
        ),
    ],
    on: &[On::Call(&["initialize"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    if call.sender == Some(Side::Agent) || call.id.is_none() || call.batch.is_some() {
        return None;
    }
    let negotiation = &connection.negotiation;
    let is_first = !matches!(negotiation.phase(), Phase::Proposed | Phase::Agreed);
    // Version 2 allows a second `initialize` until the connection is used.
    let offers_2 = call.param("protocolVersion").and_then(Node::integer).is_some_and(|v| v >= 2);
    let is_version_2 = offers_2 || connection.version() == Some(Version::V2);
    let is_allowed = is_version_2 && negotiation.first_use.is_none();
    if is_first || is_allowed {
        return Some(Verdict::Pass);
    }
    let finding = Finding::new("the client initializes a connection that is already in use")
        .at(call.method, "initialized again here")
        .and_at(negotiation.first, "first initialized here")
        .and_at(negotiation.first_use, "the connection is in use since here")
        .help("open a new connection instead; if the file holds several connections, split it");
    Some(finding.into())
}
