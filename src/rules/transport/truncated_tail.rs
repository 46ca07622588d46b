use crate::{event::FlawKind, rule::prelude::*, rules::transport::raw};

pub(crate) static RULE: Rule = Rule {
    id: "transport/truncated-tail",
    summary: "the last line is cut off",
    level: By::both(Level::Hint),
    severity: By::both(Severity::Info),
    binds: Bound::Either,
    surfaces: Surfaces::ALL,
    cites: &[Citation {
        version: None,
        source: SourceText::Other("quality of the recording"),
        requires: "a recording ends with a whole line",
    }],
    explanation: r"
The recorder was stopped, or the file was copied, in the middle of a message. What the line was to
say is lost, and the end of the connection is not on record: no rule then says that something never
happened.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"sess"#,
        r#"{"jsonrpc":"2.0","method":"_done"}"#,
    )],
    on: &[On::Flaw(check), On::End(raw::upheld)],
    ..Rule::DEFAULT
};

fn check(flaw: &Flaw, _: &Connection) -> Option<Verdict> {
    (flaw.kind == FlawKind::CutTail).then(|| {
        Finding::new("the recording breaks off in the middle of a message")
            .at(flaw.span, "the line has no end")
            .help("what never happened cannot be told from such a recording")
            .into()
    })
}
