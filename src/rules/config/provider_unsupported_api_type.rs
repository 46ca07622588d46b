use crate::{rule::prelude::*, rules::named};

pub(crate) static RULE: Rule = Rule {
    id: "config/provider-unsupported-api-type",
    summary: "the client chooses an API type that the provider does not support",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Client,
    surfaces: Surfaces::UNSTABLE,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("ProviderInfo"),
        requires: "`supported` lists the possible API types of the provider",
    }],
    explanation: r"
The type says which protocol the agent uses with the model's server. An agent that does not support
it refuses the request, or fails with the first prompt.
",
    examples: &[Example::new(
        Surface::V2Unstable,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"providers":{}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"providers/list","params":{}}
{"jsonrpc":"2.0","id":1,"result":{"providers":[{"providerId":"main","supported":["openai"],"required":true,"current":{"apiType":"openai","baseUrl":"https://models.example.com/v1"}},{"providerId":"spare","supported":["anthropic","openai"],"required":false,"current":null}]}}
{"jsonrpc":"2.0","id":2,"method":"providers/set","params":{"providerId":"main","apiType":"anthropic","baseUrl":"https://proxy.example.com"}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Not spoken"}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"providers":{}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"providers/list","params":{}}
{"jsonrpc":"2.0","id":1,"result":{"providers":[{"providerId":"main","supported":["openai"],"required":true,"current":{"apiType":"openai","baseUrl":"https://models.example.com/v1"}},{"providerId":"spare","supported":["anthropic","openai"],"required":false,"current":null}]}}
{"jsonrpc":"2.0","id":2,"method":"providers/set","params":{"providerId":"spare","apiType":"anthropic","baseUrl":"https://proxy.example.com"}}
{"jsonrpc":"2.0","id":2,"result":{}}"#,
    )],
    on: &[On::Call(&["providers/set"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let kind = call.param("apiType")?.text()?;
    let id = call.param("providerId")?.text()?;
    let provider = connection.providers.list()?.provider(id)?;
    // An empty list does not say which types are supported.
    if provider.supported.is_empty() {
        return None;
    }
    if provider.supported.contains(&kind.as_cow()) {
        return Some(Verdict::Pass);
    }
    let supported = named::first(provider.supported.iter());
    Some(
        Finding::new(format!("provider `{id}` does not support the API type `{kind}`"))
            .at(kind, "not supported")
            .at(provider.supported_at, "the supported types")
            .help(format!("use one of the supported types: {supported}"))
            .into(),
    )
}
