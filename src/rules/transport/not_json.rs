use crate::{event::FlawKind, rule::prelude::*, rules::transport::raw};

pub(crate) static RULE: Rule = Rule {
    id: "transport/not-json",
    summary: "a line on the protocol stream is not JSON",
    level: By::both(Level::Must),
    severity: By::both(Severity::Error),
    binds: Bound::Either,
    surfaces: Surfaces::ALL,
    needs: &[Loss::Lines],
    cites: &[
        Citation {
            version: Some(Version::V1),
            source: SourceText::Page("protocol/v1/transports#stdio"),
            requires: "standard input and output have only protocol messages",
        },
        Citation {
            version: Some(Version::V2),
            source: SourceText::Page("protocol/v2/draft/transports#stdio"),
            requires: "standard input and output have only protocol messages",
        },
    ],
    requirements: &["transport.only-messages"],
    explanation: r"
Usually a banner, a log line or a stack trace was printed to standard output, which is only for the
protocol. Readers cannot know where such text ends: official readers log it and drop the line, and
others end the connection. Write logs to standard error. If the line was a message, it is lost, so
rules about missing messages report less afterwards.
",
    tck: &["TRANSPORT-201", "TRANSPORT-203"],
    examples: &[
        Example::new(
            Surface::V1,
            Opening::Turn,
            r#"[info] warming up
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Done"}}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"[info] warming up"}}}}"#,
        ),
        Example::new(
            Surface::V2,
            Opening::Turn,
            r#"agent 0.9.0 ready
{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"Done"}}}}"#,
            r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":"agent 0.9.0 ready"}}}}"#,
        ),
    ],
    on: &[On::Flaw(check), On::End(raw::met_at_end)],
    ..Rule::DEFAULT
};

fn check(flaw: &Flaw, connection: &Connection) -> Option<Verdict> {
    let FlawKind::NotJson { expected, .. } = &flaw.kind else { return None };
    let help = if looks_like_log(&flaw.excerpt) {
        "this looks like log output: write it to standard error"
    } else if flaw.excerpt.starts_with('{') {
        "readers drop the line; each message is one complete JSON text on one line"
    } else {
        "write only messages to the stream, and everything else to standard error"
    };
    Some(
        Finding::new("a line on the protocol stream is not JSON")
            .at(flaw.span, *expected)
            .help(help)
            .blaming(flaw.sender)
            // The lines of one stack trace are one fault.
            .once_per(connection.number())
            .into(),
    )
}

/// Whether a line begins like one of a log: with a bracket, a level, a time or a colour.
fn looks_like_log(line: &str) -> bool {
    const LEVELS: [&str; 8] =
        ["trace", "debug", "info", "warn", "error", "fatal", "notice", "panic"];
    let end = line.find(|character: char| !character.is_ascii_alphabetic());
    let word = line[..end.unwrap_or(line.len())].to_ascii_lowercase();
    line.starts_with(['[', '\u{1b}', '<'])
        || line.starts_with(|first: char| first.is_ascii_digit())
        || LEVELS.contains(&word.strip_suffix("ing").unwrap_or(&word))
}
