use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "jsonrpc/batch",
    summary: "messages are sent as a JSON array",
    level: By::both(Level::Must),
    severity: By::each(Severity::Error, Severity::Warning),
    binds: Bound::Either,
    surfaces: Surfaces::ALL,
    editions: By::each(Editions::ALL, Editions::since(Edition::November2026)),
    needs: &[Loss::Envelope],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/transports#stdio"),
            requires: "each request, notification and response is sent on its own",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Other("schema of version 2, root: no envelope for arrays"),
            requires: "each request, notification and response is sent on its own",
        },
    ],
    requirements: &["jsonrpc.batch-not-empty"],
    explanation: r"
Version 1 never had batches. Version 2 had them in the editions of August and September 2026 (an
edition is the state of the protocol at a date). Official SDKs answer an array with one error -32600
and a null id, and carry out none of its requests. The messages in the array are checked as if each
had its own line. If you choose an edition with batches, the rules for batches apply instead.
",
    tck: &["TRANSPORT-201", "BATCH-207"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"[{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Done"}}}}]"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Done"}}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"[{"jsonrpc":"2.0","method":"_acme/focus","params":{}},{"jsonrpc":"2.0","method":"_acme/blur","params":{}}]"#,
            r#"{"jsonrpc":"2.0","method":"_acme/focus","params":{}}
{"jsonrpc":"2.0","method":"_acme/blur","params":{}}"#,
        ),
    ],
    on: &[On::Message(check)],
    variants: &[(
        Severity::Error,
        "where the array is empty, or with `--edition 2026-11` or later",
    )],
    ..Rule::DEFAULT
};

fn check(message: &Message<'_>, connection: &Connection) -> Option<Verdict> {
    if message.batch.is_some() {
        return None;
    }
    if !message.node.is_array() {
        return Some(Verdict::PassOf(&[]));
    }
    let count = message.node.len();
    let about: &[_] = if count == 0 { &["jsonrpc.batch-not-empty"] } else { &[] };
    let finding = Finding::new(match count {
        0 => "an empty array is sent".to_owned(),
        1 => "a message is sent in an array".to_owned(),
        _ => format!("{count} messages are sent in one array"),
    })
    .at(message.node, "a batch")
    .and_at(message.node.at(0).filter(|_| count > 0), "its first element")
    .help(
        "send each message on its own line; official readers answer an array with one error -32600",
    )
    .about(about)
    .blaming(message.sender);
    let is_current = connection.pinned_edition() >= Some(Edition::November2026);
    // No edition allows an empty batch.
    Some(finding.as_severity_if(is_current || count == 0, Severity::Error).into())
}
