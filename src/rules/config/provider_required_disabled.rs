use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "config/provider-required-disabled",
    summary: "the client disables a required provider",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Client,
    surfaces: Surfaces::UNSTABLE,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("ProviderInfo"),
        requires: "a client does not disable a provider that is listed as required",
    }],
    requirements: &["config.provider-required"],
    explanation: r"
The agent cannot work without this provider. Its list says so, so that clients do not let the user
switch it off. The request fails, or leaves the agent without a model.
",
    examples: &[Example::new(
        Surface::V2Unstable,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"providers":{}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"providers/list","params":{}}
{"jsonrpc":"2.0","id":1,"result":{"providers":[{"providerId":"main","supported":["openai"],"required":true,"current":{"apiType":"openai","baseUrl":"https://models.example.com/v1"}},{"providerId":"spare","supported":["anthropic","openai"],"required":false,"current":null}]}}
{"jsonrpc":"2.0","id":2,"method":"providers/disable","params":{"providerId":"main"}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Needed"}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"providers":{}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"providers/list","params":{}}
{"jsonrpc":"2.0","id":1,"result":{"providers":[{"providerId":"main","supported":["openai"],"required":true,"current":{"apiType":"openai","baseUrl":"https://models.example.com/v1"}},{"providerId":"spare","supported":["anthropic","openai"],"required":false,"current":null}]}}
{"jsonrpc":"2.0","id":2,"method":"providers/disable","params":{"providerId":"spare"}}
{"jsonrpc":"2.0","id":2,"result":{}}"#,
    )],
    on: &[On::Call(&["providers/disable"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let id = call.param("providerId")?.text()?;
    let provider = connection.providers.list()?.provider(id)?;
    let Some(required) = provider.required else { return Some(Verdict::Pass) };
    Some(
        Finding::new(format!("the client disables provider `{id}`, which is required"))
            .at(id, "cannot be disabled")
            .at(required, "listed as required")
            .help("disable only providers with `\"required\": false`")
            .into(),
    )
}
