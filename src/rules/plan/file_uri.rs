use crate::{
    rule::prelude::*,
    rules::{
        paths,
        plan::{naming::shortened, uris},
    },
};

pub(crate) static RULE: Rule = Rule {
    id: "plan/file-uri",
    summary: "the URI of a file plan is relative, has another scheme, or names a host",
    level: By::both(Level::Must),
    severity: By::both(Severity::Warning),
    variants: &[(Severity::Error, "for one that is not absolute, on version 2")],
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
        Citation {
            version: None,
            source: SourceText::Rfc("RFC 8089 §2"),
            requires: "the text between `file://` and the next slash is a host",
        },
    ],
    requirements: &["plan.file-uri"],
    explanation: r"
Client and agent may have different working directories, so a relative path does not say which file
it is. A path is not a URI: `C:\plan.md` reads as a URI with the scheme `c`, and spaces must be
percent-encoded. Version 2 demands an absolute URI. The schema of version 1 accepts any string, so
there it is a warning.

Other faults are warnings on both versions. A client may not support another scheme than `file`;
editors with virtual file systems are an exception. `file://docs/plan.md` is the file `/plan.md` on the
host `docs`: almost always a slash is missing and a path was meant. Some agents do mean a file on
another Windows machine.
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

fn check(updated: &PlanUpdated<'_>, connection: &Connection) -> Option<Verdict> {
    let text = uris::of(updated)?;
    let decoded = text.as_cow();
    let finding = match uris::absolute(&decoded) {
        Err(why) => {
            let message = paths::not_absolute("the plan's URI", &shortened(&decoded));
            let finding = Finding::new(message)
                .at(text, why)
                .help("write a file URI such as `file:///home/me/plan.md`")
                .explains(text.node())
                .unless_masked(paths::is_masked(&decoded));
            match connection.version() {
                Some(Version::V2) => finding.as_severity(Severity::Error),
                Some(Version::V1) | None => finding,
            }
        }
        Ok(uri) if !uris::is_file(&uri) => {
            Finding::new(format!("a file plan has a URI with the scheme `{}`", uri.scheme()))
                .at(text, "not a file URI")
                .help("write `file:///…`, or send the text as a `markdown` plan")
        }
        Ok(uri) => {
            let Some(host) = uris::host(&uri) else { return Some(Verdict::Pass) };
            let host = shortened(host);
            Finding::new(format!("the plan's URI names the host `{host}`"))
                .at(text, format!("`{host}` is a host, not part of the path"))
                .help("write three slashes for a file on this machine: `file:///…`")
        }
    };
    Some(finding.into())
}
