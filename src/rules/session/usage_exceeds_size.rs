use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "session/usage-exceeds-size",
    summary: "more context is reported as used than the window holds",
    level: By::each(Level::Hint, Level::Derived),
    severity: By::each(Severity::Info, Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/prompt-turn#session-usage-updates"),
            requires: "`used` tells how much of the `size` is taken",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("UsageUpdate"),
            requires: "`used` tells how much of the `size` is taken",
        },
    ],
    explanation: r"
Clients draw a bar from the two numbers; it overflows, or stops at the end and says nothing. Mostly
the tokens of the whole session are counted instead of those in the window. Right before a
compaction it may be true.
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
    let finding = Finding::new(format!("{taken} tokens are used of a context of {whole}"))
        .at(used, "more than the window holds")
        .at(size, "the window")
        .once_per(&*update.session_id.as_cow());
    Some(
        if whole == 0.0 {
            finding
                .as_severity(Severity::Info)
                .help("a size of 0 seems to stand for an unknown one")
        } else {
            finding
        }
        .into(),
    )
}
