use crate::{rule::prelude::*, rules::named};

pub(crate) static RULE: Rule = Rule {
    id: "config/provider-unknown-id",
    summary: "the client configures a provider that was not listed",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Client,
    surfaces: Surfaces::UNSTABLE,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("SetProviderRequest"),
        requires: "`providerId` names a provider that the agent lists",
    }],
    explanation: r"
The agent defines the providers. A client can configure those in `providers/list`, but cannot add
others, so agents refuse the request. To disable an unknown provider changes nothing and is not a
finding.
",
    examples: &[Example::new(
        Surface::V2Unstable,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"providers":{}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"providers/list","params":{}}
{"jsonrpc":"2.0","id":1,"result":{"providers":[{"providerId":"main","supported":["openai"],"required":true,"current":{"apiType":"openai","baseUrl":"https://models.example.com/v1"}},{"providerId":"spare","supported":["anthropic","openai"],"required":false,"current":null}]}}
{"jsonrpc":"2.0","id":2,"method":"providers/set","params":{"providerId":"third","apiType":"openai","baseUrl":"https://proxy.example.com"}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"No such provider"}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"providers":{}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"providers/list","params":{}}
{"jsonrpc":"2.0","id":1,"result":{"providers":[{"providerId":"main","supported":["openai"],"required":true,"current":{"apiType":"openai","baseUrl":"https://models.example.com/v1"}},{"providerId":"spare","supported":["anthropic","openai"],"required":false,"current":null}]}}
{"jsonrpc":"2.0","id":2,"method":"providers/set","params":{"providerId":"spare","apiType":"openai","baseUrl":"https://proxy.example.com"}}
{"jsonrpc":"2.0","id":2,"result":{}}"#,
    )],
    on: &[On::Call(&["providers/set"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let id = call.param("providerId")?.text()?;
    let listing = connection.providers.list()?;
    if listing.provider(id).is_some() {
        return Some(Verdict::Pass);
    }
    let known = named::first(listing.providers.iter().map(|provider| &*provider.id));
    let help = if known.is_empty() {
        "the agent lists no providers, so none can be configured".to_owned()
    } else {
        format!("use one of the listed providers: {known}")
    };
    Some(
        Finding::new(format!("the client configures provider `{id}`, which was not listed"))
            .at(id, "not in the list of providers")
            .at(listing.at, "the last list of providers")
            .help(help)
            .into(),
    )
}
