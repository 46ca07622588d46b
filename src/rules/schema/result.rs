use crate::{
    model::MessagePart,
    rule::prelude::*,
    rules::schema::{null_result, wording},
};

pub(crate) static RULE: Rule = Rule {
    id: "schema/result",
    summary: "the result does not match the schema of its method",
    level: By::each(Level::Schema, Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Responder,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/schema"),
            requires: "the result of a method matches its definition",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/schema"),
            requires: "the result of a method matches its definition",
        },
    ],
    requirements: &["config.values-unique", "lifecycle.agent-answers"],
    explanation: r"
The client or agent that waits for the answer cannot read it. Official readers reject the answer, or
silently drop the member or list element that does not match. The finding says which. acpcheck
checks a result by the method of its request, and the result of `initialize` by the version in it.
",
    tck: &[
        "INIT-201",
        "INIT-203",
        "SCHEMA-001",
        "SESSION-001",
        "PROMPT-201",
        "RESUME-201",
        "LIST-201",
        "LIST-202",
        "CONFIG-201",
        "CONFIG-203",
        "AUTH-207",
    ],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","id":2,"result":{"stopReason":"done"}}"#,
            r#"{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":2,"result":{"sessions":{}}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":2,"result":{"sessions":[]}}"#,
        ),
    ],
    on: &[On::Answer(&[], exercised), On::Rejected(check)],
    variants: &[(Severity::Warning, "where it was legal until 20 November 2026")],
    ..Rule::DEFAULT
};

fn exercised(answer: &Answer<'_>, _: &Connection) -> Option<Verdict> {
    let result = answer.result().filter(|_| answer.request.defined)?;
    Some(Verdict::PassOf(if &*answer.request.method == "initialize" {
        INITIALIZE
    } else if result.get("configOptions").is_some() {
        OPTIONS
    } else {
        &[]
    }))
}

/// What the result of `initialize` shows.
const INITIALIZE: &[&str] = &["lifecycle.agent-answers"];
/// What a result with options shows.
const OPTIONS: &[&str] = &["config.values-unique"];

fn check(refused: &Rejected<'_>, connection: &Connection) -> Option<Verdict> {
    let is_own = refused.part == MessagePart::Result && !null_result::concerns(refused);
    let about = if refused.method == "initialize" {
        INITIALIZE
    } else if refused.what.type_name.starts_with("SessionConfigSelect") {
        OPTIONS
    } else {
        &[]
    };
    is_own.then(|| wording::finding(refused, connection).about(about).into())
}
