use crate::{model::SessionOrigin, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "session/update-before-response",
    summary: "an update for a session overtakes the result that creates it",
    level: By::both(Level::Hint),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Page("protocol/v1/slash-commands#advertising-commands"),
        requires: "what an agent reports about a session follows its creation",
    }],
    explanation: r"
The client does not know the id yet: it learns it from the result. Several clients have dropped such
updates or failed on them, and lost the list of commands or the mode. Version 2 allows them and
makes clients hold them back.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Session,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"t","update":{"sessionUpdate":"available_commands_update","availableCommands":[]}}}
{"jsonrpc":"2.0","id":2,"result":{"sessionId":"t"}}"#,
        r#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":2,"result":{"sessionId":"t"}}
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"t","update":{"sessionUpdate":"available_commands_update","availableCommands":[]}}}"#,
    )],
    on: &[On::Answer(&["session/new", "session/fork"], check)],
    ..Rule::DEFAULT
};

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    let id = answer.result()?.get("sessionId")?.text()?;
    let Some(session) =
        connection.session(id).filter(|session| session.origin == SessionOrigin::Early)
    else {
        return Some(Verdict::Pass);
    };
    Some(
        Finding::new(format!("session `{id}` is mentioned before the result that creates it"))
            .at(session.first, "the client does not know this id yet")
            .at(answer.request.method_at, "the request that creates the session")
            .at(id, "the client learns the id here")
            .help("send the result first")
            .into(),
    )
}
