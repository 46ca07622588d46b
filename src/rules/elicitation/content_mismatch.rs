use crate::{
    model::{
        RequestFacts,
        request::question::{FieldType, Question},
    },
    rule::prelude::*,
    rules::content::{timestamp, uri},
};

pub(crate) static RULE: Rule = Rule {
    id: "elicitation/content-mismatch",
    summary: "accepted content does not match the requested schema",
    level: By::both(Level::Should),
    severity: By::both(Severity::Warning),
    binds: Bound::Client,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/elicitation#responses"),
            requires: "accepted content matches the requested schema",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/elicitation#responses"),
            requires: "accepted content matches the requested schema",
        },
    ],
    requirements: &["elicitation.validate"],
    explanation: r"
The agent asked for certain fields and needs them. If the content does not match, the agent asks
again, or misreads it. Check the form before the user can send it. The rule does not check patterns;
it checks formats only on version 2.
",
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
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let result = answer.result()?;
    let RequestFacts::Question(question) = &answer.request.facts else { return None };
    let Question::Form(form) = &**question else { return None };
    if !result.get("action")?.is("accept") {
        return None;
    }
    let asserts_formats = connection.version() == Some(Version::V2);
    let content = result.get("content").filter(|content| content.is_object());
    // For each field of the form, its value in the answer.
    let mut values = vec![None; form.names.len()];
    for (name, value) in content.into_iter().flat_map(Node::members) {
        if let Some(place) = name.text().and_then(|name| form.names.place(&name.as_cow())) {
            values[place] = Some(value);
        }
    }
    // The user cannot fill in a property that the form requires and does not define.
    let places = form.required.iter().filter_map(|name| Some((name, form.names.place(name)?)));
    let missing = places.filter(|(_, place)| values[*place].is_none()).map(|(name, place)| {
        Finding::new(format!("`{name}` is missing from the answer to a form"))
            .at(Mark::missing_in(content.unwrap_or(result)), format!("`{name}` is missing here"))
            .at(form.fields[place].at, "required by the form")
    });
    let fields = form.names.iter().zip(&form.fields).zip(&values);
    let wrong = fields.filter_map(|((name, field), value)| {
        let value = (*value)?;
        let shape = field.shape();
        let is_typed = shape.has_type(value);
        let misses = |value| {
            let format = || misformatted(shape, value).filter(|_| asserts_formats);
            shape.misses(value).or_else(format)
        };
        let expected = if is_typed { misses(value)? } else { shape.name().to_owned() };
        Some(
            Finding::new(format!("`{name}` in the answer does not match the form"))
                .at(value, format!("expected {expected}"))
                .at(field.at, "the field of the form"),
        )
    });
    Some(missing.chain(wrong).collect())
}

/// The format, in words, that a form's field demands and the value does not have; `None` when the
/// value has it.
fn misformatted(shape: &FieldType, value: Node<'_>) -> Option<String> {
    let FieldType::Text { format, .. } = shape else { return None };
    let text = value.text()?.as_cow();
    let (is_right, what) = match format.as_deref()? {
        "email" => (is_email(&text), "an e-mail address"),
        "uri" => (uri::check(&text).is_ok(), "a URI"),
        "date" => (timestamp::is_rfc3339(&format!("{text}T00:00:00Z")), "a date as in 2026-01-31"),
        "date-time" => (timestamp::is_rfc3339(&text), "a date and time as RFC 3339 defines it"),
        _ => return None,
    };
    (!is_right && !text.is_empty()).then(|| what.to_owned())
}

fn is_email(text: &str) -> bool {
    let Some((name, host)) = text.rsplit_once('@') else { return false };
    !name.is_empty() && !host.is_empty() && !text.contains(char::is_whitespace)
}
