use crate::{event::FlawKind, rule::prelude::*, rules::transport::raw};

pub(crate) static RULE: Rule = Rule {
    id: "transport/bom",
    summary: "the stream or a line begins with a byte order mark",
    level: By::both(Level::Derived),
    severity: By::both(Severity::Info),
    binds: Bound::Sender,
    surfaces: Surfaces::ALL,
    needs: &[Loss::Lines],
    cites: &[Citation {
        version: None,
        source: SourceText::Rfc("RFC 8259 §8.1"),
        requires: "JSON on a network does not begin with a byte order mark",
    }],
    explanation: r"
UTF-8 needs no byte order mark, and a strict parser refuses a text that begins with one. Then the
first message, usually `initialize`, is lost. At the beginning of a file, an editor may have added
it. acpcheck checks the line without it.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::None,
        concat!("\u{feff}", r#"{"jsonrpc":"2.0","method":"_hello"}"#),
        r#"{"jsonrpc":"2.0","method":"_\ufeffhello"}"#,
    )],
    on: &[On::Flaw(check), On::End(raw::met_at_end)],
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
