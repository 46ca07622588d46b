//! Files as they come: with other line breaks, spaces and orders of members, cut at either end, and
//! with bytes that nobody wrote.

use acpcheck::check::{Outcome, Settings, Tail};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::writers::{self, Carries, Sent, Spelling, Writer};
use crate::effort;

/// A session in which the agent breaks a rule in one message, told of before and after.
fn conversation() -> Vec<Sent> {
    let info = json!({"name": "gärtner", "version": "1"});
    let ask = |id: u32, method: &str, params: Value| {
        Sent::new(true, &json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
    };
    let answer = |id: u32, result: Value| {
        Sent::new(false, &json!({"jsonrpc": "2.0", "id": id, "result": result}))
    };
    let update = |update: Value| {
        Sent::new(
            false,
            &json!({"jsonrpc": "2.0", "method": "session/update",
            "params": {"sessionId": "bed", "update": update}}),
        )
    };
    let text = |text: &str| {
        update(
            json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}),
        )
    };
    vec![
        ask(
            0,
            "initialize",
            json!({"protocolVersion": 1, "clientInfo": info,
            "clientCapabilities": {"terminal": false}}),
        ),
        answer(
            0,
            json!({"protocolVersion": 1, "agentInfo": info,
            "agentCapabilities": {"loadSession": true}}),
        ),
        ask(
            1,
            "session/new",
            json!({"cwd": "/garden", "mcpServers": [
            {"name": "m", "command": "/bin/m", "args": ["x"], "env": [{"name": "A", "value": "b"}]}]}),
        ),
        answer(1, json!({"sessionId": "bed"})),
        ask(
            2,
            "session/prompt",
            json!({"sessionId": "bed",
            "prompt": [{"type": "text", "text": "Zwölf \"Beete\"\n\t\\ 🌱"}]}),
        ),
        update(json!({"sessionUpdate": "plan", "entries": [
            {"content": "Gießen", "priority": "high", "status": "doing"}]})),
        text("{ [ \" → ← OUT: {\"a\":1}"),
        text("wet"),
        answer(2, json!({"stopReason": "end_turn"})),
    ]
}

/// What is found, and the text that it is about.
type Found = Vec<(&'static str, String)>;

fn found(bytes: &[u8]) -> (Found, Outcome) {
    let settings = Settings { tail: Tail::Open, ..Settings::default() };
    let (diagnostics, outcome) = effort::check(bytes, &settings);
    let shown = diagnostics.iter().map(|found| {
        let span = found.finding.labels[0].span;
        let (start, end) =
            (usize::try_from(span.start).unwrap(), usize::try_from(span.end()).unwrap());
        let line = bytes[..start].split(|byte| *byte == b'\n').count();
        assert_eq!(span.line as usize, line, "line of {span:?}");
        (found.rule.id, String::from_utf8(bytes[start..end].to_vec()).unwrap())
    });
    (shown.collect(), outcome)
}

/// The writers of files with lines or documents, each with its file.
fn files() -> Vec<(Writer, String)> {
    let sent = conversation();
    let is_whole = |writer: &Writer| writer.carries != Carries::Calls;
    let writers = writers::all().into_iter().filter(is_whole);
    writers.map(|writer| (writer, writer.file(&sent).text)).collect()
}

/// A change that keeps the findings, and how much of a file it concerns.
fn assert_same(name: &str, change: impl Fn(&Writer, &str) -> Option<String>) {
    let mut wrong = String::new();
    let mut count = 0;
    for (writer, text) in files() {
        let Some(changed) = change(&writer, &text) else { continue };
        let (expected, before) = found(text.as_bytes());
        let (own, after) = found(changed.as_bytes());
        // A byte order mark on the wire is told.
        let own: Found = own.into_iter().filter(|(rule, _)| *rule != "transport/bom").collect();
        let is_same = own == expected && after.senders == before.senders;
        if !is_same || expected.is_empty() || after.format != Some(writer.name) {
            let Outcome { format, senders, .. } = after;
            wrong +=
                &format!("{}: {format:?} {senders:?} {own:?}, not {expected:?}\n", writer.name);
        }
        count += 1;
    }
    assert!(count > 10, "{count}");
    assert!(wrong.is_empty(), "{name}:\n{wrong}");
}

#[test]
fn carriage_returns_and_byte_order_marks_change_nothing() {
    assert_same("carriage returns", |_, text| Some(text.replace('\n', "\r\n")));
    assert_same("a byte order mark", |_, text| Some(format!("\u{feff}{text}")));
    assert_same("both", |_, text| Some(format!("\u{feff}{}", text.replace('\n', "\r\n"))));
}

#[test]
fn blank_lines_and_missing_line_breaks_change_nothing() {
    assert_same("no last line break", |_, text| Some(text.trim_end().to_owned()));
    assert_same("blank lines at the end", |_, text| Some(format!("{text}\n\n\n")));
    assert_same("blank lines", |_, text| {
        let is_line = |line: &str| serde_json::from_str::<Value>(line).is_ok();
        let are_lines = text.lines().all(is_line) && text.lines().count() > 3;
        are_lines.then(|| text.replace('\n', "\n\n"))
    });
}

/// The value with the members of the outermost object in the opposite order, and spaces all over.
fn respaced(line: &str) -> Option<String> {
    let value: Value = serde_json::from_str(line).ok()?;
    let members: Vec<String> = value
        .as_object()?
        .iter()
        .rev()
        .map(|(name, value)| format!("\t{} :  {value} ", json!(name)))
        .collect();
    Some(format!("  {{ {} }}  ", members.join(" , ")))
}

#[test]
fn the_order_of_members_and_spaces_change_nothing() {
    assert_same("members in another order", |writer, text| {
        // What is on the wire is another text then, and how it is escaped.
        let is_plain = writer.spelling == Spelling::Plain;
        let lines: Option<Vec<String>> = text.lines().map(respaced).collect();
        Some(lines.filter(|_| is_plain)?.join("\n") + "\n")
    });
    let pretty = |line: &str| {
        let value: Value = serde_json::from_str(line).ok()?;
        value.is_object().then(|| format!("{value:#}\n"))
    };
    let mut wrong = String::new();
    for (writer, text) in files() {
        let Some(changed) = text.lines().map(pretty).collect::<Option<String>>() else { continue };
        // Which line a fault is in, and how it is written, is another matter.
        let rules = |text: &str| {
            let (found, outcome) = found(text.as_bytes());
            (found.iter().map(|(rule, _)| *rule).collect::<Vec<_>>(), outcome.senders)
        };
        let (expected, own) = (rules(&text), rules(&changed));
        if own != expected {
            wrong += &format!("{}: {own:?}, not {expected:?}\n", writer.name);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn what_is_cut_off_is_no_fault_of_a_peer() {
    let step = effort::times(293, 29);
    for (writer, text) in files() {
        let (whole, _) = found(text.as_bytes());
        for cut in (step..text.len()).step_by(step) {
            if !text.is_char_boundary(cut) {
                continue;
            }
            let (own, outcome) = found(&text.as_bytes()[..cut]);
            // A file without a message is no transcript, and nothing is said about it.
            if outcome.format.is_none() {
                continue;
            }
            let is_known = |rule: &str| {
                // A line that stops in the middle is told where it can be a peer's.
                rule.starts_with("transport/") || whole.iter().any(|(own, _)| *own == rule)
            };
            let strange: Vec<_> = own.iter().filter(|(rule, _)| !is_known(rule)).collect();
            assert!(strange.is_empty(), "{} cut at {cut}: {strange:?}", writer.name);
        }
        // Where lines stand for themselves, the beginning can be missing as well.
        let is_document = text.starts_with(['(', '['])
            || serde_json::from_str::<Value>(&text).is_ok()
            || writer.carries == Carries::Updates;
        // Of the very end nobody can tell what it is the end of.
        let starts = text.match_indices('\n').filter(|(start, _)| start * 3 < text.len() * 2);
        for (start, _) in starts.filter(|_| !is_document) {
            let (own, _) = found(&text.as_bytes()[start + 1..]);
            // What begins with a session cannot be told from what has no `initialize`.
            let is_known = |found: &&(&str, String)| {
                whole.contains(found) || found.0 == "lifecycle/initialize-first"
            };
            let strange: Vec<_> = own.iter().filter(|found| !is_known(found)).collect();
            assert!(strange.is_empty(), "{} from {start}: {strange:?}", writer.name);
        }
    }
}

/// Judges a file and looks where the findings point.
fn assert_sound(bytes: &[u8], name: &str) {
    let settings = Settings { tail: Tail::Open, ..Settings::default() };
    let (diagnostics, _) = effort::check(bytes, &settings);
    // Bytes that are no character are one each.
    let is_boundary = |at: usize| at == bytes.len() || bytes[at] & 0xc0 != 0x80;
    let is_text = std::str::from_utf8(bytes).is_ok();
    for found in &diagnostics {
        for label in &found.finding.labels {
            let span = label.span;
            let (start, end) = (span.start, span.end());
            assert!(
                start <= end && end <= bytes.len() as u64,
                "{name}: {} {span:?}",
                found.rule.id
            );
            let (start, end) = (usize::try_from(start).unwrap(), usize::try_from(end).unwrap());
            let is_sound = !is_text || is_boundary(start) && is_boundary(end);
            assert!(is_sound, "{name}: {} {span:?}", found.rule.id);
        }
    }
}

#[test]
fn every_beginning_of_a_file_is_read() {
    for (writer, text) in files() {
        let bytes = text.as_bytes();
        for cut in (0..bytes.len()).step_by(50 * effort::step(4)) {
            assert_sound(&bytes[..cut], writer.name);
            assert_sound(&bytes[cut..], writer.name);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: effort::cases(48), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn broken_bytes_do_no_harm(
        breaks in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4_u8), 1..12),
    ) {
        for (writer, text) in files() {
            let mut bytes = text.into_bytes();
            for (place, byte, kind) in &breaks {
                let place = place.index(bytes.len());
                match kind {
                    0 => bytes[place] ^= 1 << (byte % 8),
                    1 => bytes[place] = b"\"\\{}[]()\n\r#=:,"[usize::from(*byte) % 14],
                    2 => drop(bytes.remove(place)),
                    _ => bytes.insert(place, *byte),
                }
            }
            assert_sound(&bytes, writer.name);
        }
    }
}
