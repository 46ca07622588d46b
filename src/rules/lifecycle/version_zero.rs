use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "lifecycle/version-zero",
    summary: "a side names a version below 1, which is not published",
    level: By::both(Level::Hint),
    severity: By::both(Severity::Warning),
    binds: Bound::Sender,
    surfaces: Surfaces::ALL,
    cites: &[Citation {
        version: None,
        source: SourceText::Other("agent-client-protocol-schema, src/version.rs, `V0`"),
        requires: "version 0 was a pre-release and counts as unsupported",
    }],
    explanation: r"
Version 0 was used before the protocol was released; it has other methods and shapes. Nobody
supports it today, and there never was a version below it. Typical cause: a side leaves the integer
at its default 0. The usual version is 1. Later messages are checked against the version whose
members the answer has, else against the offered one. Numbers above the newest published version are
reported by `lifecycle/version-above-request` and `lifecycle/unknown-version-agreed`, other values by
`schema/params` and `schema/result`.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":0,"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"agent","version":"1.0.0"}}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"agent","version":"1.0.0"}}}"#,
    )],
    on: &[On::Call(&["initialize"], check_offer), On::Answer(&["initialize"], check_answer)],
    variants: &[(Severity::Error, "for a number below 0")],
    ..Rule::DEFAULT
};

fn check_offer(call: &Call<'_>, _: &Connection) -> Option<Verdict> {
    let help = "offer the newest version that the client supports, such as 1";
    check(call.param("protocolVersion")?, "the client offers", "no agent", help)
}

fn check_answer(answer: &Answer<'_>, _: &Connection) -> Option<Verdict> {
    let help = "answer with the newest version that the agent supports, such as 1";
    let version = answer.result()?.get("protocolVersion")?;
    check(version, "the agent answers with", "no client", help)
}

fn check(version: Node<'_>, act: &str, nobody: &str, help: &'static str) -> Option<Verdict> {
    let number = version.integer()?;
    if number >= 1 {
        return Some(Verdict::Pass);
    }
    let message = match number {
        0 => format!("{act} the pre-release version 0"),
        number => format!("{act} version {number}, which does not exist"),
    };
    let finding =
        Finding::new(message).at(version, format!("{nobody} supports version {number}")).help(help);
    let finding = match number {
        0 => finding,
        // Official readers read no number below 0 there.
        _ => finding.as_severity(Severity::Error).explains(version),
    };
    Some(finding.into())
}
