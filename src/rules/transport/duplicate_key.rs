use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "transport/duplicate-key",
    summary: "an object has the same member twice",
    level: By::each(Level::Hint, Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Either,
    surfaces: Surfaces::ALL,
    cites: &[Citation {
        version: None,
        source: SourceText::Rfc("RFC 8259 §4"),
        requires: "the names in an object are unique; otherwise readers differ",
    }],
    explanation: r"
Some parsers keep the first of two equal names, most keep the last, and some refuse the text. So two
peers can read different values from one message, which is worst for ids and statuses. acpcheck
reads the last, as official readers do. Where the two values of `method`, `params`, `result`, `error`
or `id` differ, two readers have two messages, so it is an error there.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"two"},"content":{"type":"text","text":"one"}}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"one"}}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","method":"_focus","params":{},"params":{"on":true}}"#,
            r#"{"jsonrpc":"2.0","method":"_focus","params":{"on":true,"of":{"on":false}}}"#,
        ),
    ],
    on: &[On::Message(check)],
    variants: &[
        (Severity::Info, "in values that the protocol does not define"),
        (Severity::Error, "where the message itself has two different values"),
    ],
    ..Rule::DEFAULT
};

/// Most repeated member names of one message that get a finding each; further ones get none.
const ENOUGH: usize = 4;

fn check(message: &Message<'_>, connection: &Connection) -> Option<Verdict> {
    if message.batch.is_some() {
        return None;
    }
    if message.node.doc().duplicate_names().next().is_none() {
        return Some(Verdict::Pass);
    }
    let differing = differing(message);
    let is_other =
        |second: Node<'_>| differing.iter().all(|(_, reported)| reported.span() != second.span());
    let repeats = message.node.doc().duplicate_names().filter(|(_, second)| is_other(*second));
    let errors = differing.iter().map(|(first, second)| {
        let name = second.text().map(Text::as_cow).unwrap_or_default();
        Finding::new(format!("the message has `{name}` twice, with different values"))
            .at(*second, "the second one")
            .at(*first, "the first one")
            .help("write the member once: some readers keep the first, others the last")
            .blaming(message.sender)
            .as_severity(Severity::Error)
    });
    let findings = repeats.map(|(first, second)| {
        let name = second.text().map(Text::as_cow).unwrap_or_default();
        let finding = Finding::new(format!("member `{name}` is here twice"))
            .at(second, "the second one")
            .at(first, "the first one")
            .help("some readers keep the first, others the last")
            .blaming(message.sender)
            .once_per((connection.number(), name));
        finding.as_severity_if(message.leaves_free(second), Severity::Info)
    });
    Some(errors.chain(findings).take(ENOUGH).collect())
}

/// Names of members that occur twice in a message with different values, so that readers see
/// different messages; the first and the second.
fn differing<'t>(message: &Message<'t>) -> Vec<(Node<'t>, Node<'t>)> {
    let differing = |member| {
        let mut all = message.node.all_named(member);
        let (first, value) = all.next()?;
        let (second, _) = all.find(|(_, other)| other.normal() != value.normal())?;
        Some((first, second))
    };
    let members = ["method", "params", "result", "error", "id"];
    members
        .into_iter()
        .filter(|member| !message.is_of_extension() || *member != "params")
        .filter_map(differing)
        .collect()
}
