use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "registry/no-auth-method",
    summary: "an agent offers no login method that the registry accepts",
    level: By::both(Level::Contract),
    severity: By::both(Severity::Off),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[Citation {
        version: None,
        source: SourceText::Other("the gate of github.com/agentclientprotocol/registry"),
        requires: "the answer to `initialize` offers at least one method of type `agent` or \
                   `terminal`",
    }],
    explanation: r"
The protocol allows an agent to offer no method or to leave `authMethods` out. Then it needs no
login, or it got its keys in another way. But the agent registry does not list such agents. Its
check starts the agent in an empty home directory and sends `initialize`. It wants at least one
method of the type `agent` or `terminal`, because a client can carry these out. A method without a
type counts as `agent`. Other types, such as `env_var`, do not count.

The rule is off by default: `--profile registry` reports what the registry would refuse.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"gate","version":"1"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"kettle","version":"1"},"authMethods":[]}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"gate","version":"1"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"kettle","version":"1"},"authMethods":[{"id":"sign-in","name":"Sign in"}]}}"#,
        )
        .beside(&["schema/result"]),
        Example::new(
            Surface::V2,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"info":{"name":"gate","version":"1"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"info":{"name":"kettle","version":"1"}}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"info":{"name":"gate","version":"1"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"info":{"name":"kettle","version":"1"},"authMethods":[{"type":"agent","methodId":"sign-in","name":"Sign in"}]}}"#,
        )
        .beside(&["schema/result"]),
    ],
    on: &[On::Answer(&["initialize"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, _: &Connection) -> Option<Verdict> {
    let result = answer.result()?;
    let help = "offer a method of the type `agent` or `terminal`";
    let Some(methods) = result.get("authMethods") else {
        return Some(
            Finding::new("the agent offers no login method")
                .at(Mark::missing_in(result), "`authMethods` is missing here")
                .help(help)
                .into(),
        );
    };
    if methods.elements().any(is_accepted) {
        return Some(Verdict::Pass);
    }
    if methods.is_empty() {
        return Some(
            Finding::new("the agent offers no login method")
                .at(methods, "none")
                .help(help)
                .explains(methods)
                .into(),
        );
    }
    Some(
        Finding::new("the agent offers no login method that the registry accepts")
            .at(methods, "none has the type `agent` or `terminal`")
            .help(help)
            .into(),
    )
}

/// Whether the ACP registry accepts an authentication method: an object whose `type` is `agent`,
/// `terminal`, or missing.
fn is_accepted(method: Node<'_>) -> bool {
    if !method.is_object() {
        return false;
    }
    match method.get("type") {
        Some(kind) if !kind.is_null() && !kind.is("") => kind.is("agent") || kind.is("terminal"),
        _ => true,
    }
}
