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
        On::Update(&["tool_call_update", "tool_call_content_chunk"], updated),
        On::Call(&["session/request_permission"], proposed),
    ],
    ..Rule::DEFAULT
};

fn updated(update: &Update<'_>, _: &Connection) -> Option<Verdict> {
    check(update.update)
}

fn proposed(request: &Call<'_>, _: &Connection) -> Option<Verdict> {
    check(report::in_request(request)?)
}

fn check(report: Node<'_>) -> Option<Verdict> {
    let mut found = None;
    for (_, text) in report::git_patches(report) {
        let findings: &mut Vec<Finding> = found.get_or_insert_with(Vec::new);
        if findings.len() == Verdict::MOST {
            break;
        }
        let read = text.as_cow();
        let patch = Patch::read(&read);
        let Some(name) = patch.names.iter().find(|name| !name.is_absolute()) else { continue };
        let mark =
            Mark { span: text.place(name.at.clone()), pointer: Some(text.node().pointer().into()) };
        let is_prefixed = name.path.starts_with("a/") || name.path.starts_with("b/");
        findings.push(
            Finding::new(format!("the patch has the path `{}`, which is not absolute", name.path))
                .at(mark, if is_prefixed { "has a git prefix" } else { "not absolute" })
                .help(if is_prefixed {
                    "write absolute paths without `a/` and `b/`; `git diff --no-prefix` omits \
                     these prefixes"
                } else {
                    paths::advice(&name.path)
                }),
        );
    }
    found.map(|findings| findings.into_iter().collect())
}
