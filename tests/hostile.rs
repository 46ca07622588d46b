//! What nobody should write into a transcript: it gets a diagnostic or a clean verdict, never a
//! panic, and every place that is pointed at lies in the file.
#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::disallowed_methods, reason = "a test may read files")]

use std::{fs, path::Path, sync::LazyLock};

use acpcheck::{
    check::{self, Head, Settings, Severities, Tail},
    diagnostic::Diagnostic,
    protocol::{Edition, Surface},
    rule::Severity,
    rules::CATALOGUE,
};
use proptest::prelude::*;

/// Judges the bytes and looks at every place that is pointed at.
fn judge(bytes: &[u8], settings: &Settings) -> Vec<Diagnostic> {
    let (diagnostics, outcome) = check::check(bytes, settings);
    let starts: Vec<usize> = std::iter::once(0)
        .chain(bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1))
        .collect();
    for found in &diagnostics {
        let id = found.rule.id;
        assert!(!found.finding.labels.is_empty(), "{id} points nowhere");
        assert_ne!(found.severity, Severity::Off, "{id}");
        for label in &found.finding.labels {
            let span = label.span;
            let (start, end) =
                (usize::try_from(span.start).unwrap(), usize::try_from(span.end()).unwrap());
            assert!(end <= bytes.len(), "{id}: {span:?} lies behind the end at {}", bytes.len());
            let line = starts.partition_point(|line| *line <= start);
            assert_eq!(span.line as usize, line, "{id}: line of {span:?}");
            assert_eq!(span.line_start(), starts[line - 1] as u64, "{id}: column of {span:?}");
            // Bytes that are not UTF-8 have no characters.
            if id != "transport/invalid-utf8" {
                for place in [start, end] {
                    assert!(is_boundary(bytes, place), "{id}: {span:?} cuts a character");
                }
            }
        }
    }
    let repeats = outcome.repeats.iter().map(|(number, _)| *number);
    assert!(repeats.max().is_none_or(|last| last < diagnostics.len() as u64));
    diagnostics
}

/// Whether the place is not in the middle of a character.
fn is_boundary(bytes: &[u8], place: usize) -> bool {
    let is_inside = |byte: &u8| byte & 0b1100_0000 == 0b1000_0000;
    bytes.get(place).is_none_or(|byte| !is_inside(byte))
}

/// All rules, those that are off too.
fn everything() -> Severities {
    let mut severities = Severities::default();
    for (index, rule) in CATALOGUE.iter().enumerate() {
        if rule.severity.v1 == Severity::Off || rule.severity.v2 == Severity::Off {
            severities.set(index, Severity::Info);
        }
    }
    severities
}

fn settings() -> impl Strategy<Value = Settings> {
    let surfaces = prop::option::of(prop::sample::select(Surface::ALL.to_vec()));
    let editions = prop::option::of(prop::sample::select(Edition::ALL.to_vec()));
    let heads = prop::sample::select(vec![Head::Auto, Head::Complete, Head::Truncated]);
    let tails = prop::sample::select(vec![Tail::Auto, Tail::Open, Tail::Closed]);
    (surfaces, editions, heads, tails).prop_map(|(surface, edition, head, tail)| Settings {
        format: None,
        surface,
        edition,
        head,
        tail,
        severities: everything(),
    })
}

/// The rules of framing and envelopes that speak of the bytes.
fn rules(bytes: &[u8]) -> Vec<&'static str> {
    let settings = Settings { tail: Tail::Closed, severities: everything(), ..Settings::default() };
    let found = judge(bytes, &settings);
    let ids = found.iter().map(|found| found.rule.id);
    let mut rules: Vec<_> =
        ids.filter(|id| id.starts_with("transport/") || id.starts_with("jsonrpc/")).collect();
    rules.dedup();
    rules
}

const OPENING: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"c","version":"1"}}}
{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"authMethods":[],"agentInfo":{"name":"a","version":"1"}}}
{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}
{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}
"#;

/// The rules that speak of a line behind the beginning of a connection.
fn rules_about(line: &str) -> Vec<&'static str> {
    rules(format!("{OPENING}{line}\n").as_bytes())
}

/// A session update whose update object has these members besides.
fn update(kind: &str, members: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{{"sessionUpdate":"{kind}",{members}}}}}}}"#
    )
}

#[test]
fn files_without_a_message() {
    for (bytes, expected) in [
        (&b""[..], &[][..]),
        (b"\n\n\r\n\n", &[]),
        (b"   \t ", &[]),
        (b"\xef\xbb\xbf", &["transport/bom"]),
        (b"\xef\xbb\xbf\n\xef\xbb\xbf\n", &["transport/bom"]),
        (b"\xff\xfe", &["transport/invalid-utf8"]),
        (b"\xff", &["transport/invalid-utf8"]),
        (b"\xe6\x9d", &["transport/invalid-utf8"]),
        (b"{", &["transport/truncated-tail"]),
        (b"{\n", &["transport/not-json"]),
        (b"\0", &["transport/not-json"]),
        (b"\0\0\0\0\0\0\n", &["transport/not-json"]),
        (b"null", &["transport/not-object"]),
        (b"[]", &["jsonrpc/batch"]),
        (b"{}", &["jsonrpc/ambiguous-shape"]),
    ] {
        assert_eq!(rules(bytes), expected, "{bytes:?}");
    }
}

#[test]
fn nesting_ten_thousand_deep() {
    const DEEP: usize = 10_000;
    let arrays = "[".repeat(DEEP) + &"]".repeat(DEEP);
    let objects = "{\"a\":".repeat(DEEP) + "1" + &"}".repeat(DEEP);
    assert_eq!(rules_about(&arrays), ["jsonrpc/batch"]);
    assert_eq!(rules_about(&objects), ["jsonrpc/ambiguous-shape"]);
    assert_eq!(rules_about(&"[".repeat(DEEP)), ["transport/not-json"]);
    for deep in [&arrays, &objects] {
        // Wherever the protocol takes anything, or something else than it gets.
        let texts = [
            update("tool_call", &format!(r#""toolCallId":"c","title":"t","rawInput":{deep}"#)),
            update("tool_call", &format!(r#""toolCallId":"c","title":"t","content":{deep}"#)),
            update("plan", &format!(r#""entries":{deep}"#)),
            update("plan", &format!(r#""entries":[],"_meta":{{"x":{deep}}}"#)),
            update("agent_message_chunk", &format!(r#""content":{deep}"#)),
            update("available_commands_update", &format!(r#""availableCommands":[{deep}]"#)),
            format!(r#"{{"jsonrpc":"2.0","id":7,"method":"_x","params":{deep}}}"#),
            format!(r#"{{"jsonrpc":"2.0","id":{deep},"method":"session/list"}}"#),
            format!(r#"{{"jsonrpc":"2.0","id":7,"method":{deep}}}"#),
            format!(r#"{{"jsonrpc":{deep},"id":7,"method":"_x"}}"#),
            format!(r#"{{"jsonrpc":"2.0","id":1,"result":{deep}}}"#),
            format!(r#"{{"jsonrpc":"2.0","id":1,"error":{deep}}}"#),
            format!(
                r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":1,"message":"m","data":{deep}}}}}"#
            ),
            format!(
                r#"{{"jsonrpc":"2.0","id":7,"method":"initialize","params":{{"protocolVersion":1,"clientCapabilities":{deep}}}}}"#
            ),
            format!(
                r#"{{"jsonrpc":"2.0","id":7,"method":"initialize","params":{{"protocolVersion":1,"clientCapabilities":{{"_meta":{deep}}}}}}}"#
            ),
            format!(
                r#"{{"jsonrpc":"2.0","id":7,"method":"elicitation/create","params":{{"sessionId":"s","mode":"form","message":"m","requestedSchema":{deep}}}}}"#
            ),
            format!(r#"{{"dir":"in","msg":{deep}}}"#),
        ];
        for text in texts {
            for surface in [Surface::V1Unstable, Surface::V2Unstable] {
                let settings = Settings {
                    surface: Some(surface),
                    severities: everything(),
                    ..Settings::default()
                };
                judge(format!("{OPENING}{text}\n").as_bytes(), &settings);
                judge(format!("{text}\n").as_bytes(), &settings);
            }
        }
    }
}

#[test]
fn a_line_of_five_megabytes() {
    let long = "ü".repeat(5_000_000 / 2);
    let chunk =
        update("agent_message_chunk", &format!(r#""content":{{"type":"text","text":"{long}"}}"#));
    assert_eq!(rules_about(&chunk), [""; 0]);
    assert_eq!(rules_about(&long), ["transport/not-json"]);
    assert_eq!(rules_about(&chunk[..chunk.len() - 4]), ["transport/not-json"]);
    assert_eq!(rules_about(&chunk.replace("text", "tex\u{7}t")), ["transport/not-json"]);
    let id = format!(r#"{{"jsonrpc":"2.0","id":"{long}","result":{{}}}}"#);
    assert_eq!(rules_about(&id), ["jsonrpc/unmatched-response"]);
}

#[test]
fn strings_that_are_no_text() {
    let chunk = |text: &str| {
        update("agent_message_chunk", &format!(r#""content":{{"type":"text","text":"{text}"}}"#))
    };
    assert_eq!(rules_about(&chunk(r"\ud83d\ude00 \u0000")), [""; 0]);
    for broken in [r"\ud83d", r"\ude00", r"\ud83dx", r"\ud83d\u0041", r"\ude00\ud83d", r"\ud83d\n"]
    {
        assert_eq!(rules_about(&chunk(broken)), ["transport/not-json"], "{broken}");
    }
    assert_eq!(rules_about(&chunk("\0")), ["transport/not-json"]);
    assert_eq!(rules_about("\0"), ["transport/not-json"]);
    assert_eq!(rules_about(&(chunk("a") + "\0")), ["transport/not-json"]);
    assert_eq!(rules_about("\u{85}"), ["transport/not-json"]);
}

#[test]
fn members_given_twice() {
    for twice in [
        r#"{"jsonrpc":"2.0","jsonrpc":"2.0","method":"_x"}"#,
        r#"{"jsonrpc":"2.0","method":"session/prompt","method":"_x"}"#,
        r#"{"jsonrpc":"2.0","method":"_x","\u006dethod":"_x"}"#,
        r#"{"jsonrpc":"2.0","method":"_x","params":{"":1,"":2}}"#,
    ] {
        assert_eq!(rules_about(twice), ["transport/duplicate-key"], "{twice}");
    }
    let many = format!(
        r#"{{"jsonrpc":"2.0","method":"_x","params":{{{}"a":0}}}}"#,
        r#""a":0,"#.repeat(70_000)
    );
    assert_eq!(rules_about(&many), ["transport/duplicate-key"]);
}

#[test]
fn a_file_cut_anywhere() {
    let text = format!(
        "{OPENING}{}\n",
        update("agent_message_chunk", r#""content":{"type":"text","text":"ü 東 😀 \u00fc"}"#)
    );
    for end in 0..text.len() {
        let found = rules(&text.as_bytes()[..end]);
        let cut = |rule: &&str| {
            matches!(*rule, "transport/truncated-tail" | "jsonrpc/unanswered-request")
        };
        assert!(found.iter().all(cut), "cut at {end}: {found:?}");
        assert_ne!(
            found,
            ["transport/truncated-tail", "jsonrpc/unanswered-request"],
            "cut at {end}"
        );
    }
}

#[test]
fn utf_16_in_the_middle() {
    let wide: Vec<u8> = "{}\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let bytes = [OPENING.as_bytes(), &wide].concat();
    assert_eq!(rules(&bytes), ["transport/not-json"]);
}

/// Conversations: the fixtures of all rules, and their examples.
fn conversations() -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut files: Vec<Vec<u8>> = walkdir::WalkDir::new(root)
        .sort_by_file_name()
        .into_iter()
        .map(|entry| entry.unwrap().into_path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "ndjson"))
        .map(|path| fs::read(path).unwrap())
        .filter(|bytes| bytes.len() < 20_000)
        .collect();
    for example in CATALOGUE.iter().flat_map(|rule| rule.examples) {
        let before = acpcheck::rule::opening::opening(example.surface, example.opening);
        files.push(format!("{before}{}\n", example.bad).into_bytes());
    }
    files
}

#[test]
fn conversations_as_they_are() {
    for bytes in conversations() {
        for tail in [Tail::Open, Tail::Closed] {
            judge(&bytes, &Settings { tail, severities: everything(), ..Settings::default() });
        }
        let text = String::from_utf8_lossy(&bytes);
        judge(text.replace('\n', "\r\n\r\n").as_bytes(), &Settings::default());
        // Each line as a string in an envelope.
        let escaped: String = text
            .lines()
            .map(|line| {
                format!("{{\"dir\":\"?\",\"raw\":{}}}\n", serde_json::to_string(line).unwrap())
            })
            .collect();
        judge(escaped.as_bytes(), &Settings::default());
        // One array, printed on many lines.
        let values: Result<Vec<serde_json::Value>, _> =
            text.lines().map(serde_json::from_str).collect();
        if let Ok(values) = values {
            judge(serde_json::to_string_pretty(&values).unwrap().as_bytes(), &Settings::default());
        }
    }
}

/// A change to a file, at places given as fractions of its length.
#[derive(Clone, Debug)]
enum Mutation {
    Set(u16, u8),
    Insert(u16, Vec<u8>),
    Remove(u16, usize),
    /// Takes a line from the first place to the second, or leaves a copy there.
    Move(u16, u16),
    Copy(u16, u16),
    Drop(u16),
    Cut(u16),
    /// Exchanges the values of two numbers, strings or names.
    Swap(u16, u16),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let token = prop::sample::select(vec![
        "null",
        "true",
        "-1",
        "1.5",
        "1e999",
        "\"\"",
        "{}",
        "[]",
        ",",
        ":",
        "\"",
        "\\",
        "\n",
        "{",
        "}",
        "[",
        "]",
        "\\ud800",
        "ü",
        "\u{feff}",
        "\"s\"",
        "\"_x\"",
        "0",
        "2",
        "\r",
        "\0",
        "9223372036854775808",
        "{\"a\":1,\"a\":2}",
        "Content-Length: 1\r\n",
    ]);
    prop_oneof![
        (any::<u16>(), any::<u8>()).prop_map(|(at, byte)| Mutation::Set(at, byte)),
        (any::<u16>(), token).prop_map(|(at, token)| Mutation::Insert(at, token.into())),
        (any::<u16>(), 1_usize..9).prop_map(|(at, count)| Mutation::Remove(at, count)),
        (any::<u16>(), any::<u16>()).prop_map(|(from, to)| Mutation::Move(from, to)),
        (any::<u16>(), any::<u16>()).prop_map(|(from, to)| Mutation::Copy(from, to)),
        any::<u16>().prop_map(Mutation::Drop),
        any::<u16>().prop_map(Mutation::Cut),
        (any::<u16>(), any::<u16>()).prop_map(|(one, other)| Mutation::Swap(one, other)),
    ]
}

/// The place at this fraction of a length.
fn place(fraction: u16, len: usize) -> usize {
    usize::from(fraction) * len / (usize::from(u16::MAX) + 1)
}

impl Mutation {
    fn apply(&self, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        let len = bytes.len();
        match self {
            Self::Set(at, byte) => bytes[place(*at, len)] = *byte,
            Self::Insert(at, token) => {
                let at = place(*at, len);
                bytes.splice(at..at, token.iter().copied());
            }
            Self::Remove(at, count) => {
                let at = place(*at, len);
                bytes.drain(at..(at + count).min(len));
            }
            Self::Cut(at) => bytes.truncate(place(*at, len)),
            Self::Move(from, to) | Self::Copy(from, to) => {
                let mut lines: Vec<Vec<u8>> =
                    bytes.split(|byte| *byte == b'\n').map(Vec::from).collect();
                let from = place(*from, lines.len());
                let line = match self {
                    Self::Move(..) => lines.remove(from),
                    _ => lines[from].clone(),
                };
                lines.insert(place(*to, lines.len() + 1), line);
                *bytes = lines.join(&b'\n');
            }
            Self::Drop(at) => {
                let mut lines: Vec<_> = bytes.split(|byte| *byte == b'\n').collect();
                lines.remove(place(*at, lines.len()));
                *bytes = lines.join(&b'\n');
            }
            Self::Swap(one, other) => {
                let is_mark = |byte: &u8| b"{}[]:,\n".contains(byte);
                let mut tokens: Vec<&[u8]> = bytes.split_inclusive(is_mark).collect();
                let (one, other) = (place(*one, tokens.len()), place(*other, tokens.len()));
                // Only tokens that end alike, so that most texts stay JSON.
                if tokens[one].last() == tokens[other].last() {
                    tokens.swap(one, other);
                    *bytes = tokens.concat();
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400), settings in settings()) {
        judge(&bytes, &settings);
    }

    #[test]
    fn any_bytes_of_json(
        bytes in prop::collection::vec(prop::sample::select(b"{}[]:,\"\\\n\r u019e.-nultrefasid".to_vec()), 0..200),
        settings in settings(),
    ) {
        judge(&bytes, &settings);
    }

    #[test]
    fn conversations_with_changes(
        file in any::<prop::sample::Index>(),
        mutations in prop::collection::vec(mutation(), 1..6),
        settings in settings(),
    ) {
        static FILES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(conversations);
        let mut bytes = file.get(&FILES).clone();
        for mutation in &mutations {
            mutation.apply(&mut bytes);
        }
        judge(&bytes, &settings);
    }
}
