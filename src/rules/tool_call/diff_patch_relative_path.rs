use crate::{
    rule::prelude::*,
    rules::{
        paths,
        tool_call::{patch::Patch, report},
    },
};

pub(crate) static RULE: Rule = Rule {
    id: "tool-call/diff-patch-relative-path",
    summary: "a git patch has relative paths",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    cites: &[
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("DiffPatchFormat"),
            requires: "a git patch names files by absolute paths",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/tool-calls#diffs"),
            requires: "the paths of a patch are absolute and have no `a/` or `b/` prefix",
        },
    ],
    requirements: &["tool-call.diff-paths"],
    explanation: r"
The output of plain `git diff` has the prefixes `a/` and `b/`, and its paths are relative to a
repository that the client may not know. Readers match the patch with the listed changes by path.
With other paths they find no match and show no lines, or they apply the patch in the wrong place.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Edit","kind":"edit","status":"completed","content":[{"type":"diff","changes":[{"operation":"modify","path":"/work/a.rs"}],"patch":{"format":"git_patch","text":"diff --git a/a.rs b/a.rs\n--- a/a.rs\n+++ b/a.rs\n@@ -1 +1 @@\n-x\n+y\n"}}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Edit","kind":"edit","status":"completed","content":[{"type":"diff","changes":[{"operation":"modify","path":"/work/a.rs"}],"patch":{"format":"git_patch","text":"diff --git /work/a.rs /work/a.rs\n--- /work/a.rs\n+++ /work/a.rs\n@@ -1 +1 @@\n-x\n+y\n"}}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
    )],
    on: &[
        On::Update(report::WITH_PATCHES, |update, _| check(update.update)),
        On::Call(&["session/request_permission"], |request, _| check(report::in_request(request)?)),
    ],
    ..Rule::DEFAULT
};

fn check(report: Node<'_>) -> Option<Verdict> {
    Verdict::on_each(report::git_patches(report), |(_, text)| {
        let read = text.as_cow();
        let patch = Patch::read(&read);
        let name = patch.names.iter().find(|name| !name.is_absolute())?;
        let (label, help) = if name.path.starts_with("a/") || name.path.starts_with("b/") {
            (
                "has a git prefix",
                "write absolute paths without `a/` and `b/`; `git diff --no-prefix` omits these \
                 prefixes",
            )
        } else {
            ("not absolute", paths::advice(&name.path))
        };
        Some(
            Finding::new(format!("the patch has the path `{}`, which is not absolute", name.path))
                .at(report::in_patch(text, name.at.clone()), label)
                .help(help)
                .unless_masked(paths::is_masked(&name.path)),
        )
    })
}
