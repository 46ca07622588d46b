use crate::{map::Set, rule::prelude::*, rules::elicitation::forms};

pub(crate) static RULE: Rule = Rule {
    id: "elicitation/required-unknown-property",
    summary: "a form requires a property that it does not define",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/elicitation#form-mode"),
            requires: "a form is an object with properties",
        },
        Citation {
            version: None,
            source: SourceText::Definition("ElicitationSchema"),
            requires: "`required` names properties of the form",
        },
    ],
    requirements: &["elicitation.primitive-fields"],
    explanation: r"
A client shows a field for each property, but none for this name. So the user can never fill it in:
the form cannot be sent, or its answer does not match.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Which branch?","requestedSchema":{"type":"object","properties":{"branch":{"type":"string","enum":["main","dev"]}},"required":["branch","base"]}}}"#,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Which branch?","requestedSchema":{"type":"object","properties":{"branch":{"type":"string","enum":["main","dev"]}},"required":["branch"]}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Which branch?","requestedSchema":{"type":"object","properties":{"branch":{"type":"string","enum":["main","dev"]}},"required":["branch","base"]}}}"#,
            r#"{"jsonrpc":"2.0","id":"a1","method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"Which branch?","requestedSchema":{"type":"object","properties":{"branch":{"type":"string","enum":["main","dev"]}},"required":["branch"]}}}"#,
        ),
    ],
    on: &[On::Call(&["elicitation/create"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, _: &Connection) -> Option<Verdict> {
    let schema = forms::schema(call)?;
    let required = schema.get("required").filter(|required| required.is_array())?;
    let properties = schema.get("properties");
    let names = properties.into_iter().flat_map(Node::members).filter_map(|(name, _)| name.text());
    let names: Set<_> = names.map(Text::as_cow).collect();
    let is_known = |name: &Text<'_>| names.contains(&name.as_cow());
    let unknown = required.elements().filter_map(Node::text).filter(|name| !is_known(name));
    let findings = unknown.map(|name| {
        Finding::new(format!("a form requires `{name}` but does not define it"))
            .at(name, "no such property")
            .and_at(properties, "the properties of the form")
            .help("define the property, or do not require it")
    });
    Some(findings.collect())
}
