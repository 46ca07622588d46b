use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "jsonrpc/batch-lifecycle-method",
    summary: "a lifecycle method is sent inside a batch (editions with batches)",
    level: By::both(Level::ShouldNot),
    severity: By::both(Severity::Warning),
    binds: Bound::Sender,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::until(Edition::September2026)),
    needs: &[Loss::Envelope],
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Page("protocol/v2/draft/transports#json-rpc-batch-messages"),
        requires: "methods that start a connection, a session or a turn are not sent in a batch",
    }],
    requirements: &["jsonrpc.batch-lifecycle"],
    explanation: r"
Later messages may depend on the answer: on the version from `initialize`, or on the id from
`session/new`. A receiver may carry out the elements of a batch in any order, or at the same time.
",
    tck: &["BATCH-208"],
    examples: &[Example::new(
        Surface::V2,
        Opening::Session,
        r#"[{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Tidy up"}]}}]"#,
        r#"[{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}]
{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Tidy up"}]}}"#,
    )
    .in_edition(Edition::September2026)],
    on: &[On::Call(
        &["initialize", "auth/login", "session/new", "session/resume", "session/prompt"],
        check,
    )],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, _: &Connection) -> Option<Verdict> {
    let finding = call.batch.map(|batch| {
        Finding::new(format!("`{}` is sent inside a batch", call.method))
            .at(call.node, "an element of a batch")
            .at(batch, "the batch")
            .help("send it on its own line, and wait for the answer")
    });
    Some(finding.into())
}
