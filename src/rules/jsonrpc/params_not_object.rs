use crate::{event::MethodStatus, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "jsonrpc/params-not-object",
    summary: "a protocol method has params that are not an object",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Sender,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: None,
            source: SourceText::Definition("ListSessionsRequest"),
            requires: "the params of every method are an object",
        },
        Citation {
            version: None,
            source: SourceText::JsonRpc("4.2"),
            requires: "params by position are an array; no method of the protocol takes an array",
        },
    ],
    explanation: r"
JSON-RPC allows params by position, in an array; all methods of ACP take them by name, in an object.
Readers refuse such a request with -32602 and drop such a notification. Extension methods are free
to choose. If a method requires no params, they may be absent or null.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/list","params":["/work"]}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/list","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","method":"_acme/focus","params":["/work"]}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","method":"session/cancel","params":"s"}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/list"}
{"jsonrpc":"2.0","id":3,"method":"session/list","params":null}"#,
        ),
    ],
    on: &[On::Call(&[], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, _: &Connection) -> Option<Verdict> {
    if !matches!(call.method_status, MethodStatus::Defined | MethodStatus::Draft) {
        return None;
    }
    let other = call.params.filter(|params| !params.is_object() && !params.is_null());
    let finding = other.map(|params| {
        Finding::new(format!("the params of `{}` are not an object", call.method))
            .at(params, "expected an object")
            .help("send an object: methods of the protocol take their params by name")
            .explains(params)
    });
    Some(finding.into())
}
