use crate::{
    rule::prelude::*,
    rules::{
        capability::needs::{Capability, by_version},
        codes,
        error_texts::error_texts,
    },
};

pub(crate) static RULE: Rule = Rule {
    id: "session/delete-error",
    summary: "deleting a session fails although deletion is advertised",
    level: By::both(Level::Should),
    severity: By::both(Severity::Warning),
    binds: Bound::Agent,
    surfaces: Surfaces::ALL,
    needs: &[Loss::Errors],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/session-delete#semantics"),
            requires: "deleting a session that does not exist succeeds",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/session-delete#semantics"),
            requires: "deleting a session that does not exist succeeds",
        },
    ],
    requirements: &["session.delete-succeeds"],
    explanation: r"
The client wants the session to be gone, and it is gone. On an error the client keeps the session in
its list, and the user can never delete it.
",
    tck: &["DELETE-201", "DELETE-203"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/delete","params":{"sessionId":"never"}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32002,"message":"Refused"}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/delete","params":{"sessionId":"never"}}
{"jsonrpc":"2.0","id":2,"result":{}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/delete","params":{"sessionId":"never"}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32002,"message":"Refused"}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/delete","params":{"sessionId":"never"}}
{"jsonrpc":"2.0","id":2,"result":{}}"#,
        ),
    ],
    on: &[On::Answer(&["session/delete"], check)],
    ..Rule::DEFAULT
};

/// The agent's capability for deleting sessions, on the version of the connection.
fn delete(connection: &Connection) -> Capability {
    let v1 = Capability::Object("sessionCapabilities.delete");
    by_version(connection, v1, Capability::Object("session.delete"))
}

fn check(answer: &Answer<'_>, connection: &Connection) -> Option<Verdict> {
    if !delete(connection).is_in(connection.agent_capabilities()?) {
        return None;
    }
    let Some(error) = answer.error() else { return Some(Verdict::Pass) };
    answer.error_code().filter(|code| !codes::is_unrelated_to_params(*code))?;
    let session = answer.request.session_id.as_deref().and_then(|id| connection.session_named(id));
    if session.is_some_and(|session| session.parent.is_some()) {
        return None; // Clients may not delete subagents.
    }
    // On version 1 an agent may refuse to delete an existing session.
    if connection.version() == Some(Version::V1) && !says_that_it_is_not_there(error) {
        return None;
    }
    Some(
        Finding::new("deleting a session fails")
            .at(error.get("code")?, "must succeed")
            .at(answer.request.method_at, "the request")
            .help("answer with success, even if the session does not exist")
            .into(),
    )
}

/// Whether the code or the text of an error says that the session does not exist.
fn says_that_it_is_not_there(error: Node<'_>) -> bool {
    const NOT_FOUND: i64 = -32002;
    const WORDS: [&str; 5] =
        ["not found", "no such", "not exist", "doesn't exist", "unknown session"];
    let says_so = |text: Text<'_>| {
        let text = text.as_cow().to_lowercase();
        WORDS.iter().any(|words| text.contains(words))
    };
    error.get("code").and_then(Node::integer) == Some(NOT_FOUND) || error_texts(error).any(says_so)
}
