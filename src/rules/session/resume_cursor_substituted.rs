use crate::{model::RequestFacts, rule::prelude::*, rules::surface::newer_than_known::advertised};

pub(crate) static RULE: Rule = Rule {
    id: "session/resume-cursor-substituted",
    summary: "an unknown replay position is accepted",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("ReplayFrom"),
        requires: "the agent knows the type of `replayFrom`, or the request fails",
    }],
    requirements: &["session.replay-position"],
    explanation: r"
The client asked for a part of the history. It gets another part or nothing, and the answer says
success. So the client joins the wrong parts without noticing it.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Initialized,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/work","replayFrom":{"type":"_latest"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"/work","replayFrom":{"type":"start"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"replay_complete"}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle"}}}
{"jsonrpc":"2.0","id":1,"result":{}}"#,
    )
    .beside(&["ext/unprefixed-value"])],
    on: &[On::Answer(&["session/resume"], check)],
    variants: &[(Severity::Info, "for a custom type")],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let RequestFacts::Attachment(facts) = &answer.request.facts else { return None };
    let (from, at) = facts.from.as_ref().filter(|_| answer.result().is_some())?;
    if &**from == "start" {
        return Some(Verdict::Pass);
    }
    connection.agent_capabilities()?;
    // surface/newer-than-known
    if advertised(from, Side::Agent, connection).is_some() {
        return None;
    }
    let finding = Finding::new(format!(
        "a resume from `{from}` succeeds, but the protocol does not define `{from}`"
    ))
    .at(answer.node, "accepted")
    .at(*at, "unknown");
    Some(
        if from.starts_with('_') {
            finding.help("an agent may have this custom type").as_severity(Severity::Info)
        } else {
            finding.help("answer with -32602")
        }
        .into(),
    )
}
