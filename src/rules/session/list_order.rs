use crate::{rule::prelude::*, rules::content::timestamp};

pub(crate) static RULE: Rule = Rule {
    id: "session/list-order",
    summary: "a session stands below one that was updated earlier",
    level: By::both(Level::Should),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V2,
    editions: By::both(Editions::since(Edition::LateNovember2026)),
    cites: &[Citation {
        version: Some(Version::V2),
        source: SourceText::Definition("ListSessionsResponse.sessions"),
        requires: "the sessions that were updated last come first",
    }],
    requirements: &["session.recent-first"],
    explanation: r"
A client shows the sessions as they come, page by page. Users look for their last session at the
top. The rule compares the entries of one page, and leaves out those without a time.
",
    examples: &[Example::new(
        Surface::V2,
        Opening::Bare,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":2,"result":{"sessions":[{"sessionId":"s0","cwd":"/work","updatedAt":"2026-03-02T09:00:00Z"},{"sessionId":"s1","cwd":"/work","updatedAt":"2026-06-05T10:00:00Z"}]}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":2,"result":{"sessions":[{"sessionId":"s0","cwd":"/work","updatedAt":"2026-06-05T10:00:00Z"},{"sessionId":"s1","cwd":"/work","updatedAt":"2026-03-02T09:00:00Z"}]}}"#,
    )],
    on: &[On::Answer(&["session/list"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, _: &Connection) -> Option<Verdict> {
    let entries = answer.result()?.get("sessions")?.elements();
    let mut timed = entries.filter_map(|entry| {
        let text = entry.get("updatedAt")?.text()?;
        Some((timestamp::instant(&text.as_cow())?, text))
    });
    let mut earliest = timed.next()?;
    for (instant, text) in timed {
        if instant <= earliest.0 {
            earliest = (instant, text);
            continue;
        }
        return Some(
            Finding::new(format!("a session of {text} stands below one of {}", earliest.1))
                .at(text, "later than an entry before it")
                .at(earliest.1, "that entry")
                .help("sort sessions by `updatedAt`, the latest first")
                .once_per("order")
                .into(),
        );
    }
    Some(Verdict::Pass)
}
