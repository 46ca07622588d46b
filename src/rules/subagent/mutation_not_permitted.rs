use crate::rule::prelude::*;

pub(crate) static RULE: Rule = Rule {
    id: "subagent/mutation-not-permitted",
    summary: "the client controls a subagent that does not permit it",
    level: By::each(Level::Derived, Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Client,
    surfaces: Surfaces::ALL,
    editions: By::each(Editions::ALL, Editions::since(Edition::November2026)),
    cites: &[Citation {
        version: None,
        source: SourceText::Definition("SubagentSessionCapabilities"),
        requires: "the client controls a subagent only as its capabilities allow",
    }],
    requirements: &["subagent.no-mutation"],
    explanation: r"
A subagent works for its parent. If the client sends it a request, the agent refuses, or the parent
gets another result than it waits for. A subagent may permit cancelling, and nothing else.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"subagent_update","sessionId":"kid","title":"Tests"}}}
{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"kid","prompt":[{"type":"text","text":"Tidy up"}]}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Refused"}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"subagent_update","sessionId":"kid","title":"Tests","capabilities":{"cancel":{}}}}}
{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"kid"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"subagent_update","sessionId":"kid","title":"Tests"}}}
{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"kid","prompt":[{"type":"text","text":"Tidy up"}]}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"Refused"}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"subagent_update","sessionId":"kid","title":"Tests","capabilities":{"cancel":{}}}}}
{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"kid"}}"#,
        ),
    ],
    on: &[On::Call(methods::CONTROL_SESSION, check)],
    variants: &[(
        Severity::Info,
        "where the client may not know that the permission was withdrawn",
    )],
    ..Rule::DEFAULT
};

fn check(call: &Call<'_>, connection: &Connection) -> Option<Verdict> {
    let id = call.session_id()?;
    let parent = connection.session(id)?.parent.as_ref()?;
    let may_be_permitted = call.method == "session/cancel";
    if may_be_permitted && parent.may_cancel {
        return Some(Verdict::Pass);
    }
    let finding = Finding::new(format!("subagent `{id}` does not permit `{}`", call.method))
        .at(call.method, "controls a subagent")
        .at(parent.cancellation_at, "what the parent permits");
    // The client may not know yet that the permission was withdrawn.
    let is_withdrawn = may_be_permitted && parent.changed > 0;
    let is_unseen = is_withdrawn && connection.last_of(Side::Client) < parent.changed;
    Some(finding.as_severity_if(is_unseen, Severity::Info).into())
}
