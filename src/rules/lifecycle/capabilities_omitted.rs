use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "lifecycle/capabilities-omitted",
    summary: "a side does not send its capabilities",
    level: By::both(Level::Should),
    severity: By::both(Severity::Off),
    binds: Bound::Either,
    surfaces: Surfaces::V1,
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Page("protocol/v1/initialization#client-capabilities"),
        requires: "a side states what it supports; anything else counts as unsupported",
    }],
    requirements: &["capability.stated"],
    explanation: r"
Without capabilities the other side assumes that nothing is supported: no files, no terminals, no
images, no saved sessions. That is legal, but usually a mistake. An empty object says the same on
purpose.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"agent","version":"1.0.0"}}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"agentInfo":{"name":"agent","version":"1.0.0"}}}"#,
    )],
    on: &[
        On::Call(&["initialize"], client),
        On::Answer(&["initialize"], |answer, _| {
            check(answer.result()?, "agentCapabilities", Side::Agent)
        }),
    ],
    ..Rule::DEFAULT
};

fn client(call: &Call<'_>, _: &Connection) -> Option<Verdict> {
    let params = call.params.filter(|_| call.batch.is_none())?;
    check(params, "clientCapabilities", Side::Client)
}

fn check(object: Node<'_>, member: &'static str, side: Side) -> Option<Verdict> {
    // The member that version 2 has instead is reported as an unknown member.
    if !object.is_object() || object.get("capabilities").is_some() {
        return None;
    }
    if object.get(member).is_some() {
        return Some(Verdict::Pass);
    }
    let finding = Finding::new(format!("the {side} does not state its capabilities"))
        .at(Mark::missing_in(object), format!("`{member}` is missing here"))
        .help(format!("add `{member}`, or `\"{member}\": {{}}` if it supports nothing optional"))
        .blaming(Some(side));
    Some(finding.into())
}
