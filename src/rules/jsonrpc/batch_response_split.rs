use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "jsonrpc/batch-response-split",
    summary: "the responses to one batch come in several messages (editions with batches)",
    level: By::both(Level::Should),
    severity: By::both(Severity::Warning),
    binds: Bound::Responder,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::until(Edition::September2026)),
    needs: &[Loss::Envelope],
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Page("protocol/v2/draft/transports#json-rpc-batch-messages"),
        requires: "the responses to a batch come back in one array",
    }],
    requirements: &["jsonrpc.batch-answer"],
    explanation: r"
The sender of a batch waits for one array with all responses, in any order. It cannot assign single
responses. One slow request delays the whole answer; that is the price of a batch.
",
    tck: &["BATCH-204"],
    examples: &[Example::new(
        Surface::V2,
        Opening::Session,
        r#"[{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}},{"jsonrpc":"2.0","id":3,"method":"_acme/status","params":{}}]
{"jsonrpc":"2.0","id":2,"result":{"sessions":[]}}
{"jsonrpc":"2.0","id":3,"result":{}}"#,
        r#"[{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}},{"jsonrpc":"2.0","id":3,"method":"_acme/status","params":{}}]
[{"jsonrpc":"2.0","id":3,"result":{}},{"jsonrpc":"2.0","id":2,"result":{"sessions":[]}}]"#,
    )
    .in_edition(Edition::September2026)],
    on: &[On::Answer(&[], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let index = answer.request.batch?;
    let batch = connection.batches.get(index)?;
    let envelope = answer.batch.unwrap_or(answer.node);
    let Some(first) = batch.answered.filter(|first| first.span().start != envelope.span().start)
    else {
        return Some(Verdict::Pass);
    };
    Some(
        Finding::new("the responses to one batch come in several messages")
            .at(envelope, "another part of the answer")
            .at(first, "the first part")
            .at(batch.at, "the batch")
            .help("answer a batch with one array of all responses")
            .once_per(index)
            .into(),
    )
}
