use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "ext/undeclared-extension",
    summary: "a side uses an extension method that the other side did not declare",
    level: By::both(Level::Should),
    severity: By::both(Severity::Off),
    binds: Bound::Sender,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/extensibility#advertising-custom-capabilities"),
            requires: "support for extensions should be advertised in `_meta` of the capabilities",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page(
                "protocol/v2/draft/extensibility#advertising-custom-capabilities",
            ),
            requires: "support for extensions should be advertised in `_meta` of the capabilities",
        },
    ],
    requirements: &["ext.advertise"],
    explanation: r"
Each side learns from `_meta` in the capabilities which extensions the other side supports. An
undeclared method works only if the other side happens to know it; others answer -32601. The rule is
off by default, because many extensions are not declared anywhere.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::None,
        r#"{"dir":"client->agent","msg":{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"editor","version":"1.0.0"}}}}
{"dir":"agent->client","msg":{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"agent","version":"1.0.0"}}}}
{"dir":"client->agent","msg":{"jsonrpc":"2.0","id":1,"method":"_acme.example/inspect","params":{}}}
{"dir":"agent->client","msg":{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}}"#,
        r#"{"dir":"client->agent","msg":{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"editor","version":"1.0.0"}}}}
{"dir":"agent->client","msg":{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"_meta":{"acme.example":{"inspect":true}}},"agentInfo":{"name":"agent","version":"1.0.0"}}}}
{"dir":"client->agent","msg":{"jsonrpc":"2.0","id":1,"method":"_acme.example/inspect","params":{}}}
{"dir":"agent->client","msg":{"jsonrpc":"2.0","id":1,"result":{}}}"#,
    )],
    on: &[On::Call(&[], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    if !call.method.starts_with("_") || !connection.is_initialized() {
        return None;
    }
    let method = call.method.as_cow();
    let vendor = vendor(&method);
    let (agent, client) = (connection.agent_capabilities(), connection.client_capabilities());
    let Some(sender) = call.sender else {
        // Either side may be the vendor: one of them has to advertise the extension.
        let [agent, client] = [agent?, client?];
        if agent.mentions(vendor) || client.mentions(vendor) {
            return Some(Verdict::Pass);
        }
        let finding = Finding::new(format!("`{method}` is used, but neither side declared it"))
            .at(call.method, "an extension method")
            .at(client.at(), format!("no `_meta` in these capabilities names `{vendor}`"))
            .at(agent.at(), "and none in these")
            .help("advertise the extension in `_meta` of the capabilities, and use it only if the other side does")
            .once_per(&*method);
        return Some(finding.into());
    };
    let capabilities = match sender {
        Side::Client => agent,
        Side::Agent => client,
    }?;
    if capabilities.mentions(vendor) {
        return Some(Verdict::Pass);
    }
    let peer = sender.peer();
    let finding =
        Finding::new(format!("the {sender} uses `{method}`, but the {peer} did not declare it"))
            .at(call.method, "an extension method")
            .at(capabilities.at(), format!("no `_meta` in these capabilities names `{vendor}`"))
            .help("advertise the extension in `_meta` of the capabilities, and use it only if the other side does")
            .once_per(&*method);
    Some(finding.into())
}

/// The vendor of an extension method: `acme.example` for `_acme.example/inspect`.
fn vendor(method: &str) -> &str {
    let name = method.trim_start_matches('_');
    name.split('/').next().unwrap_or(name)
}
