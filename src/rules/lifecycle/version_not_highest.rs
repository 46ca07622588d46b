use crate::{model::RequestFacts, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "lifecycle/version-not-highest",
    summary: "the agent selects an older version than it could",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("InitializeResponse"),
        requires: "the answered version is the highest one supported that is not above the \
                   requested one",
    }],
    explanation: r"
One exchange never shows which versions an agent supports. Here another exchange shows that the
agent supports a newer version, which the client offered, too. So client and agent use an older
version than both know.
",
    tck: &["INIT-201"],
    examples: &[Example::new(
        Surface::V2,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"agent","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":2,"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":2,"info":{"name":"agent","version":"1.0.0"},"capabilities":{"session":{}}}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"info":{"name":"agent","version":"1.0.0"},"capabilities":{"session":{}}}}
{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":3,"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":2,"info":{"name":"agent","version":"1.0.0"},"capabilities":{"session":{}}}}"#,
    )],
    on: &[On::Answer(&["initialize"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let version = answer.result()?.get("protocolVersion")?;
    let answered = version.integer()?;
    let RequestFacts::Initialize { version: Some((offered, _)), .. } = answer.request.facts else {
        return None;
    };
    let others = &connection.negotiation.exchanges;
    if others.is_empty() {
        return None;
    }
    let higher = |low: i64, limit: i64, high: i64| low < high && high <= limit;
    let finding = others.iter().find_map(|other| {
        if higher(answered, offered, other.answered) {
            let passed_over = other.answered;
            let finding = finding(answered, passed_over).at(version, "selected here");
            return Some(finding.at(other.at, format!("{passed_over} is selected here")));
        }
        if higher(other.answered, other.offered, answered) {
            let finding = finding(other.answered, answered).at(other.at, "selected here");
            return Some(finding.at(version, format!("{answered} is selected here")));
        }
        None
    });
    Some(finding.into())
}

fn finding(selected: i64, passed_over: i64) -> Finding {
    let message =
        format!("the agent selects version {selected}, but it also supports {passed_over}");
    Finding::new(message)
        .help("select the highest version that is not newer than the requested one")
}
