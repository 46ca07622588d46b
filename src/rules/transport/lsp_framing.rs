use crate::{event::FlawKind, rule::prelude::*, rules::transport::raw};

pub(crate) static RULE: Rule = Rule {
    id: "transport/lsp-framing",
    summary: "a line is an LSP header instead of a newline-delimited message",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Either,
    surfaces: Surfaces::ALL,
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/transports#stdio"),
            requires: "messages are delimited by newlines, not by headers",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/transports#stdio"),
            requires: "messages are delimited by newlines, not by headers",
        },
    ],
    explanation: r"
ACP borrows JSON-RPC from the Language Server Protocol, but not its `Content-Length` headers: a
message is a line. A peer that reads lines takes the header for garbage and never answers; one that
waits for headers never sees a message. Libraries for LSP have to be switched to line framing. The
messages behind the headers are judged as usual.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"Content-Length: 161

{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Done"}}}}"#,
        r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Content-Length: 161"}}}}"#,
    )],
    on: &[On::Flaw(check), On::End(raw::upheld)],
    ..Rule::DEFAULT
};

fn check(flaw: &Flaw, _: &Connection) -> Option<Verdict> {
    (flaw.kind == FlawKind::LspHeader).then(|| {
        Finding::new("messages are framed by headers of the Language Server Protocol")
            .at(flaw.span, "the first header")
            .help("write each message on a line of its own, without a header")
            .blaming(flaw.sender)
            .into()
    })
}
