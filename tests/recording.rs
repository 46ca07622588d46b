//! The lines of a recording: both byte streams can be made again, whatever was sent and however it was
//! cut into chunks, and what is found in them is what is found in the lines as they were sent.

use std::{fs, path::Path, time::Duration};

use acpcheck::{
    check::{self, Outcome, Settings},
    diagnostic::Diagnostic,
    protocol::Side,
    record::{self, Driven, End, Recording},
    rule::Severity,
};
use base64::{Engine, engine::general_purpose::STANDARD};
use proptest::prelude::*;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::effort;

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{},"clientInfo":{"name":"editor","version":"1.0.0"}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{},"authMethods":[],"agentInfo":{"name":"kettle","version":"1.0.0"}}}"#;

/// A line of a recording, read as its description says.
#[derive(serde::Deserialize)]
struct Line<'l> {
    dir: Option<&'l str>,
    msg: Option<IgnoredAny>,
    text: Option<String>,
    base64: Option<String>,
    eol: Option<String>,
    gap: Option<Value>,
    event: Option<String>,
}

/// What a side has sent, made again from a recording.
fn stream(file: &str, direction: &str) -> Vec<u8> {
    let mut stream = Vec::new();
    for line in file.lines().skip(1) {
        let read: Line<'_> =
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        if read.dir != Some(direction) || read.event.is_some() {
            continue;
        }
        let bodies =
            [read.msg.is_some(), read.text.is_some(), read.base64.is_some(), read.gap.is_some()];
        assert_eq!(bodies.iter().filter(|is_there| **is_there).count(), 1, "{line}");
        if read.msg.is_some() {
            let start = line.find("\"msg\":").unwrap() + "\"msg\":".len();
            stream.extend_from_slice(&line.as_bytes()[start..line.len() - 1]);
        }
        stream.extend_from_slice(read.text.unwrap_or_default().as_bytes());
        stream.extend(STANDARD.decode(read.base64.unwrap_or_default()).unwrap());
        if read.gap.is_none() {
            stream.extend_from_slice(read.eol.as_deref().unwrap_or("\n").as_bytes());
        }
    }
    stream
}

/// Records chunks, each with its sender, and the ends of both directions.
fn recorded(mut recording: Recording, chunks: &[(Side, &[u8])]) -> String {
    let mut out = Vec::new();
    Recording::start("2026-11-27T10:31:04.123Z", "kettle", 0, None, &mut out).unwrap();
    for (at, (side, chunk)) in chunks.iter().enumerate() {
        recording.take(*side, chunk, Duration::from_millis(at as u64), &mut out).unwrap();
    }
    for (side, end) in [(Side::Client, End::ReaderGone), (Side::Agent, End::Eof)] {
        assert!(!recording.is_whole());
        recording.end(side, end, Duration::from_secs(9), &mut out).unwrap();
        recording.end(side, end, Duration::from_secs(9), &mut out).unwrap();
        recording.take(side, b"late\n", Duration::from_secs(9), &mut out).unwrap();
    }
    assert!(recording.is_whole());
    String::from_utf8(out).unwrap()
}

/// Long lines of all forms, and short ones between them.
fn long_lines() -> Vec<u8> {
    let long = "hay ".repeat(1_500);
    let lines = [
        format!("{{\"a\":\"{long}\"}}\n"),
        format!("{{\"a\":\"{long}\"}}\r\n"),
        format!("{{\"a\":\"{long}\", no JSON}}\n"),
        format!("{{\"a\":\"\\ud800{long}\"}}\r\n"),
        format!("[\"{long}\"]\n{long}\n  {{}}  \n"),
        "{\"a\":1}\nshort\n\n".to_owned(),
        format!("{{\"cut\":\"{long}"),
    ];
    let bad = [b"{\"a\":\"\xff", long.as_bytes(), b"\"}\n"].concat();
    [bad, lines.concat().into_bytes()].concat()
}

#[test]
fn lines_that_are_taken_ahead_become_the_same() {
    let bytes = long_lines();
    let at = Duration::from_millis(7);
    for size in [1, 13, 1_000, 5_000, 7_000, 100_000] {
        let (mut plain, mut ahead) = (Recording::default(), Recording::default());
        let (mut expected, mut out) = (Vec::new(), Vec::new());
        let mut left_open = 0;
        for chunk in bytes.chunks(size) {
            plain.take(Side::Agent, chunk, at, &mut expected).unwrap();
            let mut rest = chunk;
            while !rest.is_empty() {
                let whole = out.len();
                let taken = ahead.take_ahead(Side::Agent, rest, at, &mut out).unwrap();
                if let Some((sender, length)) = ahead.open_line() {
                    left_open += 1;
                    assert_eq!(sender, Side::Agent);
                    // All bytes of the line are there.
                    assert!(length > 6_000 && (out.len() - whole) as u64 > length);
                    assert!(out.ends_with(b"}"));
                }
                let undo = |out: &mut Vec<u8>| {
                    out.truncate(whole);
                    Ok(())
                };
                ahead.settle(&mut out, undo).unwrap();
                rest = &rest[taken..];
            }
        }
        assert_eq!(left_open, 4, "{size}");
        plain.end(Side::Agent, End::Eof, at, &mut expected).unwrap();
        ahead.end(Side::Agent, End::Eof, at, &mut out).unwrap();
        assert!(out == expected, "{size}");
    }
}

/// A message that was passed on before the recorder was ended is in the recording.
#[test]
fn a_last_line_without_its_brace_is_read() {
    let prompt = format!(
        r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"text":"{}"}}}}"#,
        "hay ".repeat(400)
    );
    let mut out = Vec::new();
    Recording::start("2026-11-27T10:31:04.123Z", "kettle", 0, None, &mut out).unwrap();
    let line = format!("{prompt}\n");
    let mut recording = Recording::default();
    recording.take_ahead(Side::Client, line.as_bytes(), Duration::ZERO, &mut out).unwrap();
    assert!(recording.open_line().is_some());
    let (found, outcome) = effort::check(&out, &Settings::default());
    assert_eq!(outcome.messages, 1);
    assert!(found.iter().all(|it| !it.rule.id.starts_with("transport/")), "{found:?}");
    // A line that is cut within its message is none.
    let (_, outcome) = effort::check(&out[..out.len() - 1], &Settings::default());
    assert_eq!(outcome.messages, 0);
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..12),
        prop::sample::select(vec![
            &b"\n"[..],
            b"\r\n",
            b"\r",
            b"{}",
            b"{\"a\":1}\n",
            b" [1e999, \"\\ud800\"] \r\n",
            b"{\"a\":1,\"a\":2}\n",
            b"text\n",
            b"\xef\xbb\xbf{}\n",
            b"\0\n",
            b"\xff\n",
            "\u{2028}\"\\\n".as_bytes(),
            b"[[[[[[",
            b"]]]]]]\n",
            b"-0",
            b"1.",
            b"tru",
            b"\"\t\"\n",
            b"\"\\u12\"\n",
            b"\"\x7f\"\n",
            b"Content-Length: 2\r\n",
        ])
        .prop_map(<[u8]>::to_vec),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: effort::cases(800), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_streams_can_be_made_again(
        client in bytes(),
        agent in bytes(),
        cuts in prop::collection::vec((any::<bool>(), 0_usize..40), 1..40),
    ) {
        let (mut rest, mut chunks) = ([&client[..], &agent[..]], Vec::new());
        for (is_agent, length) in cuts.iter().cycle().take(2_000) {
            let rest = &mut rest[usize::from(*is_agent)];
            let (chunk, behind) = rest.split_at((*length).min(rest.len()));
            chunks.push((if *is_agent { Side::Agent } else { Side::Client }, chunk));
            *rest = behind;
        }
        chunks.extend([(Side::Client, rest[0]), (Side::Agent, rest[1])]);
        let file = recorded(Recording::default(), &chunks);
        prop_assert_eq!(stream(&file, "c2a"), client);
        prop_assert_eq!(stream(&file, "a2c"), agent);
        // The reader reads each line, too: each counts as a record.
        let (_, outcome) = effort::check(file.as_bytes(), &Settings::default());
        prop_assert!(!outcome.notes.iter().any(|note| note.contains("not message")), "{:?}", outcome.notes);
    }

    /// An agent's lines are judged like those of a file that holds what both have sent.
    #[test]
    fn findings_are_those_of_the_lines_as_they_were_sent(agent in bytes()) {
        let agent = [agent, b"\n".to_vec()].concat();
        let opening = format!("{INITIALIZE}\n{INITIALIZED}\n");
        let plain = [opening.as_bytes(), &agent].concat();
        let file = recorded(Recording::default(), &[
            (Side::Client, format!("{INITIALIZE}\n").as_bytes()),
            (Side::Agent, format!("{INITIALIZED}\n").as_bytes()),
            (Side::Agent, &agent),
        ]);
        let settings = Settings { tail: check::Tail::Open, ..Settings::default() };
        prop_assert_eq!(found(&plain, &settings), found(file.as_bytes(), &settings));
    }
}

/// The rules of the findings of framing, in their order.
fn found(file: &[u8], settings: &Settings) -> Vec<&'static str> {
    let (diagnostics, _) = effort::check(file, settings);
    let own = diagnostics.iter().filter(|it| it.rule.family() == "transport");
    own.map(|found| found.rule.id).collect()
}

fn judged(chunks: &[(Side, &str)]) -> (String, Vec<Diagnostic>, Outcome) {
    let chunks: Vec<_> = chunks.iter().map(|(side, text)| (*side, text.as_bytes())).collect();
    let file = recorded(Recording::default(), &chunks);
    let (diagnostics, outcome) = effort::check(file.as_bytes(), &Settings::default());
    (file, diagnostics, outcome)
}

/// Rule, side at fault, line, and what the first label shows.
fn shown(file: &str, diagnostics: &[Diagnostic]) -> Vec<String> {
    let show = |found: &Diagnostic| {
        let span = found.finding.labels[0].span;
        let (from, to) =
            (usize::try_from(span.start).unwrap(), usize::try_from(span.end()).unwrap());
        let side = found.bound.map_or("-".to_owned(), |side| side.to_string());
        format!("{} {side} {} {}", found.rule.id, span.line, &file[from..to])
    };
    diagnostics.iter().map(show).collect()
}

#[test]
fn spans_point_into_messages_and_texts() {
    let opening =
        [(Side::Client, format!("{INITIALIZE}\n")), (Side::Agent, format!("{INITIALIZED}\n"))];
    let opening = opening.iter().map(|(side, text)| (*side, &**text));
    let rest = [
        (Side::Agent, "Loading \"model\"…\n"),
        (Side::Agent, "{\"jsonrpc\":\"2.0\",\"method\":\"_a\",\"method\":\"_a\",\"params\":{}}\n"),
        (Side::Client, "{\"jsonrpc\":\"2.0\",\n \"method\":\"_b\",\"x\":\"é\"}\n"),
        (Side::Agent, "\u{feff}{\"jsonrpc\":\"2.0\",\"method\":\"_c\",\"params\":{\"a\":}}\n"),
        (Side::Client, "{\"jsonrpc\":"),
    ];
    let chunks: Vec<_> = opening.chain(rest).collect();
    let (file, diagnostics, outcome) = judged(&chunks);
    let transport: Vec<_> = diagnostics
        .into_iter()
        .filter(|found| ["transport", "jsonrpc"].contains(&found.rule.family()))
        .collect();
    assert_eq!(
        shown(&file, &transport),
        [
            "transport/not-json agent 4 Loading \\\"model\\\"…",
            "transport/duplicate-key agent 5 \"method\"",
            "transport/embedded-newline client 6 \"{\\\"jsonrpc\\\":\\\"2.0\\\",\"",
            "jsonrpc/unexpected-envelope-member client 7 \\\"x\\\"",
            "transport/bom agent 8 \u{feff}",
            "transport/not-json agent 8 }",
            "transport/truncated-tail - 9 \"{\\\"jsonrpc\\\":\"",
        ]
    );
    assert_eq!(outcome.senders[2], 0);
}

#[test]
fn the_end_of_both_directions_is_the_end_of_the_connection() {
    let ask = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"_x/ask\",\"params\":{}}\n";
    let opening = format!("{INITIALIZE}\n");
    let answer = format!("{INITIALIZED}\n");
    let chunks = [(Side::Client, &*opening), (Side::Agent, &answer), (Side::Client, ask)];
    let (file, diagnostics, _) = judged(&chunks);
    let is_unanswered =
        |found: &[Diagnostic]| found.iter().any(|it| it.rule.id == "jsonrpc/unanswered-request");
    assert!(is_unanswered(&diagnostics));
    // Without the ends, the answer may still come, as it may where something is missing.
    let lines: Vec<&str> = file.lines().collect();
    let open = lines[..lines.len() - 1].join("\n") + "\n";
    assert!(!is_unanswered(&effort::check(open.as_bytes(), &Settings::default()).0));
    let late = r#"{"t":1.0,"dir":"a2c","gap":{"bytes":90,"why":"full"}}"#;
    let gap = [&lines[..lines.len() - 2], &[late], &lines[lines.len() - 2..]].concat().join("\n");
    let (found, outcome) = effort::check(gap.as_bytes(), &Settings::default());
    let severities: Vec<_> = found
        .iter()
        .filter(|it| it.rule.id == "jsonrpc/unanswered-request")
        .map(|it| it.severity)
        .collect();
    assert_eq!(severities, [Severity::Info]);
    assert!(outcome.notes.iter().any(|note| note.contains("gap")), "{:?}", outcome.notes);
}

/// An agent at work is not blamed when the client leaves.
#[test]
fn who_leaves_first_does_not_wait() {
    let ask = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"authenticate\",\"params\":{\"methodId\":\"m\"}}\n";
    let opening = format!("{INITIALIZE}\n");
    let answer = format!("{INITIALIZED}\n");
    let chunks = [(Side::Client, &*opening), (Side::Agent, &answer), (Side::Client, ask)];
    let file = judged(&chunks).0.replace("reader-gone", "eof");
    let mut lines: Vec<&str> = file.lines().collect();
    let severity = |lines: &[&str]| {
        let (found, _) = effort::check(lines.join("\n").as_bytes(), &Settings::default());
        let mut own = found.iter().filter(|it| it.rule.id == "jsonrpc/unanswered-request");
        own.next().map(|it| it.severity)
    };
    let ends = lines.len() - 2;
    assert!(lines[ends].contains("c2a"), "the client ends first");
    assert_eq!(severity(&lines), Some(Severity::Info));
    lines.swap(ends, ends + 1);
    assert_eq!(severity(&lines), Some(Severity::Warning));
}

/// The head is complete: who uses a connection without `initialize` has never sent one.
#[test]
fn the_beginning_is_on_record() {
    let late = "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"session/prompt\",\"params\":{\"sessionId\":\"s\",\"prompt\":[]}}\n";
    let (_, diagnostics, _) = judged(&[(Side::Client, late)]);
    assert!(diagnostics.iter().any(|found| found.rule.id == "lifecycle/initialize-first"));
}

#[test]
fn a_recording_without_messages_says_why() {
    let refusal = |chunks: &[(Side, &str)]| judged(chunks).2.refusal.unwrap_or_default();
    assert!(refusal(&[]).contains("the agent never spoke"));
    assert!(refusal(&[(Side::Agent, "panic!\n")]).contains("is not JSON-RPC"));
    let mut out = Vec::new();
    Recording::start("2026-11-27T10:31:04.123Z", "kettle", 2, None, &mut out).unwrap();
    record::not_started(127, Duration::ZERO, &mut out).unwrap();
    let (_, outcome) = effort::check(&out, &Settings::default());
    assert!(outcome.refusal.unwrap().contains("could not be started"));
}

#[test]
fn a_line_that_is_too_long_leaves_a_gap() {
    let chunks: [(Side, &[u8]); 5] = [
        (Side::Agent, b"1234567890\n12345"),
        (Side::Agent, b"67890"),
        (Side::Agent, b"1\n12345678901\nshort\n123456"),
        (Side::Agent, b"789"),
        (Side::Agent, b"012"),
    ];
    let file = recorded(Recording::with_longest_line(10), &chunks);
    let gaps: Vec<u64> = file
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).unwrap()["gap"]["bytes"].as_u64())
        .collect();
    assert_eq!(gaps, [12, 12, 12]);
    assert_eq!(stream(&file, "a2c"), b"1234567890\nshort\n");
}

#[test]
fn lines_are_as_their_schema_describes_them() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema/record.schema.json");
    let schema: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let bytes: &[u8] = b"{}\n{}\r\ntext\n\xff\r\n\ncut";
    let mut file = recorded(
        Recording::with_longest_line(7),
        &[(Side::Client, bytes), (Side::Agent, b"[1,2,3,4,5]\n")],
    );
    let mut more = Vec::new();
    record::not_started(126, Duration::from_millis(5), &mut more).unwrap();
    record::scenario("turn", "done", "end_turn", Duration::ZERO, &mut more).unwrap();
    record::scenario("turn", "ended", "", Duration::ZERO, &mut more).unwrap();
    let driven = Driven {
        run: "00000000000000aa",
        scenario: "turn",
        process: 2,
        plays: Side::Client,
        left_out: &[],
        ends_anywhere: true,
    };
    let at = "2026-11-27T10:31:04.123Z";
    Recording::start(at, "kettle", 2, Some(&driven), &mut more).unwrap();
    file += &String::from_utf8(more).unwrap();
    for line in file.lines() {
        let value: Value = serde_json::from_str(line).unwrap();
        assert!(schema.is_valid(&value), "{line}");
        assert!(!schema.is_valid(&Value::Array(vec![value])));
    }
    for wrong in [
        r#"{"t":1,"dir":"a2c","msg":1,"text":"1"}"#,
        r#"{"t":1,"dir":"in","msg":1}"#,
        r#"{"t":1,"dir":"a2c"}"#,
        r#"{"type":"start","format":"acpcheck-record","version":2,"at":"2026-11-27T10:31:04Z"}"#,
    ] {
        assert!(!schema.is_valid(&serde_json::from_str(wrong).unwrap()), "{wrong}");
    }
}

#[test]
fn who_asks_and_leaves_is_owed_no_answer() {
    let line =
        |direction: &str, rest: &str| format!(r#"{{"t":0.1,"dir":"{direction}",{rest}}}"#) + "\n";
    let found = |end: &str| {
        let opening = crate::support::OPENING.lines().zip(["c2a", "a2c", "c2a", "a2c"]);
        let mut file =
            r#"{"type":"start","format":"acpcheck-record","version":1}"#.to_owned() + "\n";
        file.extend(
            opening.map(|(message, direction)| line(direction, &format!(r#""msg":{message}"#))),
        );
        let ask = r#""msg":{"jsonrpc":"2.0","id":7,"method":"_acme/alive","params":{}}"#;
        let end = format!(r#""event":"{end}""#);
        file += &[line("a2c", ask), line("c2a", &end), line("a2c", r#""event":"eof""#)].concat();
        let (found, _) = effort::check(file.as_bytes(), &Settings::default());
        let own = found.iter().filter(|it| it.rule.id == "jsonrpc/unanswered-request");
        own.map(|it| it.severity).collect::<Vec<_>>()
    };
    assert_eq!(found("eof"), [Severity::Warning]);
    assert_eq!(found("reader-gone"), [Severity::Info]);
}

/// The messages of a connection with one session and one prompt, whose turn holds `update`.
fn turn_with(cwd: &str, update: &str) -> Vec<(Side, String)> {
    let line = |side, text: String| (side, text + "\n");
    vec![
        line(Side::Client, INITIALIZE.to_owned()),
        line(Side::Agent, INITIALIZED.replace("{}", r#"{"sessionCapabilities":{"list":{}}}"#)),
        line(Side::Client, r#"{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}"#.into()),
        line(
            Side::Agent,
            format!(
                r#"{{"jsonrpc":"2.0","id":1,"result":{{"sessions":[{{"sessionId":"s","cwd":"{cwd}"}}]}}}}"#
            ),
        ),
        line(
            Side::Client,
            r#"{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}"#
                .into(),
        ),
        line(Side::Agent, r#"{"jsonrpc":"2.0","id":2,"result":{"sessionId":"t"}}"#.into()),
        line(
            Side::Client,
            r#"{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"t","prompt":[{"type":"text","text":"Draw"}]}}"#
                .into(),
        ),
        line(
            Side::Agent,
            format!(
                r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"t","update":{{"sessionUpdate":"agent_message_chunk","content":{update}}}}}}}"#
            ),
        ),
        line(Side::Agent, r#"{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn"}}"#.into()),
    ]
}

#[test]
fn no_mask_is_believed_where_all_values_are_kept() {
    let rules = |found: &[Diagnostic]| {
        found
            .iter()
            .filter(|it| it.bound == Some(Side::Agent) && it.severity == Severity::Error)
            .map(|it| it.rule.id)
            .collect::<Vec<_>>()
    };
    for (cwd, data) in [
        ("[REDACTED]", "***"),
        ("<path>", "<base64>"),
        ("***", "[image omitted]"),
        ("…/foo", "iVBOR..."),
        ("$HOME/x", "[REDACTED]"),
    ] {
        let image = format!(r#"{{"type":"image","mimeType":"image/png","data":"{data}"}}"#);
        let said = turn_with(cwd, &image);
        let chunks: Vec<_> = said.iter().map(|(side, text)| (*side, &**text)).collect();
        let (_, found, outcome) = judged(&chunks);
        assert_eq!(rules(&found), ["session/relative-path", "content/invalid-base64"], "{cwd}");
        assert_eq!(outcome.unjudged.messages, 0);
        // Another program that logs the messages may have written the masks.
        let bare: String = said.iter().map(|(_, text)| &**text).collect();
        let (found, outcome) = effort::check(bare.as_bytes(), &Settings::default());
        assert_eq!(rules(&found), [""; 0], "{cwd}");
        assert_eq!(outcome.unjudged.messages, 2, "{cwd}");
    }
}

#[test]
fn an_answer_that_cannot_be_read_is_an_answer() {
    let ask = |id: u32| {
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"_x/ask\",\"params\":{{}}}}\n")
    };
    let (opening, first, second) = (format!("{INITIALIZE}\n"), ask(1), ask(2));
    let initialized = format!("{INITIALIZED}\n");
    let open = |answer: &str| {
        let chunks = [
            (Side::Client, &*opening),
            (Side::Agent, &*initialized),
            (Side::Client, &*first),
            (Side::Client, &*second),
            (Side::Agent, answer),
        ];
        let (_, found, _) = judged(&chunks);
        let own = found.iter().filter(|it| it.rule.id == "jsonrpc/unanswered-request");
        own.map(|it| it.finding.labels[0].message.to_string()).collect::<Vec<_>>()
    };
    let first = "the request with id `1`";
    for two in [
        r#"{"jsonrpc":"2.0","id":2,"result":{}} {"jsonrpc":"2.0","method":"_x/note"}"#,
        r#"{"jsonrpc":"2.0","id":2,"result":{"text":"\ud800"}}"#,
        r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"no}}"#,
    ] {
        assert_eq!(open(&format!("{two}\n")), [first], "{two}");
    }
    // Whose answer it is, the text does not say.
    let unnamed = r#"{"jsonrpc":"2.0","result":{},,}"#;
    assert_eq!(open(&format!("{unnamed}\n")), ["the request with id `2`"]);
    assert_eq!(open("starting with \"id\":2, \"result\"\n").len(), 2);
}
