use crate::{rule::prelude::*, rules::plan::capability};

pub(crate) static RULE: Rule = Rule {
    id: "plan/misplaced-capability",
    summary: "the plan capability is in the wrong place",
    level: By::both(Level::Hint),
    severity: By::both(Severity::Info),
    binds: Bound::Client,
    surfaces: Surfaces::V1,
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("ClientCapabilities"),
        requires: "`plan` is a member of the client's capabilities",
    }],
    explanation: r"
Agents look for `plan` directly under `clientCapabilities`. Newer capabilities are under `session`,
and version 2 calls the whole object `capabilities`, so it is easy to put it in the wrong place.
Agents of version 1 do not find it there. Only clients advertise it: the client shows plans.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"session":{"plan":{}}},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"agent","version":"1.0.0"}}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{"plan":{},"session":{}},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"agent","version":"1.0.0"}}}"#,
    )],
    on: &[On::Call(&["initialize"], by_client), On::Answer(&["initialize"], by_agent)],
    ..Rule::DEFAULT
};

fn by_client(call: &Call<'_>, _: &Connection) -> Option<Verdict> {
    let capabilities = call.param("clientCapabilities");
    let places = [
        (capabilities.and_then(|capabilities| capabilities.get("session")), "session"),
        (call.param("capabilities"), "capabilities"),
    ];
    let findings: Vec<_> = places
        .into_iter()
        .filter_map(|(holder, place)| Some(misplaced(holder?, place)))
        .flatten()
        .collect();
    if findings.is_empty() {
        return capabilities?.get("plan").map(|_| Verdict::Pass);
    }
    Some(findings.into_iter().collect())
}

fn by_agent(answer: &Answer<'_>, _: &Connection) -> Option<Verdict> {
    let capabilities = answer.result()?.get("agentCapabilities")?;
    let finding = misplaced(capabilities, "agentCapabilities")?;
    Some(finding.blaming(Some(Side::Agent)).into())
}

fn misplaced(holder: Node<'_>, place: &str) -> Option<Finding> {
    let name = capability::NAMES.into_iter().find_map(|name| holder.name_of(name))?;
    let member = name.text()?;
    let help = match place {
        "agentCapabilities" => "remove it: only clients advertise plan operations",
        _ => "move it directly into `clientCapabilities`",
    };
    Some(
        Finding::new(format!("the capability `{member}` is under `{place}`"))
            .at(name, "agents do not look for it here")
            .help(help)
            .explains(name),
    )
}
