use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "jsonrpc/id-type",
    summary: "an id is not a string or a 64-bit integer",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Either,
    surfaces: Surfaces::ALL,
    needs: &[Loss::Ids],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Definition("RequestId"),
            requires: "an id is a string, a 64-bit integer or null",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("RequestId"),
            requires: "an id is a string or a 64-bit integer",
        },
    ],
    requirements: &["jsonrpc.id-type"],
    explanation: r"
Readers keep the id as one of these types, to find the request when the response comes. A fraction,
a boolean or an object does not fit: the reader refuses the request with -32600 and a null id, and
its sender waits forever. Most readers accept an integer written as `1.0`, so that is only an info.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":4.5,"method":"_acme/status","params":{}}"#,
            r#"{"jsonrpc":"2.0","id":"4.5","method":"_acme/status","params":{}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":true,"method":"_acme/status","params":{}}"#,
            r#"{"jsonrpc":"2.0","id":-7,"method":"_acme/status","params":{}}"#,
        ),
    ],
    on: &[On::Call(&[], call), On::Stray(response)],
    variants: &[(Severity::Info, "where an integer is written as a fraction")],
    ..Rule::DEFAULT
};

fn call(call: &Call<'_>, _: &Connection) -> Option<Verdict> {
    check(call.message, call.id?)
}

/// Checks the id of a response that answers no request. The id of another response is that of its
/// request, which is checked itself.
fn response(stray: &Stray<'_>, _: &Connection) -> Option<Verdict> {
    check(stray.message, stray.id)
}

fn check(message: &Message<'_>, id: Node<'_>) -> Option<Verdict> {
    if id.is_string() || id.is_written_as_integer() && id.integer().is_some() {
        return Some(Verdict::Pass);
    }
    if id.is_null() {
        return None;
    }
    let finding = if id.integer().is_some() {
        Finding::new("an integer id is written with a fraction")
            .at(id, "some readers do not read this as an integer")
            .as_severity(Severity::Info)
            .once_per(message.sender)
    } else {
        Finding::new("an id is not a string or a 64-bit integer")
            .at(id, "expected a string or an integer")
            .help("use a string or an integer; readers refuse this message and cannot answer it")
    };
    Some(finding.blaming(message.sender).into())
}
