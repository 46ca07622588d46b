use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "jsonrpc/proxy-params-type",
    summary: "the params of a wrapped message are not an object or an array",
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
    requirements: &["jsonrpc.proxy-params"],
    explanation: r"
A proxy unwraps the message and forwards it as it is. If its params are null or a number, the next
receiver refuses it. If there are no params, leave the member out.
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
        Finding::new("the params of a wrapped message are not an object or an array")
            .at(params, "expected an object or an array")
            .help("leave `params` out if there are none")
            .explains(params)
    });
    Some(finding.into())
}
