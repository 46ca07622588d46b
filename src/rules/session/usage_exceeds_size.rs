use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "session/usage-exceeds-size",
    summary: "more tokens are used than the context window holds",
    level: By::each(Level::Hint, Level::Derived),
    severity: By::each(Severity::Info, Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/prompt-turn#session-usage-updates"),
            requires: "`used` is the part of `size` that is taken",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("UsageUpdate"),
            requires: "`used` is the part of `size` that is taken",
        },
    ],
    explanation: r"
Clients draw a bar from the two numbers, and it overflows. Usually the agent counts the tokens of
the whole session instead of those in the window. Just before a compaction the numbers may be right.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"usage_update","used":9,"size":5}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"usage_update","used":5,"size":5}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"usage_update","used":9,"size":5}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"usage_update","used":5,"size":5}}}"#,
        ),
    ],
    on: &[On::Update(&["usage_update"], check)],
    variants: &[(Severity::Info, "where the size is 0")],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, _: &Connection) -> Option<Verdict> {
    let (used, size) = (update.update.get("used")?, update.update.get("size")?);
    let (taken, whole) = (used.number()?, size.number()?);
    if taken <= whole {
        return Some(Verdict::Pass);
    }
    let finding = Finding::new(format!(
        "`used` is {taken}, but the context window (`size`) holds only {whole}"
    ))
    .at(used, "more than the window holds")
    .at(size, "the size of the window")
    .once_per(&*update.session_id.as_cow());
    Some(
        if whole == 0.0 {
            finding
                .as_severity(Severity::Info)
                .help("a size of 0 probably means that the size is unknown")
        } else {
            finding
        }
        .into(),
    )
}
