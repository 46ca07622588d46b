use crate::{model::Id, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "jsonrpc/id-reuse",
    summary: "one id is used again and again after its answers",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Off),
    binds: Bound::Sender,
    surfaces: Surfaces::ALL,
    editions: By::each(Editions::ALL, Editions::since(Edition::November2026)),
    needs: &[Loss::Ids],
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("RequestId"),
        requires: "an id is free after the answer, but a new id makes logs easier to read",
    }],
    explanation: r"
It is legal to use an id again after its answer. But then a reader of the log cannot tell a late or
second answer from the right one. Count the ids up. The rule is off by default.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Session,
        r#"{"jsonrpc":"2.0","id":3,"method":"_acme/status","params":{}}
{"jsonrpc":"2.0","id":3,"result":{}}
{"jsonrpc":"2.0","id":3,"method":"_acme/status","params":{}}
{"jsonrpc":"2.0","id":3,"result":{}}
{"jsonrpc":"2.0","id":3,"method":"_acme/status","params":{}}
{"jsonrpc":"2.0","id":3,"result":{}}
{"jsonrpc":"2.0","id":3,"method":"_acme/status","params":{}}
{"jsonrpc":"2.0","id":3,"result":{}}
{"jsonrpc":"2.0","id":3,"method":"_acme/status","params":{}}
{"jsonrpc":"2.0","id":3,"result":{}}
{"jsonrpc":"2.0","id":3,"method":"_acme/status","params":{}}
{"jsonrpc":"2.0","id":3,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":3,"method":"_acme/status","params":{}}
{"jsonrpc":"2.0","id":3,"result":{}}
{"jsonrpc":"2.0","id":4,"method":"_acme/status","params":{}}
{"jsonrpc":"2.0","id":4,"result":{}}
{"jsonrpc":"2.0","id":5,"method":"_acme/status","params":{}}
{"jsonrpc":"2.0","id":5,"result":{}}
{"jsonrpc":"2.0","id":6,"method":"_acme/status","params":{}}
{"jsonrpc":"2.0","id":6,"result":{}}
{"jsonrpc":"2.0","id":7,"method":"_acme/status","params":{}}
{"jsonrpc":"2.0","id":7,"result":{}}
{"jsonrpc":"2.0","id":8,"method":"_acme/status","params":{}}
{"jsonrpc":"2.0","id":8,"result":{}}"#,
    )],
    on: &[On::Call(&[], check)],
    ..Rule::DEFAULT
};

/// Most requests with one id that are accepted without a finding, since a client may restart its
/// count.
const HANDFUL: u32 = 5;

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let id = Id::of(call.id?);
    let done = connection.rpc.answered(call.sender, &id).filter(|done| done.uses >= HANDFUL);
    let finding = done.map(|done| {
        Finding::new(format!("id `{id}` is used again and again"))
            .at(call.node, format!("used {} times before", done.uses))
            .at(done.request, "the last use")
            .help("count ids up, so that late answers can be recognized")
            .once_per((call.sender, &id))
    });
    Some(finding.into())
}
