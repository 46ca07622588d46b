//! Reduction: what is left still has the finding, could have been recorded, and is as small as it can
//! be.

use std::collections::{BTreeMap, BTreeSet};

use acpcheck::{
    check::Settings,
    redact::{FindingKey, Redactor},
    reduce::{self, Limits, Reduced, reduce},
    transcript,
};
use serde_json::Value;

use super::{effort, fixtures};

const LIMITS: Limits = Limits { budget: reduce::BUDGET, shortens: false };

fn findings(recording: &[u8], settings: &Settings) -> Vec<FindingKey> {
    effort::check(recording, settings).0.iter().map(FindingKey::of).collect()
}

/// What makes a finding the same in a reduced recording.
fn identity(finding: &FindingKey) -> impl Ord + use<> {
    let FindingKey { rule, severity, bound, fingerprint, .. } = *finding;
    (rule, severity, bound, fingerprint.digits())
}

/// The message in a line, whatever is around it.
fn message(line: &str) -> Option<Value> {
    let value: Value = serde_json::from_str(line).ok()?;
    let is_message =
        |value: &Value| ["method", "result", "error"].iter().any(|it| value.get(it).is_some());
    if is_message(&value) {
        return Some(value);
    }
    value.as_object()?.values().find(|it| is_message(it)).cloned()
}

/// Whether a value is another one without some members and elements.
fn is_part(part: &Value, whole: &Value) -> bool {
    match (part, whole) {
        (Value::Object(part), Value::Object(whole)) => {
            part.iter().all(|(name, part)| whole.get(name).is_some_and(|it| is_part(part, it)))
        }
        (Value::Array(part), Value::Array(whole)) => {
            let mut whole = whole.iter();
            part.iter().all(|part| whole.any(|it| is_part(part, it)))
        }
        // A recorder may write messages as strings.
        (Value::String(part), Value::String(whole)) if part != whole && part.starts_with('{') => {
            let value = |text: &str| serde_json::from_str::<Value>(text);
            matches!((value(part), value(whole)), (Ok(part), Ok(whole)) if is_part(&part, &whole))
        }
        _ => part == whole,
    }
}

/// Checks the laws that each reduction keeps.
fn lawful(recording: &str, target: &FindingKey, reduced: &Reduced, settings: &Settings) {
    let new = String::from_utf8(reduced.bytes.clone()).unwrap();
    let (old_lines, new_lines): (Vec<_>, Vec<_>) =
        (recording.lines().collect(), new.lines().collect());
    let old_line = |line: u32| {
        let (new, old) = reduced.lines.iter().rev().find(|(new, _)| *new <= line).unwrap();
        old + line - new
    };

    // The same finding at the same messages, and no finding at another one.
    let all: BTreeSet<_> = findings(recording.as_bytes(), settings)
        .iter()
        .map(|it| (identity(it), it.lines.first().copied()))
        .collect();
    let mut is_there = false;
    for mut finding in findings(&reduced.bytes, settings) {
        finding.lines.iter_mut().for_each(|line| *line = old_line(*line));
        let place = finding.lines.first().copied();
        assert!(all.contains(&(identity(&finding), place)), "new: {finding:?}\n{new}");
        is_there |= identity(&finding) == identity(target) && finding.lines == target.lines;
    }
    assert!(is_there, "{} is lost:\n{new}", target.rule);
    let line = reduced.finding.lines.first();
    assert_eq!(line.map(|line| old_line(*line)), target.lines.first().copied());

    // Nothing is invented: each line is one of the recording, without some of its parts.
    let mut last = 0;
    let mut kept = BTreeSet::new();
    for (at, line) in (1..).zip(&new_lines) {
        let old = old_line(at);
        assert!(old > last, "the order stays");
        last = old;
        kept.insert(old);
        let whole = old_lines[old as usize - 1];
        let value = |text: &str| serde_json::from_str::<Value>(text);
        if line.contains("\"base64\"") {
            // The text that it encodes does not stand in the line.
        } else if let (Ok(part), Ok(whole)) = (value(line), value(whole)) {
            assert!(is_part(&part, &whole), "{line}\n{whole}");
        } else {
            let mut characters = whole.chars();
            let is_left = line.chars().all(|own| characters.any(|it| it == own));
            assert!(is_left, "{line}\n{whole}");
        }
    }
    assert_eq!(kept.len(), new_lines.len());

    // It could have been: what was there before has its requests, answers, and sessions.
    let old_messages: Vec<_> = old_lines.iter().map(|line| message(line)).collect();
    let is_initialize =
        |it: &Option<Value>| it.as_ref().is_some_and(|it| it["method"] == "initialize");
    let number = |at: usize| u32::try_from(at + 1).unwrap();
    let initialize = old_messages.iter().position(is_initialize).map(number);
    if let Some(initialize) = initialize.filter(|it| kept.last().is_some_and(|last| last > it)) {
        assert!(kept.contains(&initialize), "`initialize` stays:\n{new}");
    }
    // Ids that one message asks and one answers, so that it is plain who answers whom.
    let mut ids: BTreeMap<String, (Vec<u32>, Vec<u32>)> = BTreeMap::new();
    for (at, message) in old_messages.iter().enumerate() {
        let Some(message) = message else { continue };
        let Some(id) = message.get("id") else { continue };
        let (asked, answered) = ids.entry(id.to_string()).or_default();
        let list = if message["method"].is_string() { asked } else { answered };
        list.push(number(at));
    }
    for (id, (asked, answered)) in &ids {
        if let ([asked], [answered]) = (&asked[..], &answered[..])
            && asked < answered
        {
            assert_eq!(kept.contains(asked), kept.contains(answered), "id {id}:\n{new}");
        }
    }
}

/// Reduces a recording, and checks that this is lawful, the same each time, and final.
fn reduced(recording: &str, target: &FindingKey, settings: &Settings) -> Option<Reduced> {
    let reduced = reduce(recording.as_bytes(), target, settings, LIMITS)?;
    assert!(!reduced.is_unfinished);
    // Places are told by lines here, so that a message has to stand on one.
    let text = String::from_utf8(reduced.bytes.clone()).unwrap();
    if !reduced.is_rewritten && text.lines().count() == reduced.lines.len() {
        lawful(recording, target, &reduced, settings);
    }
    let again = reduce(recording.as_bytes(), target, settings, LIMITS).unwrap();
    assert_eq!(again, reduced, "the same bytes each time");
    let again = reduce(&reduced.bytes, &reduced.finding, settings, LIMITS);
    let same = |again: &Reduced| again.bytes == reduced.bytes;
    let text = |it: &Reduced| String::from_utf8_lossy(&it.bytes).into_owned();
    let texts = (again.as_ref().map(text).unwrap_or_default(), text(&reduced));
    assert!(again.as_ref().is_some_and(same), "reduced again:\n{}\n{}", texts.0, texts.1);
    Some(reduced)
}

#[test]
fn findings_of_fixtures_are_reduced() {
    let mut rules = BTreeSet::new();
    let mut sizes = Vec::new();
    for (_, path) in fixtures::fixtures().into_iter().step_by(effort::times(197, 5)) {
        let Ok(recording) = std::fs::read_to_string(&path) else { continue };
        let settings = fixtures::settings(&path);
        for target in findings(recording.as_bytes(), &settings) {
            let reduced = reduced(&recording, &target, &settings);
            let reduced = reduced.unwrap_or_else(|| panic!("{}", path.display()));
            rules.insert(target.rule);
            sizes.push((reduced.bytes.len(), recording.len()));
        }
    }
    let smaller = sizes.iter().filter(|(new, old)| new < old).count();
    assert!(rules.len() > 4 && smaller * 10 > sizes.len() * 9, "{} {sizes:?}", rules.len());
}

/// A conversation with one fault among many messages: an agent that calls a session by another name.
fn long_conversation(turns: usize) -> String {
    let mut lines = vec![
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"orchard","version":"2.1.0"}}}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":1,"agentInfo":{"name":"beehive","version":"0.4.0"},"agentCapabilities":{"loadSession":true}}}"#.to_owned(),
    ];
    for session in ["pear", "plum"] {
        let id = lines.len();
        lines.push(format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"session/new","params":{{"cwd":"/home/ada/{session}","mcpServers":[]}}}}"#
        ));
        lines
            .push(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"sessionId":"{session}"}}}}"#));
    }
    let update = |session: &str, update: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"{session}","update":{update}}}}}"#
        )
    };
    for turn in 0..turns {
        let session = if turn % 3 == 0 { "plum" } else { "pear" };
        let id = lines.len();
        lines.push(format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"session/prompt","params":{{"sessionId":"{session}","prompt":[{{"type":"text","text":"Prune branch {turn}"}},{{"type":"text","text":"with care"}}]}}}}"#
        ));
        lines.push(update(session, &format!(
            r#"{{"sessionUpdate":"tool_call","toolCallId":"saw-{turn}","title":"Saw","kind":"edit","status":"in_progress"}}"#
        )));
        for word in ["Sawing", "still", "done"] {
            lines.push(update(session, &format!(
                r#"{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":"{word} {turn}"}}}}"#
            )));
        }
        if turn == turns / 2 {
            lines.push(update(session, r#"{"sessionUpdate":"tool_call_update","toolCallId":"axe","status":"completed","title":"Axe"}"#));
        }
        lines.push(update(session, &format!(
            r#"{{"sessionUpdate":"tool_call_update","toolCallId":"saw-{turn}","status":"completed"}}"#
        )));
        lines
            .push(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"stopReason":"end_turn"}}}}"#));
    }
    lines.join("\n") + "\n"
}

#[test]
fn a_long_conversation_becomes_short() {
    let recording = long_conversation(effort::times(20, 200));
    let settings = Settings::default();
    let all = findings(recording.as_bytes(), &settings);
    let target = all.iter().find(|it| it.rule == "tool-call/unknown-id").unwrap();
    let reduced = reduced(&recording, target, &settings).unwrap();
    assert_eq!(reduced.messages, 5, "{}", String::from_utf8(reduced.bytes).unwrap());
    assert!(reduced.bytes.len() < 700);
    assert_eq!(reduced.all_messages, recording.lines().count());
}

/// The findings of each recording in another format are reduced there, too.
#[test]
fn formats_are_reduced_as_they_are() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/formats");
    let mut formats = BTreeSet::new();
    let files = walkdir::WalkDir::new(root).sort_by_file_name().into_iter();
    let files = files.map(|entry| entry.unwrap().into_path()).filter(|path| path.is_file());
    for path in effort::one_in(11, files) {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        // A value that the protocol does not know, wherever a status stands.
        let recording = text.replace("in_progress", "half_done");
        let settings = Settings::default();
        let (diagnostics, outcome) = effort::check(recording.as_bytes(), &settings);
        let Some(format) = outcome.format else { continue };
        let Some(target) =
            diagnostics.iter().find(|it| it.severity > acpcheck::rule::Severity::Info)
        else {
            continue;
        };
        let target = FindingKey::of(target);
        let Some(small) = reduced(&recording, &target, &settings) else {
            panic!("{format}: {target:?} is lost");
        };
        assert!(small.bytes.len() < recording.len(), "{format}");
        let (_, outcome) = effort::check(&small.bytes, &settings);
        assert!(outcome.format.and_then(transcript::find).is_some());
        if !small.is_rewritten {
            assert_eq!(outcome.format, Some(format));
        }
        formats.insert(format);
    }
    assert!(formats.len() >= effort::times(4, 20), "{formats:?}");
}

/// Recordings that no program writes: each finding is reduced or not, and what comes out has it.
#[test]
fn hostile_recordings_are_reduced() {
    let text = long_conversation(2);
    let lines: Vec<&str> = text.lines().collect();
    let with = |line: &[u8]| [text.as_bytes(), line, b"\n", text.as_bytes()].concat();
    let chunk = |value: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{{"sessionUpdate":"agent_message_chunk","content":{value}}}}}}}"#
        )
    };
    let mut recordings: Vec<Vec<u8>> =
        effort::one_in(40, 0..text.len()).map(|end| text.as_bytes()[..end].to_vec()).collect();
    recordings.extend([
        with(&[0, 255, 254, 10, 13, 0xC3, 0x28]),
        with(chunk(&"[".repeat(5_000)).as_bytes()),
        with(chunk(&format!("{}{}", "[".repeat(900), "]".repeat(900))).as_bytes()),
        with(chunk(&format!(r#"{{"type":"text","text":"{}"}}"#, "ü".repeat(300_000))).as_bytes()),
        with(chunk(&format!("{{{}\"b\":1}}", r#""a":0,"#.repeat(2_000))).as_bytes()),
        text.replace("\"jsonrpc\"", "\"jsonrpc\":1,\"jsonrpc\"").into_bytes(),
        text.replace('\n', "\r\n\r\n").into_bytes(),
        text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        format!("[{}]", lines.join(",")).into_bytes(),
        lines.iter().rev().flat_map(|line| [line.as_bytes(), b"\n"].concat()).collect(),
    ]);
    let settings = Settings::default();
    let mut count = 0;
    for recording in recordings {
        let mut rules = BTreeSet::new();
        for target in findings(&recording, &settings) {
            let limits = Limits { budget: 5_000, shortens: true };
            if !rules.insert(target.rule) {
                continue;
            }
            let Some(reduced) = reduce(&recording, &target, &settings, limits) else { continue };
            count += 1;
            assert!(reduced.messages <= reduced.all_messages);
            let left = findings(&reduced.bytes, &settings);
            assert!(left.iter().any(|it| identity(it) == identity(&target)), "{}", target.rule);
        }
    }
    assert!(count > 10, "{count}");
}

#[test]
fn the_budget_ends_the_search() {
    let recording = long_conversation(30);
    let settings = Settings::default();
    let all = findings(recording.as_bytes(), &settings);
    let target = all.iter().find(|it| it.rule == "tool-call/unknown-id").unwrap();
    let limits = Limits { budget: 60, ..LIMITS };
    let some = reduce(recording.as_bytes(), target, &settings, limits).unwrap();
    let all = reduce(recording.as_bytes(), target, &settings, LIMITS).unwrap();
    assert!(some.is_unfinished && some.bytes.len() > all.bytes.len());
    assert!(findings(&some.bytes, &settings).iter().any(|it| it.rule == target.rule));
}

#[test]
fn reduced_recordings_are_redacted() {
    let recording = long_conversation(9).replace("Axe", "secret-of-ada");
    let settings = Settings::default();
    let all = findings(recording.as_bytes(), &settings);
    let target = all.iter().find(|it| it.rule == "tool-call/unknown-id").unwrap();
    let small = reduced(&recording, target, &settings).unwrap();
    let redacted = Redactor::default().redact(&small.bytes, &settings).unwrap();
    let text = String::from_utf8(redacted.bytes).unwrap();
    assert!(!text.contains("ada") && !text.contains("axe") && redacted.kept.is_empty(), "{text}");
    assert_eq!(findings(text.as_bytes(), &settings), findings(&small.bytes, &settings));
}

#[test]
fn long_strings_become_short() {
    let long = "leaf ".repeat(200);
    let recording = long_conversation(3).replace("Axe", &long);
    let settings = Settings::default();
    let all = findings(recording.as_bytes(), &settings);
    let target = all.iter().find(|it| it.rule == "tool-call/unknown-id").unwrap();
    let limits = Limits { shortens: true, ..LIMITS };
    let small = reduce(recording.as_bytes(), target, &settings, limits).unwrap();
    assert!(small.bytes.len() < 1000, "{}", small.bytes.len());
}
