use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "session/null-collection",
    summary: "a session result says null where senders use an array",
    level: By::both(Level::Must),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("NewSessionResponse"),
        requires: "an empty collection is an array, or left out",
    }],
    explanation: r"
Official readers forgive null and take it for nothing. Readers that go by the schema do not, and a
client that does not check fails on the first loop over it.
",
    tck: &["SESSION-203", "CONFIG-201"],
    examples: &[Example::new(
        Surface::V2,
        Opening::Initialized,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","configOptions":null}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s","configOptions":[]}}"#,
    )],
    on: &[On::Answer(&["session/new", "session/resume", "session/fork"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, _: &Connection) -> Option<Verdict> {
    let result = answer.result().filter(|result| result.is_object())?;
    let nulls = ["configOptions", "availableCommands"].into_iter().filter_map(|name| {
        let value = result.get(name).filter(|value| value.is_null())?;
        Some(
            Finding::new(format!("`{name}` is null instead of an array"))
                .at(value, "official readers take this for its absence")
                .help("write `[]`, or leave it out")
                .explains(value),
        )
    });
    Some(nulls.collect())
}
