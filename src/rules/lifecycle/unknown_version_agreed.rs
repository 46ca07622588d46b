use crate::{
    model::{RequestFacts, connection::negotiation::written_in},
    rule::prelude::*,
    rules::lifecycle::NEWEST,
};

pub(crate) static RULE: Rule = Rule {
    id: "lifecycle/unknown-version-agreed",
    summary: "both sides agree on an unknown version",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    cites: &[
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/initialization#protocol-version"),
            requires: "the version is one number, raised for breaking changes only",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Other("TCK INIT-003"),
            requires: "an agent does not return a version that it does not know",
        },
    ],
    explanation: r"
An agent that returns every requested version promises something that it does not support. Clients
and tests send a huge number to find such agents. A version published after this program is
reported, too; the finding says which versions it knows. The messages that follow are only checked by
what holds in any version, and are counted as not judged; `--surface` sets the version by which they
are judged.
",
    tck: &["INIT-201", "INIT-003"],
    examples: &[Example::new(
        Surface::V2,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":9000,"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":9000,"info":{"name":"agent","version":"1.0.0"},"capabilities":{"session":{}}}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":9000,"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"info":{"name":"agent","version":"1.0.0"},"capabilities":{"session":{}}}}"#,
    )],
    on: &[On::Answer(&["initialize"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, _: &Connection) -> Option<Verdict> {
    let result = answer.result()?;
    let version = result.get("protocolVersion")?;
    let answered = version.integer()?;
    let RequestFacts::Initialize { version: Some((offered, offer)), .. } = answer.request.facts
    else {
        return None;
    };
    // `lifecycle/version-above-request` reports an answer above the offer.
    if offered <= NEWEST || answered > offered {
        return None;
    }
    if answered <= NEWEST {
        return Some(Verdict::Pass);
    }
    let finding = Finding::new(format!("both sides agree on the unknown version {answered}"))
        .at(version, format!("acpcheck knows the versions up to {NEWEST}"))
        .at(offer, format!("the client offers {offered}"));
    let finding = if written_in(result) == Some(Version::V1) {
        // Later messages are checked by that version.
        finding
            .help("the answer has the form of version 1: if the agent speaks it, answer `\"protocolVersion\": 1`")
            .explains(result)
    } else {
        finding.help("answer with the newest version that the agent really supports")
    };
    Some(finding.into())
}
