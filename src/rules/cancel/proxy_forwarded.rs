use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "cancel/proxy-forwarded",
    summary: "a cancellation is forwarded to another hop",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Sender,
    surfaces: Surfaces::V2_UNSTABLE,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("ProxySuccessorRequest"),
        requires: "a cancellation concerns one hop and is never passed on to the next",
    }],
    explanation: r"
Ids belong to one hop. Inside `proxy/successor` the id means nothing, or another request. To cancel
what was passed on, cancel the `proxy/successor` request itself.
",
    examples: &[Example::new(
        Surface::V2Unstable,
        Opening::Initialized,
        r#"{"jsonrpc":"2.0","method":"proxy/successor","params":{"method":"$/cancel_request","params":{"requestId":4}}}"#,
        r#"{"jsonrpc":"2.0","method":"proxy/successor","params":{"method":"session/cancel","params":{"sessionId":"s"}}}"#,
    )],
    on: &[On::Call(&["proxy/successor"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, _: &Connection) -> Option<Verdict> {
    let method = call.param("method")?.text()?;
    let finding = (method == "$/cancel_request").then(|| {
        Finding::new("a cancellation is passed on to another hop")
            .at(method, "ids belong to one hop")
            .help("cancel the `proxy/successor` request that passed the work on")
    });
    Some(finding.into())
}
