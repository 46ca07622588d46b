use crate::{event::MethodStatus, model::MessagePart, rule::prelude::*, rules::schema::wording};

pub(crate) static RULE: Rule = Rule {
    id: "schema/params",
    summary: "the params do not match the schema of their method",
    level: By::each(Level::Schema, Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Sender,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/schema"),
            requires: "the params of a method match its definition",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/schema"),
            requires: "the params of a method match its definition",
        },
    ],
    explanation: r"
Official readers refuse params that do not match: they answer a request with -32602 and silently
drop a notification. In some places they repair the params silently: they take the member as absent,
or drop the list element. The finding says which.
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
