use crate::{event::FlawKind, rule::prelude::*, rules::transport::raw};

pub(crate) static RULE: Rule = Rule {
    id: "transport/truncated-tail",
    summary: "the last line is cut off",
    level: By::both(Level::Hint),
    severity: By::both(Severity::Info),
    binds: Bound::Either,
    surfaces: Surfaces::ALL,
    needs: &[Loss::Lines],
    cites: &[Citation {
        version: None,
        source: SourceText::Other("quality of the recording"),
        requires: "a recording ends with a complete line",
    }],
    explanation: r"
The recorder was stopped in the middle of a message, or the file was copied before it was complete.
This message and the end of the connection are missing. So no rule reports that something never
happened.
",
    examples: &[Example::new(
        Surface::V1,
        Opening::Turn,
        r#"{"jsonrpc":"2.0","method":"sess"#,
        r#"{"jsonrpc":"2.0","method":"_done"}"#,
    )],
    on: &[On::Flaw(check), On::End(raw::met_at_end)],
    ..Rule::DEFAULT
};

fn check(flaw: &Flaw, _: &Connection) -> Option<Verdict> {
    (flaw.kind == FlawKind::CutTail).then(|| {
        Finding::new("the recording ends in the middle of a message")
            .at(flaw.span, "the line is not complete")
            .help("acpcheck does not report messages that never came")
            .into()
    })
}
