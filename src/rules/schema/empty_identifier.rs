use crate::{model::MessagePart, protocol::schema::Observation, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "schema/empty-identifier",
    summary: "an identifier is the empty string",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Warning),
    binds: Bound::Sender,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: None,
            source: SourceText::Other("TCK SESSION-001"),
            requires: "a session id has at least one character",
        },
        Citation {
            version: None,
            source: SourceText::Definition("SessionId"),
            requires: "the id is a string that identifies one session; its schema sets no length",
        },
    ],
    explanation: r"
The schema accepts every string as an id. But an empty one is almost always a variable that was
never set. Then two things have the same id, and code that tests whether an id is set takes it as
absent. An empty session id in the answer to `session/new` is an error, because the client cannot
use that session. Ids of plans and messages have their own rules.
",
    tck: &["SESSION-001", "PATCH-204", "PATCH-205"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"","title":"Read"}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c","title":""}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Initialized,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work"}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":""}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":1,"result":{"sessions":[],"nextCursor":""}}
{"jsonrpc":"2.0","id":2,"method":"session/list","params":{"cursor":""}}
{"jsonrpc":"2.0","id":2,"result":{"sessions":[]}}"#,
        ),
    ],
    on: &[On::Observed(check)],
    variants: &[(Severity::Error, "for the id of a new session")],
    ..Rule::DEFAULT
};

/// Definitions of identifiers that other messages refer to. Values of options are not among them:
/// an empty value may stand for none.
const NAMES: [&str; 8] = [
    "SessionId",
    "ToolCallId",
    "TerminalId",
    "CompactionId",
    "SessionConfigId",
    "PermissionOptionId",
    "AuthMethodId",
    "ElicitationId",
];

fn check(seen: &Observed<'_>, _: &Connection) -> Option<Verdict> {
    let Observation::EmptyIdentifier { value, type_name } = seen.what else { return None };
    if !NAMES.contains(&type_name) {
        return None;
    }
    let pointer = value.pointer();
    let member = pointer.rsplit('/').next().unwrap_or_default();
    let finding = Finding::new(format!("`{member}` is the empty string"))
        .at(value, "not an id")
        .help(format!("set the `{type_name}`"))
        .once_per((seen.method, seen.part.member(), type_name));
    let is_born = type_name == "SessionId"
        && seen.part == MessagePart::Result
        && matches!(seen.method, "session/new" | "session/fork");
    Some(finding.as_severity_if(is_born, Severity::Error).into())
}
