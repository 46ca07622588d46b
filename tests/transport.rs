//! How bytes become messages: blocks, lines, encodings, and what recorders do to a recording.

use acpcheck::{
    check::{Outcome, Settings, Tail},
    diagnostic::Diagnostic,
};
use proptest::prelude::*;

use super::effort;

const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientCapabilities":{}}}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentCapabilities":{"sessionCapabilities":{"list":{}}},"authMethods":[]}}"#;
const NEW: &str =
    r#"{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/work","mcpServers":[]}}"#;
const CREATED: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s"}}"#;
const PROMPT: &str = r#"{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Tidy up"}]}}"#;
const CHUNK: &str = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Done ü"}}}}"#;
const DONE: &str = r#"{"jsonrpc":"2.0","id":2,"result":{"stopReason":"end_turn"}}"#;

const TURN: [&str; 7] = [INITIALIZE, INITIALIZED, NEW, CREATED, PROMPT, CHUNK, DONE];

fn lines(lines: &[&str]) -> Vec<u8> {
    lines.iter().flat_map(|line| [line, "\n"]).collect::<String>().into_bytes()
}

/// Lines with the side that wrote them.
fn labelled(messages: &[(&str, &str)]) -> Vec<u8> {
    let line =
        |(side, message): &(&str, &str)| format!("{{\"dir\":\"{side}\",\"msg\":{message}}}\n");
    messages.iter().map(line).collect::<String>().into_bytes()
}

/// What the rules of framing and envelopes say, and what else is known of the transcript.
fn judged(bytes: &[u8], settings: &Settings) -> (Vec<Diagnostic>, Outcome) {
    let (mut diagnostics, outcome) = effort::check(bytes, settings);
    diagnostics.retain(|found| ["transport", "jsonrpc"].contains(&found.rule.family()));
    (diagnostics, outcome)
}

/// Rule, severity and line of what the rules of framing and envelopes find.
fn found(bytes: &[u8]) -> Vec<String> {
    found_in(bytes, &Settings::default())
}

fn found_in(bytes: &[u8], settings: &Settings) -> Vec<String> {
    let (diagnostics, _) = judged(bytes, settings);
    diagnostics
        .iter()
        .map(|found| {
            let line = found.finding.labels[0].span.line;
            format!("{line} {} {}", found.severity, found.rule.id)
        })
        .collect()
}

fn notes(bytes: &[u8]) -> Vec<String> {
    judged(bytes, &Settings::default()).1.notes
}

/// All that comes of the bytes when they are fed in blocks of these lengths, over and over.
fn in_blocks(mut bytes: &[u8], lengths: &[usize]) -> String {
    let mut check = effort::begin(&Settings { tail: Tail::Closed, ..Settings::default() });
    for length in lengths.iter().cycle() {
        if bytes.is_empty() {
            break;
        }
        let (block, rest) = bytes.split_at((*length).min(bytes.len()));
        check.feed(block);
        bytes = rest;
    }
    let (diagnostics, outcome) = check.finish();
    told(&diagnostics, &outcome)
}

fn told(diagnostics: &[Diagnostic], outcome: &Outcome) -> String {
    let text: String = diagnostics
        .iter()
        .map(|found| format!("{} {:?} {:?}\n", found.rule.id, found.severity, found.finding))
        .collect();
    format!("{text}{outcome:?}")
}

/// Passages of which any sequence is a file.
fn passage() -> impl Strategy<Value = Vec<u8>> {
    let text = |text: &str| text.as_bytes().to_vec();
    prop_oneof![
        4 => prop::sample::select(TURN.to_vec()).prop_map(move |line| lines(&[line])),
        2 => prop::sample::select(vec![
            text("\n"), text("\r\n"), text("  \n"), text("\u{feff}"), text("{\n"), text("}\n"),
            text("[\n"), text("{}\n"), text("\"a\"\n"), text("[]\n"), text("null\n"), text("{"),
            text("{\"jsonrpc\":\"2.0\",\n\"method\":\"_x\"}\n"),
            text("{\"jsonrpc\":\"2.0\",\"method\":\"_x\",\"params\":{\"a\":\"b\nc\"}}\r\n"),
            text("Content-Length: 12\r\n\r\n"), text("{\"method\":\"_x\"}Content-Length: 3\r\n"),
            text("[info] ready\n"), text("\u{1F600}"), vec![0xff], vec![0xff, 0xfe], vec![0xc3],
            vec![0, b'\n'], text("{\"dir\":\"in\",\"raw\":\"{}\"}\n"), text("{\"a\":1,\"a\":2}\n"),
        ]),
        1 => prop::collection::vec(any::<u8>(), 0..12),
    ]
}

fn file() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(passage(), 0..24).prop_map(|passages| passages.concat())
}

/// Pieces of what the agent says, and lines that are nearly such.
fn run() -> impl Strategy<Value = Vec<u8>> {
    let piece = |(text, change): (&str, (&str, &str))| {
        let piece = CHUNK.replacen("\"text\":\"", &format!("\"text\":\"{text}"), 1);
        lines(&[&piece.replacen(change.0, change.1, 1)])
    };
    let texts = vec!["", "a", "b\\n", "\\u00e4", "\\ud800", "\t", "ü", "\",\"x\":\""];
    let changes: &[(&str, &str)] = &[
        ("", ""),
        ("", ""),
        ("agent_", "user_"),
        ("\"2.0\"", "\"1.0\""),
        ("\"text\":\"", "\"text\": \""),
        ("}}", "} }"),
        ("\"s\"", "\"t\""),
    ];
    let piece = (prop::sample::select(texts), prop::sample::select(changes)).prop_map(piece);
    prop::collection::vec(piece, 1..6).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: effort::cases(256), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn blocks_may_be_cut_anywhere_behind_the_sample(
        passages in prop::collection::vec(prop_oneof![passage(), run()], 0..24),
        lengths in prop::collection::vec(1_usize..400, 1..6),
    ) {
        let sample = [lines(&TURN[..5]), vec![b' '; 256 * 1024], b"\n".to_vec()].concat();
        let bytes = [sample.clone(), passages.concat()].concat();
        let whole = in_blocks(&bytes, &[usize::MAX]);
        let lengths = [&[sample.len() + 1], lengths.as_slice(), &[1 << 20]].concat();
        prop_assert_eq!(&in_blocks(&bytes, &lengths), &whole);
        prop_assert_eq!(in_blocks(&bytes, &[100_000, 180_000, 35]), whole);
    }

    #[test]
    fn blocks_may_be_cut_anywhere(
        bytes in file(),
        lengths in prop::collection::vec(1_usize..40, 1..6),
    ) {
        prop_assert_eq!(in_blocks(&bytes, &lengths), in_blocks(&bytes, &[usize::MAX]));
    }
}

#[test]
fn blocks_may_be_cut_anywhere_in_a_file_longer_than_its_sample() {
    let mut files = Vec::new();
    // Labels that mean the opposite, more lines than are looked at, a first line that is too long,
    // and what only shows behind the sample.
    let chunks = |count: usize| vec![("recv", CHUNK); count];
    let open: Vec<_> = TURN[..5].iter().map(|line| ("send", *line)).collect();
    files.push(labelled(&[open.clone(), chunks(2000)].concat()));
    files.push([labelled(&open), vec![b' '; 300_000], labelled(&chunks(900))].concat());
    files.push([vec![b'{'; 300_000], lines(&TURN)].concat());
    files.push([lines(&TURN), vec![b'\n'; 300_000], b"{\n".to_vec()].concat());
    files.push([b"{\n".repeat(200_000), lines(&TURN)].concat());
    let twice: Vec<_> = TURN.iter().flat_map(|line| [*line, *line]).collect();
    files.push([lines(&twice), lines(&vec![CHUNK; 2000])].concat());
    for file in effort::one_in(5, files) {
        assert!(file.len() > 256 * 1024);
        let whole = in_blocks(&file, &[usize::MAX]);
        for length in effort::one_in(4, [262_143, 1000, 65_536, 262_144, 262_145]) {
            assert_eq!(in_blocks(&file, &[length]), whole, "blocks of {length}");
        }
    }
}

#[test]
fn line_breaks_of_both_kinds_and_blank_lines_are_fine() {
    let text = TURN.join("\r\n\r\n \t\r\n");
    assert_eq!(found(text.as_bytes()), [""; 0]);
}

#[test]
fn a_message_over_several_lines_is_judged_where_it_stands() {
    let spread =
        "{\"jsonrpc\":\"2.0\",\r\n\r\n  \"method\":\"session/update\",\r\n  \"params\":{}}\r";
    let bytes = lines(&[&TURN[..5], &[spread, DONE]].concat());
    assert_eq!(found(&bytes), ["6 error transport/embedded-newline"]);
    let (diagnostics, _) = effort::check(&bytes, &Settings::default());
    let fault = diagnostics.iter().find(|found| found.rule.id == "schema/params");
    let place = fault.unwrap().finding.labels[0].span;
    assert_eq!(&bytes[usize::try_from(place.start).unwrap()..][..2], b"}}");
    assert_eq!((place.line, place.column), (9, 12));
}

#[test]
fn a_line_break_in_a_string_is_one_fault() {
    let spread = CHUNK.replace("Done", "one\ntwo\n\nthree");
    let bytes = lines(&[&TURN[..5], &[spread.as_str(), DONE]].concat());
    assert_eq!(found(&bytes), ["6 error transport/embedded-newline"]);
}

#[test]
fn lines_that_are_no_message_together_are_reported_as_they_are() {
    let bytes = lines(&[&TURN[..5], &["{", "  stack: 12", "}", DONE]].concat());
    let (diagnostics, _) = judged(&bytes, &Settings::default());
    assert_eq!(found(&bytes), ["6 error transport/not-json"]);
    assert_eq!(diagnostics[0].repeats, 2);
    assert_eq!(diagnostics.len(), 1);
}

#[test]
fn a_pretty_printed_object_that_is_no_message_is_log_output() {
    let bytes =
        lines(&[&TURN[..5], &["{", "  \"level\": 30,", "  \"text\": \"x\"", "}", DONE]].concat());
    assert_eq!(found(&bytes), ["6 error transport/not-json"]);
}

#[test]
fn a_message_is_given_up_after_two_hundred_lines() {
    let spread = "{\"jsonrpc\":\"2.0\",\"method\":\"_x\",\"params\":[".to_owned()
        + &"\n0,".repeat(198)
        + "\n0]}";
    assert_eq!(found(&lines(&[spread.as_str()])), [""; 0], "alone it is a way to write the file");
    let bytes = lines(&[&TURN[..], &[spread.as_str()]].concat());
    assert_eq!(found(&bytes), ["8 error transport/embedded-newline"]);
    let longer = spread.replace("0]}", "0,\n0]}");
    let bytes = lines(&[&TURN[..], &[longer.as_str()]].concat());
    assert_eq!(found(&bytes)[0], "8 error transport/not-json");
}

#[test]
fn a_file_in_which_every_message_is_pretty_printed_is_read() {
    let pretty = |line: &&str| {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        serde_json::to_string_pretty(&value).unwrap()
    };
    let messages: Vec<_> = TURN.iter().map(pretty).collect();
    for text in
        [messages.join("\n"), messages.join("\r\n"), format!("[\n{}\n]\n", messages.join(",\n"))]
    {
        let (diagnostics, outcome) = judged(text.as_bytes(), &Settings::default());
        assert_eq!((diagnostics.len(), outcome.messages), (0, 7), "{text}");
    }
    let broken = messages.join("\n").replace("\"cwd\"", "cwd\"");
    let line = broken.lines().position(|line| line.contains("cwd")).unwrap() + 1;
    assert_eq!(found(broken.as_bytes())[0], format!("{line} error transport/not-json"));
}

#[test]
fn what_a_cut_message_was_to_say_is_not_missed() {
    let asked = [&TURN[..5], &[r#"{"jsonrpc":"2.0","id":2,"resu"#]].concat();
    let bytes = asked.join("\n");
    let settings = Settings { tail: Tail::Closed, ..Settings::default() };
    assert_eq!(found_in(bytes.as_bytes(), &settings), ["6 info transport/truncated-tail"]);
}

#[test]
fn a_message_of_too_many_values_is_passed_over_and_told_of() {
    let plan = |entries: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{{"sessionUpdate":"plan","entries":[{entries}]}}}}}}"#
        )
    };
    let judge = |entries: &str| {
        let (head, tail) = (TURN[..5].join("\n"), TURN[5..].join("\n"));
        let bytes = format!("{head}\n{}\n{tail}\n", plan(entries)).into_bytes();
        let (diagnostics, outcome) = effort::check(&bytes, &Settings::default());
        let ids = diagnostics.iter().map(|found| found.rule.id).filter(|id| id.contains("schema/"));
        (ids.collect::<Vec<_>>(), outcome.notes)
    };
    let (found, notes) = judge(&vec!["{}"; 300_000].join(","));
    assert_eq!(found, [""; 0]);
    assert!(notes[0].starts_with("1 message was not judged, so no rule"), "{notes:?}");
    // Whole entries are judged, however many there are.
    let entry =
        |number| format!(r#"{{"content":"Step {number}","priority":"low","status":"pending"}}"#);
    let entries: Vec<_> = (0..40_000).map(entry).collect();
    let (found, notes) = judge(&(entries.join(",") + r#",{"content":"Step 7"}"#));
    assert_eq!((found.len(), notes.len()), (2, 0), "{found:?} {notes:?}");
}

#[test]
fn only_what_could_go_on_is_cut_off() {
    let last = |text: &str| {
        let bytes = [lines(&TURN), text.as_bytes().to_vec()].concat();
        found(&bytes).pop().unwrap_or_default()
    };
    for text in
        ["{", "[", "{\"a\":tr", "{\"a\":-", "{\"a\":\"\\ud83d\\", "{\"a\":\"\\u00", "{\"a\" "]
    {
        assert_eq!(last(text), "8 info transport/truncated-tail", "{text}");
    }
    for text in ["x", "{x", "{\"a\":trx", "[info] ready", "{\"a\":1}}", "\"a"] {
        assert_eq!(last(text), "8 error transport/not-json", "{text}");
    }
    assert_eq!(last("{\"jsonrpc\":\"2.0\",\"method\":\"_x\"}"), "");
    let cut_in_a_character = [lines(&TURN), b"{\"a\":\"\xe6\x9d".to_vec()].concat();
    assert_eq!(found(&cut_in_a_character), ["8 info transport/truncated-tail"]);
    let cut_behind_garbage = [lines(&TURN), b"{\"a\":\"\xff\xe6\x9d".to_vec()].concat();
    assert_eq!(found(&cut_behind_garbage), ["8 error transport/invalid-utf8"]);
}

#[test]
fn a_utf_16_file_is_one_finding() {
    let units: Vec<u16> = String::from_utf8(lines(&TURN)).unwrap().encode_utf16().collect();
    let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
    let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
    for bytes in
        [&little, &big, &[&[0xff, 0xfe], &little[..]].concat(), &[&[0xfe, 0xff], &big[..]].concat()]
    {
        let (diagnostics, outcome) = judged(bytes, &Settings::default());
        assert_eq!(diagnostics.len(), 1);
        assert_eq!(diagnostics[0].rule.id, "transport/invalid-utf8");
        assert_eq!((outcome.messages, outcome.format), (0, None));
    }
}

#[test]
fn messages_framed_by_length_are_judged_behind_their_headers() {
    let framed: String =
        TURN.iter().map(|line| format!("Content-Length: {}\r\n\r\n{line}", line.len())).collect();
    let (diagnostics, outcome) = judged(framed.as_bytes(), &Settings::default());
    assert_eq!(found(framed.as_bytes()), ["1 error transport/lsp-framing"]);
    assert_eq!((diagnostics.len(), outcome.messages), (1, 7));
    let pretty: String = TURN
        .iter()
        .map(|line| {
            let value: serde_json::Value = serde_json::from_str(line).unwrap();
            let text = serde_json::to_string_pretty(&value).unwrap();
            format!("Content-Length: {}\r\n\r\n{text}", text.len())
        })
        .collect();
    assert_eq!(found(pretty.as_bytes()), ["1 error transport/lsp-framing"]);
}

#[test]
fn the_file_may_be_one_array() {
    let list = format!("[{}]\n", TURN.join(","));
    let (diagnostics, outcome) = judged(list.as_bytes(), &Settings::default());
    assert_eq!((diagnostics.len(), outcome.messages), (0, 7));
    // Two messages of the client are a batch.
    assert_eq!(found(format!("[{NEW},{PROMPT}]").as_bytes())[0], "1 error jsonrpc/batch");
}

#[test]
fn a_member_left_out_by_the_recorder_is_mentioned_once() {
    let bare: Vec<_> = TURN.iter().map(|line| line.replace("\"jsonrpc\":\"2.0\",", "")).collect();
    assert_eq!(found(bare.join("\n").as_bytes()), ["1 info jsonrpc/version"]);
    let one = [&TURN[..5], &[bare[5].as_str(), DONE]].concat();
    assert_eq!(found(&lines(&one)), ["6 error jsonrpc/version"]);
}

#[test]
fn a_member_added_by_the_recorder_is_not_mentioned() {
    let added: Vec<_> =
        TURN.iter().map(|line| line.replacen('{', "{\"ts\":1,\"pid\":7,", 1)).collect();
    assert_eq!(found(added.join("\n").as_bytes()), [""; 0]);
    let one = [&TURN[..5], &[added[5].as_str(), DONE]].concat();
    let expected = ["6 warning jsonrpc/unexpected-envelope-member"; 2];
    assert_eq!(found(&lines(&one)), expected);
}

#[test]
fn two_recordings_merged_are_read_as_one() {
    let twice: Vec<_> = TURN.iter().flat_map(|line| [*line, *line]).collect();
    assert_eq!(found(&lines(&twice)), [""; 0]);
    let notes = notes(&lines(&twice));
    assert!(notes.iter().any(|note| note.contains("recorded twice")), "{notes:?}");
    // A chunk that was sent twice stands four times.
    let chunks = [&twice[..12], &[CHUNK, CHUNK], &twice[12..]].concat();
    let (_, outcome) = judged(&lines(&chunks), &Settings::default());
    assert_eq!(outcome.messages, 8);
    // One answer given twice is a fault.
    let twice = [&TURN[..], &[DONE]].concat();
    assert_eq!(found(&lines(&twice)), ["8 error jsonrpc/duplicate-response"]);
}

#[test]
fn what_a_terminal_echoes_is_not_judged_as_a_conversation() {
    let sides = ["out", "in", "out", "in", "out", "in", "in"];
    let mut echoed = Vec::new();
    for (side, line) in sides.into_iter().zip(TURN) {
        echoed.push((side, line));
        if side == "out" {
            echoed.push(("in", line));
        }
    }
    let settings = Settings { tail: Tail::Closed, ..Settings::default() };
    let about_ids = |found: &String| found.contains("jsonrpc/");
    let judged = found_in(&labelled(&echoed), &settings);
    assert!(!judged.iter().any(about_ids), "{judged:?}");
    assert!(notes(&labelled(&echoed)).iter().any(|note| note.contains("sends it back")));
    let unlabelled: Vec<_> = echoed.iter().map(|(_, line)| *line).collect();
    assert_eq!(found_in(&lines(&unlabelled), &settings), [""; 0]);
}

#[test]
fn a_recording_of_one_side_pairs_nothing_by_chance() {
    let ask = r#"{"jsonrpc":"2.0","id":2,"method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c"},"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]}}"#;
    let agent = [INITIALIZED, CREATED, CHUNK, ask, DONE];
    assert_eq!(found(&lines(&agent)), [""; 0]);
}
