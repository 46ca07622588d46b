use crate::{rule::prelude::*, rules::tool_call::report};

pub(crate) static RULE: Rule = Rule {
    id: "tool-call/diff-patch-missing",
    summary: "a text diff has no patch",
    level: By::both(Level::Should),
    severity: By::both(Severity::Off),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("Diff"),
        requires: "a diff has a patch if possible",
    }],
    requirements: &["tool-call.diff-patch"],
    explanation: r"
The list of changes names files, not lines. Without the patch the user approves an edit without
seeing it. A transcript cannot show whether a patch was possible, so the rule is off by default.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Edit","kind":"edit","status":"completed","content":[{"type":"diff","changes":[{"operation":"modify","path":"/work/a.rs"}]}]}}}
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
    let textual = report::content_of(report, "diff").filter_map(|diff| {
        let changes = diff.get("changes")?;
        changes.elements().any(is_textual).then_some((diff, changes))
    });
    Verdict::on_each(textual, |(diff, changes)| {
        let mark = match diff.get("patch") {
            None => Mark::missing_in(diff),
            Some(patch) if patch.is_null() => patch.into(),
            Some(_) => return None,
        };
        Some(
            Finding::new("a diff of text files has no patch")
                .at(mark, "a `patch` belongs here")
                .at(changes, "text changes"),
        )
    })
}

/// Whether a change is one of a text file, which a patch can show.
fn is_textual(change: Node<'_>) -> bool {
    let is = |member: &str, values: [&str; 3]| {
        change.get(member).is_some_and(|value| values.iter().any(|known| value.is(known)))
    };
    is("operation", ["add", "modify", "delete"])
        && !is("fileType", ["binary", "directory", "symlink"])
}
