use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "capability/dependency",
    summary: "a capability is advertised without another one that it requires",
    level: By::both(Level::Must),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V1_UNSTABLE,
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("SessionCapabilities"),
        requires: "`archive` requires `list`",
    }],
    requirements: &["capability.dependency"],
    explanation: r"
An archived session disappears from the list, and an unarchived one comes back. If the agent has no
list, clients cannot find an archived session again.
",
    examples: &[Example::new(
        Surface::V1Unstable,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"archive":{}}},"agentInfo":{"name":"agent","version":"1.0.0"}}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"archive":{},"list":{}}},"agentInfo":{"name":"agent","version":"1.0.0"}}}"#,
    )],
    on: &[On::Answer(&["initialize"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, _: &Connection) -> Option<Verdict> {
    let session = answer.result()?.path(&["agentCapabilities", "sessionCapabilities"])?;
    let archive = session.get("archive").filter(|archive| archive.is_object())?;
    if session.get("list").is_some_and(Node::is_object) {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new("the agent advertises `archive` without `list`")
            .at(archive, "requires `list`")
            .at(Mark::missing_in(session), "`list` is missing here")
            .help("advertise `list`, too")
            .into(),
    )
}
