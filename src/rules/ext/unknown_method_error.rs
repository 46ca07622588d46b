use crate::{
    rule::prelude::*,
    rules::{codes, error_texts::error_texts},
};

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
    requirements: &["ext.answer-request"],
    explanation: r"
With -32601 the caller knows that the extension is missing, and does without it. With any other code
the extension seems to exist, so the caller tries again or shows an error. The rule reports errors
whose text says that the method is unknown, also in `data`. Nobody knows a method whose name begins
with `_acpcheck/`, by which acpcheck asks: any other answer to it is reported, and a result is an error.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Initialized,
        r#"{"jsonrpc":"2.0","id":1,"method":"_acme.example/inspect","params":{}}
{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"Unknown method: _acme.example/inspect"}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"_acme.example/inspect","params":{}}
{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}"#,
    )],
    variants: &[(Severity::Error, "where a method that nobody can know gets a result")],
    on: &[On::Answer(&[], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, _: &Connection) -> Option<Verdict> {
    if !answer.request.method.starts_with('_') {
        return None;
    }
    let method = &answer.request.method;
    // Made up for this purpose: the name proves that the method is unknown.
    let is_made_up = method.starts_with("_acpcheck/");
    let Some(error) = answer.error() else {
        let result = answer.result().filter(|_| is_made_up)?;
        let finding =
            Finding::new(format!("the unknown method `{method}` is answered with a result"))
                .at(result, "says that the method exists")
                .at(answer.request.method_at, "the request")
                .help("answer with error -32601 to each method that you do not implement")
                .as_severity(Severity::Error);
        return Some(finding.into());
    };
    // jsonrpc/error-object
    let code = error.get("code").filter(|code| code.integer().is_some())?;
    if code.integer() == Some(codes::METHOD_NOT_FOUND) {
        return Some(Verdict::Pass);
    }
    if !is_made_up && !says_unknown(error, method) {
        return None;
    }
    let finding = Finding::new(format!("the unknown method `{method}` is not refused with -32601"))
        .at(code, "says that the method exists but failed")
        .at(answer.request.method_at, "the request")
        .help("answer with error -32601, so that the caller knows that the extension is missing");
    Some(finding.into())
}

/// Whether the text of an error says that the method does not exist.
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
    error_texts(error).any(|text| {
        let text = text.as_cow().to_lowercase();
        let names_it =
            NAMES.iter().any(|name| text.contains(name)) || text.contains(&method.to_lowercase());
        // "Not supported" without a subject is about the called method.
        let lack = text.trim_matches(|it: char| !it.is_alphanumeric());
        LACKS.iter().any(|it| text.contains(it) && (names_it || lack == *it))
    })
}
