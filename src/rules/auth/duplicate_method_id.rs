use std::collections::hash_map::Entry;

use crate::{map::Map, model::connection::auth::AuthMethod, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "auth/duplicate-method-id",
    summary: "two auth methods have the same id",
    level: By::each(Level::Derived, Level::Should),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/authentication#advertising-authentication"),
            requires: "the client names the login method by its id",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("AuthMethodAgent"),
            requires: "`methodId` identifies the method",
        },
    ],
    explanation: r"
The user chooses from all methods, but the client can send only the id of the chosen one. The agent
cannot know which of the two methods the user meant.
",
    tck: &["AUTH-201"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"authMethods":[{"id":"web","name":"Browser"},{"id":"web","name":"Other browser"}],"agentInfo":{"name":"agent","version":"1.0.0"}}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"authMethods":[{"id":"web","name":"Browser"},{"id":"key","name":"Browser"}],"agentInfo":{"name":"agent","version":"1.0.0"}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"authMethods":[{"type":"agent","methodId":"web","name":"Browser"},{"type":"agent","methodId":"web","name":"Other browser"}],"info":{"name":"agent","version":"1.0.0"}}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"authMethods":[{"type":"agent","methodId":"web","name":"Browser"},{"type":"agent","methodId":"key","name":"Browser"}],"info":{"name":"agent","version":"1.0.0"}}}"#,
        ),
    ],
    on: &[On::Answer(&["initialize"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, _: &Connection) -> Option<Verdict> {
    let methods = answer.result()?.get("authMethods").filter(|methods| !methods.is_empty())?;
    let id_of = |method: Node<'_>| {
        AuthMethod::IDS.into_iter().find_map(|name| Some(method.get(name)?.text()?.to_boxed()))
    };
    let mut known = Map::default();
    let twins = methods.elements().filter_map(|method| {
        let id = id_of(method)?;
        let first = match known.entry(id) {
            Entry::Occupied(first) => first,
            Entry::Vacant(place) => {
                place.insert(method);
                return None;
            }
        };
        Some(
            Finding::new(format!("two auth methods have the id `{}`", first.key()))
                .at(method, "the second method")
                .at(*first.get(), "the first method")
                .help("give each method its own id"),
        )
    });
    Some(twins.collect())
}
