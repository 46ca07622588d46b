use crate::{
    map::Map,
    rule::prelude::*,
    rules::{
        paths,
        tool_call::{
            patch::{Name, Patch, PatchChange, Section},
            report,
        },
    },
};

pub(crate) static RULE: Rule = Rule {
    id: "tool-call/diff-patch-inconsistent",
    summary: "a patch and the listed changes disagree",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("Diff"),
        requires: "the patch agrees with the listed changes; if not, the list counts",
    }],
    requirements: &["tool-call.diff-consistent"],
    explanation: r"
Clients show the list of changes and take the lines from the patch. If only the patch changes a
file, the user never sees that file for approval. If a file is deleted in the list but created in
the patch, clients show neither. The list may have more files than the patch, such as binary files.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Edit","kind":"edit","status":"completed","content":[{"type":"diff","changes":[{"operation":"modify","path":"/work/a.rs"}],"patch":{"format":"git_patch","text":"diff --git /work/b.rs /work/b.rs\n--- /work/b.rs\n+++ /work/b.rs\n@@ -1 +1 @@\n-x\n+y\n"}}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","title":"Edit","kind":"edit","status":"completed","content":[{"type":"diff","changes":[{"operation":"modify","path":"/work/a.rs"},{"operation":"modify","path":"/work/logo.png","fileType":"binary"}],"patch":{"format":"git_patch","text":"diff --git /work/a.rs /work/a.rs\n--- /work/a.rs\n+++ /work/a.rs\n@@ -1 +1 @@\n-x\n+y\n"}}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#,
    )],
    on: &[
        On::Update(report::WITH_PATCHES, |update, _| check(update.update)),
        On::Call(&["session/request_permission"], |request, _| check(report::in_request(request)?)),
    ],
    ..Rule::DEFAULT
};

fn check(report: Node<'_>) -> Option<Verdict> {
    let listed = report::git_patches(report).filter_map(|(diff, text)| {
        Some((diff.get("changes").filter(|changes| changes.is_array())?, text))
    });
    Verdict::on_each(listed, |(changes, text)| {
        let read = text.as_cow();
        let patch = Patch::read(&read);
        let changes = Changes::of(changes);
        let (name, message, listed) =
            patch.sections.iter().find_map(|section| contradiction(section, &changes))?;
        Some(
            Finding::new(message)
                .at(report::in_patch(text, name.at.clone()), "in the patch")
                .at(listed, "the listed changes")
                .help("make the list and the patch from the same changes: readers follow the list"),
        )
    })
}

/// What contradicts between a section of a patch and the list of changes: the path, the message,
/// and the listed change. `None` where they agree.
fn contradiction<'a, 't>(
    section: &'a Section<'_>,
    changes: &Changes<'t>,
) -> Option<(&'a Name<'a>, String, Node<'t>)> {
    let name = section.new.as_ref().or(section.old.as_ref())?;
    let mut names = [&section.old, &section.new].into_iter().flatten();
    if !names.all(Name::is_absolute) {
        return None; // Another rule's matter.
    }
    let path = paths::normalised(&name.path);
    let Some(listed) = changes.by_path.get(&path) else {
        if changes.has_custom {
            return None; // It may touch anything.
        }
        let message =
            format!("the patch changes `{}`, which is not in the list of changes", name.path);
        return Some((name, message, changes.list));
    };
    // Several changes of one file can have any result.
    let [change] = **listed else { return None };
    let operation = change.get("operation")?.text()?;
    let is_source = normalised(change, "oldPath").is_some_and(|source| source == path);
    let agrees = match (&*operation.as_cow(), section.change) {
        ("delete", change) => change == PatchChange::Deleted,
        // A move may be one change in the list and two in the patch, and the reverse.
        ("move", PatchChange::Deleted) => is_source,
        ("move", PatchChange::Modified) => {
            section.old.as_ref().map(|old| &old.path) != Some(&name.path)
        }
        ("copy", PatchChange::Renamed) => false,
        ("add" | "copy", change) => change != PatchChange::Deleted,
        ("modify", change) => change == PatchChange::Modified,
        _ => true,
    };
    let message = format!(
        "the patch {} `{}`, but the list says `{operation}`",
        verb(section.change),
        name.path
    );
    (!agrees).then_some((name, message, change))
}

/// The changes of files that a diff lists beside its patch, to compare both.
struct Changes<'t> {
    list: Node<'t>,
    /// Changes by path; a renamed or copied file is found by both of its paths.
    by_path: Map<String, Vec<Node<'t>>>,
    has_custom: bool,
}

impl<'t> Changes<'t> {
    fn of(list: Node<'t>) -> Self {
        let mut by_path: Map<_, Vec<_>> = Map::default();
        for change in list.elements() {
            let [path, source] = ["path", "oldPath"].map(|member| normalised(change, member));
            let source = source.filter(|source| path.as_ref() != Some(source));
            for path in path.into_iter().chain(source) {
                by_path.entry(path).or_default().push(change);
            }
        }
        Self { list, by_path, has_custom: list.elements().any(is_custom) }
    }
}

/// Path in a member of a change, in normal spelling; `None` where the member is missing or not a
/// string.
fn normalised(change: Node<'_>, member: &str) -> Option<String> {
    change.get(member)?.text().map(|path| paths::normalised(&path.as_cow()))
}

/// Whether a change has a custom operation, which begins with `_`.
fn is_custom(change: Node<'_>) -> bool {
    let operation = change.get("operation").and_then(Node::text);
    operation.is_some_and(|operation| operation.as_cow().starts_with('_'))
}

fn verb(change: PatchChange) -> &'static str {
    match change {
        PatchChange::Modified => "modifies",
        PatchChange::Added => "creates",
        PatchChange::Deleted => "deletes",
        PatchChange::Renamed => "renames",
        PatchChange::Copied => "copies",
    }
}
