use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "jsonrpc/proxy-params-type",
    summary: "the params of a wrapped message are neither object nor array",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Sender,
    surfaces: Surfaces::V2_UNSTABLE,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("ProxySuccessorRequest"),
        requires: "the params of the wrapped message are an object or an array, or absent",
    }],
    explanation: r"
A proxy unwraps the message and sends it on as it is, so the params become those of an ordinary
message, and a null or a number in their place makes the next component refuse it. Leave the member out
where there are no params.
",
    examples: &[Example::new(
        Surface::V2Unstable,
        Opening::Session,
        r#"{"jsonrpc":"2.0","id":2,"method":"proxy/successor","params":{"method":"session/list","params":null}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"proxy/successor","params":{"method":"session/list"}}
{"jsonrpc":"2.0","id":3,"method":"proxy/successor","params":{"method":"session/list","params":{}}}"#,
    )],
    on: &[On::Call(&["proxy/successor"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, _: &Connection) -> Option<Verdict> {
    let params = call.params?.get("params");
    let other = params.filter(|params| !params.is_object() && !params.is_array());
    let finding = other.map(|params| {
        Finding::new("the params of a wrapped message are neither object nor array")
            .at(params, "expected an object or an array")
            .help("leave the member out where there are no params")
            .explains(params)
    });
    Some(finding.into())
}
