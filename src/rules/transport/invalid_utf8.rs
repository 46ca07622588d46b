use crate::{
    event::{Flaw, FlawKind},
    model::Connection,
    protocol::{Surface, Surfaces, Version},
    rule::{
        Bound, By, Citation, Editions, Example, Finding, Gates, Level, On, Opening, Rule, Severity,
        SourceText, Verdict,
    },
    rules::transport::raw,
};

pub(crate) static RULE: Rule = Rule {
    id: "transport/invalid-utf8",
    summary: "a line is not valid UTF-8",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Either,
    surfaces: Surfaces::ALL,
    gates: By::both(Gates::NONE),
    editions: By::both(Editions::ALL),
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
    explanation: r"
Readers decode the stream as UTF-8 before they parse it. Bytes that are none end the connection in
some of them and turn into replacement characters in others. The usual causes are text in a local
code page and a chunk that was cut in the middle of a character. A file that is UTF-16 throughout was
written by the recorder, as PowerShell does by default; nothing in it can be judged.
",
    tck: &["TRANSPORT-002"],
    examples: &[Example::new(
        Surface::V1,
        Opening::None,
        "{\0\"\0j\0s\0o\0n\0r\0p\0c\0\"\0:\0\"\02\0.\00\0\"\0,\0\"\0m\0e\0t\0h\0o\0d\0\"\0:\0\"\0_\0g\0r\0e\0e\0t\0\"\0}\0",
        r#"{"jsonrpc":"2.0","method":"_gr\u00fcß"}"#,
    )],
    on: &[On::Flaw(check), On::End(raw::upheld)],
};

fn check(flaw: &Flaw, connection: &Connection) -> Option<Verdict> {
    let finding = match flaw.kind {
        FlawKind::InvalidUtf8 => Finding::new("a line is not UTF-8")
            .at(flaw.span, "the first bytes that are not UTF-8")
            .help("nothing in the line can be read")
            // The lines of one binary dump are one fault.
            .once_per(connection.number()),
        FlawKind::Utf16 => Finding::new("the file is UTF-16, so no message in it can be read")
            .at(flaw.span, "every character takes two bytes")
            .help("write the recording as UTF-8; PowerShell needs `-Encoding utf8` for that"),
        _ => return None,
    };
    Some(finding.blaming(flaw.sender).into())
}
