use crate::{event::CallKind, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "jsonrpc/notification-with-id",
    summary: "a notification is sent with an id",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Sender,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::JsonRpc("4.1"),
            requires: "a notification has no id",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/overview#error-handling"),
            requires: "notifications get no response",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("UpdateSessionNotification"),
            requires: "the method is a notification, which has no id",
        },
    ],
    explanation: r"
With an id the message is a request, and its sender waits for an answer. Official readers know the
method only as a notification and refuse the request with -32601, so the update or the cancellation
is lost. The same happens to a plan that is sent as a request.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","id":9,"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","id":9,"method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"session_info_update","title":"Tidy"}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"session_info_update","title":"Tidy"}}}"#,
        ),
    ],
    on: &[On::Call(&[], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, _: &Connection) -> Option<Verdict> {
    if call.kind != Some(CallKind::Notification) {
        return None;
    }
    // Another rule reports null.
    let id = call.id.filter(|id| !id.is_null());
    let finding = id.map(|id| {
        Finding::new(format!("`{}` is a notification but has an id", call.method))
            .at(id, "this makes it a request")
            .help("leave the `id` out; readers refuse the request with -32601")
            .once_per(&*call.method.as_cow())
    });
    Some(finding.into())
}
