use crate::{event::path, model::session::authority::ChangedBy, rule::prelude::*, rules::paths};

pub(crate) static RULE: Rule = Rule {
    id: "fs/write-outside-roots",
    summary: "a file outside the session's directories is written",
    level: By::both(Level::Should),
    severity: By::both(Severity::Off),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    cites: &[paths::WITHIN_ROOTS],
    requirements: &["session.root-boundary"],
    explanation: r"
A client shows the user which directories an agent works in. This rule is a policy for those who watch
what agents touch: it is off by default, and `--profile audit` selects it. It is silent if the client
has allowed a question that names the path: agents keep files of their own elsewhere, and people ask
for files elsewhere. It compares names only: it cannot see where links lead, or what an agent
writes without the client.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","id":9,"method":"fs/write_text_file","params":{"sessionId":"s","path":"/work2/pond.txt","content":"new"}}
{"jsonrpc":"2.0","id":9,"result":{}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        r#"{"jsonrpc":"2.0","id":9,"method":"fs/write_text_file","params":{"sessionId":"s","path":"/work/lakes/../pond.txt","content":"new"}}
{"jsonrpc":"2.0","id":9,"result":{}}
{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
    )],
    on: &[On::Call(&["fs/write_text_file"], check)],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let session = connection.session(call.session_id()?)?;
    let path = call.param("path")?.text()?;
    let by = session.authority.changed_outside(&path::spelled(&path.as_cow()));
    if by == Some(ChangedBy::ToolCall) {
        // The tool call was a finding of its own.
        return None;
    }
    paths::outside(path, session, |path| {
        format!("the agent writes `{path}`, outside the session's directories")
    })
}
