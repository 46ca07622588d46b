use crate::{
    json::Kind,
    model::RequestFacts,
    rule::prelude::*,
    rules::{
        capability::{advertised_method_unimplemented::names_another, needs},
        codes,
    },
};

pub(crate) static RULE: Rule = Rule {
    id: "capability/client-method-unimplemented",
    summary: "the client answers an advertised method with `-32601`",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Error),
    binds: Bound::Client,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::INITIALIZED),
    needs: &[Loss::Errors],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/initialization#client-capabilities"),
            requires: "a client implements the methods that it advertises",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/elicitation#checking-support"),
            requires: "a client implements `elicitation/create` if it advertises a mode",
        },
    ],
    explanation: r"
An agent that sees the capability gives the work to the client, and has no other way prepared. With
-32601 the file is not read, the command does not run, or the question is not asked.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true}},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Tidy up"}]}}
{"jsonrpc":"2.0","id":0,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/work/a"}}
{"jsonrpc":"2.0","id":0,"error":{"code":-32601,"message":"Method not found"}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"fs":{"readTextFile":true}},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Tidy up"}]}}
{"jsonrpc":"2.0","id":0,"method":"fs/read_text_file","params":{"sessionId":"s","path":"/work/a"}}
{"jsonrpc":"2.0","id":0,"error":{"code":-32002,"message":"There is no such file"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{"elicitation":{"form":{}}},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Which branch?","requestedSchema":{"type":"object","properties":{"branch":{"type":"string","enum":["main","dev"]}}}}}
{"jsonrpc":"2.0","id":"a1","error":{"code":-32601,"message":"Method not found"}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{"elicitation":{"form":{}}},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Which branch?","requestedSchema":{"type":"object","properties":{"branch":{"type":"string","enum":["main","dev"]}}}}}
{"jsonrpc":"2.0","id":"a1","result":{"action":"decline"}}"#,
        ),
    ],
    on: &[On::Answer(
        &[
            "fs/read_text_file",
            "fs/write_text_file",
            "terminal/create",
            "terminal/output",
            "terminal/release",
            "terminal/wait_for_exit",
            "terminal/kill",
            "elicitation/create",
        ],
        check,
    )],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let version = connection.version()?;
    let request = answer.request;
    if answer.ambiguous || request.sender != Some(Side::Agent) {
        return None;
    }
    let advertised = advertised(request, connection)?;
    if answer.error_code() != Some(codes::METHOD_NOT_FOUND) {
        return Some(Verdict::Pass);
    }
    let error = answer.error()?;
    if names_another(error, &request.method, version) {
        return None;
    }
    Some(
        Finding::new(format!(
            "the client advertises `{}` but answers \"method not found\"",
            request.method
        ))
        .at(error.get("code")?, "method not found")
        .at(request.method_at, "the request")
        .at(advertised, "advertised here")
        .help("implement the method, or do not advertise it")
        .once_per(&*request.method)
        .into(),
    )
}

/// Place where the client advertises the capability for the method of a request; `None` where it
/// does not.
fn advertised(request: &Request, connection: &Connection) -> Option<Mark> {
    let client = needs::advertised_by_client(connection)?;
    if let RequestFacts::Question(question) = &request.facts {
        let mode = client.get(&format!("elicitation.{}", question.mode()))?;
        return (mode.kind() == Kind::Object).then(|| Mark::from(mode));
    }
    let capability = needs::client_method(&request.method);
    let is_advertised = connection.version() == Some(Version::V1) && capability.is_in(client);
    client.get(capability.path()).filter(|_| is_advertised).map(Mark::from)
}
