use crate::{event::CallKind, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "jsonrpc/null-id",
    summary: "a request has a null id",
    level: By::each(Level::ShouldNot, Level::MustNot),
    severity: By::each(Severity::Warning, Severity::Error),
    binds: Bound::Sender,
    surfaces: Surfaces::ALL,
    editions: By::each(Editions::ALL, Editions::since(Edition::November2026)),
    needs: &[Loss::Ids],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::JsonRpc("4"),
            requires: "null is not a good id: it is for responses to unreadable requests",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("RequestId"),
            requires: "an id is a string or an integer, never null",
        },
    ],
    requirements: &["jsonrpc.id-not-null"],
    explanation: r"
Some readers take such a message for a notification and never answer. Others answer, but their
answer looks like the report of a parse error. A notification has no `id` member. Usual cause: a
serializer that writes absent members as null.
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
                    .at(id, "null is the id for unreadable messages")
                    .help(match call.kind {
                        Some(CallKind::Notification) => "leave `id` out: a notification has none",
                        _ => "give each request its own id",
                    })
            })
            .into(),
    )
}
