use fluent_uri::Uri;

use crate::{
    model::{connection::providers, request::change::ProviderChange},
    rule::prelude::*,
};

pub(crate) static RULE: Rule = Rule {
    id: "config/provider-not-applied",
    summary: "the next provider list contradicts a confirmed change",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::UNSTABLE,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[
        Citation {
            version: None,
            source: SourceText::Definition("SetProviderRequest"),
            requires: "the request replaces the whole configuration of the provider",
        },
        Citation {
            version: None,
            source: SourceText::Definition("ProviderInfo"),
            requires: "`current` is the configuration in force, and null for a disabled provider",
        },
    ],
    explanation: r"
The client has told the user that requests now go to another server, or to none. The list says
otherwise: data that should stay in a private gateway may go to another server. Different spellings
of one URL count as the same.
",
    examples: &[Example::new(
        Surface::V2Unstable,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"providers":{}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"providers/list","params":{}}
{"jsonrpc":"2.0","id":1,"result":{"providers":[{"providerId":"main","supported":["openai"],"required":true,"current":{"apiType":"openai","baseUrl":"https://models.example.com/v1"}},{"providerId":"spare","supported":["anthropic","openai"],"required":false,"current":null}]}}
{"jsonrpc":"2.0","id":2,"method":"providers/set","params":{"providerId":"main","apiType":"openai","baseUrl":"https://proxy.example.com"}}
{"jsonrpc":"2.0","id":2,"result":{}}
{"jsonrpc":"2.0","id":3,"method":"providers/list","params":{}}
{"jsonrpc":"2.0","id":3,"result":{"providers":[{"providerId":"main","supported":["openai"],"required":true,"current":{"apiType":"openai","baseUrl":"https://models.example.com/v1"}}]}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"providers":{}},"info":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"providers/list","params":{}}
{"jsonrpc":"2.0","id":1,"result":{"providers":[{"providerId":"main","supported":["openai"],"required":true,"current":{"apiType":"openai","baseUrl":"https://models.example.com/v1"}},{"providerId":"spare","supported":["anthropic","openai"],"required":false,"current":null}]}}
{"jsonrpc":"2.0","id":2,"method":"providers/set","params":{"providerId":"main","apiType":"openai","baseUrl":"https://proxy.example.com"}}
{"jsonrpc":"2.0","id":2,"result":{}}
{"jsonrpc":"2.0","id":3,"method":"providers/list","params":{}}
{"jsonrpc":"2.0","id":3,"result":{"providers":[{"providerId":"main","supported":["openai"],"required":true,"current":{"apiType":"openai","baseUrl":"https://proxy.example.com/"}}]}}"#,
    )],
    on: &[On::Answer(&["providers/list"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let list = providers::listed(answer)?;
    let judged = list.elements().filter_map(|entry| {
        let id = entry.get("providerId")?.text()?;
        let change = connection.providers.change(id, answer.request.number)?;
        Some(shown(id, entry, change))
    });
    Verdict::all(judged)
}

/// Checks that the entry of provider `id` in a list shows the earlier change.
fn shown(id: Text<'_>, entry: Node<'_>, change: &ProviderChange) -> Verdict {
    let current = entry.get("current").filter(|current| !current.is_null());
    let (message, label) = match (&change.route, current) {
        (None, None) => return Verdict::Pass,
        (None, Some(_)) => (format!("provider `{id}` was disabled but is still in use"), "in use"),
        (Some(_), None) => {
            (format!("provider `{id}` was set but is listed as disabled"), "disabled")
        }
        (Some(route), Some(current)) => {
            let text = |name| current.get(name).and_then(Node::text);
            let is_other = |name, meant: &str, is_same: fn(&str, &str) -> bool| {
                text(name).is_some_and(|now| !is_same(&now.as_cow(), meant))
            };
            let label = if is_other("baseUrl", &route.base_url, is_same_url) {
                "another URL"
            } else if is_other("apiType", &route.api_type, |now, meant| now == meant) {
                "another API type"
            } else {
                return Verdict::Pass;
            };
            (format!("provider `{id}` is listed with other settings than were set"), label)
        }
    };
    let place = entry.get("current").map_or_else(|| Mark::missing_in(entry), Mark::from);
    Finding::new(message)
        .at(place, label)
        .at(change.at, "the agent confirmed this change")
        .help("confirm a change only if it is in force; otherwise answer with an error")
        .into()
}

/// Whether two URLs are equal after normalization. Also `true` when one of them is not a URL.
fn is_same_url(one: &str, other: &str) -> bool {
    let (Ok(one), Ok(other)) = (Uri::parse(one), Uri::parse(other)) else { return true };
    let [one, other] =
        [one, other].map(|uri| uri.normalize().as_str().trim_end_matches('/').to_owned());
    one == other
}
