use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "elicitation/ambiguous-scope",
    summary: "an elicitation names both a session and a request, or neither",
    level: By::each(Level::Derived, Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/elicitation#creating-an-elicitation"),
            requires: "an elicitation belongs to a session, or to a request outside of all sessions",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("ElicitationFormMode"),
            requires: "an elicitation names either a session or a request",
        },
    ],
    requirements: &["elicitation.one-scope"],
    explanation: r"
A client shows a question in its session, or next to the request that it belongs to, such as a
login. It removes the question when that ends. With both or neither, the client does not know where
to show the question, or for how long.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","requestId":2,"mode":"form","message":"Which branch?","requestedSchema":{"type":"object","properties":{"branch":{"type":"string","enum":["main","dev"]}}}}}"#,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Which branch?","requestedSchema":{"type":"object","properties":{"branch":{"type":"string","enum":["main","dev"]}}}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"mode":"form","message":"Which branch?","requestedSchema":{"type":"object","properties":{"branch":{"type":"string","enum":["main","dev"]}}}}}"#,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Which branch?","requestedSchema":{"type":"object","properties":{"branch":{"type":"string","enum":["main","dev"]}}}}}"#,
        ),
    ],
    on: &[On::Call(&["elicitation/create"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, _: &Connection) -> Option<Verdict> {
    let params = call.params.filter(|params| params.is_object())?;
    let member = |name| call.param(name).filter(|value: &Node<'_>| !value.is_null());
    let finding = match (member("sessionId"), member("requestId")) {
        (Some(session), Some(request)) => {
            Finding::new("an elicitation names both a session and a request")
                .at(request, "this request")
                .at(session, "and this session")
                .help("name the session; name the request only if there is no session")
        }
        (None, None) => Finding::new("an elicitation names neither a session nor a request")
            .at(Mark::missing_in(params), "`sessionId` or `requestId` is missing here")
            .and_at(member("toolCallId"), "a tool call needs its session, too"),
        (None, Some(request)) if member("toolCallId").is_some() => {
            Finding::new("an elicitation names both a tool call and a request")
                .at(member("toolCallId")?, "a tool call needs its session, too")
                .at(request, "this request")
        }
        _ => return Some(Verdict::Pass),
    };
    Some(finding.explains(params).into())
}
