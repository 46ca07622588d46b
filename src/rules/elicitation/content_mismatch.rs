use crate::{
    event::Answer,
    model::{Connection, Facts, elicitation::Question},
    protocol::{Surface, Surfaces, Version},
    rule::{
        Bound, By, Citation, Editions, Example, Finding, Gates, Level, Mark, On, Opening, Rule,
        Severity, SourceText, Verdict,
    },
};

pub(crate) static RULE: Rule = Rule {
    id: "elicitation/content-mismatch",
    summary: "accepted content does not fit the requested schema",
    level: By::both(Level::Should),
    severity: By::both(Severity::Warning),
    binds: Bound::Client,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::NONE),
    editions: By::both(Editions::ALL),
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/elicitation#responses"),
            requires: "accepted content fits the schema that was asked for",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/elicitation#responses"),
            requires: "accepted content fits the schema that was asked for",
        },
    ],
    explanation: r"
The agent asked for certain fields and relies on them. Content that does not fit is asked for again
at best, and misread at worst. Check the form before the user can send it. Formats and patterns are
not looked at.
",
    tck: &[],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Which branch?","requestedSchema":{"type":"object","properties":{"branch":{"type":"string","enum":["main","dev"]}}}}}
{"jsonrpc":"2.0","id":"a1","result":{"action":"accept","content":{"branch":"release"}}}"#,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Which branch?","requestedSchema":{"type":"object","properties":{"branch":{"type":"string","enum":["main","dev"]}}}}}
{"jsonrpc":"2.0","id":"a1","result":{"action":"accept","content":{"branch":"dev"}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Which branch?","requestedSchema":{"type":"object","properties":{"branch":{"type":"string","enum":["main","dev"]}}}}}
{"jsonrpc":"2.0","id":"a1","result":{"action":"accept","content":{"branch":"release"}}}"#,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Which branch?","requestedSchema":{"type":"object","properties":{"branch":{"type":"string","enum":["main","dev"]}}}}}
{"jsonrpc":"2.0","id":"a1","result":{"action":"accept","content":{"branch":"dev"}}}"#,
        ),
    ],
    on: &[On::Answer(&["elicitation/create"], check)],
};

fn check(answer: &Answer<'_>, _: &Connection) -> Option<Verdict> {
    let result = answer.result()?;
    let Facts::Question(question) = &answer.request.facts else { return None };
    let Question::Form(form) = &**question else { return None };
    if !result.get("action")?.is("accept") {
        return None;
    }
    let content = result.get("content").filter(|content| content.is_object());
    let value = |name: &str| content.and_then(|content| content.get(name));
    let missing = form.required.iter().filter(|name| value(name).is_none());
    let missing = missing.map(|name| {
        Finding::new(format!("the answer to a form lacks `{name}`"))
            .at(Mark::missing_in(content.unwrap_or(result)), format!("`{name}` is missing here"))
            .at(form.property(name).map_or(form.at, |property| property.at), "required by the form")
    });
    let wrong = form.properties.iter().filter_map(|property| {
        let value = value(&property.name)?;
        let name = &property.name;
        let is_typed = property.shape.has_type(value);
        let expected =
            if is_typed { property.shape.misses(value)? } else { property.shape.name().to_owned() };
        Some(
            Finding::new(format!("the answer to a form does not fit it in `{name}`"))
                .at(value, format!("expected {expected}"))
                .at(property.at, "the field of the form"),
        )
    });
    Some(missing.chain(wrong).collect())
}
