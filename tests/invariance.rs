//! What must not change a verdict: names of sessions and ids, order of members, white space, an
//! envelope around every message, traffic of other sessions. Runs over the examples of all rules
//! and, where they are there, over the labelled cases of `../shared`.

use std::collections::{HashMap, HashSet};

use acpcheck::{
    check::{Settings, Tail},
    protocol::{
        Edition, Surface,
        schema::{Handler, Protocol},
    },
    rule::{Severity, opening::opening},
    rules::CATALOGUE,
};
use serde_json::{Map, Value, json};

use super::{effort, labelled};

/// A conversation and how to judge it.
struct Case {
    name: String,
    messages: Vec<Value>,
    settings: Settings,
}

/// What is found: rule, severity, and which message, by its number.
type Found = Vec<(&'static str, Severity, usize)>;

fn judge(text: &str, settings: &Settings, message_of: impl Fn(u32) -> Option<usize>) -> Found {
    let (diagnostics, _) = effort::check(text.as_bytes(), settings);
    let mut found: Found = diagnostics
        .iter()
        .map(|found| {
            let line = found.finding.labels[0].span.line;
            let message = message_of(line).unwrap_or(usize::MAX);
            (found.rule.id, found.severity, message)
        })
        .collect();
    found.sort_unstable_by_key(|found| (found.2, found.0));
    found
}

fn plain(messages: &[Value]) -> String {
    messages.iter().map(|message| format!("{message}\n")).collect()
}

/// Every case must be judged alike after the change, which yields a text and tells which message
/// each of its lines holds.
fn holds(change: impl Fn(&[Value]) -> Option<(String, Vec<Option<usize>>)>) {
    let mut wrong = String::new();
    let mut changed = 0;
    for case in effort::one_in(8, cases()) {
        let before = judge(&plain(&case.messages), &case.settings, |line| Some(line as usize - 1));
        let Some((text, lines)) = change(&case.messages) else { continue };
        changed += 1;
        let after = judge(&text, &case.settings, |line| lines[line as usize - 1]);
        if before != after {
            wrong += &format!("{}:\n  {before:?}\n  {after:?}\n", case.name);
        }
    }
    assert!(changed > 0, "nothing was changed");
    assert!(wrong.is_empty(), "{wrong}");
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (index, rule) in CATALOGUE.iter().enumerate() {
        for (example, text) in rule
            .examples
            .iter()
            .flat_map(|example| [(example, example.bad), (example, example.good)])
        {
            let mut settings = Settings {
                surface: Some(example.surface),
                edition: example.edition,
                tail: if example.closed { Tail::Closed } else { Tail::Open },
                ..Settings::default()
            };
            if rule.severity.of(example.surface.version()) == Severity::Off {
                settings.severities.set(index, Severity::Info);
            }
            let text = opening(example.surface, example.opening) + text;
            let name = format!("example of {} on {}", rule.id, example.surface);
            cases.extend(case(name, &text, settings));
        }
    }
    for labelled in labelled::all() {
        if let Ok(text) = String::from_utf8(labelled.bytes) {
            cases.extend(case(labelled.file, &text, labelled.settings));
        }
    }
    cases
}

/// `None` for what cannot be rewritten as a list of JSON values without changing what it shows:
/// broken lines, repeated members.
fn case(name: String, text: &str, settings: Settings) -> Option<Case> {
    if name.contains("duplicate-key") || name.contains("transport/") {
        return None;
    }
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let messages = lines.map(serde_json::from_str).collect::<Result<Vec<Value>, _>>().ok()?;
    // Examples that come in envelopes already say who sent what.
    let is_bare = messages.iter().all(|message| message.get("msg").is_none());
    is_bare.then_some(Case { name, messages, settings })
}

fn numbered(messages: &[Value]) -> Vec<Option<usize>> {
    (0..messages.len()).map(Some).collect()
}

fn reversed(value: &Value) -> Value {
    match value {
        Value::Object(members) => members
            .iter()
            .rev()
            .map(|(name, value)| (name.clone(), reversed(value)))
            .collect::<Map<_, _>>()
            .into(),
        Value::Array(elements) => elements.iter().map(reversed).collect(),
        other => other.clone(),
    }
}

#[test]
fn the_order_of_members() {
    holds(|messages| {
        let messages: Vec<_> = messages.iter().map(reversed).collect();
        Some((plain(&messages), numbered(&messages)))
    });
}

#[test]
fn white_space() {
    holds(|messages| {
        let spaced = |message: &Value| {
            let pretty = serde_json::to_string_pretty(message).unwrap();
            format!("  {} \t\r\n", pretty.replace('\n', " \t "))
        };
        Some((messages.iter().map(spaced).collect(), numbered(messages)))
    });
}

/// Replaces every session id by another, and request ids by others of their type.
fn renamed(messages: &[Value]) -> Vec<Value> {
    fn strings(value: &Value, found: &mut HashMap<String, String>) {
        if let Value::Object(members) = value {
            for (name, value) in members {
                match value {
                    Value::String(id) if name == "sessionId" && !id.is_empty() => {
                        found.entry(id.clone()).or_insert_with(|| format!("renamed-{id}"));
                    }
                    other => strings(other, found),
                }
            }
        }
        for element in value.as_array().into_iter().flatten() {
            strings(element, found);
        }
    }
    fn replace(value: &mut Value, name: &str, sessions: &HashMap<String, String>) {
        match value {
            Value::Object(members) => {
                for (name, value) in members.iter_mut() {
                    replace(value, name, sessions);
                }
            }
            Value::Array(elements) => {
                for value in elements {
                    replace(value, name, sessions);
                }
            }
            Value::String(id) if name.ends_with("essionId") => {
                if let Some(other) = sessions.get(id) {
                    id.clone_from(other);
                }
            }
            _ => {}
        }
    }
    fn number(value: Option<&mut Value>) {
        if let Some(value) = value
            && let Some(id) = value.as_i64()
            && value.is_i64()
            && id < i64::MAX / 2
        {
            *value = json!(id + 7000);
        }
    }
    let mut sessions = HashMap::new();
    for message in messages {
        strings(message, &mut sessions);
    }
    let mut messages = messages.to_vec();
    for message in &mut messages {
        replace(message, "", &sessions);
        let elements: Vec<&mut Value> = match message {
            Value::Array(elements) => elements.iter_mut().collect(),
            single => vec![single],
        };
        for element in elements {
            number(element.get_mut("id"));
            let cancels = element.get("method").is_some_and(|method| method == "$/cancel_request");
            let elicits =
                element.get("method").is_some_and(|method| method == "elicitation/create");
            if cancels || elicits {
                number(element.get_mut("params").and_then(|params| params.get_mut("requestId")));
            }
        }
    }
    messages
}

#[test]
fn the_names_of_sessions_and_requests() {
    holds(|messages| {
        // Digits as a string against digits as a number: their likeness is the point.
        let mixes = messages.iter().any(|message| {
            message.get("id").and_then(Value::as_str).is_some_and(|id| id.parse::<i64>().is_ok())
        });
        let messages = renamed(messages);
        (!mixes).then(|| (plain(&messages), numbered(&messages)))
    });
}

/// Who sends a message, as far as methods and answered requests tell.
pub(crate) fn sender(
    message: &Value,
    asked: &mut HashSet<(&'static str, String)>,
) -> Option<&'static str> {
    let element = if let Value::Array(elements) = message { elements.first()? } else { message };
    let id = element.get("id").map(Value::to_string);
    let Some(method) = element.get("method").and_then(Value::as_str) else {
        let id = id?;
        let by = |side| asked.contains(&(side, id.clone()));
        return match (by("client"), by("agent")) {
            (true, false) => Some("agent"),
            (false, true) => Some("client"),
            _ => None,
        };
    };
    let handler = [Surface::V1Unstable, Surface::V2Unstable].into_iter().find_map(|surface| {
        let method = Protocol::of(surface, Edition::CURRENT).method(method)?;
        Some(method.call(id.is_some())?.handler)
    })?;
    let sender = match handler {
        Handler::Agent => "client",
        Handler::Client => "agent",
        _ => return None,
    };
    if let Some(id) = id {
        asked.insert((sender, id));
    }
    Some(sender)
}

#[test]
fn an_envelope_around_every_message() {
    holds(|messages| {
        let mut asked = HashSet::new();
        let wrapped: Option<Vec<Value>> = messages
            .iter()
            .enumerate()
            .map(|(number, message)| {
                let direction = match sender(message, &mut asked)? {
                    "client" => "client->agent",
                    _ => "agent->client",
                };
                Some(json!({"ts": 1_795_247_615 + number, "dir": direction, "msg": message}))
            })
            .collect();
        let wrapped = wrapped?;
        Some((plain(&wrapped), numbered(messages)))
    });
}

#[test]
fn the_traffic_of_another_session() {
    holds(|messages| {
        let answered = messages.iter().position(|message| {
            message.get("result").is_some_and(|result| result.get("protocolVersion").is_some())
        })?;
        // A second `initialize`, none that came first, or a version that the client must not go on
        // with makes any traffic between part of the story.
        let version = |part: &str, message: &Value| message[part]["protocolVersion"].as_i64();
        let is_none = version("result", &messages[answered]).is_none();
        if is_none || version("result", &messages[answered]) > version("params", &messages[0]) {
            return None;
        }
        let again = messages
            .iter()
            .filter(|message| message.get("method").is_some_and(|method| method == "initialize"));
        if again.count() != 1 || answered != 1 {
            return None;
        }
        // Version 2 has sessions only where the agent says so.
        let result = &messages[answered]["result"];
        if result["protocolVersion"] == 2 && result["capabilities"]["session"].is_null() {
            return None;
        }
        let new = json!({"jsonrpc": "2.0", "id": "unrelated-1", "method": "session/new", "params": {"cwd": "/unrelated", "mcpServers": []}});
        let born =
            json!({"jsonrpc": "2.0", "id": "unrelated-1", "result": {"sessionId": "unrelated"}});
        let titled = json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "unrelated", "update": {"sessionUpdate": "session_info_update", "title": "Elsewhere"}}});
        let mut lines = Vec::new();
        let mut numbers = Vec::new();
        for (number, message) in messages.iter().enumerate() {
            lines.push(message.clone());
            numbers.push(Some(number));
            if number == answered {
                lines.extend([new.clone(), born.clone(), titled.clone()]);
                numbers.extend([None; 3]);
            }
        }
        lines.push(titled);
        numbers.push(None);
        Some((plain(&lines), numbers))
    });
}

/// A value as JSON text in which every character of a string, and every name, is an escape sequence.
fn escaped(value: &Value) -> String {
    let string = |text: &str| {
        let units: String = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
        format!("\"{units}\"")
    };
    spelled(value, &string, &Value::to_string)
}

/// A value as JSON text with the strings and numbers as these functions write them.
fn spelled(
    value: &Value,
    string: &dyn Fn(&str) -> String,
    number: &dyn Fn(&Value) -> String,
) -> String {
    match value {
        Value::String(text) => string(text),
        Value::Number(_) => number(value),
        Value::Array(elements) => {
            let elements: Vec<_> = elements.iter().map(|it| spelled(it, string, number)).collect();
            format!("[{}]", elements.join(","))
        }
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| {
                format!("{}:{}", string(name), spelled(value, string, number))
            };
            format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(","))
        }
        Value::Null | Value::Bool(_) => value.to_string(),
    }
}

#[test]
fn the_spelling_of_strings_and_names() {
    holds(|messages| {
        let text = messages.iter().map(|message| escaped(message) + "\n").collect();
        Some((text, numbered(messages)))
    });
}

/// Ids are left alone: `jsonrpc/id-type` asks that they are written without a fraction.
#[test]
fn the_spelling_of_numbers() {
    let string = |text: &str| Value::from(text).to_string();
    let number = |value: &Value| match value.as_i64() {
        Some(number) => format!("{number}.0e0"),
        None => value.to_string(),
    };
    let written = |message: &Value| {
        let Value::Object(members) = message else { return message.to_string() };
        let member = |(name, value): (&String, &Value)| match name.as_str() {
            "id" => format!("\"id\":{value}"),
            _ => format!("{}:{}", string(name), spelled(value, &string, &number)),
        };
        format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(","))
    };
    holds(|messages| {
        let text = messages.iter().map(|message| written(message) + "\n").collect();
        Some((text, numbered(messages)))
    });
}
