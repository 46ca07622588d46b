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
        let Some(line) = Patch::read(&read).envelope else { continue };
        findings.push(
            Finding::new("the patch has commit metadata")
                .at(
                    Mark { span: text.place(line), pointer: Some(text.node().pointer().into()) },
                    "not part of a patch",
                )
                .help("send the output of `git diff`, not of `git show` or `git format-patch`"),
        );
    }
    found.map(|findings| findings.into_iter().collect())
}
