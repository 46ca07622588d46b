use crate::{model::RequestFacts, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "elicitation/unsupported-mode-code",
    summary: "the client refuses an unadvertised mode with a code other than -32602",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Client,
    surfaces: Surfaces::V1,
    needs: &[Loss::Errors],
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Page("protocol/v1/elicitation#url-completion"),
        requires: "a client refuses a mode that it did not advertise, with error -32602",
    }],
    explanation: r"
With -32602 the agent knows that the client cannot ask in this mode, and finds another way. With any
other code the agent may try again.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"_voice","message":"Say yes"}}
{"jsonrpc":"2.0","id":"a1","error":{"code":-32601,"message":"Method not found"}}"#,
        r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"_voice","message":"Say yes"}}
{"jsonrpc":"2.0","id":"a1","error":{"code":-32602,"message":"Unknown mode"}}"#,
    )],
    on: &[On::Answer(&["elicitation/create"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    const CANCELLED: i64 = -32800;
    let code = answer.error()?.get("code")?;
    let RequestFacts::Question(question) = &answer.request.facts else { return None };
    let capabilities = connection.client_capabilities()?;
    let mode = question.mode();
    if !capabilities.lacks(&format!("elicitation.{mode}")) {
        return None;
    }
    match code.integer()? {
        -32602 => Some(Verdict::Pass),
        CANCELLED => None,
        // The method itself may be unknown to a client without the capability.
        -32601 if capabilities.get("elicitation").is_none() => None,
        number => Some(
            Finding::new(format!(
                "the client refuses the unadvertised mode `{mode}` with error code {number}"
            ))
            .at(code, "expected -32602")
            .at(answer.request.at, "the request")
            .at(capabilities.lack("elicitation"), "the client's capabilities")
            .into(),
        ),
    }
}
