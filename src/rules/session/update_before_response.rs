use crate::{model::SessionOrigin, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "session/update-before-response",
    summary: "an update for a new session comes before the response that creates it",
    level: By::both(Level::Hint),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::V1,
    needs: &[Loss::Order],
    cites: &[Citation {
        version: Some(Version::V1),
        source: SourceText::Page("protocol/v1/slash-commands#advertising-commands"),
        requires: "updates for a session come after its creation",
    }],
    explanation: r"
The client does not know the id yet: it learns it from the response. Several clients have dropped
such updates or failed on them, and lost the list of commands or the mode. Version 2 allows them,
and clients must keep them until the response.
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
    on: &[On::Answer(methods::CREATE_SESSION, check)],
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
        Finding::new(format!("session `{id}` is updated before the response that creates it"))
            .at(session.first, "the client does not know this id yet")
            .at(answer.request.method_at, "this request creates the session")
            .at(id, "the client learns the id here")
            .help("send the response first")
            .into(),
    )
}
