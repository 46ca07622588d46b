use crate::{event::FlawKind, rule::prelude::*, rules::transport::raw};

pub(crate) static RULE: Rule = Rule {
    id: "transport/invalid-utf8",
    summary: "a line is not valid UTF-8",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Either,
    surfaces: Surfaces::ALL,
    needs: &[Loss::Lines],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/transports"),
            requires: "messages are encoded as UTF-8",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/transports"),
            requires: "messages are encoded as UTF-8",
        },
    ],
    requirements: &["transport.utf8"],
    explanation: r"
Readers decode the stream as UTF-8 before they parse it. On invalid bytes some end the connection,
and others read replacement characters. Usual causes are text in a local code page and a chunk that
was cut in the middle of a character.

A file that is UTF-16 throughout was written so by the recorder; PowerShell does this by default.
acpcheck decodes such a file and checks its messages.
",
    tck: &["TRANSPORT-002"],
    examples: &[Example::new(
        Surface::V1,
        Opening::None,
        "{\x00\"\x00j\x00s\x00o\x00n\x00r\x00p\x00c\x00\"\x00:\x00\"\x002\x00.\x000\x00\"\x00,\x00\"\x00m\x00e\x00t\x00h\x00o\x00d\x00\"\x00:\x00\"\x00_\x00g\x00r\x00e\x00e\x00t\x00\"\x00}\x00",
        r#"{"jsonrpc":"2.0","method":"_gr\u00fcß"}"#,
    )],
    on: &[On::Flaw(check), On::End(raw::met_at_end)],
    ..Rule::DEFAULT
};

fn check(flaw: &Flaw, connection: &Connection) -> Option<Verdict> {
    let finding = match flaw.kind {
        FlawKind::InvalidUtf8 => Finding::new("a line is not UTF-8")
            .at(flaw.span, "the first bytes that are not UTF-8")
            .help("write UTF-8: readers cannot read this line")
            // The lines of one binary dump are one fault.
            .once_per(connection.number()),
        FlawKind::Utf16 => Finding::new("the file is UTF-16, so no message in it can be read")
            .at(flaw.span, "every character takes two bytes")
            .help("write the recording as UTF-8; PowerShell needs `-Encoding utf8` for that"),
        _ => return None,
    };
    Some(finding.blaming(flaw.sender).into())
}
