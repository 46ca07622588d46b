use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "session/null-collection",
    summary: "a session result has null instead of an array",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("NewSessionResponse"),
        requires: "an empty list is an array, or is left out",
    }],
    requirements: &["config.array-not-null"],
    explanation: r"
Official readers accept null as an empty list. Readers that follow the schema do not, and a client
that does not check for null fails.
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
    on: &[On::Answer(methods::SET_UP_SESSION_ON_V2, check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, _: &Connection) -> Option<Verdict> {
    let result = answer.result().filter(|result| result.is_object())?;
    let names = ["configOptions", "availableCommands"].into_iter();
    let lists = names.filter_map(|name| Some((name, result.get(name)?)));
    Verdict::on_each(lists, |(name, value)| {
        value.is_null().then(|| {
            Finding::new(format!("`{name}` is null instead of an array"))
                .at(value, "official readers take null as absent")
                .help("write `[]`, or leave the member out")
                .explains(value)
        })
    })
}
