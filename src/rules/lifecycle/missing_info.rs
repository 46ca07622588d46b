use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "lifecycle/missing-info",
    summary: "a side does not state the name and version of its implementation",
    level: By::both(Level::Should),
    severity: By::both(Severity::Info),
    binds: Bound::Either,
    surfaces: Surfaces::V1,
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Page("protocol/v1/initialization#implementation-information"),
        requires: "client and agent should state their name and version",
    }],
    requirements: &["lifecycle.name-and-version"],
    explanation: r"
Logs, bug reports and workarounds need the name and version of the other side. Both are optional on
version 1; version 2 requires them, in `info`.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"agent","version":"1.0.0"}}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"agent","version":"1.0.0"}}}"#,
    )],
    on: &[
        On::Call(&["initialize"], client),
        On::Answer(&["initialize"], |answer, _| check(answer.result()?, "agentInfo", Side::Agent)),
    ],
    ..Rule::DEFAULT
};

fn client(call: &Call<'_>, _: &Connection) -> Option<Verdict> {
    let params = call.params.filter(|_| call.batch.is_none())?;
    check(params, "clientInfo", Side::Client)
}

fn check(object: Node<'_>, member: &'static str, side: Side) -> Option<Verdict> {
    // The member that version 2 has instead is reported as an unknown member.
    if !object.is_object() || object.get("info").is_some() {
        return None;
    }
    if object.get(member).is_some_and(|info| !info.is_null()) {
        return Some(Verdict::Pass);
    }
    let finding = Finding::new(format!("the {side} does not state its name and version"))
        .at(Mark::missing_in(object), format!("`{member}` is missing here"))
        .help(format!("add `{member}` with `name` and `version`"))
        .blaming(Some(side));
    Some(finding.into())
}
