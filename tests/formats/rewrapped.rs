//! The same conversation in the files of all writers: the same findings at the same places.

use std::{collections::HashMap, fs, path::Path};

use acpcheck::{
    check::{Outcome, Settings, Tail},
    json::{Doc, Node, Tape, Text},
    protocol::{Side, Surface},
    rules::NOT_JUDGED,
    source::Origin,
    transcript::{self, labels::method_sender},
};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{
    generate::{Choices, Generator, Stray},
    writers::{self, Carries, File, Sent, Spelling, Writer},
};
use crate::{effort, labelled, measure::BESIDE};

/// A rule, the number of the message that it is about, and the value that it shows, when that is no
/// object or array.
type Found = (&'static str, usize, String);

/// The text of a value without what differs between notations.
fn bare(text: &str) -> String {
    let mut out = String::new();
    let mut units: Vec<u16> = Vec::new();
    let mut rest = text.chars();
    while let Some(character) = rest.next() {
        let unit = match character {
            '\\' => match rest.next() {
                Some('u') => {
                    let hex: String = rest.by_ref().take(4).collect();
                    u16::from_str_radix(&hex, 16).ok()
                }
                Some('n' | 't' | 'r' | 'b' | 'f') | None => None,
                Some(other) => {
                    units.extend(other.encode_utf16(&mut [0; 2]).iter());
                    None
                }
            },
            other => {
                units.extend(other.encode_utf16(&mut [0; 2]).iter());
                None
            }
        };
        units.extend(unit);
    }
    out.extend(
        char::decode_utf16(units)
            .map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
            .filter(|unit| !unit.is_control() && !unit.is_whitespace())
            .filter(|unit| !matches!(unit, '"' | '\'' | '\\')),
    );
    // As other languages call it.
    match out.as_str() {
        "vim.NIL" | "None" | "nil" => "null".to_owned(),
        "True" | "t" => "true".to_owned(),
        "False" | ":false" => "false".to_owned(),
        _ => out,
    }
}

fn found(file: &File, spelling: Spelling, settings: &Settings) -> (Vec<Found>, Outcome) {
    let (diagnostics, outcome) = effort::check(file.text.as_bytes(), settings);
    let mut found: Vec<Found> = diagnostics
        .iter()
        .map(|found| {
            let span = found.finding.labels[0].span;
            let (start, end) =
                (usize::try_from(span.start).unwrap(), usize::try_from(span.end()).unwrap());
            let line = file.text[..start].matches('\n').count() + 1;
            assert_eq!(span.line as usize, line, "line of {span:?}");
            let column = start - file.text[..start].rfind('\n').map_or(0, |at| at + 1);
            assert_eq!(span.column as usize, column, "column of {span:?}");
            let text = &file.text[start..end];
            let index = file.index(span.line).unwrap_or(usize::MAX);
            let shown = match spelling {
                Spelling::Hidden => String::new(),
                Spelling::Plain => bare(text),
                Spelling::Escaped => {
                    let inside = text.strip_prefix('"').filter(|_| index != usize::MAX);
                    let outer = inside.filter(|rest| rest.ends_with('"') && rest.len() > 1);
                    let outer = outer.map_or(text, |rest| &rest[..rest.len() - 1]);
                    let literal = format!("\"{outer}\"");
                    bare(
                        &serde_json::from_str::<String>(&literal)
                            .unwrap_or_else(|_| text.to_owned()),
                    )
                }
            };
            (found.rule.id, index, shown)
        })
        .collect();
    found.sort();
    (found, outcome)
}

/// Whether a value shows how it was written by its brackets, or is not there.
fn is_scalar(shown: &str) -> bool {
    shown.contains(char::is_alphanumeric) && !shown.contains(['{', '[', '('])
}

/// Whether what is found in a file is what should be.
fn compare(
    writer: &Writer,
    file: &File,
    expected: &[Found],
    settings: &Settings,
) -> Result<(), String> {
    let (own, outcome) = found(file, writer.spelling, settings);
    if outcome.messages > 0 && outcome.format != Some(writer.name) {
        return Err(format!("{} is read as {:?}", writer.name, outcome.format));
    }
    // Whether the text of messages is kept is another matter.
    let is_apart = |rule: &str| rule == "transport/duplicate-key";
    let own: Vec<Found> = own.into_iter().filter(|(rule, ..)| !is_apart(rule)).collect();
    let is_assessed = |rule: &str| {
        !is_apart(rule) && !outcome.unassessed.iter().any(|limit| limit.rules.contains(&rule))
    };
    let is_expected = |(rule, index, _): &&Found| {
        is_assessed(rule) && file.lines.get(*index).is_some_and(Option::is_some)
    };
    let expected: Vec<&Found> = expected.iter().filter(is_expected).collect();
    let same = |one: &Found, other: &Found| {
        // Some write ids of their own.
        let is_id =
            one.0.starts_with("jsonrpc/") && ["conductor-trace", "sacp-tee"].contains(&writer.name);
        let is_shown = is_scalar(&one.2) && is_scalar(&other.2) && !is_id;
        (one.0, one.1) == (other.0, other.1) && (!is_shown || one.2 == other.2)
    };
    let is_same = own.len() == expected.len()
        && own.iter().zip(&expected).all(|(one, other)| same(one, other));
    if is_same {
        return Ok(());
    }
    Err(format!("{}:\n  found    {own:?}\n  expected {expected:?}\n{}", writer.name, file.text))
}

/// The bare lines, or the lines with labels, as the writer has them.
fn baseline(writer: &Writer, sent: &[Sent], settings: &Settings) -> Vec<Found> {
    let name = if writer.has_labels { "envelope" } else { "ndjson" };
    let plain = writers::all().into_iter().find(|writer| writer.name == name).unwrap();
    let mut file = plain.file(sent);
    if writer.has_labels {
        // Words that need no calibration.
        file.text = file.text.replace("\"from\":\"client\"", "\"dir\":\"c2a\"");
        file.text = file.text.replace("\"from\":\"agent\"", "\"dir\":\"a2c\"");
    }
    found(&file, Spelling::Plain, settings).0
}

/// What the writer carries of a conversation; `None` when that is not enough to compare.
fn carried(writer: &Writer, sent: &[Sent]) -> Option<Vec<Sent>> {
    if writer.carries == Carries::Updates {
        // What is left is compared with the updates alone, in the session that the writer tells of.
        let mut updates: Vec<Sent> =
            sent.iter().filter(|sent| writer.takes(sent)).cloned().collect();
        for sent in &mut updates {
            // Neither is kept.
            let mut message = sent.value();
            message.as_object_mut()?.retain(|name, _| name == "jsonrpc" || !is_foreign(name));
            message.as_object_mut()?.remove("id");
            if writer.name == "vibe-kanban" {
                message["params"] =
                    json!({"sessionId": "-", "update": message["params"]["update"]});
            }
            *sent = Sent::new(false, &message);
        }
        if writer.name == "vibe-kanban" {
            updates.retain(|sent| writers::kanban(&sent.value()).is_some());
        }
        return (!updates.is_empty()).then_some(updates);
    }
    let is_clean = |sent: &Sent| {
        let message = sent.value();
        let has = |name: &str| usize::from(message.get(name).is_some());
        let error = message.get("error");
        let is_error =
            error.is_none_or(|error| error["code"].is_i64() && error["message"].is_string());
        has("method") + has("result") + has("error") == 1
            && message.get("id").is_none_or(|id| !id.is_null())
            && (is_error || writer.name != "zed")
            && message
                .as_object()
                .is_some_and(|members| members.keys().all(|name| !is_foreign(name)))
    };
    let tells_apart =
        |sent: &Sent| sent.value().is_object() || !["acp-el-log", "toad"].contains(&writer.name);
    let is_rebuilt = ["conductor-trace", "sacp-tee", "zed", "avante"].contains(&writer.name);
    // Brackets with nothing in them are no sign of a message behind an unknown prefix.
    let is_seen = |sent: &Sent| sent.text.trim() != "[]" || writer.name != "prefixed";
    let is_carried = |sent: &Sent| {
        writer.takes(sent) && (!is_rebuilt || is_clean(sent)) && tells_apart(sent) && is_seen(sent)
    };
    sent.iter().all(is_carried).then(|| sent.to_vec())
}

fn is_foreign(name: &str) -> bool {
    !["jsonrpc", "id", "method", "params", "result", "error"].contains(&name)
}

fn node<R>(text: &str, read: impl FnOnce(Node<'_>) -> R) -> Option<R> {
    let mut tape = Tape::default();
    tape.parse(text).ok()?;
    Some(read(Doc::new(text, &tape, Origin::START).root()))
}

/// The lines of a transcript with who sent them, as far as it can be told; `None` when not.
fn directed(transcript: &str) -> Option<Vec<Sent>> {
    let mut asked: HashMap<String, Vec<bool>> = HashMap::new();
    let mut sent = Vec::new();
    for line in transcript.lines().filter(|line| !line.trim().is_empty()) {
        let labelled = node(line, |root| {
            let side = root.get("dir")?.text().map(Text::as_cow)?;
            Some((side.starts_with('c'), root.get("msg")?.raw().to_owned()))
        });
        if let Some(Some((by_client, text))) = labelled {
            sent.push(Sent { by_client, text });
            continue;
        }
        let by_client = node(line, |root| {
            let id = root.get("id").map(|id| id.raw().to_owned());
            if root.get("method").is_some() {
                let by_client = method_sender(root)? == Side::Client;
                asked.entry(id.unwrap_or_default()).or_default().push(by_client);
                return Some(by_client);
            }
            match asked.get(&id?)?.as_slice() {
                [by_client] => Some(!by_client),
                _ => None,
            }
        });
        sent.push(Sent { by_client: by_client??, text: line.to_owned() });
    }
    Some(sent)
}

/// Conversations of the fixtures, with how to judge them.
fn conversations() -> Vec<(String, Vec<Sent>, Settings)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut all = Vec::new();
    for entry in walkdir::WalkDir::new(&root).sort_by_file_name().min_depth(3).max_depth(3) {
        let path = entry.unwrap().into_path();
        let name = path.strip_prefix(&root).unwrap().display().to_string();
        // What a terminal echoes is told by its very bytes, and some rules by the clock.
        let is_apart = ["recorded", "formats"].iter().any(|folder| name.starts_with(folder))
            || ["echoed", "labels-swapped", "type-of-jetbrains", "nowhere", "own-id", "one-side"]
                .iter()
                .any(|word| name.contains(word))
            || name.starts_with("state/permission-without-requires-action");
        if is_apart {
            continue;
        }
        let Ok(text) = String::from_utf8(fs::read(&path).unwrap()) else { continue };
        let surface = Surface::ALL
            .into_iter()
            .find(|surface| name.split('.').any(|part| part == surface.name()));
        let Some(sent) = directed(&text) else { continue };
        let settings = Settings { surface, tail: Tail::Open, ..Settings::default() };
        all.push((name, sent, settings));
    }
    all
}

#[test]
fn every_readable_format_has_a_writer() {
    let mut own: Vec<&str> = writers::all().iter().map(|writer| writer.name).collect();
    let mut readable: Vec<&str> = transcript::FORMATS
        .iter()
        .filter(|format| !matches!(format.read, transcript::Read::Refused(_)))
        .map(|format| format.name)
        .collect();
    own.sort_unstable();
    readable.sort_unstable();
    assert_eq!(own, readable);
}

/// Fixtures of which some formats tell more than a bare list of messages: when each message came, or
/// that a second `initialize` may begin another connection.
const TOLD_IN_PART: [&str; 2] = [
    "session/close-before-cancelled-idle/good-ended-by-itself.v2.ndjson",
    "lifecycle/reinitialize/bad-refused.v2.ndjson",
];

/// Whether a recording of `acpcheck record` says more of a conversation than the fixture: that it
/// begins here, when it was, that it is one connection, and that no recorder has added a member or
/// masked a value.
fn is_told_more(name: &str, sent: &[Sent]) -> bool {
    let begins = sent.first().is_some_and(|first| first.text.contains("\"initialize\""));
    let subjects = [
        "jsonrpc/unexpected-envelope-member/",
        "plan/lossy-downgrade/",
        "surface/newer-than-known/",
    ];
    // A mask in brackets, such as `<HOME>/garden`, begins its string.
    let has_masks = ["masked", "placeholder", "redacted"].iter().any(|word| name.contains(word))
        || sent.iter().any(|message| message.text.contains("\"<"));
    !begins || has_masks || subjects.iter().any(|rule| name.starts_with(rule))
}

#[test]
fn fixtures_in_other_formats_are_judged_alike() {
    // Each fixture in a third of the formats, and each format with a third of the fixtures.
    let turn = effort::times(97, 3);
    let (mut wrong, mut count) = (Vec::new(), 0);
    for (number, (name, sent, settings)) in conversations().iter().enumerate() {
        for (place, writer) in writers::all().iter().enumerate() {
            let is_compared = place % turn == number % turn && writer.carries != Carries::Calls;
            if !is_compared || TOLD_IN_PART.contains(&&**name) {
                continue;
            }
            let Some(sent) = carried(writer, sent) else { continue };
            if writer.name == "acpcheck-record" && is_told_more(name, &sent) {
                continue;
            }
            let file = writer.file(&sent);
            if let Err(difference) = judged_alike(writer, &sent, &file, settings) {
                wrong.push(format!("{name} as {difference}"));
            }
            count += 1;
        }
    }
    println!("{count} comparisons");
    assert!(count > effort::times(400, 1000), "{count}");
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

fn judged_alike(
    writer: &Writer,
    sent: &[Sent],
    file: &File,
    settings: &Settings,
) -> Result<(), String> {
    let mut expected = baseline(writer, sent, settings);
    if writer.name == "acp-el" || writer.name == "avante" {
        // What may be `null` or empty is not judged, and what hangs on it may not be either.
        let is_clear =
            |sent: &Sent| !["null", "{}", "[]"].iter().any(|word| sent.text.contains(word));
        if !sent.iter().all(is_clear) {
            let mut own = found(file, writer.spelling, settings).0;
            expected.retain(|one| {
                let place = own.iter().position(|other| (one.0, one.1) == (other.0, other.1));
                place.map(|place| own.remove(place)).is_some()
            });
        }
    }
    compare(writer, file, &expected, settings)
}

#[test]
fn labelled_cases_keep_their_rule_in_every_format() {
    let (mut wrong, mut right, mut silent) = (Vec::new(), 0, 0);
    let turn = effort::step(61);
    for (number, case) in labelled::all().into_iter().enumerate() {
        let (file, settings, line) = (case.file.as_str(), &case.settings, case.line);
        let rule = case.rule.as_deref();
        let Ok(text) = std::str::from_utf8(&case.bytes) else { continue };
        let Some(sent) = directed(text) else { continue };
        let is_labelled = text.contains("\"dir\":");
        // The second one needs the clock of the recording.
        if !case.is_built() || rule == Some("state/permission-without-requires-action") {
            continue;
        }
        for (place, writer) in writers::all().into_iter().enumerate() {
            if place % turn != number % turn
                || matches!(writer.carries, Carries::Updates | Carries::Calls)
                || carried(&writer, &sent).is_none()
                || is_labelled && !writer.has_labels
                || writer.name == "acpcheck-record" && is_told_more(file, &sent)
            {
                continue;
            }
            let file_text = writer.file(&sent);
            let (own, outcome) = found(&file_text, Spelling::Hidden, settings);
            let mut unassessed = outcome.unassessed.iter().flat_map(|limit| &limit.rules);
            let is_silent = rule.is_some_and(|rule| unassessed.any(|id| *id == rule))
                || line > 0 && file_text.lines[line - 1].is_none();
            let is_beside = |rule: &str| {
                BESIDE.iter().any(|(own, finding)| *own == file && finding.starts_with(rule))
            };
            let own: Vec<_> = own.iter().filter(|(rule, ..)| !is_beside(rule)).collect();
            let own: Vec<_> = own.iter().map(|(rule, index, _)| (*rule, index + 1)).collect();
            let expected = rule.filter(|_| !is_silent).map(|rule| (rule, line));
            let expected = Vec::from_iter(expected);
            let is_unclear =
                || matches!(writer.name, "acp-el" | "avante" | "zed") && own.is_empty();
            // Who sent what is known for sure where recordings have labels.
            let is_more_sure = || {
                writer.has_labels
                    && baseline(&writer, &sent, settings).len() != usize::from(rule.is_some())
            };
            if own == expected {
                right += 1;
                silent += usize::from(is_silent);
            } else if !is_unclear() && !is_more_sure() {
                wrong.push(format!("{file} as {}: {own:?}, not {expected:?}", writer.name));
            }
        }
    }
    println!("{right} as labelled, {silent} of them not assessed");
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), wrong.len() + right, wrong.join("\n"));
}

#[test]
fn one_side_of_a_conversation_gives_no_other_finding() {
    // Of two connections nothing is left that tells them apart; of what is wrong in two places or
    // ways, something else is told; what the client advertised is known from its own messages alone.
    let apart = [
        "plan/lossy-downgrade/",
        "capability/agent-method/bad-draft",
        "capability/client-method/bad-relative-path",
        "config/current-value-not-offered/bad-twice",
        "lifecycle/version-mismatch-continue/bad-goes-on",
        "plan/operation-without-capability/bad",
        "prompt/unsupported-content-accepted/bad-unknown-type",
        "state/cancel-not-confirmed/bad-leaves-the-plan",
        "state/cancelled-reported-as-error/bad-without-error",
        "state/update-after-cancelled-idle/bad-ends-again",
        "subagent/parent-changed/bad-cycle",
        "surface/newer-than-known/bad-plan-status",
    ];
    let plain = writers::all().into_iter().find(|writer| writer.name == "ndjson").unwrap();
    let (mut wrong, mut count) = (Vec::new(), 0);
    for (name, sent, settings) in conversations() {
        if apart.iter().any(|own| name.starts_with(own)) {
            continue;
        }
        let whole = baseline(&plain, &sent, &settings);
        for by_client in [false, true] {
            let own: Vec<usize> =
                (0..sent.len()).filter(|at| sent[*at].by_client == by_client).collect();
            let part: Vec<Sent> = own.iter().map(|at| sent[*at].clone()).collect();
            let (diagnostics, outcome) = found(&plain.file(&part), Spelling::Plain, &settings);
            let is_told = outcome.notes.iter().any(|note| note.contains("messages are recorded"));
            if !is_told {
                // An excerpt.
                continue;
            }
            count += 1;
            // What is not judged may be judged where more is on record.
            let judged = diagnostics.into_iter().filter(|(rule, ..)| *rule != NOT_JUDGED);
            for (rule, index, shown) in judged {
                let is_there = own.get(index).is_some_and(|at| {
                    whole.iter().any(|(same, place, _)| (*same, *place) == (rule, *at))
                });
                if !is_there {
                    let side = if by_client { "client" } else { "agent" };
                    wrong.push(format!("{name}, {side} alone: {rule} at {index}: {shown}"));
                }
            }
        }
    }
    assert!(count > 1000, "{count}");
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// The definition of a session notification in the schema of version 1.
fn schema() -> &'static Value {
    static SCHEMA: std::sync::LazyLock<Value> = std::sync::LazyLock::new(|| {
        serde_json::from_str(include_str!("../../schema/v1/schema.unstable.json")).unwrap()
    });
    &SCHEMA
}

/// Params made from a definition, mostly fitting, for session `s`.
fn params(name: &str, choices: &[u16]) -> Value {
    let definitions = schema()["$defs"].as_object().unwrap();
    let mut generator =
        Generator { definitions, choices: Choices(choices), stray: Stray::Sometimes };
    let mut params = generator.value(&definitions[name]);
    if let Some(params) = params.as_object_mut() {
        params.insert("sessionId".to_owned(), json!("s"));
    }
    params
}

/// A turn in which the agent sends anything, most of it right, and texts that need escapes.
fn conversation() -> impl Strategy<Value = Vec<Sent>> {
    let choices = || prop::collection::vec(any::<u16>(), 0..60);
    let status = prop::sample::select(vec!["pending", "in_progress", "completed", "doing", "über"]);
    let entry = ("[ -~\n\t\u{e9}\u{1f331}]{0,12}", status)
        .prop_map(|(text, status)| json!({"content": text, "status": status, "priority": "low"}));
    let plan = prop::collection::vec(entry, 0..4).prop_map(|entries| {
        json!({"sessionId": "s", "update": {"sessionUpdate": "plan", "entries": entries}})
    });
    let any_update = choices().prop_map(|choices| params("SessionNotification", &choices));
    let update = prop_oneof![plan, any_update].prop_map(|params| {
        (false, json!({"jsonrpc": "2.0", "method": "session/update", "params": params}))
    });
    let question = (choices(), any::<u8>()).prop_map(|(choices, id)| {
        let params = params("RequestPermissionRequest", &choices);
        let method = "session/request_permission";
        (
            false,
            json!({"jsonrpc": "2.0", "id": format!("q{id}"), "method": method, "params": params}),
        )
    });
    let said = prop_oneof![5 => update, 1 => question];
    prop::collection::vec(said, 1..8).prop_map(|said| {
        let ask = |id: u32, method: &str, params: Value| {
            Sent::new(true, &json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
        };
        let answer =
            |id: u32, result: Value| Sent::new(false, &json!({"jsonrpc": "2.0", "id": id, "result": result}));
        let info = json!({"name": "gardener", "version": "1"});
        let mut sent = vec![
            ask(0, "initialize", json!({"protocolVersion": 1, "clientInfo": info,
                "clientCapabilities": {"terminal": false}})),
            answer(0, json!({"protocolVersion": 1, "agentInfo": info,
                "agentCapabilities": {"loadSession": true}})),
            ask(1, "session/new", json!({"cwd": "/garden", "mcpServers": [
                {"name": "m", "command": "/bin/m", "args": ["x"], "env": [{"name": "A", "value": "b"}]}]})),
            answer(1, json!({"sessionId": "s"})),
            ask(2, "session/prompt", json!({"sessionId": "s", "prompt": [{"type": "text", "text": "x"}]})),
        ];
        sent.extend(said.iter().map(|(by_client, message)| Sent::new(*by_client, message)));
        sent.push(answer(2, json!({"stopReason": "end_turn"})));
        sent
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: effort::cases(24), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn writers_change_no_finding(sent in conversation()) {
        let settings = Settings { tail: Tail::Open, ..Settings::default() };
        for writer in writers::all() {
            let Some(sent) = carried(&writer, &sent) else { continue };
            let file = writer.file(&sent);
            if let Err(difference) = judged_alike(&writer, &sent, &file, &settings) {
                prop_assert!(false, "{}", difference);
            }
        }
    }
}
