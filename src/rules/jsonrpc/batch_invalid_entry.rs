use crate::{
    model::{Id, connection::batches::BatchEntry},
    rule::prelude::*,
};

pub(crate) static RULE: Rule = Rule {
    id: "jsonrpc/batch-invalid-entry",
    summary: "an invalid batch element is not answered with -32600 (editions with batches)",
    level: By::both(Level::Should),
    severity: By::both(Severity::Warning),
    binds: Bound::Responder,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::until(Edition::September2026)),
    needs: &[Loss::Envelope],
    cites: &[
        Citation {
            version: None,
            source: SourceText::JsonRpc("6"),
            requires: "each invalid element of a batch is answered with an error -32600",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/transports#json-rpc-batch-messages"),
            requires: "invalid elements of a batch are answered as JSON-RPC says",
        },
    ],
    explanation: r"
One invalid element does not make the whole batch invalid. The receiver carries out the others. Its
answer has one error -32600 for each invalid element, with a null id if no id could be read.
Otherwise the sender counts the responses and waits for the missing one.
",
    tck: &["BATCH-203"],
    examples: &[Example::new(
        Surface::V2,
        Opening::Session,
        r#"[1,{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}]
[{"jsonrpc":"2.0","id":2,"result":{"sessions":[]}}]"#,
        r#"[1,{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}]
[{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request"}},{"jsonrpc":"2.0","id":2,"result":{"sessions":[]}}]"#,
    )
    .in_edition(Edition::September2026)],
    on: &[On::Message(check)],
    ..Rule::DEFAULT
};

fn check(message: &Message<'_>, connection: &Connection) -> Option<Verdict> {
    if !message.node.is_array() || message.batch.is_some() {
        return None;
    }
    let entries =
        || message.node.elements().filter(|entry| BatchEntry::of(*entry) == BatchEntry::Response);
    let answered =
        |entry: Node<'_>| connection.rpc.outstanding_of_any(&Id::of(entry.get("id")?))?.batch;
    let batch = match entries().find_map(answered) {
        Some(index) => connection.batches.get(index)?,
        None => {
            connection.batches.unanswered(message.sender).filter(|batch| batch.requests == 0)?
        }
    };
    let invalid = batch.first_invalid?;
    entries().next()?;
    let refusals = || entries().filter(|entry| answered(*entry).is_none());
    if let Some((code, number)) =
        refusals().filter_map(refusal).find(|(_, number)| *number != -32600)
    {
        return Some(
            Finding::new(format!(
                "an invalid element of a batch is answered with error code {number}"
            ))
            .at(code, "expected -32600")
            .at(invalid, "the first invalid element")
            .into(),
        );
    }
    let is_whole = entries().count() - refusals().count() >= batch.requests;
    let missing = batch.invalid.saturating_sub(refusals().count());
    let finding = (is_whole && missing > 0).then(|| {
        Finding::new(match missing {
            1 => "an invalid element of a batch is not answered".to_owned(),
            _ => format!("{missing} invalid elements of a batch are not answered"),
        })
        .at(message.node, "the answer")
        .at(invalid, "the first invalid element")
        .help("answer each of them with error -32600, with a null id if no id can be read")
    });
    Some(finding.into())
}

/// The error code in an element of a batch, with its place; `None` for an element that is not an
/// error response.
fn refusal(entry: Node<'_>) -> Option<(Node<'_>, i64)> {
    let code = entry.path(&["error", "code"])?;
    Some((code, code.integer()?))
}
