use crate::{model::RequestFacts, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "elicitation/unadvertised-mode-answered",
    summary: "the client answers in a mode that it did not advertise",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Info),
    binds: Bound::Client,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/elicitation#checking-support"),
            requires: "a client advertises the modes that it supports",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/elicitation#checking-support"),
            requires: "a client advertises the modes that it supports",
        },
    ],
    explanation: r"
A client that accepts supports the mode. But other agents will not use it, because they read the
client's capabilities first. A client that does not support it answers with error -32602: a refusal
of the user says that the user was asked.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"_voice","message":"Say yes"}}
{"jsonrpc":"2.0","id":"a1","result":{"action":"accept"}}"#,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Which branch?","requestedSchema":{"type":"object","properties":{"branch":{"type":"string","enum":["main","dev"]}}}}}
{"jsonrpc":"2.0","id":"a1","result":{"action":"accept","content":{"branch":"dev"}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"_voice","message":"Say yes"}}
{"jsonrpc":"2.0","id":"a1","result":{"action":"accept"}}"#,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Which branch?","requestedSchema":{"type":"object","properties":{"branch":{"type":"string","enum":["main","dev"]}}}}}
{"jsonrpc":"2.0","id":"a1","result":{"action":"accept","content":{"branch":"dev"}}}"#,
        ),
    ],
    on: &[On::Answer(&["elicitation/create"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let result = answer.result()?;
    let RequestFacts::Question(question) = &answer.request.facts else { return None };
    let capabilities = connection.client_capabilities()?;
    let mode = question.mode();
    if !capabilities.lacks(&format!("elicitation.{mode}")) {
        return Some(Verdict::Pass);
    }
    let is_accepted = result.get("action").is_some_and(|action| action.is("accept"));
    let help = if is_accepted {
        "advertise the mode in `elicitation`"
    } else {
        "answer with error -32602, since the client does not support the mode"
    };
    Some(
        Finding::new(format!(
            "the client answers in the mode `{mode}`, which it did not advertise"
        ))
        .at(result, "the answer")
        .at(capabilities.lack("elicitation"), "the client's capabilities")
        .help(help)
        .once_per((mode, is_accepted))
        .into(),
    )
}
