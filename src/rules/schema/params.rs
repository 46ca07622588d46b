use crate::{event::MethodStatus, model::MessagePart, rule::prelude::*, rules::schema::wording};

pub(crate) static RULE: Rule = Rule {
    id: "schema/params",
    summary: "the params do not fit the schema of their method",
    level: By::each(Level::Schema, Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Sender,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/schema"),
            requires: "the params of a method have the shape that its definition gives",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/schema"),
            requires: "the params of a method have the shape that its definition gives",
        },
    ],
    explanation: r"
Official readers refuse what does not fit: a request is answered with -32602, a notification is
dropped without a word. In some places they repair it silently instead: the member reads as absent,
or the element of a list disappears. The finding says which.
",
    tck: &["SCHEMA-001", "PROMPT-205", "PERM-201", "PATCH-201", "PATCH-204"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plann","entries":[]}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Done"}}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"Done"}}}}"#,
        ),
    ],
    on: &[On::Call(&[], exercised), On::Rejected(check)],
    variants: &[(Severity::Warning, "where it was legal until 20 November 2026")],
    ..Rule::DEFAULT
};

fn exercised(call: &Call<'_>, _: &Connection) -> Option<Verdict> {
    matches!(call.method_status, MethodStatus::Defined | MethodStatus::Draft)
        .then_some(Verdict::Pass)
}

fn check(refused: &Rejected<'_>, connection: &Connection) -> Option<Verdict> {
    (refused.part == MessagePart::Params).then(|| wording::finding(refused, connection).into())
}
