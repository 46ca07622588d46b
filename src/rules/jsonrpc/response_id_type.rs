use crate::{
    model::{Id, StrayKind},
    rule::prelude::*,
};

pub(crate) static RULE: Rule = Rule {
    id: "jsonrpc/response-id-type",
    summary: "the id of a response has another JSON type than the id of the request",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Responder,
    surfaces: Surfaces::ALL,
    needs: &[Loss::Ids],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::JsonRpc("5"),
            requires: "the id of a response is the value that the request had",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("RequestId"),
            requires: "the receiver answers with the same id",
        },
    ],
    requirements: &["jsonrpc.same-id"],
    explanation: r#"
The number 9 and the string "9" are two different ids. A client that uses numbers does not find its
request under a string, and the request hangs. Readers in dynamically typed languages may not
notice, until another program reads the response.
"#,
    tck: &["JSONRPC-001"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":9,"method":"_acme/status","params":{}}
{"jsonrpc":"2.0","id":"9","result":{}}"#,
            r#"{"jsonrpc":"2.0","id":9,"method":"_acme/status","params":{}}
{"jsonrpc":"2.0","id":9,"result":{}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":"9","method":"session/list","params":{}}
{"jsonrpc":"2.0","id":9,"result":{"sessions":[]}}"#,
            r#"{"jsonrpc":"2.0","id":"9","method":"_acme/status","params":{}}
{"jsonrpc":"2.0","id":9,"method":"_acme/status","params":{}}
{"jsonrpc":"2.0","id":"9","result":{}}
{"jsonrpc":"2.0","id":9,"result":{}}"#,
        ),
    ],
    on: &[On::Stray(check), On::Answer(&[], paired)],
    ..Rule::DEFAULT
};

fn check(stray: &Stray<'_>, _: &Connection) -> Option<Verdict> {
    let StrayKind::OtherType(request) = stray.why else { return None };
    Some(
        Finding::new(format!(
            "the request has the id `{}`, but the response has `{}`: another JSON type",
            request.id,
            Id::of(stray.id)
        ))
        .at(stray.id, "another JSON type than in the request")
        .at(request.id_at, format!("the id of `{}`", request.method))
        .help("return the id exactly as in the request")
        .into(),
    )
}

fn paired(_: &Answer<'_>, _: &Connection) -> Option<Verdict> {
    Some(Verdict::Pass)
}
