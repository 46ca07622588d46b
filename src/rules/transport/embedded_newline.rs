use crate::{event::FlawKind, rule::prelude::*, rules::transport::raw};

pub(crate) static RULE: Rule = Rule {
    id: "transport/embedded-newline",
    summary: "one message is spread over several lines",
    level: By::both(Level::MustNot),
    severity: By::both(Severity::Error),
    binds: Bound::Either,
    surfaces: Surfaces::ALL,
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
    explanation: r"
A reader takes each line for a message, so a message with a line break in it becomes two lines that
are no JSON. Either it was pretty-printed, or a text was put into a string without escaping its line
breaks as `\n`. Where a whole file is written like this, the recorder did it, and nothing is
reported.
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
    on: &[On::Flaw(check), On::End(raw::upheld)],
    ..Rule::DEFAULT
};

fn check(flaw: &Flaw, _: &Connection) -> Option<Verdict> {
    let FlawKind::EmbeddedNewline { last } = flaw.kind else { return None };
    let lines = u64::from(last.line - flaw.span.line) + 1;
    Some(
        Finding::new(format!("a message is spread over {lines} lines"))
            .at(flaw.span, "it begins here")
            .at(last, "it ends here")
            .help("readers take each line for a message; write it on one line, line breaks in strings as `\\n`")
            .blaming(flaw.sender)
            .into(),
    )
}
