use crate::{rule::prelude::*, rules::jsonrpc::failure};

pub(crate) static RULE: Rule = Rule {
    id: "jsonrpc/error-code-reserved",
    summary: "an error code is in the reserved range of JSON-RPC but not defined there",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Warning),
    binds: Bound::Responder,
    surfaces: Surfaces::ALL,
    needs: &[Loss::Errors],
    cites: &[Citation {
        version: None,
        source: SourceText::JsonRpc("5.1"),
        requires: "codes from -32768 to -32100 are reserved; five of them are defined",
    }],
    explanation: r"
JSON-RPC reserves the codes from -32768 to -32100 and defines -32700 and -32600 to -32603. It may
give any other code in this range a meaning later. The codes from -32000 to -32099 are for servers,
all others for applications.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"_acme/status","params":{}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32650,"message":"Pump failure"}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"_acme/status","params":{}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32099,"message":"Pump failure"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"_acme/status","params":{}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32701,"message":"Pump failure"}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"_acme/status","params":{}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32700,"message":"Parse error"}}"#,
        ),
    ],
    on: &[On::Message(check)],
    ..Rule::DEFAULT
};

fn check(message: &Message<'_>, _: &Connection) -> Option<Verdict> {
    let (number, code) = failure::code(message)?;
    let is_own = (-32768..=-32100).contains(&number) && !matches!(number, -32700 | -32603..=-32600);
    let finding = is_own.then(|| {
        Finding::new(format!("error code {number} is reserved by JSON-RPC but not defined"))
            .at(code, "JSON-RPC defines -32700 and -32600 to -32603")
            .help("use a code outside of the range -32768 to -32000")
            .once_per((message.sender, number))
    });
    Some(finding.into())
}
