use crate::{event::FlawKind, rule::prelude::*, rules::transport::raw};

pub(crate) static RULE: Rule = Rule {
    id: "transport/embedded-newline",
    summary: "a message is spread over several lines",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Either,
    surfaces: Surfaces::ALL,
    needs: &[Loss::Lines],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/transports#stdio"),
            requires: "a message contains no line break",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/transports#stdio"),
            requires: "a message contains no line break",
        },
    ],
    requirements: &["transport.one-line"],
    explanation: r"
A reader takes each line as a message. So a message with a line break becomes two lines, and neither
is JSON. Either the message was pretty-printed, or a line break in a string was not escaped as `\n`.
If the whole file is like this, the recorder did it, and the rule reports nothing.
",
    tck: &["TRANSPORT-203"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update",
"params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Done"}}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Done\n"}}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"All
done"}}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"All\ndone"}}}}"#,
        ),
    ],
    on: &[On::Flaw(check), On::End(raw::met_at_end)],
    ..Rule::DEFAULT
};

fn check(flaw: &Flaw, _: &Connection) -> Option<Verdict> {
    let FlawKind::EmbeddedNewline { last } = flaw.kind else { return None };
    let lines = u64::from(last.line - flaw.span.line) + 1;
    Some(
        Finding::new(format!("a message is spread over {lines} lines"))
            .at(flaw.span, "begins here")
            .at(last, "ends here")
            .help(
                "write each message on one line, and line breaks in strings as `\\n`: readers \
                 take each line as a message",
            )
            .blaming(flaw.sender)
            .into(),
    )
}
