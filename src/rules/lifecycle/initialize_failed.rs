use crate::{
    model::{
        RequestFacts,
        connection::negotiation::{Phase, UNSUPPORTED_VERSION},
    },
    rule::prelude::*,
    rules::{
        codes::{INVALID_PARAMS, INVALID_REQUEST},
        lifecycle::refusal::speaks_of_version,
    },
};

pub(crate) static RULE: Rule = Rule {
    id: "lifecycle/initialize-failed",
    summary: "`initialize` fails for a reason other than the version",
    level: By::both(Level::Hint),
    severity: By::both(Severity::Info),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    needs: &[Loss::Errors],
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Other("TCK INIT-001"),
        requires: "a well-formed `initialize` is answered with a result",
    }],
    explanation: r"
The protocol defines only one failure of `initialize`: -32022, for a version that the agent does not
support. Most rules need a successful `initialize`, so this info says why a report is short. If a
login is needed, the agent still answers `initialize`, lists its auth methods, and refuses
`session/new`.
",
    tck: &["INIT-001"],
    examples: &[Example::new(
        Surface::V2,
        Opening::None,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"Internal error"}}"#,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":2,"info":{"name":"editor","version":"1.0.0"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":2,"info":{"name":"agent","version":"1.0.0"}}}"#,
    )],
    on: &[On::Answer(&["initialize"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let Some(error) = answer.error() else {
        return answer.result().map(|_| Verdict::Pass);
    };
    // `lifecycle/version-refused` reports this in editions before -32022.
    let is_refusal = connection.edition() <= Edition::September2026 && speaks_of_version(error);
    if answer.error_code() == Some(UNSUPPORTED_VERSION) || is_refusal {
        return None;
    }
    // Agents may reject a repeated `initialize` and an invalid one.
    let is_in_use = connection.negotiation.phase() == Phase::Agreed
        && connection.negotiation.first_use.is_some();
    let is_unreadable = matches!(answer.error_code(), Some(INVALID_REQUEST | INVALID_PARAMS))
        && matches!(answer.request.facts, RequestFacts::Initialize { is_readable: false, .. });
    if is_in_use || is_unreadable {
        return None;
    }
    // Without a code, jsonrpc/error-object speaks.
    let code = error.get("code").filter(|_| answer.error_code().is_some())?;
    let finding = Finding::new(format!("`initialize` fails with error code {}", code.shown()))
        .at(error, "the connection cannot be used")
        .at(answer.request.method_at, "the request")
        .help("answer with a result; refuse only an unsupported version, with error -32022");
    Some(finding.into())
}
