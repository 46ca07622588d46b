use crate::{
    event::MethodStatus, rule::prelude::*, rules::surface::newer_than_known::is_unlike_known,
};

pub(crate) static RULE: Rule = Rule {
    id: "jsonrpc/undefined-method-accepted",
    summary: "a request with an undefined method is answered with a result",
    level: By::both(Level::Should),
    severity: By::both(Severity::Warning),
    binds: Bound::Responder,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: None,
            source: SourceText::JsonRpc("5.1"),
            requires: "a method that does not exist is answered with -32601",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/extensibility#extension-methods"),
            requires: "an unknown method is answered with -32601",
        },
    ],
    explanation: r"
Names without an underscore belong to the protocol. If an agent or client answers an undefined
method, the caller believes that the protocol defines it. It breaks when a later version gives the
name a meaning. A handler that answers everything also hides typing errors. The undefined call is a
separate finding of the caller.
",
    tck: &["JSONRPC-004"],
    examples: &[Example::new(
        Surface::V1,
        Opening::Session,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/closed","params":{}}
{"jsonrpc":"2.0","id":2,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"_session/closed","params":{}}
{"jsonrpc":"2.0","id":2,"result":{}}
{"jsonrpc":"2.0","id":3,"method":"session/closed","params":{}}
{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"Method not found"}}"#,
    )
    .beside(&["ext/unprefixed-method", "surface/method-from-other-version"])],
    on: &[On::Answer(&[], check)],
    variants: &[(Severity::Info, "for a method that was a draft")],
    ..Rule::DEFAULT
};

/// Methods of earlier drafts, which older peers may still answer.
const FORMER_DRAFTS: [&str; 1] = ["session/set_model"];

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let request = answer.request;
    let is_undefined = match request.method_status {
        MethodStatus::Undefined => true,
        MethodStatus::OtherVersion => connection.is_initialized(),
        _ => return None,
    };
    if !is_undefined {
        return None;
    }
    // Both sides know a custom method; `ext/unprefixed-method` reports the one that sends it.
    let is_custom = request.method_status == MethodStatus::Undefined
        && is_unlike_known(&request.method, connection);
    if is_custom && answer.result().is_some() {
        return None;
    }
    let was_draft = FORMER_DRAFTS.contains(&&*request.method);
    let finding = answer.result().map(|result| {
        let finding = Finding::new(format!(
            "`{}` is not defined but is answered with a result",
            request.method
        ))
        .at(result, "expected an error -32601")
        .at(request.method_at, "the request")
        .help("answer undefined methods with error -32601")
        .once_per(&request.method);
        finding.as_severity_if(was_draft, Severity::Info)
    });
    Some(finding.into())
}
