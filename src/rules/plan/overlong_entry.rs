use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "plan/overlong-entry",
    summary: "a plan entry is very long",
    level: By::both(Level::Hint),
    severity: By::both(Severity::Off),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[Citation {
        version: None,
        source: SourceText::Other("advice of an unofficial page on agent plans"),
        requires: "entries are short, and each is one clear action",
    }],
    explanation: r"
Clients show a plan as a list beside the conversation. An entry with more than 200 characters or
several lines is cut off, or pushes the others out of sight. No official text sets a limit.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep\nMop","priority":"high","status":"pending"}]}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[{"content":"Sweep and mop\n","priority":"high","status":"pending"}]}}}"#,
    )],
    on: &[On::Plan(check)],
    ..Rule::DEFAULT
};

/// Most characters of an entry's text that are accepted without a finding.
const LONGEST: usize = 200;

fn check(updated: &PlanUpdated<'_>, _: &Connection) -> Option<Verdict> {
    let entries = updated.snapshot.entries();
    entries.first()?;
    Some(entries.iter().filter_map(|entry| overlong(entry.content?)).collect())
}

fn overlong(content: Text<'_>) -> Option<Finding> {
    let text = content.as_cow();
    let text = text.trim();
    let length = text.chars().count();
    let lines = text.lines().count();
    let message = match (length > LONGEST, lines > 1) {
        (true, _) => format!("a plan entry has {length} characters"),
        (false, true) => format!("a plan entry has {lines} lines"),
        (false, false) => return None,
    };
    Some(
        Finding::new(message)
            .at(content, "too long for a list")
            .help("name the step in a few words, and put the rest in a message"),
    )
}
