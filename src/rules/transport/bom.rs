use crate::{event::FlawKind, rule::prelude::*, rules::transport::raw};

pub(crate) static RULE: Rule = Rule {
    id: "transport/bom",
    summary: "the stream or a line begins with a byte order mark",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Info),
    binds: Bound::Sender,
    surfaces: Surfaces::ALL,
    cites: &[Citation {
        version: None,
        source: SourceText::Rfc("RFC 8259 §8.1"),
        requires: "JSON that is sent over a network begins with no byte order mark",
    }],
    explanation: r"
UTF-8 needs no byte order mark, and a strict parser refuses a text that begins with one: the first
message, mostly `initialize`, is then never read. At the very beginning of a file it may have been
put there by an editor. The line is judged without it.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::None,
        concat!("\u{feff}", r#"{"jsonrpc":"2.0","method":"_hello"}"#),
        r#"{"jsonrpc":"2.0","method":"_\ufeffhello"}"#,
    )],
    on: &[On::Flaw(check), On::End(raw::upheld)],
    ..Rule::DEFAULT
};

fn check(flaw: &Flaw, _: &Connection) -> Option<Verdict> {
    (flaw.kind == FlawKind::ByteOrderMark).then(|| {
        let whose = if flaw.span.start == 0 { "the file" } else { "a line" };
        Finding::new(format!("{whose} begins with a byte order mark"))
            .at(flaw.span, "U+FEFF")
            .help("strict readers refuse a text that begins with it")
            .blaming(flaw.sender)
            .once_per(flaw.span.start == 0)
            .into()
    })
}
