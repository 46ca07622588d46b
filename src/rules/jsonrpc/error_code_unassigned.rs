use crate::{rule::prelude::*, rules::jsonrpc::failure};

pub(crate) static RULE: Rule = Rule {
    id: "jsonrpc/error-code-unassigned",
    summary: "an error code is in a range of the protocol but has no meaning there",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Info),
    binds: Bound::Responder,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::November2026)),
    needs: &[Loss::Errors],
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("ErrorCode"),
        requires: "the protocol uses -32000 to -32099, and -32800 to -32899 for cancellation",
    }],
    explanation: r"
ACP defines these codes in its two ranges: -32000 (authentication required), -32002 (not found),
-32022 (unsupported version) and -32800 (cancelled request). The next edition may give another code
a meaning. Custom codes are best outside of these ranges.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Session,
        r#"{"jsonrpc":"2.0","id":2,"method":"_acme/status","params":{}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32050,"message":"Busy"}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"_acme/status","params":{}}
{"jsonrpc":"2.0","id":2,"error":{"code":4050,"message":"Busy"}}"#,
    )],
    on: &[On::Message(check)],
    ..Rule::DEFAULT
};

fn check(message: &Message<'_>, _: &Connection) -> Option<Verdict> {
    let (number, code) = failure::code(message)?;
    let is_free = matches!(number, -32099..=-32000 | -32899..=-32800)
        && !matches!(number, -32000 | -32002 | -32022 | -32800);
    let finding = is_free.then(|| {
        Finding::new(format!("the protocol assigns no meaning to error code {number}"))
            .at(code, "in a range that the protocol uses")
            .help("the protocol defines -32000, -32002, -32022 and -32800; take custom codes from outside of its ranges")
            .once_per((message.sender, number))
    });
    Some(finding.into())
}
