use crate::{event::CallKind, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "jsonrpc/null-id",
    summary: "a request has the id null",
    level: By::each(Level::ShouldNot, Level::MustNot),
    severity: By::each(Severity::Warning, Severity::Error),
    binds: Bound::Sender,
    surfaces: Surfaces::ALL,
    editions: By::each(Editions::ALL, Editions::since(Edition::November2026)),
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::JsonRpc("4"),
            requires: "null is no good id: responses to unreadable requests carry it",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("RequestId"),
            requires: "an id is a string or an integer, never null",
        },
    ],
    explanation: r"
Some readers take such a message for a notification and never answer; the answer of the others looks
like the report of a parse error. A notification has no `id` member at all. Serializers that write
absent members as null are the usual cause.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":null,"method":"_acme/status","params":{}}"#,
            r#"{"jsonrpc":"2.0","id":0,"method":"_acme/status","params":{}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":null,"method":"_acme/status","params":{}}"#,
            r#"{"jsonrpc":"2.0","id":"","method":"_acme/status","params":{}}"#,
        ),
    ],
    on: &[On::Call(&[], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, _: &Connection) -> Option<Verdict> {
    let id = call.id?;
    Some(
        id.is_null()
            .then(|| {
                Finding::new(format!("the id of `{}` is null", call.method))
                    .at(id, "null cannot be told from the id of an unreadable message")
                    .help(match call.kind {
                        Some(CallKind::Notification) => "a notification has no member `id`",
                        _ => "give each request an id of its own",
                    })
            })
            .into(),
    )
}
