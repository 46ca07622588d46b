use crate::{rule::prelude::*, rules::paths};

pub(crate) static RULE: Rule = Rule {
    id: "session/relative-path",
    summary: "a working directory or additional directory is not absolute",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Either,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-setup#working-directory"),
            requires: "the working directory is an absolute path",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/overview#argument-requirements"),
            requires: "paths are absolute",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-list#listing-sessions"),
            requires: "the filter and the listed directories are absolute",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/session-setup#working-directory"),
            requires: "the working directory is an absolute path",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/session-setup#additional-workspace-roots"),
            requires: "additional directories are absolute paths",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/overview#argument-requirements"),
            requires: "paths are absolute",
        },
    ],
    requirements: &["path.absolute", "session.roots"],
    explanation: r"
Client and agent are two processes. They may have different working directories and homes, and may
run on two machines. So a relative path means something else to each of them. `/a`, `C:/a` and
network paths are absolute. `~`, variables and `file:` URIs are not.
",
    tck: &["SESSION-203", "LIST-204"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Initialized,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"C:\\work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Initialized,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"~/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"\\\\host\\work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}"#,
        ),
    ],
    on: &[
        On::Call(
            &[
                "session/new",
                "session/load",
                "session/resume",
                "session/fork",
                "session/options",
                "session/list",
            ],
            sent,
        ),
        On::Answer(&["session/list"], listed),
        On::Update(&["subagent_update"], announced),
    ],
    ..Rule::DEFAULT
};

/// What a path other than an additional directory of a request shows.
const ABSOLUTE: &[&str] = &["path.absolute"];

fn sent(call: &Call<'_>, _: &Connection) -> Option<Verdict> {
    let params = call.params?;
    let verdict: Verdict = relative(params).map(|finding| finding.blaming(call.sender)).collect();
    let has_roots = params.get("additionalDirectories").is_some();
    Some(if has_roots { verdict } else { verdict.about(ABSOLUTE) })
}

fn listed(answer: &Answer<'_>, _: &Connection) -> Option<Verdict> {
    let sessions = answer.result()?.get("sessions")?;
    let findings = sessions.elements().flat_map(relative);
    let verdict: Verdict = findings.map(|finding| finding.blaming(Some(Side::Agent))).collect();
    Some(verdict.about(ABSOLUTE))
}

fn announced(update: &Update<'_>, _: &Connection) -> Option<Verdict> {
    let findings = relative(update.update);
    let verdict: Verdict = findings.map(|finding| finding.blaming(Some(Side::Agent))).collect();
    Some(verdict.about(ABSOLUTE))
}

/// The findings for directories in an object that are not absolute.
fn relative(holder: Node<'_>) -> impl Iterator<Item = Finding> {
    let additional = holder.get("additionalDirectories");
    let additional =
        additional.into_iter().flat_map(Node::elements).map(|path| ("additional directory", path));
    let cwd = holder.get("cwd").map(|path| ("working directory", path));
    let paths = cwd.into_iter().chain(additional);
    paths.filter_map(|(what, path)| {
        let path = path.text()?;
        (!paths::is_absolute(&path.as_cow())).then(|| {
            Finding::new(paths::not_absolute(&format!("the {what}"), &path.as_cow()))
                .at(path, "the other side may have another working directory")
                .help(paths::advice(&path.as_cow()))
                .once_per(&*path.as_cow())
                .unless_masked(paths::is_masked(&path.as_cow()))
        })
    })
}
