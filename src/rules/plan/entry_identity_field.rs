use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "plan/entry-identity-field",
    summary: "a plan entry has an id",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: None,
            source: SourceText::Definition("PlanEntry"),
            requires: "an entry has content, priority, status and `_meta`",
        },
        Citation {
            version: None,
            source: SourceText::Page("protocol/v1/extensibility#the-_meta-field"),
            requires: "implementations add custom members only under `_meta`",
        },
    ],
    requirements: &["ext.no-custom-fields"],
    explanation: r"
Entries have no ids: each update brings the whole list, and the client replaces what it showed.
Readers drop an id. It also suggests that an agent could update single entries, which no version of
the protocol allows.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"id":"1","content":"Sweep","priority":"high","status":"pending"}]}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"_meta":{"id":"1"},"content":"Sweep","priority":"high","status":"pending"}]}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"index":0,"content":"Sweep","priority":"high","status":"pending"}]}}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"items","planId":"tidy","entries":[{"_meta":{"index":0},"content":"Sweep","priority":"high","status":"pending"}]}}}}"#,
        ),
    ],
    on: &[On::Plan(check)],
    ..Rule::DEFAULT
};

const IDENTIFIERS: [&str; 5] = ["id", "entryId", "index", "key", "planEntryId"];

fn check(updated: &PlanUpdated<'_>, _: &Connection) -> Option<Verdict> {
    // An entry without the other members is a partial update.
    let mut complete =
        updated.snapshot.entries().iter().filter(|entry| entry.is_complete()).peekable();
    complete.peek()?;
    let mut names = complete
        .filter(|entry| entry.has_others)
        .flat_map(|entry| entry.node.members())
        .map(|(name, _)| name)
        .filter(|name| IDENTIFIERS.iter().any(|identifier| name.is(identifier)));
    let Some(name) = names.next() else { return Some(Verdict::Pass) };
    let member = name.text()?;
    let finding =
        Finding::new(format!("a plan entry has the member `{member}`, but entries have no ids"))
            .at(name, "readers ignore it")
            .help("send the whole list in each update; put custom members under `_meta`")
            .explains(name)
            .once_per(name);
    Some(names.fold(finding, Finding::explains).into())
}
