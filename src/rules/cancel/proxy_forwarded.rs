use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "cancel/proxy-forwarded",
    summary: "a proxy forwards a cancellation",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Error),
    binds: Bound::Sender,
    surfaces: Surfaces::UNSTABLE,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("ProxySuccessorRequest"),
        requires: "a cancellation is valid between two neighbours, and a proxy never forwards it",
    }],
    requirements: &["cancel.not-forwarded"],
    explanation: r"
Request ids are valid only between two neighbours. Inside `proxy/successor` the id means nothing, or
it means another request. To cancel forwarded work, cancel the `proxy/successor` request itself.
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
        Finding::new("a proxy forwards a cancellation")
            .at(method, "its request id is not valid on the next connection")
            .help("cancel the `proxy/successor` request that forwarded the work")
    });
    Some(finding.into())
}
