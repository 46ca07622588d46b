use crate::{event::MethodStatus, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "ext/dollar-method",
    summary: "a `$/` method other than `$/cancel_request` is sent",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Info),
    binds: Bound::Sender,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/cancellation"),
            requires: "`$/cancel_request` is the only method that starts with `$/`",
        },
        Citation {
            version: None,
            source: SourceText::Other("TCK EXT-203"),
            requires: "a receiver ignores a `$/` notification that it does not know",
        },
    ],
    explanation: r"
In the Language Server Protocol, `$/` marks messages that the receiver may ignore. ACP has only one
of them, `$/cancel_request`; custom methods start with `_`. The receiver ignores an unknown
notification, so nobody notices the mistake. It answers an unknown request with -32601, so a request
is a warning.
",
    tck: &["EXT-203"],
    examples: &[Example::new(
        Surface::V1,
        Opening::Session,
        r#"{"jsonrpc":"2.0","method":"$/progress","params":{"token":1}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Tidy up"}]}}
{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":2}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32800,"message":"Cancelled"}}"#,
    )],
    on: &[On::Call(&[], check)],
    variants: &[(Severity::Warning, "for requests")],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, _: &Connection) -> Option<Verdict> {
    if call.method_status != MethodStatus::Dollar {
        return (call.method == "$/cancel_request").then_some(Verdict::Pass);
    }
    let method = call.method.as_cow();
    let finding = Finding::new(format!("`{method}` is not a method of the protocol"))
        .at(call.method, "only `$/cancel_request` is defined")
        .once_per(&*method);
    Some(match call.id {
        Some(_) => finding
            .help("rename it: custom methods start with `_`; receivers answer this one with -32601")
            .as_severity(Severity::Warning)
            .into(),
        None => finding
            .help("rename it: custom methods start with `_`; receivers ignore this one")
            .into(),
    })
}
