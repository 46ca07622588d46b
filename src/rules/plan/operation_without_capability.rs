use crate::{
    json::Kind,
    model::Capabilities,
    rule::prelude::*,
    rules::plan::{capability, identity},
};

pub(crate) static RULE: Rule = Rule {
    id: "plan/operation-without-capability",
    summary: "plan operations are sent to a client that did not advertise them",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    gates: By::both(Gates::INITIALIZED),
    cites: &[
        Citation {
            version: None,
            source: SourceText::Page("protocol/v1/agent-plan#plan-operations"),
            requires: "`plan_update` and `plan_removed` go only to clients that advertise `plan`; \
                       others get the `plan` update",
        },
        Citation {
            version: None,
            source: SourceText::Page("rfds/plan-operations#client-capabilities"),
            requires: "without the capability an agent falls back to the `plan` update",
        },
    ],
    explanation: r"
Version 1 has one plan update that every client knows, `plan`. The named plans of `plan_update` and
their removal are for clients that advertise the capability `plan: {}`. One that did not drops such updates as unknown and shows no plan at all, where a `plan` update would have shown one.
On version 2 there is nothing to advertise.

Until 5 June 2026 the capability was called `planCapabilities`. While no edition is pinned that name
counts as well; a pinned edition knows only its own.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Bare,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[]}}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}}}"#,
        ),
        Example::new(
            Surface::V1,
            Opening::Bare,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"markdown","planId":"tidy","content":"Tidy"}}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}}}"#,
        ),
    ],
    on: &[On::Update(identity::OPERATIONS, check), On::Update(&["plan"], fallen_back)],
    ..Rule::DEFAULT
};

/// A client without the capability gets what it knows.
fn fallen_back(_: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    (!capability::takes_operations(connection)?).then_some(Verdict::Pass)
}

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    if capability::takes_operations(connection)? {
        return Some(Verdict::Pass);
    }
    let kind = update.kind;
    let name = connection.edition().plan_capability();
    let (mark, why) = lack(connection.client_capabilities()?, connection);
    Some(
        Finding::new(format!("`{kind}` is sent to a client that did not advertise `{name}`"))
            .at(kind, "the client drops the update as unknown")
            .at(mark, why)
            .help("fall back to the `plan` update, which every client of version 1 knows")
            .explains(kind.node())
            .once_per("operation")
            .into(),
    )
}

/// Where the lack of the capability shows, and what is wrong there.
fn lack(capabilities: &Capabilities, connection: &Connection) -> (Mark, String) {
    let name = connection.edition().plan_capability();
    if let Some(found) = capabilities.get(name) {
        let why = match found.kind() {
            Kind::Null => format!("`{name}` is declined here"),
            _ => format!("`{name}` is no object, which reads as unsupported"),
        };
        return (found.into(), why);
    }
    for other in capability::NAMES {
        if let Some(found) = capabilities.get(other) {
            let why = match other {
                "plan" => format!("advertised under the name since 5 June 2026, not `{name}`"),
                _ => format!("advertised under the name until 5 June 2026, not `{name}`"),
            };
            return (found.into(), why);
        }
    }
    (capabilities.lack(name), format!("`{name}` is not advertised here"))
}
