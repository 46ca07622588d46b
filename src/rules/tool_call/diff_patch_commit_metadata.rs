use crate::{
    rule::prelude::*,
    rules::tool_call::{patch::Patch, report},
};

pub(crate) static RULE: Rule = Rule {
    id: "tool-call/diff-patch-commit-metadata",
    summary: "a patch has commit metadata",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Page("protocol/v2/draft/tool-calls#diffs"),
        requires: "a patch has no commit message and no e-mail header",
    }],
    requirements: &["tool-call.diff-no-metadata"],
    explanation: r"
`git format-patch` and `git show` add the commit to the patch. Readers expect only the patch. They
show the rest as part of a file, or their parser fails. The metadata may also contain names and
addresses that must stay private.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Edit","kind":"edit","status":"completed","content":[{"type":"diff","changes":[{"operation":"modify","path":"/work/a.rs"}],"patch":{"format":"git_patch","text":"commit 0123456789abcdef\nAuthor: A <a@b.example>\n\n    Tidy\n\ndiff --git /work/a.rs /work/a.rs\n--- /work/a.rs\n+++ /work/a.rs\n@@ -1 +1 @@\n-x\n+y\n"}}]}}}
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
        let line = Patch::read(&text.as_cow()).envelope?;
        Some(
            Finding::new("the patch has commit metadata")
                .at(report::in_patch(text, line), "not part of a patch")
                .help("send the output of `git diff`, not of `git show` or `git format-patch`"),
        )
    })
}
