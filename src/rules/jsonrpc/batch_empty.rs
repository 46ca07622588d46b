use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "jsonrpc/batch-empty",
    summary: "an empty batch is sent (editions with batches)",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Sender,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::until(Edition::September2026)),
    needs: &[Loss::Envelope],
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Page("protocol/v2/draft/transports#json-rpc-batch-messages"),
        requires: "a batch has at least one element",
    }],
    requirements: &["jsonrpc.batch-not-empty"],
    explanation: r"
An empty array calls nothing and answers nothing. As JSON-RPC says, readers answer it with one error
-32600 and a null id.
",
    tck: &["BATCH-201"],
    examples: &[Example::new(
        Surface::V2,
        Opening::Session,
        r#"[]"#,
        r#"[{"jsonrpc":"2.0","method":"_acme/focus","params":{}}]"#,
    )
    .in_edition(Edition::September2026)],
    on: &[On::Message(check)],
    ..Rule::DEFAULT
};

fn check(message: &Message<'_>, connection: &Connection) -> Option<Verdict> {
    if !message.node.is_array() || message.batch.is_some() {
        return None;
    }
    // `jsonrpc/batch-empty-response` reports an empty array from a side that has to respond.
    if message.sender.is_some() && connection.batches.unanswered(message.sender).is_some() {
        return None;
    }
    let finding = message.node.is_empty().then(|| {
        Finding::new("an empty batch is sent")
            .at(message.node, "no message in it")
            .help("do not send it; readers answer with one error -32600")
    });
    Some(finding.into())
}
