use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "lifecycle/empty-info",
    summary: "the implementation name or version is empty",
    level: By::both(Level::Must),
    severity: By::both(Severity::Warning),
    binds: Bound::Either,
    surfaces: Surfaces::V2,
    cites: &[
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/initialization#implementation-information"),
            requires: "both sides state the name and version of their implementation",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("Implementation"),
            requires: "`name` and `version` are required",
        },
    ],
    requirements: &["lifecycle.name-and-version"],
    explanation: r"
The schema requires these members but accepts empty strings. Logs, bug reports and workarounds for
known versions need the name and the version. The official compliance tests refuse empty strings.
",
    tck: &["INIT-203"],
    examples: &[Example::new(
        Surface::V2,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"info":{"name":"","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"info":{"name":"agent","version":"1.0.0"},"capabilities":{"session":{}}}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"info":{"name":"agent","version":"1.0.0"},"capabilities":{"session":{}}}}"#,
    )],
    on: &[
        On::Call(&["initialize"], |call, _| check(call.params?, Side::Client)),
        On::Answer(&["initialize"], |answer, _| check(answer.result()?, Side::Agent)),
    ],
    ..Rule::DEFAULT
};

fn check(object: Node<'_>, side: Side) -> Option<Verdict> {
    let info = object.get("info")?;
    let is_empty = |value: &Node<'_>| value.text().is_some_and(Text::is_empty);
    let empty = ["name", "version"]
        .into_iter()
        .filter_map(|member| Some((member, info.get(member).filter(is_empty)?)));
    let findings = empty.map(|(member, value)| {
        Finding::new(format!("the {member} of the {side} is empty"))
            .at(value, "the value is empty")
            .help(format!("state the {member} of the implementation"))
            .blaming(Some(side))
    });
    Some(findings.collect())
}
