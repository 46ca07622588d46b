use crate::{model::Phase, rule::prelude::*, rules::lifecycle::excess};

pub(crate) static RULE: Rule = Rule {
    id: "lifecycle/version-mismatch-continue",
    summary: "the client continues with a newer version than it offered",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Client,
    surfaces: Surfaces::ALL,
    needs: &[Loss::AnswersOf(Side::Agent)],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/initialization#version-negotiation"),
            requires: "the client offers the newest version it knows; without a common version \
                       the connection is not used",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/initialization#version-negotiation"),
            requires: "a client that does not support the chosen version disconnects",
        },
    ],
    requirements: &["lifecycle.agree", "lifecycle.disconnect"],
    explanation: r"
A client offers the newest version that it supports. If the agent answers with a newer one, they
have no version in common, and the sender of each later message does not know its rules. The client
should close the connection and tell its user. An answer with an older version is the normal way to
agree.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":3,"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"info":{"name":"agent","version":"1.0.0"},"capabilities":{"session":{}}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":3,"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"info":{"name":"agent","version":"1.0.0"},"capabilities":{"session":{}}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}"#,
        )
        .beside(&["lifecycle/version-above-request"]),
    ],
    on: &[On::Call(&[], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let negotiation = &connection.negotiation;
    let goes_on = negotiation.phase() == Phase::Agreed
        && negotiation.continued.is_none()
        && call.sender == Some(Side::Client)
        && call.uses_protocol()
        && call.method != "initialize";
    if !goes_on {
        return None;
    }
    let Some([(offered, offer), (answered, answer)]) = excess(connection) else {
        // A lower version is nothing to disconnect from.
        let is_other = negotiation.answered.map(|it| it.0) != negotiation.offered.map(|it| it.0);
        return is_other.then_some(Verdict::PassOf(&["lifecycle.agree"]));
    };
    let message =
        format!("the client continues with version {answered}, but it offered only {offered}");
    let finding = Finding::new(message)
        .at(call.method, "the client still uses the connection")
        .at(answer, format!("the agent supports no version below {answered}"))
        .at(offer, format!("the client supports no version above {offered}"))
        .help("close the connection: the sides have no version in common");
    Some(finding.into())
}
