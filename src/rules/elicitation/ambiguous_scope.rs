use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "elicitation/ambiguous-scope",
    summary: "an elicitation belongs to a session and to a request, or to neither",
    level: By::each(Level::Derived, Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/elicitation#creating-an-elicitation"),
            requires: "a question belongs to a session, or to a request outside of any",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("ElicitationFormMode"),
            requires: "exactly one of session and request is named",
        },
    ],
    explanation: r"
A client asks beside the conversation the question belongs to, or beside the login or whatever else
the request began, and takes the question back when that ends. With both or neither it cannot know
where to ask, nor how long.
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
            Finding::new("a question belongs to a session and to a request")
                .at(request, "belongs to this request")
                .at(session, "and to this session")
                .help("name the session, or the request where there is no session")
        }
        (None, None) => Finding::new("a question belongs neither to a session nor to a request")
            .at(Mark::missing_in(params), "`sessionId` or `requestId` is missing here")
            .and_at(member("toolCallId"), "a tool call is named together with its session"),
        (None, Some(request)) if member("toolCallId").is_some() => {
            Finding::new("a question belongs to a tool call and to a request")
                .at(member("toolCallId")?, "a tool call is named together with its session")
                .at(request, "belongs to this request")
        }
        _ => return Some(Verdict::Pass),
    };
    Some(finding.explains(params).into())
}
