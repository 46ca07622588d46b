use crate::{rule::prelude::*, rules::elicitation::forms};

pub(crate) static RULE: Rule = Rule {
    id: "elicitation/nested-schema",
    summary: "a form field is not a simple value",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/elicitation#form-mode"),
            requires: "a form is a flat object: its properties are strings, numbers, booleans and choices",
        },
        Citation {
            version: None,
            source: SourceText::Definition("ElicitationPropertySchema"),
            requires: "a property is a string, a number, an integer, a boolean or a list of choices",
        },
    ],
    requirements: &["elicitation.primitive-fields"],
    explanation: r"
Clients build one field for each property. They can show text, numbers, booleans and choices. The
schema allows other types as custom ones, but no client has a field for an object or a list of
objects. Ask for each part on its own.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Which branch?","requestedSchema":{"type":"object","properties":{"address":{"type":"object","properties":{"city":{"type":"string"}}}}}}}"#,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Which branch?","requestedSchema":{"type":"object","properties":{"city":{"type":"string"}}}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Which branch?","requestedSchema":{"type":"object","properties":{"address":{"type":"object","properties":{"city":{"type":"string"}}}}}}}"#,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Which branch?","requestedSchema":{"type":"object","properties":{"city":{"type":"string"}}}}}"#,
        ),
    ],
    on: &[On::Call(&["elicitation/create"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, _: &Connection) -> Option<Verdict> {
    let properties = forms::properties(call)?;
    let nested = properties.filter_map(|(name, property)| {
        let kind = property.get("type")?;
        let items = || property.path(&["items", "type"]).filter(|_| kind.is("array"));
        let inner = if kind.is("object") { Some(kind) } else { items() };
        let inner = inner.filter(|kind| kind.is("object") || kind.is("array"))?;
        Some(
            Finding::new(format!("form field `{name}` is not a simple value"))
                .at(property, format!("this is an {}", inner.text()?))
                .help("ask for a string, a number, a boolean or a choice")
                .explains(property),
        )
    });
    Some(nested.collect())
}
