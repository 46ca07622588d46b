use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "jsonrpc/proxy-params-type",
    summary: "the params of a wrapped message are not an object or an array",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Sender,
    surfaces: Surfaces::UNSTABLE,
    editions: By::both(Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("ProxySuccessorRequest"),
        requires: "the params of the wrapped message are an object or an array; null means none",
    }],
    requirements: &["jsonrpc.proxy-params"],
    explanation: r"
A proxy unwraps the message and forwards it as it is. If its params are a text, a number or a boolean,
the next receiver refuses it. Null means that there are no params.
",
    examples: &[Example::new(
        Surface::V2Unstable,
        Opening::Session,
        r#"{"jsonrpc":"2.0","id":2,"method":"proxy/successor","params":{"method":"session/list","params":"all"}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"proxy/successor","params":{"method":"session/list"}}
{"jsonrpc":"2.0","id":3,"method":"proxy/successor","params":{"method":"session/list","params":{}}}"#,
    )],
    on: &[On::Call(&["proxy/successor"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, _: &Connection) -> Option<Verdict> {
    let params = call.params?.get("params");
    let other =
        params.filter(|params| !params.is_null() && !params.is_object() && !params.is_array());
    let finding = other.map(|params| {
        Finding::new("the params of a wrapped message are not an object or an array")
            .at(params, "expected an object or an array")
            .help("send an object or an array, or leave `params` out if there are none")
            .explains(params)
    });
    Some(finding.into())
}
