//! Agents choose no reader: whatever lines they print before, between and after the messages of a
//! recording, no error in it is lost.

use std::collections::BTreeSet;

use acpcheck::{
    check::{Outcome, Settings, Tail},
    rule::Severity,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::writers::{self, Carries, Sent, Writer};
use crate::effort;

/// A session with errors of several kinds: in a plan, in an answer, in who is answered.
fn conversation() -> Vec<Sent> {
    let info = json!({"name": "mill", "version": "1"});
    let ask = |id: u32, method: &str, params: Value| {
        Sent::new(true, &json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
    };
    let answer = |id: u32, result: Value| {
        Sent::new(false, &json!({"jsonrpc": "2.0", "id": id, "result": result}))
    };
    let update = |session: &str, update: Value| {
        Sent::new(
            false,
            &json!({"jsonrpc": "2.0", "method": "session/update",
                "params": {"sessionId": session, "update": update}}),
        )
    };
    let plan = |status: &str| {
        json!({"sessionUpdate": "plan",
            "entries": [{"content": "Grind", "priority": "high", "status": status}]})
    };
    vec![
        ask(
            0,
            "initialize",
            json!({"protocolVersion": 1, "clientInfo": info,
            "clientCapabilities": {}}),
        ),
        answer(0, json!({"protocolVersion": 1, "agentInfo": info, "agentCapabilities": {}})),
        ask(1, "session/new", json!({"cwd": "/mill", "mcpServers": []})),
        answer(1, json!({"sessionId": "wheel"})),
        ask(
            2,
            "session/prompt",
            json!({"sessionId": "wheel",
            "prompt": [{"type": "text", "text": "Grind"}]}),
        ),
        update("wheel", plan("grinding")),
        update("wheel", plan("completed")),
        answer(2, json!({"stopReason": "tired"})),
    ]
}

/// Lines that an agent may print. None of them is a message on a line of its own.
fn strays() -> Vec<String> {
    let update = conversation()[6].text.clone();
    let plain = [
        "```",
        "```json",
        "~~~",
        "# Log",
        "listening on 80",
        "a,b,c",
        "a\tb\tc",
        "\u{1b}[31mred\u{1b}[0m",
        "event: message",
        "data: [DONE]",
        "Content-Length: 12",
        "HTTP/1.1 200 OK",
        "\u{feff}",
        "\0",
        "{",
        "}",
        "[",
        "[{",
        "]",
        "[1,2]",
        "null",
        "{}",
        "[client] {'jsonrpc': '2.0'}",
        "SQLite format 3\0",
        "INCOMING LINE >",
        "OUTGOING TEXT >",
        "Sent:",
        "Received:",
        "[2026-06-01T08:00:00Z] >>> CLIENT → AGENT [REQUEST] x",
        "(((:direction . outgoing)",
        "=== Conductor Debug Log ===",
        "request: {",
        "--> initialize (id=0) params={}",
        "10:00:01.950 ← notification session/update",
        r#"{"log":{"version":"1.2","entries":[]}}"#,
        r#"{"timestamp":"2026-06-01T08:00:00Z","message":"hi"}"#,
        r#"{"type":"start","format":"bridge-trace-frames"}"#,
        r#"{"type":"header","format":"acp-inspector-trace","version":1}"#,
        r#"{"version":1,"agent":"a","recorded_at":"x"}"#,
        r#"{"_provenance":"x"}"#,
        r#"{"Plan":{"entries":[]}}"#,
        r#"{"event_type":"SessionUpdate","update_type":"x"}"#,
        r#"{"cursor":"a","type":"turn_started"}"#,
        r#"{"kind":"session.event"}"#,
        r#"{"tool":{"name":"acp-devtools"},"messages":[]}"#,
        r#"{"tool":{"name":"acp-devtools"},"messages":["#,
        r#"{"stdio_lines":[]}"#,
        r#"{"calls":[{"request":1,"notifications":[]}]}"#,
        r#"[{"_direction":"in","_type":"request"}]"#,
        r#"{"tck_version":"0","requirements":[],"verdict":{}}"#,
        r#"{"schema":"acpx.session.journal.v1","type":"segment"}"#,
    ];
    let around = [
        ("{\"dir\":\"c2a\",\"msg\":", "}"),
        ("{\"dir\":\"a2c\",\"frame\":", "}"),
        (">>> ", ""),
        ("→ ", ""),
        ("<-- ", ""),
        ("[agent] ", ""),
        ("data: ", ""),
        ("C → +1ms ", ""),
        ("2026-06-01 08:00:00,000 [ 1]   FINE - AcpTransport - IN: ", ""),
        ("acp recv ", ""),
    ];
    let plain = plain.into_iter().map(str::to_owned);
    plain.chain(around.iter().map(|(before, behind)| format!("{before}{update}{behind}"))).collect()
}

/// The errors, each with the text that it is about.
fn errors(text: &str) -> (BTreeSet<(&'static str, String)>, Outcome) {
    let settings = Settings { tail: Tail::Open, ..Settings::default() };
    let (found, outcome) = effort::check(text.as_bytes(), &settings);
    let errors = found.iter().filter(|found| found.severity == Severity::Error).map(|found| {
        let span = found.finding.labels[0].span;
        let (start, end) =
            (usize::try_from(span.start).unwrap(), usize::try_from(span.end()).unwrap());
        (found.rule.id, text[start..end].to_owned())
    });
    (errors.collect(), outcome)
}

/// A file with lines put in before those with these numbers.
fn with_strays(text: &str, strays: &[(usize, &str)]) -> String {
    let mut out = String::new();
    let lines: Vec<&str> = text.lines().collect();
    for number in 0..=lines.len() {
        for (_, stray) in strays.iter().filter(|(place, _)| *place == number) {
            out += &format!("{stray}\n");
        }
        out += &lines.get(number).map_or_else(String::new, |line| format!("{line}\n"));
    }
    out
}

/// The writers of a message a line: into other files nobody else writes a line.
fn files() -> impl Iterator<Item = (Writer, String)> {
    let sent = conversation();
    let is_whole = |writer: &Writer| !matches!(writer.carries, Carries::Calls | Carries::Updates);
    writers::all().into_iter().filter(is_whole).filter_map(move |writer| {
        let file = writer.file(&sent);
        let is_line = |place: &Option<(u32, u32)>| place.is_none_or(|(first, last)| first == last);
        let is_document =
            file.text.starts_with(['(', '[']) || serde_json::from_str::<Value>(&file.text).is_ok();
        // Between a heading and its message the recorder alone writes.
        let is_headed = ["acp-el-log", "codecompanion"].contains(&writer.name);
        (file.lines.iter().all(is_line) && !is_document && !is_headed)
            .then_some((writer, file.text))
    })
}

/// What is wrong when these lines are read in place of others: lost errors, or another format.
fn lost(writer: &Writer, text: &str, changed: &str) -> Option<String> {
    let (expected, before) = errors(text);
    let (own, after) = errors(changed);
    assert!(!expected.is_empty(), "{}: the file has no error", writer.name);
    let lost: Vec<_> = expected.difference(&own).collect();
    // acpx writes nothing but JSON into its journal: with other lines it is a recording of the wire, and
    // with lines of the journal a recording of the wire is one.
    let is_same = after.format == before.format
        || writer.name == "acpx-journal"
        || after.format == Some("acpx-journal");
    (!lost.is_empty() || !is_same)
        .then(|| format!("{}: {lost:?} are lost, read as {:?}\n", writer.name, after.format))
}

#[test]
fn no_line_of_an_agent_hides_an_error() {
    let mut wrong = String::new();
    for (writer, text) in files() {
        let count = text.lines().count();
        for stray in effort::one_in(23, strays()) {
            let many = format!("{stray}\n").repeat(300);
            let places = [0, count / 2, count];
            let changed = places.map(|place| with_strays(&text, &[(place, &stray)]));
            for changed in changed.into_iter().chain([format!("{many}{text}")]) {
                wrong.extend(
                    lost(&writer, &text, &changed).map(|lost| format!("{stray:?}: {lost}")),
                );
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Of bare messages each line is the wire: what is not a message is told.
#[test]
fn a_stray_line_among_bare_messages_is_told() {
    let sent = conversation();
    let writer = writers::all().into_iter().find(|writer| writer.name == "ndjson").unwrap();
    let text = writer.file(&sent).text;
    for stray in strays() {
        // acpx writes such notes among messages.
        if stray.contains("acpx.session") || stray.contains("\u{feff}") {
            continue;
        }
        for place in [0, 3, sent.len()] {
            let changed = with_strays(&text, &[(place, &stray)]);
            let (own, outcome) = errors(&changed);
            assert_eq!(outcome.format, Some("ndjson"), "{changed}");
            assert!(own.len() > errors(&text).0.len(), "{stray:?} is not told");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: effort::cases(16), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_lines_of_an_agent_hide_an_error(
        put in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..6),
    ) {
        let strays = strays();
        for (writer, text) in files() {
            let count = text.lines().count() + 1;
            let put: Vec<(usize, &str)> = put
                .iter()
                .map(|(place, stray)| (place.index(count), stray.get(&strays).as_str()))
                .collect();
            let lost = lost(&writer, &text, &with_strays(&text, &put));
            prop_assert!(lost.is_none(), "{put:?}: {}", lost.unwrap_or_default());
        }
    }
}
