use crate::{rule::prelude::*, rules::jsonrpc::failure};

pub(crate) static RULE: Rule = Rule {
    id: "jsonrpc/error-message-format",
    summary: "an error message is empty or has several lines",
    level: By::both(Level::Should),
    severity: By::both(Severity::Info),
    binds: Bound::Responder,
    surfaces: Surfaces::ALL,
    editions: By::each(Editions::ALL, Editions::since(Edition::November2026)),
    needs: &[Loss::Errors],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::JsonRpc("5.1"),
            requires: "the message is one short sentence",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Definition("Error"),
            requires: "the message is one short sentence",
        },
    ],
    requirements: &["jsonrpc.error-message"],
    explanation: r"
Clients show the message in one line of their interface or log. A stack trace there is cut off or
breaks the layout; it belongs in `data`. An empty message tells the user nothing.
",
    tck: &["ERROR-001"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"_acme/status","params":{}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":""}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"_acme/status","params":{}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"Disk full","data":"no space\nleft"}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":"2.0","id":2,"method":"_acme/status","params":{}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"Internal error\n  at list (agent.js:12)"}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"_acme/status","params":{}}
{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"Internal error","data":{"stack":"at list\n"}}}"#,
        ),
    ],
    on: &[On::Message(check)],
    ..Rule::DEFAULT
};

fn check(message: &Message<'_>, _: &Connection) -> Option<Verdict> {
    let text = failure::error(message)?.get("message")?.text()?;
    let content = text.as_cow();
    let fault = if content.trim().is_empty() {
        "is empty"
    } else if content.trim_end().contains(['\n', '\r']) {
        "has several lines"
    } else {
        return Some(Verdict::Pass);
    };
    Some(
        Finding::new(format!("an error message {fault}"))
            .at(text, "expected one short sentence")
            .help("details belong in `data`")
            .once_per((message.sender, fault))
            .into(),
    )
}
