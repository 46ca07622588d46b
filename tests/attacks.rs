//! What an agent may write to be judged more mildly: tricks, at many places, on recordings with a
//! known error, in the files of all recorders.
//!
//! Whatever an agent writes may cost it a finding and never gains it one: no error of it vanishes
//! unless another error, or something *unjudged*, stands in its place. And the other side is never accused
//! for a trick.

#[path = "attacks/tricks.rs"]
mod tricks;

use std::collections::{BTreeMap, BTreeSet, HashSet};

use acpcheck::{
    check::{Outcome, Settings, Tail},
    diagnostic::Diagnostic,
    protocol::{Side, Surface},
    rule::{Opening, Severity, opening::opening},
    rules::CATALOGUE,
};
use serde_json::Value;

use super::{
    effort, fixtures,
    formats::writers::{self, Sent, Writer},
    invariance::sender,
};
use tricks::{TRICKS, Trick};

/// A conversation, as the lines that crossed the wire.
struct Conversation {
    name: String,
    lines: Vec<Sent>,
    settings: Settings,
}

/// The lines of a text with their senders; `None` where the sender of one is unknown.
fn sent(text: &str) -> Option<Vec<Sent>> {
    let mut asked = HashSet::new();
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    let sent = lines.map(|line| {
        let message: Value = serde_json::from_str(line).ok()?;
        let by_client = sender(&message, &mut asked)? == "client";
        Some(Sent { by_client, text: line.to_owned() })
    });
    sent.collect()
}

/// The examples of all rules and the fixtures of one kind.
fn conversations(bad: bool) -> Vec<Conversation> {
    let [open, closed] =
        [Tail::Open, Tail::Closed].map(|tail| Settings { tail, ..Settings::default() });
    let of = |is_closed: bool| if is_closed { closed.clone() } else { open.clone() };
    let mut all = Vec::new();
    let mut add = |name: String, text: &str, is_closed| {
        if let Some(lines) = sent(text) {
            all.push(Conversation { name, lines, settings: of(is_closed) });
        }
    };
    for rule in CATALOGUE {
        for (index, example) in rule.examples.iter().enumerate() {
            let text = if bad { example.bad } else { example.good };
            let text = opening(example.surface, example.opening) + text;
            add(format!("example {index} of {}", rule.id), &text, example.closed);
        }
    }
    for (rule, path) in fixtures::fixtures() {
        let name = path.file_name().unwrap().to_str().unwrap();
        if name.starts_with("bad-") == bad
            && let Ok(text) = std::fs::read_to_string(&path)
        {
            add(format!("{rule}/{name}"), &text, name.contains(".closed."));
        }
    }
    all
}

/// Tricks for which a client is accused, each with the reason. The list shrinks.
const ACCUSES: [(&str, &str); 21] = [
    ("words of redaction in it", "where nothing is masked, they are the id that the agent sent"),
    ("a word in place of its session", "as for words of redaction"),
    ("colours of a terminal around it", "what the lost line would have set up is missing"),
    ("`method` twice, own last", "what the first value would have set up is missing"),
    ("a zero behind it", "what the lost line would have set up is missing"),
    ("version 65535", "the client goes on with a version that it did not offer"),
    ("`result` twice, null last", "the client goes on as if the first counted"),
    ("`id` twice, another last", "what the client answers has lost its request"),
    ("lines twice", "the request that stands twice is answered once"),
    ("a session twice, another last", "what the first value would have set up is missing"),
    ("the client's lines in an array", "a call that only a client sends is taken for the client's"),
    ("many levels in the message", "the session was created by what is not judged"),
    ("a mark before it", "what stands behind the mark is judged as it is"),
    ("frames of mistral-vibe", "in a format of envelopes, envelopes have a sender"),
    ("lines of record", "as for the frames"),
    ("traffic of MCP", "labels are turned where they contradict methods"),
    ("a request of a client", "labels are turned where they contradict methods"),
    ("many values in the message", "the session was created by what is not judged"),
    ("a form feed before it", "what the lost line would have set up is missing"),
    ("a mark inside", "what the lost line would have set up is missing"),
    ("ids as texts", "the client answers with the number that the id was"),
];

/// What is found in a file: its errors by rule, with the side at fault.
fn errors(text: &str, settings: &Settings) -> (BTreeSet<(&'static str, Option<Side>)>, Outcome) {
    let (diagnostics, outcome) = effort::check(text.as_bytes(), settings);
    let is_error = |found: &&Diagnostic| found.severity == Severity::Error;
    let found = diagnostics.iter().filter(is_error);
    (found.map(|found| (found.rule.id, found.bound)).collect(), outcome)
}

/// Where a trick is played: before the first line, after some, and at the end.
fn places(trick: &Trick, count: usize) -> Vec<usize> {
    match trick {
        Trick::Lines(..) => {
            let mut places = vec![0, 1, 2, count / 2, count.saturating_sub(1), count];
            places.retain(|place| *place <= count);
            places.dedup();
            places
        }
        Trick::Rewrite(..) => (0..count).collect(),
        Trick::Everywhere(..) => vec![0],
    }
}

/// The conversation after the agent has played a trick at a place; `None` where it cannot.
fn played(trick: &Trick, lines: &[Sent], place: usize) -> Option<Vec<Sent>> {
    let mut lines = lines.to_vec();
    match trick {
        Trick::Lines(_, make) => {
            let own = make(&lines).into_iter().map(|text| Sent { by_client: false, text });
            lines.splice(place..place, own.collect::<Vec<_>>());
        }
        Trick::Rewrite(_, rewrite) => {
            let line = lines.get_mut(place).filter(|line| !line.by_client)?;
            line.text = rewrite(&line.text)?;
        }
        Trick::Everywhere(_, rewrite) => {
            for line in lines.iter_mut().filter(|line| !line.by_client) {
                line.text = rewrite(&line.text).unwrap_or_else(|| line.text.clone());
            }
        }
    }
    Some(lines)
}

/// A number that is drawn from names: the same in every run, whatever other conversations and tricks
/// there are.
fn drawn(conversation: &str, trick: &str, place: usize) -> usize {
    // FNV-1a.
    let hash = format!("{conversation}\n{trick}\n{place}")
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
    usize::try_from(hash >> 16).unwrap()
}

/// Plays a part of the tricks at a part of the places, and calls `see` with each file before and after;
/// returns how many were tried.
fn play(
    conversations: &[Conversation],
    mut see: impl FnMut(&Conversation, &Writer, &Trick, usize, &str, &str),
) -> usize {
    let writers = writers::all();
    let part = effort::times(2503, 97);
    let mut files = Vec::new();
    for conversation in conversations {
        for trick in TRICKS {
            for place in places(trick, conversation.lines.len()) {
                let number = drawn(&conversation.name, trick.name(), place);
                if number.is_multiple_of(part) {
                    files.push((conversation, trick, place, number / part));
                }
            }
        }
    }
    let mut count = 0;
    for (conversation, trick, place, number) in files {
        // Half of them as bare lines.
        let writer = if number.is_multiple_of(2) {
            &writers[0]
        } else {
            &writers[number / 2 % writers.len()]
        };
        let Some(after) = played(trick, &conversation.lines, place) else { continue };
        // What a recorder drops, no reader of its files finds.
        let is_lost = |(line, before): (&Sent, &Sent)| writer.takes(before) && !writer.takes(line);
        if after.len() == conversation.lines.len()
            && after.iter().zip(&conversation.lines).any(is_lost)
        {
            continue;
        }
        let takes = |lines: &[Sent]| {
            lines.iter().filter(|line| writer.takes(line)).cloned().collect::<Vec<_>>()
        };
        let (before, after) =
            (writer.file(&takes(&conversation.lines)), writer.file(&takes(&after)));
        see(conversation, writer, trick, place, &before.text, &after.text);
        count += 1;
    }
    count
}

/// Tricks that take the fault itself out of the message, each with the rule whose error goes with it.
const CURES: [(&str, &str); 1] = [("version 0", "lifecycle/version-above-request")];

#[test]
fn no_error_is_talked_away() {
    let mut wrong: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let count = play(&conversations(true), |conversation, writer, trick, place, before, after| {
        let (before, _) = errors(before, &conversation.settings);
        let before: Vec<_> =
            before.into_iter().filter(|(_, bound)| *bound != Some(Side::Client)).collect();
        if before.is_empty() {
            return;
        }
        let (now, outcome) = errors(after, &conversation.settings);
        let is_kept = before.iter().all(|(rule, _)| now.iter().any(|(own, _)| own == rule));
        let is_other = now.iter().any(|(rule, _)| before.iter().all(|(own, _)| own != rule));
        let is_cured = before.iter().all(|(rule, _)| CURES.contains(&(trick.name(), rule)));
        if !is_kept && !is_other && outcome.unjudged.is_none() && !is_cured {
            let places = wrong.entry(trick.name()).or_default();
            places.push(format!("{} at {place} in {}: {before:?}", conversation.name, writer.name));
        }
    });
    assert!(count > 50, "{count} files");
    report(&wrong, count);
}

#[test]
fn nobody_else_is_accused() {
    let mut wrong: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let count = play(&conversations(false), |conversation, writer, trick, place, before, after| {
        let (before, _) = errors(before, &conversation.settings);
        let (now, _) = errors(after, &conversation.settings);
        let accused: Vec<_> = now
            .into_iter()
            .filter(|found| found.1 == Some(Side::Client) && !before.contains(found))
            .collect();
        // Where no sender is recorded, the agent may write what only a client sends.
        if !accused.is_empty() && writer.has_labels && !accuses(trick) {
            let places = wrong.entry(trick.name()).or_default();
            places
                .push(format!("{} at {place} in {}: {accused:?}", conversation.name, writer.name));
        }
    });
    assert!(count > 50, "{count} files");
    report(&wrong, count);
}

/// The writer of files whose format says who sends what.
fn recorder() -> Writer {
    writers::all().into_iter().find(|writer| writer.name == "acpcheck-record").unwrap()
}

/// What an agent may write that its client cannot read, or not in one way.
const BROKEN: [&str; 9] = [
    r#"{"jsonrpc":"2.0","method":"_x/y","result":{}}"#,
    r#"{"jsonrpc":"2.0","id":9999,"result":{},"error":{"code":-32603,"message":"x"}}"#,
    r#"{"jsonrpc":"2.0","id":[1],"method":"_x/y"}"#,
    r#"{"jsonrpc":"2.0","id":{},"error":{"code":-32603,"message":"x"}}"#,
    r#"{"jsonrpc":"2.0","method":"session/upd"#,
    r#"{"jsonrpc":"2.0"}"#,
    r#"{"jsonrpc":"2.0","id":7}"#,
    r#"{"jsonrpc":"2.0","result":{"sessionId":"z"}}"#,
    r#"{"jsonrpc":"2.0","error":{"code":-32603,"message":"x"}}"#,
];

/// Where the recording says who writes what, a broken message excuses only its reader.
#[test]
fn what_a_side_breaks_excuses_it_from_nothing() {
    let findings = |text: &str, settings: &Settings| {
        let (diagnostics, _) = effort::check(text.as_bytes(), settings);
        let own = diagnostics.into_iter().filter(|found| found.bound == Some(Side::Agent));
        own.map(|found| (found.severity, found.rule.id)).collect::<BTreeSet<_>>()
    };
    let writer = recorder();
    let mut wrong: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut count = 0;
    let conversations = conversations(true);
    let files = conversations.iter().flat_map(|conversation| {
        // What stands before the first message tells when the recording begins.
        let places = 1..=conversation.lines.len();
        places.flat_map(move |place| BROKEN.map(|broken| (conversation, place, broken)))
    });
    for (conversation, place, broken) in files.step_by(effort::times(211, 11)) {
        let before = findings(&writer.file(&conversation.lines).text, &conversation.settings);
        let mut lines = conversation.lines.clone();
        lines.insert(place, Sent { by_client: false, text: broken.to_owned() });
        let after = findings(&writer.file(&lines).text, &conversation.settings);
        let is_named = broken.contains("\"id\"") || broken.contains("method");
        // A response without an id may be the answer that one request has not got.
        let is_settled = |rule: &str| !is_named && rule == "jsonrpc/unanswered-request";
        let is_kept = |(severity, rule): &(Severity, &str)| {
            is_settled(rule) || after.iter().any(|(now, own)| own == rule && now >= severity)
        };
        if !before.iter().all(is_kept) {
            let places = wrong.entry(broken).or_default();
            places.push(format!("{} at {place}: {before:?}, now {after:?}", conversation.name));
        }
        count += usize::from(!before.is_empty());
    }
    assert!(count > 50, "{count} files");
    report(&wrong, count);
}

/// What only a client sends, sent by the agent: no rule says of the client that it did so.
#[test]
fn calls_in_the_wrong_direction_are_their_senders() {
    const CALLS: [&str; 5] = [
        r#"{"jsonrpc":"2.0","id":50,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}"#,
        r#"{"jsonrpc":"2.0","id":51,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"image","data":"AAAA","mimeType":"image/png"}]}}"#,
        r#"{"jsonrpc":"2.0","id":52,"method":"authenticate","params":{"methodId":"z"}}"#,
        r#"{"jsonrpc":"2.0","id":53,"method":"session/list","params":{"cursor":"z"}}"#,
        r#"{"jsonrpc":"2.0","id":54,"method":"session/load","params":{"sessionId":"s","cwd":"/w","mcpServers":[]}}"#,
    ];
    let writer = recorder();
    let found = |calls: &[String], by_client| {
        let mut lines = sent(&opening(Surface::V1, Opening::Bare)).unwrap();
        lines.extend(calls.iter().map(|text| Sent { by_client, text: text.clone() }));
        let file = writer.file(&lines);
        let (diagnostics, _) = effort::check(file.text.as_bytes(), &Settings::default());
        diagnostics.into_iter().map(|found| (found.rule.id, found.bound)).collect::<Vec<_>>()
    };
    for calls in [CALLS.map(str::to_owned).to_vec(), vec![format!("[{}]", CALLS.join(","))]] {
        let of_client = found(&calls, true);
        let is_accused = |rule| of_client.contains(&(rule, Some(Side::Client)));
        assert!(is_accused("capability/prompt-content"), "{of_client:?}");
        assert!(is_accused("auth/unadvertised-method"), "{of_client:?}");
        let of_agent = found(&calls, false);
        assert!(of_agent.contains(&("lifecycle/wrong-direction", Some(Side::Agent))));
        assert!(of_agent.iter().all(|(_, bound)| *bound != Some(Side::Client)), "{of_agent:?}");
    }
}

/// What only a client sends, sent by the agent: the client goes on as if nothing had been sent.
#[test]
fn calls_in_the_wrong_direction_change_nothing() {
    const INITIALIZE: &str =
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}"#;
    const RANDOM: &str = r#"{"jsonrpc":"2.0","id":"9f8b2c1e-5d0a-4c47-9b1e-0a3f6b7c8d9e","method":"initialize","params":{"protocolVersion":1}}"#;
    const LOAD: &str = r#"{"jsonrpc":"2.0","id":50,"method":"session/load","params":{"sessionId":"s","cwd":"/elsewhere","mcpServers":[]}}"#;
    const PROMPT: &str = r#"{"jsonrpc":"2.0","id":60,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Water it"}]}}"#;
    const WRONG: &str = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan_removed","id":"p"}}}"#;
    let writer = recorder();
    for surface in [Surface::V1, Surface::V2] {
        let wrong = (surface == Surface::V2).then_some(WRONG);
        let mut before = BTreeSet::new();
        for call in [None, Some(INITIALIZE), Some(RANDOM), Some(LOAD)] {
            let mut lines = sent(&opening(surface, Opening::Session)).unwrap();
            let mut add =
                |by_client, text: &str| lines.push(Sent { by_client, text: text.to_owned() });
            if let Some(call) = call {
                add(false, call);
            }
            add(true, PROMPT);
            if let Some(wrong) = wrong {
                add(false, wrong);
            }
            let file = writer.file(&lines);
            let (diagnostics, _) = effort::check(file.text.as_bytes(), &Settings::default());
            let found: BTreeSet<_> =
                diagnostics.iter().map(|found| (found.rule.id, found.bound)).collect();
            if call.is_none() {
                before = found;
                continue;
            }
            assert!(found.is_superset(&before), "{call:?}: {found:?}");
            let new: Vec<_> = found.difference(&before).collect();
            assert!(!new.is_empty(), "{call:?}");
            assert!(new.iter().all(|(_, bound)| *bound == Some(Side::Agent)), "{call:?}: {new:?}");
        }
    }
}

/// A log has other lines as well, but one with a message is not one of them.
#[test]
fn a_message_in_a_log_that_is_no_json_counts_as_not_judged() {
    let lines = sent(&opening(Surface::V1, Opening::Turn)).unwrap();
    let line = |Sent { by_client, text }: &Sent| {
        format!("09:00:00 gardener: {} {text}\n", if *by_client { "send" } else { "recv" })
    };
    let start: String = lines.iter().map(line).collect();
    let update = r#""jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}}"#;
    for (begin, end, unjudged) in
        [("", "", 0), (r#""\ud800":1,"#, "", 1), ("", ",", 1), ("\"x\":NaN,", "", 1)]
    {
        let text = format!("{start}09:00:01 gardener: recv {{{begin}{update}{end}}}\n");
        let (_, outcome) = effort::check(text.as_bytes(), &Settings::default());
        assert_eq!(outcome.unjudged.messages, unjudged, "{text}");
    }
}

/// What may begin another connection, or stand in its middle, silences rules: that is counted.
#[test]
fn a_beginning_that_may_be_of_either_side_counts_as_not_judged() {
    const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":"9f8b2c1e-5d0a-4c47-9b1e-0a3f6b7c8d9e","method":"initialize","params":{"protocolVersion":2}}"#;
    const UPDATE: &str = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"state_update","state":"idle","stopReason":"end_turn"}}}"#;
    const LIST: &str = r#"{"jsonrpc":"2.0","id":90,"method":"session/list","params":{}}"#;
    let unjudged = |text: &str| {
        let (_, outcome) = effort::check(text.as_bytes(), &Settings::default());
        outcome.unjudged
    };
    let opening = opening(Surface::V2, Opening::Session);
    assert!(unjudged(&format!("{opening}{UPDATE}\n")).is_none());
    assert!(unjudged(&format!("{opening}{INITIALIZE}\n")).is_none(), "nothing follows");
    assert_eq!(unjudged(&format!("{opening}{INITIALIZE}\n{UPDATE}\n")).messages, 1);
    assert!(unjudged(&format!("{UPDATE}\n{opening}")).is_none());
    assert!(unjudged(&format!("{UPDATE}\n{LIST}\n{opening}")).rules > 0);
}

/// A log has other lines as well, but not behind the words that tell of messages.
#[test]
fn a_message_within_a_value_of_a_log_counts_as_not_judged() {
    let lines = sent(&opening(Surface::V1, Opening::Turn)).unwrap();
    let update = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"plan","entries":[]}}}"#;
    for (hidden, unjudged) in [
        (update.to_owned(), 0),
        (serde_json::json!(update).to_string(), 1),
        (serde_json::json!({"json": update}).to_string(), 1),
        (r#"{"bytes":12}"#.to_owned(), 0),
    ] {
        let mut text = String::new();
        for Sent { by_client, text: own } in &lines {
            let word = if *by_client { "send" } else { "recv" };
            text += &format!("09:00:00 gardener: {word} {own}\n");
        }
        text += &format!("09:00:01 gardener: recv {hidden}\n");
        let (_, outcome) = effort::check(text.as_bytes(), &Settings::default());
        assert_eq!(outcome.unjudged.messages, unjudged, "{hidden}");
    }
}

/// What looks like a habit of the recorder may be the agent's: copies, one side alone, lost messages.
#[test]
fn what_looks_like_the_recorders_counts_as_not_judged() {
    const PROMPT: &str = r#"{"jsonrpc":"2.0","id":70,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"text","text":"Dig"}]}}"#;
    const DONE: &str = r#"{"jsonrpc":"2.0","id":70,"result":{"stopReason":"end_turn"}}"#;
    const LOST: &str = r#"{"jsonrpc":"2.0","id":71,"result":"[unrecognized response]"}"#;
    const STRAY: &str = r#"{"jsonrpc":"2.0","id":72,"result":{"stopReason":"end_turn"}}"#;
    let by_agent = |text: &str| Sent { by_client: false, text: text.to_owned() };
    let mut turn = sent(&opening(Surface::V1, Opening::Session)).unwrap();
    turn.push(Sent { by_client: true, text: PROMPT.to_owned() });
    let done = [turn.clone(), vec![by_agent(DONE)]].concat();
    let log = |lines: &[Sent], second: &str| {
        let mut text = String::new();
        for Sent { by_client, text: own } in lines {
            text += &format!("09:00:00 gardener: {own}\n");
            if !by_client && !second.is_empty() {
                text += &format!("09:00:00 gardener: {second}{own}\n");
            }
        }
        text
    };
    let bare =
        |lines: &[Sent]| lines.iter().map(|line| line.text.clone() + "\n").collect::<String>();
    let mut echoed: Vec<Sent> = Vec::new();
    for line in &turn {
        echoed.extend(std::iter::repeat_n(line.clone(), if line.by_client { 2 } else { 1 }));
    }
    echoed.extend([by_agent(DONE), by_agent(DONE)]);
    let as_client: Vec<_> = done
        .iter()
        .map(|line| {
            if line.by_client {
                return line.clone();
            }
            let id = line.value()["id"].clone();
            let answer = serde_json::json!({"jsonrpc":"2.0","id":id,"result":{"outcome":{}}});
            by_agent(&answer.to_string())
        })
        .collect();
    let writers = writers::all();
    let zed = writers.iter().find(|writer| writer.name == "zed").unwrap();
    let lost = [turn.clone(), vec![by_agent(LOST), by_agent(STRAY), by_agent(DONE)]].concat();
    for (name, text) in [
        ("echo, bare", bare(&echoed)),
        ("echo, log", log(&echoed, "")),
        ("doubled with a word before", log(&done, "again ")),
        ("answers as a client's", bare(&as_client)),
        ("no answers", bare(&turn.iter().filter(|it| it.by_client).cloned().collect::<Vec<_>>())),
        ("lost in Zed", zed.file(&lost).text),
    ] {
        let (_, outcome) = errors(&text, &Settings::default());
        assert!(!outcome.unjudged.is_none(), "{name}: {text}");
    }
    for (name, text) in
        [("bare", bare(&done)), ("log", log(&done, "")), ("zed", zed.file(&done).text)]
    {
        let (found, outcome) = errors(&text, &Settings::default());
        assert!(found.is_empty() && outcome.unjudged.is_none(), "{name}: {found:?}");
    }
    // An error has no other members than its own.
    let torn = r#"{"jsonrpc":"2.0","id":70,"result":{"stopReason":"nope","code":1,"message":"x"}}"#;
    let (found, _) =
        errors(&zed.file(&[turn, vec![by_agent(torn)]].concat()).text, &Settings::default());
    assert!(found.contains(&("schema/result", Some(Side::Agent))), "{found:?}");
}

/// Readers that keep the first of two values read another message, which was not judged.
#[test]
fn a_member_that_is_there_twice_counts_as_not_judged() {
    let message = |members: &str| {
        opening(Surface::V1, Opening::Turn)
            + &format!(
                r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{{"sessionUpdate":"tool_call","toolCallId":"c","title":"Run",{members}}}}}}}"#
            )
            + "\n"
    };
    for (members, unjudged) in [
        (r#""status":"failed","status":"completed""#, 1),
        (r#""status":"completed","status":"completed""#, 0),
        (r#""st\u0061tus":"failed","status":"completed""#, 1),
        (r#""content":[{"type":"diff","path":"/a","path":"/b","newText":"x"}]"#, 1),
        (r#""rawInput":{"a":1,"a":2}"#, 0),
        (r#""_meta":{"a":1,"a":2}"#, 0),
    ] {
        let (_, outcome) = effort::check(message(members).as_bytes(), &Settings::default());
        assert_eq!(outcome.unjudged.messages, unjudged, "{members}");
    }
}

/// Clients of version 2 read its own members only. An agent that sends both forms has written both.
#[test]
fn members_of_version_1_beside_the_own_hide_nothing() {
    let is_meant = |trick: &&Trick| trick.name() == "capabilities of version 1 beside the own";
    let trick = TRICKS.iter().find(is_meant).unwrap();
    let writers = writers::all();
    let mut count = 0;
    for conversation in conversations(true) {
        let families = ["auth/", "capability/", "schema/result/", "surface/"];
        if !families.iter().any(|family| conversation.name.starts_with(family)) {
            continue;
        }
        for place in 0..conversation.lines.len() {
            let Some(after) = played(trick, &conversation.lines, place) else { continue };
            let found = |lines: &[Sent]| {
                let text = writers[0].file(lines).text;
                errors(&text, &conversation.settings).0
            };
            let (before, now) = (found(&conversation.lines), found(&after));
            let is_kept = |(rule, side): &(&str, Option<Side>)| {
                *side == Some(Side::Client) || now.iter().any(|(own, _)| own == rule)
            };
            assert!(before.iter().all(is_kept), "{}: {before:?}, {now:?}", conversation.name);
            count += 1;
        }
    }
    assert!(count > 30, "{count}");
}

/// What `_meta` says may set a part of a plan apart from the whole, which is counted.
#[test]
fn a_plan_that_only_its_meta_sets_apart_counts_as_not_judged() {
    const WHOLE: &str = "Sweep pending,Mop pending,Dust pending";
    const PARTS: [&str; 3] = [WHOLE, "Sweep in_progress", "Sweep completed,Mop in_progress"];
    const OTHERS: [&str; 3] = [WHOLE, "Knock pending,Ask pending", "Knock completed,Ask pending"];
    let outcome = |lists: [&str; 3], has_parents: bool, has_ids: bool| {
        let lines = lists.iter().enumerate().map(|(number, list)| {
            let entries = list.split(',').enumerate().map(|(place, entry)| {
                let (content, status) = entry.split_once(' ').unwrap();
                let id = if has_ids { format!("{number}.{place}") } else { String::new() };
                let id = Some(id).filter(|id| !id.is_empty());
                serde_json::json!({"content": content, "priority": "medium", "status": status,
                    "_meta": {"id": id}})
            });
            let parent = has_parents.then_some(number);
            let update = serde_json::json!({"sessionUpdate": "plan", "_meta": {"parentId": parent},
                "entries": entries.collect::<Vec<_>>()});
            let params = serde_json::json!({"sessionId": "s", "update": update});
            serde_json::json!({"jsonrpc": "2.0", "method": "session/update", "params": params})
                .to_string()
                + "\n"
        });
        let text = opening(Surface::V1, Opening::Turn) + &lines.collect::<String>();
        let (found, outcome) = errors(&text, &Settings::default());
        (found.iter().any(|(rule, _)| *rule == "plan/partial-update-proven"), outcome.unjudged)
    };
    assert!(outcome(PARTS, false, false).0);
    for (has_parents, has_ids) in [(true, false), (false, true), (true, true)] {
        let (is_found, unjudged) = outcome(PARTS, has_parents, has_ids);
        assert!(is_found || unjudged.messages > 0, "{has_parents} {has_ids}");
        assert!(outcome(OTHERS, has_parents, has_ids).1.is_none(), "{has_parents} {has_ids}");
    }
}

/// States by which an agent says nothing of its work take no error away that is not counted.
#[test]
fn a_state_that_says_nothing_is_counted() {
    let names = ["the state `unknown`", "a state of its own"];
    let is_meant = |trick: &&Trick| names.contains(&trick.name());
    let tricks: Vec<_> = TRICKS.iter().filter(is_meant).collect();
    assert_eq!(tricks.len(), 2);
    let writers = writers::all();
    let is_about_states = |of: &Conversation| {
        of.name.starts_with("state/") || of.name.contains("/resume-state-before-replay/")
    };
    let mut count = 0;
    for conversation in conversations(true).iter().filter(|it| is_about_states(it)) {
        let check = |lines: &[Sent]| errors(&writers[0].file(lines).text, &conversation.settings);
        let (before, _) = check(&conversation.lines);
        for place in 0..=conversation.lines.len() {
            for trick in &tricks {
                let after = played(trick, &conversation.lines, place).unwrap();
                let (now, outcome) = check(&after);
                let is_kept = before.iter().all(|(rule, _)| now.iter().any(|(own, _)| own == rule));
                let is_told = is_kept || !outcome.unjudged.is_none();
                assert!(is_told, "{} at {place} of {}", trick.name(), conversation.name);
                count += 1;
            }
        }
    }
    assert!(count > 500, "{count}");
    let counted = conversations(false).into_iter().filter(is_about_states).filter(|lawful| {
        let text = writers[0].file(&lawful.lines).text;
        errors(&text, &lawful.settings).1.unjudged.messages > 0
    });
    let counted: Vec<_> = counted.map(|lawful| lawful.name).collect();
    assert_eq!(counted, ["state/idle-without-running/good-state-of-their-own.ndjson"]);
}

/// A state that is reported again, or work that is reported during a replay, may explain what
/// follows; what it takes away is counted.
#[test]
fn an_error_that_a_state_may_explain_is_counted() {
    let all = conversations(true);
    for (name, place, state, unjudged) in [
        ("state/requires-action-unresolved/bad-text.ndjson", 12, "requires_action", 1),
        ("state/idle-without-running/bad-output-only.ndjson", 10, "idle", 1),
        ("session/resume-state-before-replay/bad-in-the-middle.v2.ndjson", 5, "running", 1),
        ("session/replay-after-complete/bad-tool-call.v2.ndjson", 4, "running", 1),
        // No work has begun that could end.
        ("session/replay-message-id-changed/bad-next-connection.v2.ndjson", 5, "idle", 0),
    ] {
        let conversation = all.iter().find(|it| it.name == name).unwrap();
        let mut lines = conversation.lines.clone();
        let texts = tricks::in_state(&lines, state).into_iter();
        lines.splice(place..place, texts.map(|text| Sent { by_client: false, text }));
        let (found, outcome) = errors(&writers::all()[0].file(&lines).text, &conversation.settings);
        assert_eq!(found.is_empty(), unjudged > 0, "{name}: {found:?}");
        assert_eq!(outcome.unjudged.messages, unjudged, "{name}");
    }
}

/// Of sessions that no message set up, some thousands are followed; calls about others are counted.
#[test]
fn thousands_of_unknown_sessions_are_judged_and_not_kept() {
    const MANY: usize = 5_000;
    let cancel = |number: usize| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"session/cancel","params":{{"sessionId":"u{number}"}}}}"#
        ) + "\n"
    };
    for count in [100, MANY] {
        let text =
            opening(Surface::V1, Opening::Turn) + &(0..count).map(cancel).collect::<String>();
        let (diagnostics, outcome) = effort::check(text.as_bytes(), &Settings::default());
        let own = diagnostics.iter().filter(|found| found.rule.id == "session/unknown-id");
        assert_eq!(own.map(|found| 1 + found.repeats).sum::<u64>(), count as u64);
        assert_eq!(outcome.unjudged.messages > 0, count == MANY, "{:?}", outcome.unjudged);
    }
}

#[test]
fn a_version_that_is_not_published_silences_nothing() {
    for (offered, answered) in
        [("1", "0"), ("1", "-1"), ("1", "1.5"), ("1", r#""1""#), ("1", "65535"), ("99", "99")]
    {
        let text = format!(
            r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":{offered},"clientInfo":{{"name":"e","version":"1"}}}}}}
{{"jsonrpc":"2.0","id":0,"result":{{"protocolVersion":{answered},"agentInfo":{{"name":"a","version":"1"}}}}}}
{{"jsonrpc":"2.0","id":1,"method":"session/new","params":{{"cwd":"/work","mcpServers":[]}}}}
{{"jsonrpc":"2.0","id":1,"result":{{"sessionId":"s"}}}}
{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"other","update":{{"sessionUpdate":"plan","entries":[]}}}}}}
"#
        );
        let (diagnostics, outcome) = effort::check(text.as_bytes(), &Settings::default());
        let has = |line| {
            diagnostics
                .iter()
                .any(|it| it.bound == Some(Side::Agent) && it.finding.labels[0].span.line == line)
        };
        let is_newer = offered == "99";
        assert!(has(5) != is_newer, "{answered}: the update is judged");
        let unjudged = if is_newer { 4 } else { 0 };
        assert_eq!(outcome.unjudged.messages, unjudged, "{answered}");
        let is_of_client = answered == "65535";
        assert!(has(2) || is_of_client, "{answered}: the version is reported");
    }
}

/// Whether a client is known to be accused for a trick. Fake lines in a text log are the log's.
fn accuses(trick: &Trick) -> bool {
    trick.name().starts_with("log ") || ACCUSES.iter().any(|(name, _)| *name == trick.name())
}

fn report(wrong: &BTreeMap<&str, Vec<String>>, count: usize) {
    let mut text = String::new();
    for (trick, places) in wrong {
        text += &format!("{trick}: {} of {count}\n", places.len());
        for place in places.iter().take(12) {
            text += &format!("    {place}\n");
        }
    }
    assert!(wrong.is_empty(), "{text}");
}
