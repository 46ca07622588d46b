use crate::{
    json::Kind,
    model::Capabilities,
    rule::prelude::*,
    rules::plan::{capability, identity},
};

pub(crate) static RULE: Rule = Rule {
    id: "plan/operation-without-capability",
    summary: "plan operations are sent to a client that does not advertise them",
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
            requires: "without the capability an agent sends the `plan` update",
        },
    ],
    requirements: &["plan.fallback-update", "plan.operations-advertised"],
    explanation: r"
On version 1, every client supports the `plan` update. `plan_update` and `plan_removed` are only for
clients that advertise the capability `plan: {}`. Other clients drop them as unknown and show no
plan at all. A `plan` update would have shown one. On version 2 there is nothing to advertise.

Until 5 June 2026 the capability was called `planCapabilities`. Without `--edition`, this name
counts too. With `--edition`, only the name of that edition counts.
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

/// `Pass` for a `plan` update to a client that does not accept plan operations; else `None`.
fn fallen_back(_: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    (!capability::takes_operations(connection)?)
        .then_some(Verdict::PassOf(&["plan.fallback-update"]))
}

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    if capability::takes_operations(connection)? {
        return Some(Verdict::PassOf(&["plan.operations-advertised"]));
    }
    let kind = update.kind;
    let name = connection.edition().plan_capability();
    let (mark, why) = lack(connection.client_capabilities()?, connection);
    Some(
        Finding::new(format!("`{kind}` is sent to a client that does not advertise `{name}`"))
            .at(kind, "the client drops this update as unknown")
            .at(mark, why)
            .help(if kind == "plan_removed" {
                "send `plan` with no entries to clear the list"
            } else {
                "send the `plan` update instead: every client of version 1 supports it"
            })
            .explains(kind.node())
            .once_per("operation")
            .into(),
    )
}

/// The place that shows that the client did not advertise plan operations, and the note to put
/// there.
fn lack(capabilities: &Capabilities, connection: &Connection) -> (Mark, String) {
    let name = connection.edition().plan_capability();
    if let Some(found) = capabilities.get(name) {
        let why = match found.kind() {
            Kind::Null => format!("`{name}` is null here: unsupported"),
            _ => format!("`{name}` is not an object: unsupported"),
        };
        return (found.into(), why);
    }
    for other in capability::NAMES {
        if let Some(found) = capabilities.get(other) {
            let why = match other {
                "plan" => format!("has the name since 5 June 2026, not `{name}`"),
                _ => format!("has the name until 5 June 2026, not `{name}`"),
            };
            return (found.into(), why);
        }
    }
    (capabilities.lack(name), format!("`{name}` is missing here"))
}
