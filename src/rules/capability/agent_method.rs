use crate::{
    event::MethodStatus,
    rule::prelude::*,
    rules::capability::needs::{self, MethodNeed, SESSIONS},
};

pub(crate) static RULE: Rule = Rule {
    id: "capability/agent-method",
    summary: "the client calls a method that the agent did not advertise",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Client,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::INITIALIZED),
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-setup#checking-support"),
            requires: "a client calls optional methods only if the agent advertised them",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-list#checking-support"),
            requires: "a client calls `session/list` only if the agent advertised it",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-delete#checking-support"),
            requires: "a client calls `session/delete` only if the agent advertised it",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/initialization#capabilities"),
            requires: "what is not advertised is not supported",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/initialization#session-capabilities"),
            requires: "session methods require the capability `session`, some of them a member in it",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/authentication#advertising-authentication"),
            requires: "login and logout require that the agent offers auth methods",
        },
    ],
    requirements: &[
        "auth.login-kind-v2",
        "auth.logout-advertised",
        "auth.methods-advertised",
        "capability.agent-methods",
        "capability.omitted-is-unsupported",
    ],
    explanation: r"
A client learns from the capabilities what it may call. An agent that does not advertise a method
answers it with -32601, or does something that nobody has tested. Official SDKs read a capability
that is missing, null or of the wrong type as unsupported.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Refused"}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"list":{}}},"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":2,"result":{"sessions":[]}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Bare,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/delete","params":{"sessionId":"s"}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"Refused"}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":2,"result":{"sessions":[]}}"#,
        ),
    ],
    on: &[On::Call(&[], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    const LOGIN: &[&str] = &["auth.login-kind-v2", "auth.methods-advertised"];
    const LOGOUT: &[&str] = &["auth.logout-advertised", "auth.methods-advertised"];
    const OTHERS: &[&str] = &["capability.agent-methods", "capability.omitted-is-unsupported"];

    let verdict = called(call, connection)?;
    let is_kept = matches!(verdict, Verdict::Pass);
    Some(verdict.about(match &*call.method.as_cow() {
        "auth/login" => LOGIN,
        "logout" | "auth/logout" => LOGOUT,
        // What was advertised tells nothing of what was left out.
        _ if is_kept => &OTHERS[..1],
        _ => OTHERS,
    }))
}

fn called(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    if call.sender != Some(Side::Client) && connection.version() != Some(Version::V2) {
        return None;
    }
    let agent = needs::advertised_by_agent(connection)?;
    // The capabilities belong to the version that was agreed on.
    let version = connection
        .version()
        .filter(|version| connection.negotiation.version() == Some(*version))?;
    let method = call.method.as_cow();
    if version == Version::V2 && method.starts_with("session/") && SESSIONS.is_missing_from(agent) {
        let finding = Finding::new(format!(
            "the client calls `{method}`, but the agent did not advertise sessions"
        ))
        .at(call.method, "requires the capability `session`")
        .at(SESSIONS.lack(agent), "not advertised")
        .help(SESSIONS.advice())
        .blaming(call.sender)
        .once_per("session");
        return Some(finding.into());
    }
    if call.sender != Some(Side::Client) {
        return None;
    }
    let finding = || {
        Finding::new(format!("the client calls `{method}`, but the agent did not advertise it"))
            .once_per(&*method)
    };
    match MethodNeed::of(version, &method)? {
        // Version 2 makes the methods of sessions depend on the capability for sessions.
        MethodNeed::Baseline => {
            (version == Version::V2 && method.starts_with("session/")).then_some(Verdict::Pass)
        }
        MethodNeed::Capability(capability) if !capability.is_missing_from(agent) => {
            Some(Verdict::Pass)
        }
        // The stable surface of version 2 does not have the method.
        MethodNeed::Capability(_)
            if call.method_status == MethodStatus::Draft
                && connection.pinned_surface() == Some(Surface::V2) =>
        {
            None
        }
        MethodNeed::Capability(capability) => Some(
            finding()
                .at(call.method, format!("requires the capability `{}`", capability.path()))
                .at(capability.lack(agent), "not advertised")
                .help(capability.advice())
                .into(),
        ),
        MethodNeed::AuthMethods if version == Version::V1 => None,
        MethodNeed::AuthMethods if connection.authentication.is_offered => Some(Verdict::Pass),
        MethodNeed::AuthMethods => Some(
            finding()
                .at(call.method, "requires an offer in `authMethods`")
                .and_at(connection.authentication.offer, "no auth method is offered")
                .into(),
        ),
    }
}
