use crate::{event::CallKind, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "jsonrpc/request-without-id",
    summary: "a request is sent without an id",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Sender,
    surfaces: Surfaces::ALL,
    cites: &[Citation {
        version: None,
        source: SourceText::JsonRpc("4"),
        requires: "a request has an id, so that it can be answered",
    }],
    explanation: r"
Without an id the message is a notification, so no answer comes: no session id, no stop reason, no
permission. Official readers know the method only as a request and drop the message.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","method":"session/list","params":{}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","method":"session/close","params":{"sessionId":"s"}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}"#,
        ),
    ],
    on: &[On::Call(&[], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, _: &Connection) -> Option<Verdict> {
    if call.kind != Some(CallKind::Request) {
        return None;
    }
    let finding = call.id.is_none().then(|| {
        Finding::new(format!("`{}` is a request but has no id", call.method))
            .at(call.method, "no answer will come")
            .at(Mark::missing_in(call.node), "`id` is missing here")
            .help("add an `id`; without it readers drop the message")
    });
    Some(finding.into())
}
