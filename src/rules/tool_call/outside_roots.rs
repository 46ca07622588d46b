use crate::{
    event::{
        path,
        target::{self, ToolKind},
    },
    model::session::authority::{CallAuthority, ChangedBy},
    rule::prelude::*,
    rules::paths,
};

pub(crate) static RULE: Rule = Rule {
    id: "tool-call/outside-roots",
    summary: "a tool call changes a file outside the session's directories",
    level: By::both(Level::Should),
    severity: By::both(Severity::Off),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    cites: &[
        paths::WITHIN_ROOTS,
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/session-setup#working-directory"),
            ..paths::WITHIN_ROOTS
        },
    ],
    requirements: &["session.root-boundary"],
    explanation: r"
A client shows the user which directories an agent works in. This rule is a policy for those who watch
what agents touch: it is off by default, and `--profile audit` selects it. It is silent if the client
has allowed a question that names the path: agents keep files of their own elsewhere, and people ask
for files elsewhere. It compares names only, and relies on what the agent reports: it cannot
see where links lead, or what a tool changes beyond its report.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","kind":"edit","title":"Edit","status":"pending","locations":[{"path":"/etc/pond.conf"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c1","kind":"edit","title":"Edit","status":"pending","locations":[{"path":"/work/pond.txt"}]}}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed"}}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
    )],
    on: &[On::Update(&["tool_call", "tool_call_update"], check)],
    ..Rule::DEFAULT
};

fn check(update: &Update<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(update.session_id)?;
    let id = update.tool_call_id?;
    let status = update.status?;
    if !status.is("completed") || session.is_replaying() {
        return None;
    }
    let own = session.authority.call(id);
    let kind = update.update.get("kind").and_then(Node::text).map(ToolKind::of);
    let changes_files = kind.or_else(|| own?.kind).is_some_and(|kind| kind.change().is_some());
    let content = update.update.get("content").into_iter().flat_map(target::changes);
    let locations = update.update.get("locations").filter(|_| changes_files);
    let locations = locations.into_iter().flat_map(target::locations);
    // What the client was asked to write was a finding of its own.
    let is_told = |path: &str| {
        let by = session.authority.changed_outside(&path::spelled(path));
        by == Some(ChangedBy::Request)
    };
    let outside = |path: Text<'_>| {
        let message = |path: &str| message(id, path);
        paths::outside(path, session, message)
    };
    let here = content.map(|(_, path)| path).chain(locations);
    let here = here.filter(|path| !is_told(&path.as_cow())).map(outside);
    let here: Vec<_> = here.collect();
    let known = own.into_iter().flat_map(CallAuthority::changed_paths);
    let known =
        known.filter(|path| paths::is_outside(path, session) == Some(true) && !is_told(path));
    let earlier = known.map(|path| {
        let path = path::spelled(path);
        let roots = session.roots.as_ref()?;
        let finding = Finding::new(message(id, &path))
            .at(status, "completed here")
            .at(roots.at, "the directories are set here");
        Some(finding.once_per((&*update.session_id.as_cow(), path)).into())
    });
    let mut all = here.into_iter().chain(earlier).flatten();
    let failed = all.find(|verdict| matches!(verdict, Verdict::Fail(_)));
    let is_named = own.is_some_and(|own| own.changed_paths().next().is_some());
    failed.or_else(|| is_named.then_some(Verdict::Pass))
}

fn message(id: Text<'_>, path: &str) -> String {
    format!("tool call `{id}` changes `{path}`, outside the session's directories")
}
