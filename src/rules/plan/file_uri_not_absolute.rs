use crate::{
    rule::prelude::*,
    rules::{
        paths,
        plan::{file_uri, naming::shortened},
    },
};

pub(crate) static RULE: Rule = Rule {
    id: "plan/file-uri-not-absolute",
    summary: "the URI of a file plan is not absolute",
    level: By::both(Level::Must),
    severity: By::each(Severity::Warning, Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::UNSTABLE,
    editions: By::both(Editions::until(Edition::November2026)),
    cites: &[
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/agent-plan#file-plans"),
            requires: "the URI of a file plan is absolute",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("PlanFile"),
            requires: "`uri` is a URI, which begins with a scheme",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("rfds/plan-operations#what-we-propose-to-do-about-it"),
            requires: "a file plan has a file URI",
        },
    ],
    explanation: r"
Client and agent may have different working directories, so a relative path does not say which file
it is. A path is not a URI: `C:\plan.md` reads as a URI with the scheme `c`, and spaces must be
percent-encoded. Version 2 demands an absolute URI. The schema of version 1 accepts any string, so
there it is a warning.
",
    examples: &[
        Example::new(
            Surface::V1Unstable,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"file","planId":"tidy","uri":"/work/tidy.md"}}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"file","planId":"tidy","uri":"file:///work/tidy.md"}}}}"#,
        )
        .in_edition(Edition::November2026),
        Example::new(
            Surface::V2Unstable,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"file","planId":"tidy","uri":"tidy.md"}}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"file","planId":"tidy","uri":"file:///work/tidy%20up.md"}}}}"#,
        )
        .in_edition(Edition::November2026),
    ],
    on: &[On::Plan(check)],
    ..Rule::DEFAULT
};

fn check(updated: &PlanUpdated<'_>, _: &Connection) -> Option<Verdict> {
    let uri = file_uri::of(updated)?;
    let Err(why) = file_uri::absolute(&uri.as_cow()) else { return Some(Verdict::Pass) };
    Some(
        Finding::new(paths::not_absolute("the plan's URI", &shortened(&uri.as_cow())))
            .at(uri, why)
            .help("write a file URI such as `file:///home/me/plan.md`")
            .explains(uri.node())
            .into(),
    )
}
