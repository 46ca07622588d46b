use crate::{
    model::{RequestFacts, request::question::Question},
    rule::prelude::*,
};

pub(crate) static RULE: Rule = Rule {
    id: "elicitation/content-ignored",
    summary: "the client sends content that agents ignore",
    level: By::each(Level::Hint, Level::Derived),
    severity: By::both(Severity::Info),
    binds: Bound::Client,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/elicitation#responses"),
            requires: "content is sent with `accept`",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/elicitation#responses"),
            requires: "content has a meaning only with `accept`, and only for forms",
        },
    ],
    requirements: &["elicitation.content-for-accept"],
    explanation: r"
The agent does not read this content. If the user's input is for the agent, the answer must be
`accept`. If not, the input should stay in the client.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Which branch?","requestedSchema":{"type":"object","properties":{"branch":{"type":"string","enum":["main","dev"]}}}}}
{"jsonrpc":"2.0","id":"a1","result":{"action":"decline","content":{"branch":"dev"}}}"#,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Which branch?","requestedSchema":{"type":"object","properties":{"branch":{"type":"string","enum":["main","dev"]}}}}}
{"jsonrpc":"2.0","id":"a1","result":{"action":"decline"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Which branch?","requestedSchema":{"type":"object","properties":{"branch":{"type":"string","enum":["main","dev"]}}}}}
{"jsonrpc":"2.0","id":"a1","result":{"action":"decline","content":{"branch":"dev"}}}"#,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Which branch?","requestedSchema":{"type":"object","properties":{"branch":{"type":"string","enum":["main","dev"]}}}}}
{"jsonrpc":"2.0","id":"a1","result":{"action":"decline"}}"#,
        ),
    ],
    on: &[On::Answer(&["elicitation/create"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, _: &Connection) -> Option<Verdict> {
    let result = answer.result()?;
    let action = result.get("action")?.text()?;
    let RequestFacts::Question(question) = &answer.request.facts else { return None };
    let is_link = matches!(**question, Question::Link { .. });
    let ignored = action == "decline" || action == "cancel" || (action == "accept" && is_link);
    if !ignored {
        return None;
    }
    let content = result.get("content").filter(|content| !content.is_null());
    let finding = content.map(|content| {
        let what = if action == "accept" {
            "the answer to an elicitation in the mode `url`".to_owned()
        } else {
            format!("an answer with `{action}`")
        };
        let finding = Finding::new(format!("{what} has content"))
            .at(content, "agents ignore it")
            .at(action, "the action")
            .explains(content);
        result.name_of("content").into_iter().fold(finding, Finding::explains)
    });
    Some(finding.into())
}
