use crate::{model::RequestFacts, rule::prelude::*, rules::lifecycle::refusal::speaks_of_version};

pub(crate) static RULE: Rule = Rule {
    id: "lifecycle/version-refused",
    summary: "the agent refuses a version instead of answering with its own (editions before -32022)",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::until(Edition::September2026)),
    needs: &[Loss::Errors],
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Page("protocol/v2/draft/initialization#version-negotiation"),
        requires: "until September 2026: an agent that does not support the requested version \
                   answers with its newest one and never with an error",
    }],
    explanation: r"
Before November 2026 an unsupported version was not an error: the agent answered with its newest
version, and the client decided whether to disconnect. A client of that time thinks that an
agent is broken when it answers with an error, and never learns which version would work. Newer editions require the opposite, an
error -32022. So the rule reports only if you choose an older edition.
",
    tck: &["INIT-202"],
    examples: &[
        Example::new(
            Surface::V2,
            Opening::None,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":3,"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"error":{"code":-32602,"message":"Unsupported protocol version"}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":3,"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"info":{"name":"agent","version":"1.0.0"},"capabilities":{"session":{}}}}"#,
        )
        .in_edition(Edition::September2026),
    ],
    on: &[On::Answer(&["initialize"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, _: &Connection) -> Option<Verdict> {
    let RequestFacts::Initialize { version: Some((offered, offer)), .. } = answer.request.facts
    else {
        return None;
    };
    let Some(error) = answer.error().filter(|error| speaks_of_version(*error)) else {
        return Some(Verdict::Pass);
    };
    let finding = Finding::new(format!("the agent refuses version {offered} with an error"))
        .at(error, "expected an answer with the agent's newest version")
        .at(offer, "the requested version")
        .help("answer with the newest version that the agent supports");
    Some(finding.into())
}
