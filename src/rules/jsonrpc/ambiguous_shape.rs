use crate::{event::Envelope, rule::prelude::*, rules::jsonrpc::failure};

pub(crate) static RULE: Rule = Rule {
    id: "jsonrpc/ambiguous-shape",
    summary: "an object is not clearly a call or a response",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Either,
    surfaces: Surfaces::ALL,
    needs: &[Loss::Envelope],
    cites: &[
        Citation {
            version: None,
            source: SourceText::JsonRpc("4"),
            requires: "a call has a `method`, which is a string, and no `result` or `error`",
        },
        Citation {
            version: None,
            source: SourceText::JsonRpc("5"),
            requires: "a response has an `id` and either a `result` or an `error`",
        },
    ],
    explanation: r"
Readers recognize calls and responses by their members. If a message has the members of both, or of
neither, some readers treat it as a call and others as a response, or answer it with -32600. An
object without any of these members may be a log line.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"_acme/status","result":{}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"_acme/status"}
{"jsonrpc":"2.0","id":2,"result":{}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"_acme/status","params":{}}"#,
        ),
    ],
    on: &[On::Message(check)],
    ..Rule::DEFAULT
};

fn check(message: &Message<'_>, connection: &Connection) -> Option<Verdict> {
    let node = message.node;
    // jsonrpc/response-to-notification
    if !node.is_object() || failure::answered_notification(message, connection).is_some() {
        return None;
    }
    let Envelope { id, method, result, error, .. } = message.envelope;
    let finding = match (method, result.or(error)) {
        (Some(method), Some(outcome)) => {
            let name = if result.is_some() { "result" } else { "error" };
            Finding::new(format!("a message has both `method` and `{name}`"))
                .at(outcome, format!("`{name}` makes it a response"))
                .at(method, "`method` makes it a call")
                .help("send the request and the response as two messages")
        }
        (None, None) => Finding::new("an object has no `method`, `result` or `error`")
            .at(node, "not a call and not a response")
            .help("send only JSON-RPC messages; readers drop this or answer with -32600"),
        (None, Some(outcome)) if id.is_none() => Finding::new("a response has no `id`")
            .at(Mark::missing_in(node), "`id` is missing here")
            .at(outcome, "this makes it a response")
            .help("return the `id` of the request; a notification is not answered"),
        (Some(method), None) if !method.is_string() => Finding::new("`method` is not a string")
            .at(method, "expected the name of a method")
            .help("use a string; readers drop this message or answer with -32600"),
        _ => return Some(Verdict::Pass),
    };
    Some(finding.blaming(message.sender).explains(node).into())
}
