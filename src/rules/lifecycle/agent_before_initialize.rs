use crate::{model::Phase, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "lifecycle/agent-before-initialize",
    summary: "the agent sends protocol messages before `initialize`",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    gates: By::both(Gates::HEAD),
    needs: &[Loss::Boundaries],
    cites: &[
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/initialization"),
            requires: "a connection begins with `initialize`; before it nothing is agreed",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/overview#message-flow"),
            requires: "first comes initialization, then session setup, then prompts and their updates",
        },
    ],
    explanation: r"
Before `initialize` there are no sessions and no agreed capabilities. Clients drop notifications and
answer requests with an error. Typical cause: the agent sends a start-up notice too early. Wait
until the client has initialized the connection. The rule ignores extension notifications, and
messages between the request `initialize` and its answer.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::None,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"session_info_update","title":"Tidy"}}}
{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"info":{"name":"agent","version":"1.0.0"},"capabilities":{"session":{}}}}"#,
        r#"{"jsonrpc":"2.0","method":"_agent.example/started","params":{}}
{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"info":{"name":"agent","version":"1.0.0"},"capabilities":{"session":{}}}}"#,
    )],
    on: &[On::Call(&["initialize"], begun), On::End(never_begun)],
    ..Rule::DEFAULT
};

fn begun(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    if call.sender != Some(Side::Client) || connection.negotiation.phase() != Phase::None {
        return None;
    }
    Some(
        finding(connection)
            .map(|finding| finding.at(call.method, "`initialize` comes only here"))
            .into(),
    )
}

fn never_begun(_: &End, connection: &Connection) -> Option<Verdict> {
    let is_begun = connection.negotiation.phase() != Phase::None || connection.is_proxied();
    if is_begun { None } else { finding(connection).map(Verdict::from) }
}

fn finding(connection: &Connection) -> Option<Finding> {
    let unprompted = connection.negotiation.unprompted?;
    let finding = Finding::new("the agent sends protocol messages before `initialize`")
        .at(unprompted, "the client has not sent `initialize` yet")
        .help("send it only after `initialize` is answered and a session exists");
    Some(finding)
}
