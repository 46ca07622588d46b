use crate::{model::session::plans::PlanBody, rule::prelude::*, rules::plan::naming::shortened};

pub(crate) static RULE: Rule = Rule {
    id: "plan/bare-underscore",
    summary: "a custom plan value is `_` alone, or looks like a label",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    cites: &[Citation {
        version: None,
        source: SourceText::Page("rfds/v2/enum-variant-extension#what-we-propose-to-do-about-it"),
        requires: "custom values are names that begin with an underscore",
    }],
    explanation: r"
An underscore marks a custom name. `_` alone is not a name. Upper case or white space suggests that
the agent sent a label for people instead of a name for programs. Clients compare such values letter
by letter, so they may not recognize it.
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
    let custom = kind.into_iter().chain(of_entries).filter(|value| value.starts_with("_"));
    Verdict::on_each(custom, |value| is_odd(value).then(|| finding(value)))
}

fn is_odd(value: Text<'_>) -> bool {
    let value = value.as_cow();
    &*value == "_" || value.chars().any(|letter| letter.is_uppercase() || letter.is_whitespace())
}

fn finding(value: Text<'_>) -> Finding {
    let is_bare = value == "_";
    let label = if is_bare { "no name after the underscore" } else { "a label, not a name" };
    let text = shortened(&value.as_cow());
    Finding::new(format!("the custom value `{text}` is not a proper name"))
        .at(value, label)
        .help("write a lower-case name after the underscore, such as `_on_hold`")
        .explains(value.node())
}
