use crate::{event::FlawKind, rule::prelude::*, rules::transport::raw};

pub(crate) static RULE: Rule = Rule {
    id: "transport/lsp-framing",
    summary: "a line is an LSP header, not a message",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Either,
    surfaces: Surfaces::ALL,
    needs: &[Loss::Lines],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/transports#stdio"),
            requires: "messages are separated by newlines, not by headers",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/transports#stdio"),
            requires: "messages are separated by newlines, not by headers",
        },
    ],
    requirements: &["transport.only-messages"],
    explanation: r"
ACP uses JSON-RPC like the Language Server Protocol (LSP), but not its `Content-Length` headers:
each line is a message. A peer that reads lines takes the header as garbage and never answers. A
peer that waits for headers never sees a message. Set LSP libraries to line framing. acpcheck checks
the messages after the headers as usual.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"Content-Length: 161

{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Done"}}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Content-Length: 161"}}}}"#,
    )],
    on: &[On::Flaw(check), On::End(raw::met_at_end)],
    ..Rule::DEFAULT
};

fn check(flaw: &Flaw, _: &Connection) -> Option<Verdict> {
    (flaw.kind == FlawKind::LspHeader).then(|| {
        Finding::new("messages have headers of the Language Server Protocol")
            .at(flaw.span, "the first header")
            .help("write each message on its own line, without a header")
            .blaming(flaw.sender)
            .into()
    })
}
