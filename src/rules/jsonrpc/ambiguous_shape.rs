use crate::{event::Envelope, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "jsonrpc/ambiguous-shape",
    summary: "an object is neither clearly a call nor clearly a response",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Either,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: None,
            source: SourceText::JsonRpc("4"),
            requires: "a call has a method, a string, and neither result nor error",
        },
        Citation {
            version: None,
            source: SourceText::JsonRpc("5"),
            requires: "a response has an id and a result or an error",
        },
    ],
    explanation: r"
Readers tell calls from responses by their members. What has those of both, or of neither, is taken
for one by some readers and for the other by others, or is answered with -32600. An object without
any of them was perhaps meant for a log.
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

fn check(message: &Message<'_>, _: &Connection) -> Option<Verdict> {
    let node = message.node;
    if !node.is_object() {
        return None;
    }
    let Envelope { id, method, result, error, .. } = message.envelope;
    let finding = match (method, result.or(error)) {
        (Some(method), Some(outcome)) => {
            let name = if result.is_some() { "result" } else { "error" };
            Finding::new(format!("a message has `method` and `{name}`"))
                .at(outcome, format!("`{name}` makes it a response"))
                .at(method, "`method` makes it a call")
                .help("a request and its response are two messages")
        }
        (None, None) => Finding::new("an object has neither `method` nor `result` nor `error`")
            .at(node, "neither a call nor a response")
            .help("readers drop it or answer with -32600"),
        (None, Some(outcome)) if id.is_none() => Finding::new("a response has no `id`")
            .at(Mark::missing_in(node), "`id` is missing here")
            .at(outcome, "what makes it a response")
            .help("nobody can tell which request it answers"),
        (Some(method), None) if !method.is_string() => Finding::new("`method` is not a string")
            .at(method, "expected the name of a method")
            .help("readers drop the message or answer with -32600"),
        _ => return Some(Verdict::Pass),
    };
    Some(finding.blaming(message.sender).explains(node).into())
}
