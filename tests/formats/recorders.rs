//! What recorders do to correct traffic that they write as strings or behind a prefix: they keep pieces
//! in place of messages, and cut off what is long. Nobody is blamed for that, and faults in what is whole
//! are found.

use std::{collections::BTreeSet, fmt::Write as _};

use acpcheck::{
    check::{Settings, Tail},
    rule::Severity,
};
use serde_json::{Value, json};

use crate::effort;

/// Numbers that look random and are the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }
}

/// A turn with a permission. `status`: of an entry of its plan.
fn conversation(status: &str) -> Vec<(bool, Value)> {
    let info = json!({"name": "gärtner", "version": "1"});
    let update = |update: Value| {
        json!({"jsonrpc": "2.0", "method": "session/update",
            "params": {"sessionId": "bed", "update": update}})
    };
    vec![
        (
            true,
            json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": 1, "clientInfo": info, "clientCapabilities": {}}}),
        ),
        (
            false,
            json!({"jsonrpc": "2.0", "id": 0, "result": {
            "protocolVersion": 1, "agentInfo": info, "agentCapabilities": {}, "authMethods": []}}),
        ),
        (
            true,
            json!({"jsonrpc": "2.0", "id": 1, "method": "session/new",
            "params": {"cwd": "/garden", "mcpServers": []}}),
        ),
        (false, json!({"jsonrpc": "2.0", "id": 1, "result": {"sessionId": "bed"}})),
        (
            true,
            json!({"jsonrpc": "2.0", "id": 2, "method": "session/prompt", "params": {
            "sessionId": "bed", "prompt": [{"type": "text", "text": "Zwölf \"Beete\"\n🌱"}]}}),
        ),
        (
            false,
            update(json!({"sessionUpdate": "plan", "entries": [
            {"content": "x", "priority": "high", "status": status}]})),
        ),
        (
            false,
            update(json!({"sessionUpdate": "tool_call", "toolCallId": "c1", "title": "ls",
            "kind": "execute", "status": "pending"})),
        ),
        (
            false,
            json!({"jsonrpc": "2.0", "id": 9, "method": "session/request_permission", "params": {
            "sessionId": "bed", "toolCall": {"toolCallId": "c1"}, "options": [
                {"optionId": "yes", "name": "Allow it", "kind": "allow_once"},
                {"optionId": "always", "name": "Allow it from now on", "kind": "allow_always"},
                {"optionId": "no", "name": "Refuse it", "kind": "reject_once"}]}}),
        ),
        (
            true,
            json!({"jsonrpc": "2.0", "id": 9, "result": {
            "outcome": {"outcome": "selected", "optionId": "yes"}}}),
        ),
        (
            false,
            update(json!({"sessionUpdate": "tool_call_update", "toolCallId": "c1",
            "status": "completed"})),
        ),
        (false, json!({"jsonrpc": "2.0", "id": 2, "result": {"stopReason": "end_turn"}})),
    ]
}

/// The wrappers of strings: names of the direction and the text, the words, and other members.
const STRINGS: [(&str, &str, [&str; 2], &str); 6] = [
    ("dir", "data", ["send", "recv"], "\"ts\":1,"),
    ("dir", "msg", [">>>", "<<<"], "\"ts\":\"2026-06-01T08:00:00Z\","),
    ("dir", "frame", [">", "<"], ""),
    ("dir", "line", ["send", "recv"], ""),
    ("direction", "message", ["outbound", "inbound"], "\"seq\":1,\"at\":\"2026-06-01T08:00:00Z\","),
    ("direction", "json", ["fromClient", "fromAgent"], "\"ts\":\"2026-06-01T08:00:00Z\","),
];

/// Beginnings of log lines of the client's messages, and of the agent's.
const LOGS: [[&str; 2]; 3] = [
    ["2026-09-01 10:00:00,123 DEBUG acp_send: ", "2026-09-01 10:00:00,123 DEBUG acp_recv: "],
    ["[gardener] send ", "[gardener] recv "],
    ["08:00 client: ", "08:00 agent: "],
];

fn string_line(at: usize, by_client: bool, text: &str) -> String {
    let (direction, name, words, other) = STRINGS[at];
    let word = words[usize::from(!by_client)];
    format!("{{{other}\"{direction}\":\"{word}\",\"{name}\":{}}}\n", Value::from(text))
}

/// Rules with an error or a warning.
fn found(text: &str) -> BTreeSet<&'static str> {
    let settings = Settings { tail: Tail::Open, ..Settings::default() };
    let (diagnostics, outcome) = effort::check(text.as_bytes(), &settings);
    assert!(outcome.messages > 0, "nothing was read: {:?}\n{text}", outcome.refusal);
    let counts = |severity| severity >= Severity::Warning;
    diagnostics.iter().filter(|it| counts(it.severity)).map(|it| it.rule.id).collect()
}

/// The messages as the pieces in which a program receives them.
fn in_pieces(sent: &[(bool, Value)], numbers: &mut Numbers, mut line: impl FnMut(bool, &str)) {
    let mut at = 0;
    while at < sent.len() {
        let by_client = sent[at].0;
        let run = sent[at..].iter().take_while(|(by, _)| *by == by_client).count();
        let stream: Vec<char> = sent[at..at + run]
            .iter()
            .flat_map(|(_, it)| format!("{it}\n").chars().collect::<Vec<_>>())
            .collect();
        let mut rest = stream.as_slice();
        while !rest.is_empty() {
            let (piece, behind) = rest.split_at((numbers.below(200) + 1).min(rest.len()));
            line(by_client, &piece.iter().collect::<String>());
            rest = behind;
        }
        at += run;
    }
}

#[test]
fn pieces_of_messages_are_put_together() {
    for seed in 0..effort::times(3, 300) {
        let mut numbers = Numbers(seed as u64);
        for at in 0..STRINGS.len() {
            for (status, expected) in [("pending", &[][..]), ("doing", &["plan/closed-enum-value"])]
            {
                let mut text = String::new();
                in_pieces(&conversation(status), &mut numbers, |by_client, piece| {
                    text += &string_line(at, by_client, piece);
                });
                let own: Vec<_> = found(&text).into_iter().collect();
                assert_eq!(own, expected, "{seed}\n{text}");
            }
        }
    }
}

/// A text as a recorder writes it that keeps so many characters.
fn cut(text: &str, length: usize, mark: &str) -> String {
    if text.chars().count() <= length {
        return text.to_owned();
    }
    text.chars().take(length).collect::<String>() + mark
}

#[test]
fn what_a_recorder_cuts_off_is_nobodys_fault() {
    const MARKS: [&str; 5] =
        ["", "...", "… [truncated 300 chars]", "...[truncated 300 chars]", " <more>"];
    for seed in 0..effort::times(3, 300) {
        let mut numbers = Numbers(seed as u64);
        // The plan with its fault is never cut.
        let length = 175 + numbers.below(300);
        let mark = MARKS[numbers.below(MARKS.len())];
        for (status, expected) in [("pending", &[][..]), ("doing", &["plan/closed-enum-value"])] {
            let sent = conversation(status);
            for at in 0..STRINGS.len() - 1 {
                let lines = sent
                    .iter()
                    .map(|(by, it)| string_line(at, *by, &cut(&it.to_string(), length, mark)));
                let text: String = lines.collect();
                let own: Vec<_> = found(&text).into_iter().collect();
                assert_eq!(own, expected, "{seed}: {length} {mark}\n{text}");
            }
            for prefixes in LOGS {
                let mut text = String::new();
                for (by_client, message) in &sent {
                    let prefix = prefixes[usize::from(!by_client)];
                    writeln!(text, "{prefix}{}", cut(&message.to_string(), length, mark)).unwrap();
                }
                let own: Vec<_> = found(&text).into_iter().collect();
                assert_eq!(own, expected, "{seed}: {length} {mark}\n{text}");
            }
        }
    }
}

#[test]
fn a_member_of_the_record_tells_a_cut() {
    let mut text = String::new();
    for (at, (by_client, message)) in conversation("pending").iter().enumerate() {
        let whole = message.to_string();
        let (kept, is_cut) = if at == 7 { (&whole[..150], true) } else { (&*whole, false) };
        let word = if *by_client { "send" } else { "recv" };
        let record = json!({"ts": at, "dir": word, "data": kept, "truncated": is_cut});
        writeln!(text, "{record}").unwrap();
    }
    assert_eq!(found(&text), BTreeSet::new(), "{text}");
}

#[test]
fn two_messages_on_one_line_of_a_log_are_both_read() {
    let mut text = String::new();
    let sent = conversation("doing");
    let line = |(by, it): &(bool, Value)| format!("{}{it}", LOGS[1][usize::from(!by)]);
    for message in &sent[..5] {
        writeln!(text, "{}", line(message)).unwrap();
    }
    writeln!(text, "{}{}{}", line(&sent[6]), sent[5].1, sent[7].1).unwrap();
    for message in &sent[8..] {
        writeln!(text, "{}", line(message)).unwrap();
    }
    assert_eq!(found(&text), BTreeSet::from(["plan/closed-enum-value"]), "{text}");
}

#[test]
fn a_line_without_a_prefix_continues_the_piece_before() {
    let mut text = String::new();
    let sent = conversation("doing");
    for (at, (by_client, message)) in sent.iter().enumerate() {
        let is_behind = at > 0 && sent[at - 1].0 == *by_client && at != 9;
        let prefix = if is_behind { "" } else { LOGS[0][usize::from(!by_client)] };
        writeln!(text, "{prefix}{message}").unwrap();
    }
    assert_eq!(found(&text), BTreeSet::from(["plan/closed-enum-value"]), "{text}");
}

/// A message in a string behind a heading, where such a log has messages themselves.
#[test]
fn a_string_behind_a_heading_counts_as_not_judged() {
    let log = |wrapped: Option<usize>| -> String {
        let entry = |(number, (by_client, message)): (usize, &(bool, Value))| {
            let head = if *by_client { "Sent:" } else { "Received:" };
            let text = message.to_string();
            let text = if wrapped == Some(number) { json!(text).to_string() } else { text };
            format!("2026-06-01 08:00:00.000\n{head}\n{text}\n")
        };
        conversation("pending").iter().enumerate().map(entry).collect()
    };
    let outcome = |wrapped| effort::check(log(wrapped).as_bytes(), &Settings::default()).1;
    let whole = outcome(None);
    assert_eq!((whole.format, whole.unjudged.messages), (Some("codecompanion"), 0));
    let last = usize::try_from(whole.messages).unwrap() - 1;
    for wrapped in [5, last] {
        let outcome = outcome(Some(wrapped));
        assert_eq!((outcome.messages, outcome.unjudged.messages), (whole.messages - 1, 1));
    }
}

/// The agent may have written half a message itself: it is not blamed, but the message counts as one that
/// was not judged.
#[test]
fn half_a_message_counts_as_not_judged() {
    let half = r#"{"jsonrpc":"2.0","method":"session/update","params":{"upd...[truncated 9 chars]"#;
    let sent = conversation("pending");
    let lines = |half: Option<&str>, line: &dyn Fn(bool, &str) -> String| -> String {
        let whole = |(by, it): &(bool, Value)| line(*by, &it.to_string());
        let (begun, rest) = sent.split_at(5);
        let half = half.map(|half| line(false, half));
        begun.iter().map(whole).chain(half).chain(rest.iter().map(whole)).collect()
    };
    let as_string = |by, text: &str| string_line(0, by, text);
    let in_log = |by: bool, text: &str| format!("{}{text}\n", LOGS[0][usize::from(!by)]);
    for line in [&as_string as &dyn Fn(bool, &str) -> String, &in_log] {
        let settings = Settings::default();
        let whole = effort::check(lines(None, line).as_bytes(), &settings).1;
        assert_eq!(whole.unjudged.messages, 0);
        let outcome = effort::check(lines(Some(half), line).as_bytes(), &settings).1;
        assert_eq!(outcome.unjudged.messages, 1);
        assert_eq!(outcome.messages, whole.messages);
        assert_eq!(found(&lines(Some(half), line)), BTreeSet::new());
    }
    // A recorder that keeps the lines as they crossed the wire cuts nothing off.
    let on_wire = |by, text: &str| string_line(5, by, text);
    assert_eq!(found(&lines(Some(half), &on_wire)), BTreeSet::from(["transport/not-json"]));
}

/// Two conversations in the order in which a program logs them that has two agents.
fn taking_turns<'t>(
    conversations: [&'t [(bool, Value)]; 2],
    numbers: &mut Numbers,
) -> Vec<(usize, &'t (bool, Value))> {
    let (mut rests, mut all) = (conversations, Vec::new());
    while rests.iter().any(|rest| !rest.is_empty()) {
        // The second begins before the first ends.
        let which = if all.len() < 2 { all.len() } else { numbers.below(2) };
        let Some((next, rest)) = rests[which].split_first() else { continue };
        all.push((which, next));
        rests[which] = rest;
    }
    all
}

/// Names under which recorders tell connections apart, and two of them.
const LANES: [(&str, [&str; 2]); 17] = [
    ("conn", ["1", "2"]),
    ("connection", ["\"claude\"", "\"codex\""]),
    ("connectionId", ["\"c-1\"", "\"c-2\""]),
    ("agent", ["\"claude\"", "\"codex\""]),
    ("agentId", ["\"a1\"", "\"a2\""]),
    ("agent_name", ["\"Claude Code\"", "\"Codex\""]),
    ("pid", ["4711", "4712"]),
    ("process", ["\"4711\"", "\"4712\""]),
    ("session", ["\"x\"", "\"y\""]),
    ("provider", ["\"one\"", "\"two\""]),
    ("channel", ["0", "1"]),
    ("client", ["\"left\"", "\"right\""]),
    ("thread", ["\"main\"", "\"worker\""]),
    ("stream", ["17", "18"]),
    ("server", ["\"a\"", "\"b\""]),
    ("id", ["\"p\"", "\"q\""]),
    ("label", ["\"α\"", "\"β\""]),
];

#[test]
fn connections_that_take_turns_are_told_apart_by_any_label() {
    for seed in 0..effort::times(1, 60) {
        let mut numbers = Numbers(seed as u64);
        let one = conversation("pending");
        for (status, expected) in [("pending", &[][..]), ("doing", &["plan/closed-enum-value"])] {
            let other = conversation(status);
            let all = taking_turns([&one, &other], &mut numbers);
            let (name, values) = LANES[numbers.below(LANES.len())];
            let mut texts = vec![String::new(); 5];
            for (at, (which, (by_client, message))) in all.iter().enumerate() {
                let value = values[*which];
                let text = Value::from(message.to_string());
                let way = ["recv", "send"][usize::from(*by_client)];
                let arrow = ["<<<", ">>>"][usize::from(*by_client)];
                let label = format!("\"{name}\":{value}");
                let [objects, strings, nested, prefixed, behind] = &mut texts[..] else { panic!() };
                writeln!(objects, r#"{{"ts":{at},{label},"dir":"{way}","msg":{message}}}"#)
                    .unwrap();
                writeln!(strings, r#"{{"ts":{at},"dir":"{way}",{label},"data":{text}}}"#).unwrap();
                writeln!(
                    nested,
                    r#"{{"time":{at},"ctx":{{{label}}},"direction":"{way}","message":{message}}}"#
                )
                .unwrap();
                let value = value.trim_matches('"').replace(' ', "_");
                writeln!(prefixed, "10:00:{at:02} [{value}] {way} {message}").unwrap();
                writeln!(behind, "10:00:{at:02} DEBUG {arrow} {value}: {message}").unwrap();
            }
            for text in texts {
                let own: Vec<_> = found(&text).into_iter().collect();
                assert_eq!(own, expected, "{seed} {name}\n{text}");
            }
        }
    }
}

/// Nobody is blamed for what nothing tells apart; what a message shows by itself is found.
#[test]
fn connections_that_nothing_tells_apart_are_judged_by_message() {
    for seed in 0..effort::times(4, 150) {
        let mut numbers = Numbers(seed as u64);
        let one = conversation("pending");
        let renamed = serde_json::to_string(&one).unwrap().replace("\"bed\"", "\"tree\"");
        let mut other: Vec<(bool, Value)> = serde_json::from_str(&renamed).unwrap();
        for is_faulty in [false, true] {
            let expected: &[&str] = if is_faulty { &["schema/params"] } else { &[] };
            if is_faulty {
                other[4].1["params"]["prompt"] = json!("no array");
            }
            let mut texts = vec![String::new(); 3];
            for (at, (_, (by_client, message))) in
                taking_turns([&one, &other], &mut numbers).iter().enumerate()
            {
                let [objects, strings, prefixed] = &mut texts[..] else { panic!() };
                let way = ["recv", "send"][usize::from(*by_client)];
                writeln!(objects, r#"{{"ts":{at},"dir":"{way}","msg":{message}}}"#).unwrap();
                *strings += &string_line(0, *by_client, &message.to_string());
                writeln!(prefixed, "10:00:{at:02} {way} {message}").unwrap();
            }
            for text in texts {
                let own: Vec<_> = found(&text).into_iter().collect();
                assert_eq!(own, expected, "{seed}\n{text}");
                let outcome = effort::check(text.as_bytes(), &Settings::default()).1;
                assert!(outcome.unjudged.messages > 0, "{seed}\n{text}");
            }
        }
    }
}

/// What is not read is said, not taken for something else.
#[test]
fn forms_that_are_not_read_are_named() {
    let message = conversation("pending")[0].1.to_string();
    let escaped = Value::from(&*message).to_string();
    let har = json!({"log": {"entries": [{"_webSocketMessages": [
        {"type": "send", "time": 1.5, "opcode": 1, "data": &*message}]}]}});
    let table = format!("time,way,text\n1,send,\"{}\"\n", message.replace('"', "\"\""));
    let log = format!("ts=08:00 level=debug way=send text={escaped}\n");
    for (text, part) in [(har.to_string(), "HAR"), (table, "CSV"), (log, "escaped")] {
        let outcome = effort::check(text.as_bytes(), &Settings::default()).1;
        assert_eq!((outcome.messages, outcome.refusal), (0, None), "{text}");
        assert!(outcome.unread_form.is_some_and(|said| said.contains(part)), "{text}");
    }
}

/// A message with blanks as another writer sets them.
fn spaced(message: &Value) -> String {
    let text = serde_json::to_string_pretty(message).unwrap();
    text.lines().map(str::trim_start).collect::<Vec<_>>().join(" ")
}

#[test]
fn messages_of_one_side_may_be_logged_twice() {
    for seed in 0..effort::times(1, 60) {
        let mut numbers = Numbers(seed as u64);
        for (status, expected) in [("pending", &[][..]), ("doing", &["plan/closed-enum-value"])] {
            let doubles_client = numbers.below(2) == 0;
            let is_spaced = numbers.below(2) == 0;
            let mut texts = vec![String::new(); 3];
            for (at, (by_client, message)) in conversation(status).iter().enumerate() {
                let [words, objects, events] = &mut texts[..] else { panic!() };
                let way = ["Received", "sending"][usize::from(*by_client)];
                let dir = ["recv", "send"][usize::from(*by_client)];
                writeln!(words, "[10:00:{at:02}.123] transport: {way} message: {message}").unwrap();
                writeln!(objects, r#"{{"ts":{at},"dir":"{dir}","msg":{message}}}"#).unwrap();
                writeln!(events, r#"{{"ts":{at},"event":"wire","dir":"{dir}","msg":{message}}}"#)
                    .unwrap();
                if *by_client != doubles_client {
                    continue;
                }
                let again = if is_spaced { spaced(message) } else { message.to_string() };
                let length = again.len();
                writeln!(words, "[10:00:{at:02}.124] Update: {length} bytes: {again}").unwrap();
                // What is around both copies is equal: only the spaces tell.
                writeln!(objects, r#"{{"ts":{at},"dir":"{dir}","msg":{}}}"#, spaced(message))
                    .unwrap();
                writeln!(events, r#"{{"ts":{at},"event":"handled","dir":"{dir}","msg":{again}}}"#)
                    .unwrap();
            }
            for text in texts {
                let own: Vec<_> = found(&text).into_iter().collect();
                assert_eq!(own, expected, "{seed} {doubles_client} {is_spaced}\n{text}");
            }
        }
    }
}

/// Docker's `json-file` driver keeps lines of a program as strings; `tracing` keeps fields.
#[test]
fn logs_of_docker_and_tracing_are_read() {
    let (mut docker, mut tracing) = (String::new(), String::new());
    let starting = json!({"log": "Starting\n", "stream": "stderr", "time": "2026-06-01T08:00:00Z"});
    writeln!(docker, "{starting}").unwrap();
    for (by_client, message) in conversation("doing") {
        let record = json!({"log": format!("{message}\n"), "stream": "stdout",
            "time": "2026-06-01T08:00:00Z"});
        writeln!(docker, "{record}").unwrap();
        let way = if by_client { "send" } else { "recv" };
        let record = json!({"timestamp": "2026-06-01T08:00:00Z", "level": "TRACE",
            "fields": {"message": "frame", "direction": way, "line": message.to_string()},
            "target": "gardener::transport"});
        writeln!(tracing, "{record}").unwrap();
        writeln!(tracing, r#"{{"level":"INFO","fields":{{"message":"Read a line"}}}}"#).unwrap();
    }
    for text in [docker, tracing] {
        assert_eq!(found(&text), BTreeSet::from(["plan/closed-enum-value"]), "{text}");
    }
}

/// What is the same all around, the side has sent twice.
#[test]
fn messages_that_are_sent_twice_are_two() {
    let mut text = String::new();
    for (by_client, message) in conversation("pending") {
        let line = string_line(0, by_client, &message.to_string());
        let count = if by_client { 1 } else { 2 };
        text += &line.repeat(count);
    }
    assert!(found(&text).contains("jsonrpc/duplicate-response"), "{text}");
}

/// What is no beginning of a message is of the agent, which writes it into strings, too.
#[test]
fn other_output_of_an_agent_is_its_fault() {
    let mut text = String::new();
    for (at, (by_client, message)) in conversation("pending").iter().enumerate() {
        text += &string_line(0, *by_client, &message.to_string());
        if at == 3 {
            text += &string_line(0, false, "Loading the model");
        }
    }
    assert_eq!(found(&text), BTreeSet::from(["transport/not-json"]), "{text}");
}
