use crate::{rule::prelude::*, rules::plan::naming::plan};

pub(crate) static RULE: Rule = Rule {
    id: "plan/not-replayed",
    summary: "a plan is missing from the replay of its session",
    level: By::both(Level::Must),
    severity: By::both(Severity::Off),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-setup#loading-a-session"),
            requires: "loading a session replays the whole conversation",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/migration#session-setup-and-lifecycle"),
            requires: "a replay uses the same plan updates as a live session",
        },
    ],
    requirements: &["plan.whole-list", "session.replay"],
    explanation: r"
A client that loads a session draws it only from the replay. If the replay lacks a plan, the plan
disappears from the screen. It is an open question whether a plan belongs to the conversation on
version 1, so the rule is off by default.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"medium","status":"completed"},{"content":"Mop","priority":"medium","status":"pending"}]}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}
{"jsonrpc":"2.0","id":3,"method":"session/load","params":{"sessionId":"s","cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"Tidy up"}}}}
{"jsonrpc":"2.0","id":3,"result":{}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"medium","status":"completed"},{"content":"Mop","priority":"medium","status":"pending"}]}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}
{"jsonrpc":"2.0","id":3,"method":"session/load","params":{"sessionId":"s","cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"Tidy up"}}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep","priority":"medium","status":"completed"},{"content":"Mop","priority":"medium","status":"pending"}]}}}
{"jsonrpc":"2.0","id":3,"result":{}}"#,
    )],
    on: &[On::Answer(methods::ATTACH_SESSION, check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    answer.result()?;
    let session = connection.session_named(answer.request.session_id.as_deref()?)?;
    if connection.lost_to(Some(Side::Agent)) > 0 {
        return None;
    }
    let missing = |named: &str, shown: Mark| {
        Finding::new(format!("{named} is missing from the replay of its session"))
            .at(answer.node, "the replay ends here")
            .at(shown, "shown before")
            .at(answer.request.method_at, "the request for the replay")
    };
    let forgotten = session.plans.forgotten();
    if !forgotten.is_empty() {
        let lost = forgotten.iter().filter(|forgotten| !session.plans.has(forgotten));
        let lost = lost.map(|lost| missing(&plan(lost.id.as_deref()), lost.at.into()));
        return Some(lost.collect());
    }
    let attachment = session.attachment.as_deref().filter(|_| session.wants_history)?;
    let earlier = attachment.plan.clone()?;
    let lost = (!session.plans.has_any()).then(|| missing("the last plan", earlier.into()));
    Some(lost.into_iter().collect())
}
