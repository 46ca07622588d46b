use crate::{event::CallKind, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "jsonrpc/request-without-id",
    summary: "a request-only method is sent without an id",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Sender,
    surfaces: Surfaces::ALL,
    cites: &[Citation {
        version: None,
        source: SourceText::JsonRpc("4"),
        requires: "a request that wants an answer has an id",
    }],
    explanation: r"
Without an id the message is a notification, and nothing will answer it: no session id, no stop
reason, no permission comes back. Official readers know the method as a request only and drop the
message.
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
        Finding::new(format!("`{}` is a request, but has no id", call.method))
            .at(call.method, "nobody will answer it")
            .at(Mark::missing_in(call.node), "`id` is missing here")
            .help("readers drop the message")
    });
    Some(finding.into())
}
