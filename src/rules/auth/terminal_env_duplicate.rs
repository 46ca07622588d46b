use crate::{rule::prelude::*, rules::repeated};

pub(crate) static RULE: Rule = Rule {
    id: "auth/terminal-env-duplicate",
    summary: "a terminal login gives one environment variable twice",
    level: By::both(Level::Should),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    cites: &[
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/authentication#terminal-authentication"),
            requires: "each environment variable is given once",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("AuthMethodTerminal"),
            requires: "names in `env` are unique; if a name is there twice, the last value counts",
        },
    ],
    requirements: &["auth.unique-env"],
    explanation: r"
A process has one value for each variable. Which of the two values it gets depends on the client and
the operating system. So the login works differently for different users.
",
    tck: &["AUTH-207"],
    examples: &[Example::new(
        Surface::V2,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{"auth":{"terminal":{}}},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"authMethods":[{"type":"terminal","methodId":"tty","name":"Terminal","env":[{"name":"MODE","value":"a"},{"name":"MODE","value":"b"}]}],"info":{"name":"agent","version":"1.0.0"}}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"capabilities":{"auth":{"terminal":{}}},"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"capabilities":{"session":{}},"authMethods":[{"type":"terminal","methodId":"tty","name":"Terminal","env":[{"name":"MODE","value":"a"},{"name":"mode","value":"b"}]}],"info":{"name":"agent","version":"1.0.0"}}}"#,
    )],
    on: &[On::Answer(&["initialize"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, _: &Connection) -> Option<Verdict> {
    let methods = answer.result()?.get("authMethods")?;
    let mut environments = methods.elements().filter_map(|method| method.get("env")).peekable();
    environments.peek()?;
    let twins = environments.flat_map(|variables| {
        repeated::repeated(variables.elements().filter_map(|variable| variable.get("name")?.text()))
    });
    let twins = twins.map(|(name, first)| {
        Finding::new(format!("the environment variable `{name}` is given twice"))
            .at(name, "the second value")
            .at(first, "the first value")
            .help("give each variable once")
    });
    Some(twins.collect())
}
