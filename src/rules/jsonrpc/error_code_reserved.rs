use crate::{rule::prelude::*, rules::jsonrpc::failure};

pub(crate) static RULE: Rule = Rule {
    id: "jsonrpc/error-code-reserved",
    summary: "an error code lies in JSON-RPC's reserved block without being defined there",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Warning),
    binds: Bound::Responder,
    surfaces: Surfaces::ALL,
    cites: &[Citation {
        version: None,
        source: SourceText::JsonRpc("5.1"),
        requires: "codes from -32768 to -32100 are reserved; five of them are defined",
    }],
    explanation: r"
JSON-RPC keeps the codes from -32768 to -32100 for itself and has defined -32700 and -32600 to -32603.
A code of one's own in the block may mean something else tomorrow. Servers have -32000 to -32099,
applications everything outside.
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
        Finding::new(format!("error code {number} is reserved by JSON-RPC and not defined"))
            .at(code, "defined are -32700 and -32600 to -32603")
            .help("use -32000 to -32099 or a code outside of JSON-RPC's block")
            .once_per((message.sender, number))
    });
    Some(finding.into())
}
