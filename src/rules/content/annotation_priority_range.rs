use crate::{rule::prelude::*, rules::content::author::author};

pub(crate) static RULE: Rule = Rule {
    id: "content/annotation-priority-range",
    summary: "the priority of an annotation is not between 0 and 1",
    level: By::each(Level::Hint, Level::Must),
    severity: By::each(Severity::Info, Severity::Error),
    binds: Bound::Either,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Other(
                "annotations of the Model Context Protocol, from which they are taken",
            ),
            requires: "`priority` is between 0 and 1",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("Annotations"),
            requires: "`priority` is between 0 and 1",
        },
    ],
    explanation: r"
0 means optional and 1 means required; readers compare the value with a limit. On a scale of 1 to 5,
or in percent, everything becomes required. On version 2, official readers drop such a priority.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"ok","annotations":{"priority":5}}}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"ok","annotations":{"priority":0.5}}}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message","messageId":"m1","content":[{"type":"text","text":"ok","annotations":{"priority":-1}}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message","messageId":"m1","content":[{"type":"text","text":"ok","annotations":{"priority":1}}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        ),
    ],
    on: &[On::Block(&[], check)],
    ..Rule::DEFAULT
};

fn check(block: &Block<'_>, _: &Connection) -> Option<Verdict> {
    let priority = block.block.get("annotations")?.get("priority")?;
    if (0.0..=1.0).contains(&priority.number()?) {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new(format!("the priority {} is not between 0 and 1", priority.shown()))
            .at(priority, "expected a number from 0 to 1")
            .blaming(author(block))
            .explains(priority)
            .once_per(priority)
            .into(),
    )
}
