use crate::{model::request::question::FieldType, rule::prelude::*, rules::elicitation::forms};

pub(crate) static RULE: Rule = Rule {
    id: "elicitation/default-invalid",
    summary: "the default of a form field does not match the field",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Page("protocol/v2/draft/elicitation#form-mode"),
        requires: "the default of a property is the first value of its field",
    }],
    explanation: r"
The field opens with a value that it does not accept. The client clears it, or the user has to
correct the agent's value.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Which branch?","requestedSchema":{"type":"object","properties":{"branch":{"type":"string","enum":["main","dev"],"default":"release"}}}}}"#,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Which branch?","requestedSchema":{"type":"object","properties":{"branch":{"type":"string","enum":["main","dev"],"default":"dev"}}}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Which branch?","requestedSchema":{"type":"object","properties":{"branch":{"type":"string","enum":["main","dev"],"default":"release"}}}}}"#,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Which branch?","requestedSchema":{"type":"object","properties":{"branch":{"type":"string","enum":["main","dev"],"default":"dev"}}}}}"#,
        ),
    ],
    on: &[On::Call(&["elicitation/create"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, _: &Connection) -> Option<Verdict> {
    let defaults = forms::properties(call)?
        .filter_map(|(name, property)| Some((name, property, property.get("default")?)));
    Verdict::on_each(defaults, |(name, property, default)| {
        let shape = FieldType::of(property);
        // The schema rules report a default of another type.
        let expected = shape.misses(default).filter(|_| shape.has_type(default))?;
        Some(
            Finding::new(format!("the default of `{name}` does not match its field"))
                .at(default, format!("expected {expected}"))
                .at(property, "the field")
                .help("choose a default that matches the field"),
        )
    })
}
