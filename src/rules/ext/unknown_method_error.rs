use crate::{rule::prelude::*, rules::codes};

pub(crate) static RULE: Rule = Rule {
    id: "ext/unknown-method-error",
    summary: "an unknown extension request is refused with a code other than -32601",
    level: By::both(Level::Should),
    severity: By::both(Severity::Warning),
    binds: Bound::Responder,
    surfaces: Surfaces::ALL,
    needs: &[Loss::Errors],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/extensibility#custom-requests"),
            requires: "a side that does not know an extension request answers -32601",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/extensibility#custom-requests"),
            requires: "a side that does not know an extension request answers -32601",
        },
    ],
    explanation: r"
With -32601 the caller knows that the extension is missing, and does without it. With any other code
the extension seems to exist, so the caller tries again or shows an error. The rule reports only
errors whose text says that the method is unknown.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Initialized,
        r#"{"jsonrpc":"2.0","id":1,"method":"_acme.example/inspect","params":{}}
{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"Unknown method: _acme.example/inspect"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"_acme.example/inspect","params":{}}
{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}"#,
    )],
    on: &[On::Answer(&[], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, _: &Connection) -> Option<Verdict> {
    if !answer.request.method.starts_with('_') {
        return None;
    }
    let error = answer.error()?;
    if answer.error_code() == Some(codes::METHOD_NOT_FOUND) {
        return Some(Verdict::Pass);
    }
    if !says_unknown(error, &answer.request.method) {
        return None;
    }
    let method = &answer.request.method;
    let code = error.get("code");
    let finding = Finding::new(format!("the unknown method `{method}` is not refused with -32601"))
        .at(code.unwrap_or(error), "says that the method exists but failed")
        .at(answer.request.method_at, "the request")
        .help("answer with error -32601, so that the caller knows that the extension is missing");
    Some(finding.into())
}

/// Returns true when the error says that the method does not exist.
fn says_unknown(error: Node<'_>, method: &str) -> bool {
    const LACKS: [&str; 10] = [
        "not found",
        "unknown",
        "unsupported",
        "not supported",
        "not implemented",
        "unimplemented",
        "unhandled",
        "unrecognized",
        "not known",
        "no such",
    ];
    const NAMES: [&str; 5] = ["method", "extension", "request", "call", "command"];
    let Some(message) = error.get("message").and_then(Node::text) else { return false };
    let message = message.as_cow().to_lowercase();
    let names_it =
        NAMES.iter().any(|name| message.contains(name)) || message.contains(&method.to_lowercase());
    // "Not supported" without a subject is about the called method.
    let lack = message.trim_matches(|it: char| !it.is_alphanumeric());
    LACKS.iter().any(|it| message.contains(it) && (names_it || lack == *it))
}
