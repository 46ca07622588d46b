use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "cancel/request-unanswered",
    summary: "a cancelled request is never answered",
    level: By::both(Level::Must),
    severity: By::both(Severity::Warning),
    binds: Bound::Responder,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::TAIL),
    needs: &[Loss::Ids],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/cancellation"),
            requires: "a cancelled request is still answered",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/cancellation#cancel_request-notification"),
            requires: "a cancelled request is still answered: with a result, or with error -32800",
        },
    ],
    requirements: &["cancel.answer-request", "cancel.still-answer"],
    explanation: r"
A request stays open until its answer comes, also after a cancellation. Whatever waits for it waits
forever. A receiver that stops the work answers with error -32800, or with the result it has.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}
{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":2}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}
{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":2}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32800,"message":"Request cancelled"}}"#,
        )
        .closed(),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}
{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":2}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}
{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":2}}
{"jsonrpc":"2.0","id":2,"result":{"sessions":[]}}"#,
        )
        .closed(),
    ],
    on: &[On::LeftOpen(check)],
    ..Rule::DEFAULT
};

fn check(request: &Request, connection: &Connection) -> Option<Verdict> {
    let (at, _) = request.cancelled?;
    // A side without any response is not on record.
    let answers = request.sender.is_none_or(|sender| connection.has_seen(sender.peer(), 1));
    if request.flawed || !answers {
        return None;
    }
    Some(
        Finding::new(format!("the cancelled `{}` is never answered", request.method))
            .at(request.at, format!("the request with id `{}`", request.id))
            .at(at, "cancelled here")
            .help("answer with error -32800, or with a result")
            .into(),
    )
}
