use crate::{model::Id, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "jsonrpc/duplicate-id",
    summary: "a request reuses the id of an open request",
    level: By::each(Level::Derived, Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Sender,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::DIRECTION),
    needs: &[Loss::Ids],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::JsonRpc("4"),
            requires: "the id connects a response to its request",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::JsonRpc("5"),
            requires: "a response has the id of its request",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("RequestId"),
            requires: "a sender does not reuse an id before its request is answered",
        },
    ],
    requirements: &["jsonrpc.id-unique"],
    explanation: r"
If two open requests have the same id, the first answer may be for either. Official readers then
answer the wrong one, or drop the second answer. Each side counts its own ids: the other side may
use the same id, and an id is free again after the answer.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":7,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":7,"method":"session/list","params":{"cwd":"/work"}}"#,
            r#"{"jsonrpc":"2.0","id":7,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":7,"result":{"sessions":[]}}
{"jsonrpc":"2.0","id":7,"method":"session/list","params":{}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":"a","method":"session/list","params":{}}
{"jsonrpc":"2.0","id":"a","method":"session/close","params":{"sessionId":"s"}}"#,
            r#"{"jsonrpc":"2.0","id":"a","method":"session/list","params":{}}
{"jsonrpc":"2.0","id":"a","method":"elicitation/create","params":{"sessionId":"s","mode":"url","elicitationId":"e","url":"https://example.com/","message":"Sign in"}}"#,
        ),
    ],
    on: &[On::Call(&[], check)],
    variants: &[(Severity::Warning, "where a line cannot be read")],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let id = call.id.filter(|id| id.is_string() || id.integer().is_some())?;
    let Some(first) = connection.rpc.outstanding(call.sender, &Id::of(id)) else {
        return Some(Verdict::Pass);
    };
    // Where batches are rejected, the requests in them get no responses.
    if first.batch.is_some() && !connection.allows_batches() {
        return None;
    }
    let finding = Finding::new(format!(
        "id `{}` is used again while its first request is open",
        first.id
    ))
    .at(id, "the same id again")
    .at(first.id_at, format!("`{}` is not answered yet", first.method))
    .help("give each request its own id; otherwise nobody can tell which request an answer is for");
    if connection.has_gaps() {
        return None; // The response may be there.
    }
    // The response may be in a line that could not be read.
    let is_sure = connection.lost_to(call.sender) == 0;
    Some(finding.as_severity_if(!is_sure, Severity::Warning).into())
}
