use crate::{model::session::plans::PlanBody, rule::prelude::*, rules::plan::naming::shortened};

pub(crate) static RULE: Rule = Rule {
    id: "plan/bare-underscore",
    summary: "a custom plan value is a bare or odd underscore name",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    cites: &[Citation {
        version: None,
        source: SourceText::Page("rfds/v2/enum-variant-extension#what-we-propose-to-do-about-it"),
        requires: "values of one's own are names that begin with an underscore",
    }],
    explanation: r"
The underscore marks a name as an implementation's own; it is not the name. A bare one says nothing,
and upper case or white space is a sign that a label for people was sent in the place of a name for
programs: clients that know the value look for it letter by letter.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"high","status":"_On Hold"}]}}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"content":"Sweep","priority":"high","status":"_on_hold"}]}}}}"#,
    )],
    on: &[On::Plan(check)],
    ..Rule::DEFAULT
};

fn check(updated: &PlanUpdated<'_>, _: &Connection) -> Option<Verdict> {
    let kind = match updated.snapshot.form {
        PlanBody::Other(kind) => kind.and_then(Node::text),
        PlanBody::Items(_) | PlanBody::Markdown(_) | PlanBody::File(_) => None,
    };
    let of_entries = updated.snapshot.entries().iter();
    let of_entries = of_entries.flat_map(|entry| [entry.priority, entry.status]).flatten();
    let mut custom =
        kind.into_iter().chain(of_entries).filter(|value| value.starts_with("_")).peekable();
    custom.peek()?;
    Some(custom.filter(|value| is_odd(*value)).map(finding).collect())
}

fn is_odd(value: Text<'_>) -> bool {
    let value = value.as_cow();
    &*value == "_" || value.chars().any(|letter| letter.is_uppercase() || letter.is_whitespace())
}

fn finding(value: Text<'_>) -> Finding {
    let is_bare = value == "_";
    let label = if is_bare { "nothing but the mark" } else { "more of a label than a name" };
    let text = shortened(&value.as_cow());
    Finding::new(format!("the custom value `{text}` is no proper name"))
        .at(value, label)
        .help("write a name in lower case behind the underscore, such as `_on_hold`")
        .explains(value.node())
}
