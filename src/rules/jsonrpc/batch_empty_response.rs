use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "jsonrpc/batch-empty-response",
    summary: "a batch is answered with an empty array (editions with batches)",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Responder,
    surfaces: Surfaces::V2,
    gates: By::both(Gates::DIRECTION),
    editions: By::both(Editions::until(Edition::September2026)),
    needs: &[Loss::Envelope],
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Page("protocol/v2/draft/transports#json-rpc-batch-messages"),
        requires: "a batch of notifications gets no answer",
    }],
    requirements: &["jsonrpc.batch-no-empty-answer"],
    explanation: r"
Notifications are not answered, and neither is a batch of notifications, not even with an empty
array. The sender cannot tell an empty array from an answer that lost its content.
",
    tck: &["BATCH-201", "BATCH-202"],
    examples: &[Example::new(
        Surface::V2,
        Opening::Session,
        r#"[{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}]
[]"#,
        r#"[{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}]
[{"jsonrpc":"2.0","id":2,"result":{"sessions":[]}}]"#,
    )
    .in_edition(Edition::September2026)],
    on: &[On::Message(check)],
    ..Rule::DEFAULT
};

fn check(message: &Message<'_>, connection: &Connection) -> Option<Verdict> {
    if !message.node.is_array() || message.batch.is_some() {
        return None;
    }
    let answered = connection.batches.unanswered(message.sender)?;
    let finding = message.node.is_empty().then(|| {
        Finding::new("a batch is answered with an empty array")
            .at(message.node, "no response in it")
            .at(answered.at, "the batch that it answers")
            .help("send nothing if there is nothing to answer")
    });
    Some(finding.into())
}
