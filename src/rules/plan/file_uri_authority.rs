use crate::{
    rule::prelude::*,
    rules::plan::{file_uri, naming::shortened},
};

pub(crate) static RULE: Rule = Rule {
    id: "plan/file-uri-authority",
    summary: "the URI of a file plan names a host",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::UNSTABLE,
    editions: By::both(Editions::until(Edition::November2026)),
    cites: &[
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/agent-plan#file-plans"),
            requires: "the URI of a file plan leads to the file",
        },
        Citation {
            version: None,
            source: SourceText::Rfc("RFC 8089 §2"),
            requires: "the text between `file://` and the next slash is a host",
        },
    ],
    explanation: r"
`file://docs/plan.md` is the file `/plan.md` on the host `docs`. Almost always a slash is missing
and a path was meant. Some agents do mean a file on another Windows machine, so this is not an
error.
",
    examples: &[Example::new(
        Surface::V1Unstable,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"file","planId":"tidy","uri":"file://work/tidy.md"}}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_update","plan":{"type":"file","planId":"tidy","uri":"file://localhost/work/tidy.md"}}}}"#,
    )
    .in_edition(Edition::November2026)],
    on: &[On::Plan(check)],
    ..Rule::DEFAULT
};

fn check(updated: &PlanUpdated<'_>, _: &Connection) -> Option<Verdict> {
    let text = file_uri::of(updated)?;
    let decoded = text.as_cow();
    let uri = file_uri::absolute(&decoded).ok().filter(file_uri::is_file)?;
    let Some(host) = file_uri::host(&uri) else { return Some(Verdict::Pass) };
    let host = shortened(host);
    Some(
        Finding::new(format!("the plan's URI names the host `{host}`"))
            .at(text, format!("`{host}` is a host, not part of the path"))
            .help("write three slashes for a file on this machine: `file:///…`")
            .into(),
    )
}
