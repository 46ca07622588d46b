use crate::{
    model::{Id, StrayKind},
    rule::prelude::*,
};

pub(crate) static RULE: Rule = Rule {
    id: "jsonrpc/duplicate-response",
    summary: "a request is answered twice",
    level: By::each(Level::Derived, Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Responder,
    surfaces: Surfaces::ALL,
    needs: &[Loss::Ids],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::JsonRpc("5"),
            requires: "a request has one response",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Other("crate src/v2, ProtocolLevelNotification::CancelRequest"),
            requires: "a request gets only one response",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::JsonRpc("5"),
            requires: "a request has one response",
        },
    ],
    requirements: &["cancel.ignore-unknown"],
    explanation: r"
The first answer ended the request. The second one has no receiver, or ends the wrong request if the
id is in use again. Typical cause: an agent answers a cancelled prompt at once, and again when the
turn has really ended.
",
    tck: &["JSONRPC-001"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}
"#,
            r#"{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":2,"result":{"sessions":[]}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32800,"message":"Cancelled"}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":2,"result":{"sessions":[]}}
{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":2,"result":{"sessions":[]}}"#,
        ),
    ],
    on: &[On::Stray(check), On::Answer(&[], first)],
    ..Rule::DEFAULT
};

fn check(stray: &Stray<'_>, connection: &Connection) -> Option<Verdict> {
    let StrayKind::Answered(done) = stray.why else { return None };
    // Without labels and without a beginning, it may answer a request of the other side from
    // before.
    if stray.recorded.is_none() && !connection.head_is_complete() {
        return None;
    }
    Some(
        Finding::new(format!("the request with id `{}` is answered twice", Id::of(stray.id)))
            .at(stray.id, "the second answer")
            .at(done.answer, "the first answer")
            .at(done.request, "the request")
            .help("answer a request only once, also if it is cancelled")
            .into(),
    )
}

/// Passes for each first answer. Only one to a cancelled request shows what the requirement demands.
fn first(answer: &Answer<'_>, _: &Connection) -> Option<Verdict> {
    let is_cancelled = answer.request.may_be_cancelled;
    Some(if is_cancelled { Verdict::Pass } else { Verdict::Pass.about(&[]) })
}
