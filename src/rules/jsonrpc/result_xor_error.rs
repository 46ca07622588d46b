use crate::{event::Envelope, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "jsonrpc/result-xor-error",
    summary: "a response has both `result` and `error`",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Either,
    surfaces: Surfaces::ALL,
    needs: &[Loss::Envelope],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::JsonRpc("5"),
            requires: "a response has either a result or an error, and does not have the other member",
        },
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/overview#error-handling"),
            requires: "a response has either a result or an error",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::JsonRpc("5"),
            requires: "a response has either a result or an error, and does not have the other member",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("AgentResponse"),
            requires: "a response is either a result or an error",
        },
    ],
    explanation: r"
Readers that look for `result` first see a success; readers that look for `error` first see a
failure. In JSON-RPC 1.0 both members had to be there, one of them null. Many readers accept that,
others refuse the response and the request hangs. A null `result` alone is fine for this rule, but
the schema of the method may require an object.
",
    tck: &["JSONRPC-002"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"},"error":null}"#,
            r#"{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":2,"result":{"sessions":[]},"error":{"code":-32603,"message":"Internal error"}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}
{"jsonrpc":"2.0","id":2,"result":{"sessions":[]}}"#,
        ),
    ],
    on: &[On::Message(check)],
    ..Rule::DEFAULT
};

fn check(message: &Message<'_>, _: &Connection) -> Option<Verdict> {
    let Envelope { method: None, result, error, .. } = message.envelope else { return None };
    let (Some(result), Some(error)) = (result, error) else {
        return result.or(error).map(|_| Verdict::Pass);
    };
    let (rest, help) = if error.is_null() {
        (error, "leave `error` out: only JSON-RPC 1.0 has a null there")
    } else if result.is_null() {
        (error, "leave `result` out: only JSON-RPC 1.0 has a null there")
    } else {
        (error, "send only one of them: the call either succeeded or failed")
    };
    Some(
        Finding::new("a response has both `result` and `error`")
            .at(rest, "`error` is here")
            .at(result, "`result` is here")
            .help(help)
            .blaming(message.sender)
            .into(),
    )
}
