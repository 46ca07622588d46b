use crate::{
    model::{Id, StrayKind},
    rule::prelude::*,
};

pub(crate) static RULE: Rule = Rule {
    id: "jsonrpc/unmatched-response",
    summary: "a response has an id that the other side never used",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Responder,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::HEAD),
    needs: &[Loss::Ids],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::JsonRpc("5"),
            requires: "a response has the id of the request that it answers",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::JsonRpc("5"),
            requires: "a response has the id of the request that it answers",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("RequestId"),
            requires: "the receiver answers with the id of the request",
        },
    ],
    requirements: &["jsonrpc.same-id"],
    explanation: r"
Nobody waits for this response, and the request that it should answer hangs. Usual causes: the id
comes from another connection, was counted anew, or was cut. The rule reports only if the recording
holds the beginning of the connection.
",
    tck: &["JSONRPC-001", "BATCH-205"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":41,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":41,"method":"_acme/status","params":{}}
{"jsonrpc":"2.0","id":41,"result":{}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":41,"result":{"sessions":[]}}"#,
            r#"{"jsonrpc":"2.0","id":41,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":41,"result":{"sessions":[]}}"#,
        ),
    ],
    on: &[On::Stray(check), On::Answer(&[], paired)],
    variants: &[(Severity::Warning, "where a line cannot be read")],
    ..Rule::DEFAULT
};

fn check(stray: &Stray<'_>, connection: &Connection) -> Option<Verdict> {
    if !matches!(stray.why, StrayKind::Unknown) || connection.is_proxied() || connection.has_gaps()
    {
        return None;
    }
    let id = Id::of(stray.id);
    let is_usable = stray.id.is_string() || stray.id.integer().is_some();
    // An invalid message with an id may have been rejected.
    if !is_usable
        || stray.envelope.error.is_some() && connection.rpc.is_malformed(&id, stray.sender)
    {
        return None;
    }
    // Where only one side was recorded, the requests of the other are missing.
    if stray.recorded.is_some_and(|side| connection.last_of(side.peer()) == 0) {
        return None;
    }
    let finding = Finding::new(format!("no request has the id `{id}`"))
        .at(stray.id, "this response answers no request")
        .and_at(connection.rpc.last_asked(stray.recorded), "the last request before it")
        .help(if id.rounded().is_some() {
            "return the id of the request with all digits; a number of JavaScript holds only 53 bits"
        } else {
            "return the id of the request, with the same JSON type"
        });
    let is_sure = connection.lost_to(stray.sender) == 0;
    Some(finding.as_severity_if(!is_sure, Severity::Warning).into())
}

fn paired(_: &Answer<'_>, _: &Connection) -> Option<Verdict> {
    Some(Verdict::Pass)
}
