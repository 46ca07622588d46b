use crate::{model::connection::batches::BatchEntry, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "jsonrpc/batch-mixed-kinds",
    summary: "one batch holds both calls and responses (editions with batches)",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Sender,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::until(Edition::September2026)),
    needs: &[Loss::Envelope],
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Page("protocol/v2/draft/transports#json-rpc-batch-messages"),
        requires: "an array that answers a batch holds only responses",
    }],
    explanation: r"
An array is either a batch of calls, or the answer to a batch. Some readers look only at the first
element to find out, and drop the elements of the other kind. A batch may mix requests and
notifications.
",
    tck: &["INFO-BATCH-202"],
    examples: &[Example::new(
        Surface::V2,
        Opening::Session,
        r#"{"jsonrpc":"2.0","id":5,"method":"elicitation/create","params":{"sessionId":"s","mode":"url","elicitationId":"e","url":"https://example.com/","message":"Sign in"}}
[{"jsonrpc":"2.0","id":5,"result":{"action":"decline"}},{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}},{"jsonrpc":"2.0","method":"_acme/focus","params":{}}]"#,
        r#"[{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}},{"jsonrpc":"2.0","method":"_acme/focus","params":{}}]"#,
    )
    .in_edition(Edition::September2026)],
    on: &[On::Message(check)],
    ..Rule::DEFAULT
};

fn check(message: &Message<'_>, _: &Connection) -> Option<Verdict> {
    if !message.node.is_array() || message.batch.is_some() {
        return None;
    }
    let is_call = |element: Node<'_>| match BatchEntry::of(element) {
        BatchEntry::Request | BatchEntry::Notification => Some(true),
        BatchEntry::Response => Some(false),
        BatchEntry::Invalid => None,
    };
    let count =
        |kind| message.node.elements().filter(|element| is_call(*element) == Some(kind)).count();
    let (calls, responses) = (count(true), count(false));
    if calls == 0 || responses == 0 {
        return Some(Verdict::Pass);
    }
    let minority = calls < responses;
    let odd = message.node.elements().find(|element| is_call(*element) == Some(minority))?;
    let what = if minority { "a call among responses" } else { "a response among calls" };
    Some(
        Finding::new("a batch holds both calls and responses")
            .at(odd, what)
            .at(message.node, "the batch")
            .help("send calls and responses in separate arrays")
            .into(),
    )
}
