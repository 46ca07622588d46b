use crate::{event::Envelope, rule::prelude::*};

pub(crate) static RULE: Rule = Rule {
    id: "jsonrpc/version",
    summary: "the `jsonrpc` member is missing or not \"2.0\"",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Either,
    surfaces: Surfaces::ALL,
    needs: &[Loss::Envelope],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::JsonRpc("4"),
            requires: "every message has `jsonrpc` with the value \"2.0\"",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::JsonRpc("4"),
            requires: "every message has `jsonrpc` with the value \"2.0\"",
        },
    ],
    requirements: &["jsonrpc.version-member"],
    explanation: r"
`jsonrpc` distinguishes JSON-RPC 2.0 from 1.0, which has other rules for ids and notifications.
Official readers answer a request without it with -32600 and drop other messages. If no message of a
recording has the member, the recorder left it out; that is one info.
",
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Session,
            r#"{"id":2,"method":"_acme/status","params":{}}"#,
            r#"{"method":"_acme/status","id":2,"params":{},"jsonrpc":"2.0"}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Session,
            r#"{"jsonrpc":2.0,"id":2,"method":"session/list","params":{}}"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}"#,
        ),
    ],
    on: &[On::Message(check)],
    variants: &[(Severity::Info, "where no message of the recording has it")],
    ..Rule::DEFAULT
};

fn check(message: &Message<'_>, connection: &Connection) -> Option<Verdict> {
    let Envelope { jsonrpc, method, result, error, .. } = message.envelope;
    // An object without any of these members is not a message.
    method.or(result).or(error)?;
    let Some(version) = jsonrpc else {
        return Some(missing(message, connection.recording().strips_jsonrpc).into());
    };
    if version.is("2.0") {
        return Some(Verdict::Pass);
    }
    Some(
        Finding::new("`jsonrpc` is not the string `2.0`")
            .at(version, "expected `\"2.0\"`")
            .help("send the string `2.0`; official readers refuse the message")
            .blaming(message.sender)
            .once_per((message.sender, version))
            .into(),
    )
}

fn missing(message: &Message<'_>, is_stripped: bool) -> Finding {
    if is_stripped {
        return Finding::new("no message of the recording has the member `jsonrpc`")
            .at(Mark::missing_in(message.node), "missing in all messages")
            .help("probably the recorder left it out; let it keep the messages as they were sent")
            .as_severity(Severity::Info)
            .once_per("stripped");
    }
    Finding::new("the member `jsonrpc` is missing")
        .at(Mark::missing_in(message.node), "`\"jsonrpc\": \"2.0\"` is missing here")
        .help("add it; official readers refuse the message")
        .blaming(message.sender)
        .once_per(message.sender)
}
