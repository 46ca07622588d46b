//! Redaction: nothing that a user may have written survives, and the findings stay where they are.

use std::collections::BTreeSet;

use acpcheck::{
    check::{Settings, check},
    redact::Redactor,
    report::fingerprint::FingerprintDigest,
    transcript,
};

use super::{
    effort, fixtures,
    formats::writers::{self, Sent},
};

/// The findings, by what readers see of them.
fn findings(recording: &[u8]) -> Vec<(&'static str, FingerprintDigest, Vec<u32>)> {
    let (diagnostics, _) = check(recording, &Settings::default());
    let key = |it: &acpcheck::diagnostic::Diagnostic| {
        let lines = it.finding.labels.iter().map(|label| label.span.line).collect();
        (it.rule.id, FingerprintDigest::of(it), lines)
    };
    diagnostics.iter().map(key).collect()
}

fn redacted(recording: &str) -> String {
    let redacted = Redactor::default().redact(recording.as_bytes(), &Settings::default()).unwrap();
    assert_eq!(redacted.kept, []);
    String::from_utf8(redacted.bytes).unwrap()
}

/// Every place in which a user's string may stand holds a word that stands nowhere else.
const EVERYWHERE: &str = r#"{"ts":1795248241.25,"dir":"client->agent","host":"canary-01.lan","argv":["canary-02"],"msg":{"jsonrpc":"2.0","id":"canary-03","method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"editor","version":"1.0.0"},"clientCapabilities":{"_meta":{"note":"canary-04","/home/canary-05":true}}}}}
{"ts":1795248241.5,"dir":"agent->client","msg":{"jsonrpc":"2.0","id":"canary-03","result":{"protocolVersion":1,"agentInfo":{"name":"kettle","version":"1.0.0"},"agentCapabilities":{},"authMethods":[{"id":"login","name":"canary-06","description":"canary-07"}]}}}
canary-08: a line between the messages, "canary-09"
{"ts":1795248242.5,"dir":"client->agent","msg":{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/home/canary-10/work","mcpServers":[{"name":"canary-11","command":"/usr/canary-12","args":["--token=canary-13"],"env":[{"name":"CANARY-14","value":"canary-15"}]},{"type":"http","name":"h","url":"https://canary-16.example/canary-17?t=canary-18#canary-19","headers":[{"name":"canary-20","value":"Bearer canary-21"}]}]}}}
{"ts":1795248243.5,"dir":"agent->client","msg":{"jsonrpc":"2.0","id":2,"result":{"sessionId":"canary-22"}}}
{"stream":"stderr","line":"canary-23"}
{"ts":1795248244.5,"dir":"client->agent","msg":{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"canary-22","prompt":[{"type":"text","text":"canary-24 says\n  canary-25"},{"type":"resource_link","name":"canary-26","uri":"file:///home/canary-27/a%20b.rs"},{"type":"text","text":"/canary-28 now"}]}}}
{"ts":1795248245.5,"dir":"agent->client","msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"canary-22","update":{"sessionUpdate":"tool_call","toolCallId":"canary-29","title":"canary-30","kind":"edit","status":"pending","locations":[{"path":"C:\\Users\\canary-31\\x.rs"}],"rawInput":{"canary-32":"canary-33","C:\\canary-34":[4711008,"c\u0061nary-35"],"type":"canary-36"},"content":[{"type":"diff","path":"/home/canary-37","oldText":"canary-38","newText":"--- a/canary-39\n+++ b/canary-40\n@@ -1 +1 @@ canary-41\n-canary-42\n+canary-43"}]}}}}
{"ts":1795248246.5,"dir":"agent->client","msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"canary-22","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"canary-44","text":"canary-45 · grüße canary-46"}}}}}
{"ts":1795248246.6,"dir":"agent->client","msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"canary-22","update":{"sessionUpdate":"plan","entries":[{"content":"- [ ] **canary-47**","priority":"high","status":"pending"}]}}}}
{"ts":1795248247.5,"dir":"agent->client","msg":{"jsonrpc":"2.0","id":3,"error":{"code":-32603,"message":"canary-48","data":{"details":"canary-49"}}}}
{"ts":1795248248.5,"dir":"agent->client","msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"canary-50","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"{\"canary-51\": 1}"}}}}}
{"ts":1795248249.5,"dir":"agent->client","msg":"{\"jsonrpc\":\"2.0\",\"method\":\"_kettle/note\",\"params\":{\"text\":\"canary-52\"}}"}
{"ts":1795248250.5,"dir":"agent->client","text":"canary-53 {\"jsonrpc\":\"2.0\",\"canary-54"}
{"jsonrpc":"2.0","method":"session/upd canary-55
"#;

#[test]
fn nothing_that_a_user_writes_survives() {
    let count = 55;
    for number in 1..=count {
        let canary = format!("anary-{number:02}");
        assert!(
            EVERYWHERE.replace("\\u0061", "a").to_lowercase().contains(&canary),
            "{canary} is planted"
        );
    }
    let new = redacted(EVERYWHERE);
    assert!(!new.to_lowercase().contains("anary"), "{new}");
    assert!(!new.contains("4711008") && !new.contains("C:\\\\Users") && !new.contains("grüße"));
    assert_eq!(findings(new.as_bytes()), findings(EVERYWHERE.as_bytes()));
    assert!(!findings(EVERYWHERE.as_bytes()).is_empty());
    assert_eq!(new.lines().count(), EVERYWHERE.lines().count());
    assert!(new.contains("\"kettle\"") && new.contains("\"login\""), "words of the agent stay");
}

/// The same holds of each format, whatever the recorder writes around the messages.
#[test]
fn nothing_survives_in_any_format() {
    let sent: Vec<Sent> = EVERYWHERE
        .lines()
        .filter_map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).ok()?;
            let message = line.get("msg").filter(|message| message.is_object())?;
            Some(Sent::new(line["dir"] == "client->agent", message))
        })
        .collect();
    assert_eq!(sent.len(), 10);
    let mut failed = Vec::new();
    let mut formats = BTreeSet::new();
    for writer in writers::all() {
        let own: Vec<Sent> = sent.iter().filter(|sent| writer.takes(sent)).cloned().collect();
        let text = writer.file(&own).text;
        let settings = Settings { format: transcript::find(writer.name), ..Settings::default() };
        if check(text.as_bytes(), &settings).1.messages == 0 {
            continue;
        }
        let redacted = Redactor::default().redact(text.as_bytes(), &settings);
        let Some(redacted) = redacted else {
            failed.push(format!("{}: the findings would change", writer.name));
            continue;
        };
        let new = String::from_utf8(redacted.bytes).unwrap().to_lowercase();
        if !redacted.kept.is_empty() {
            failed.push(format!("{}: strings are kept: {:?}", writer.name, redacted.kept));
        }
        if let Some(at) = new.find("anary") {
            let from = new.floor_char_boundary(at.saturating_sub(60));
            let to = new.floor_char_boundary((at + 60).min(new.len()));
            failed.push(format!("{}: {}", writer.name, &new[from..to]));
        }
        formats.insert(writer.name);
    }
    assert!(failed.is_empty(), "{failed:#?}");
    assert!(formats.len() >= 27, "{formats:?}");
}

#[test]
fn what_was_equal_stays_equal() {
    let prompt = |text: &str, path: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":7,"method":"session/prompt","params":{{"sessionId":"my session","prompt":[{{"type":"text","text":"{text}"}},{{"type":"resource_link","name":"{text}","uri":"file://{path}"}}]}}}}"#
        ) + "\n"
    };
    let mut redactor = Redactor::default();
    let mut new = |text: &str, path: &str| {
        let recording = prompt(text, path);
        let redacted = redactor.redact(recording.as_bytes(), &Settings::default()).unwrap();
        serde_json::from_slice::<serde_json::Value>(&redacted.bytes).unwrap()["params"].clone()
    };
    let one = new("Look at the rain over Cologne", "/home/ada/rain/a.rs");
    let same = new("Look at the rain over Cologne", "/home/ada/rain/b.rs");
    let other = new("Look at the rain over Vienna!", "/home/ada/sun/a.rs");
    assert_eq!(one["sessionId"], same["sessionId"]);
    assert_eq!(one["prompt"][0], same["prompt"][0]);
    assert_ne!(one["prompt"][0], other["prompt"][0]);
    let folder = |it: &serde_json::Value| {
        let uri = it["prompt"][1]["uri"].as_str().unwrap();
        uri.rsplit_once('/').unwrap().0.to_owned()
    };
    assert_eq!(folder(&one), folder(&same));
    assert_ne!(folder(&one), folder(&other));
    assert_ne!(one["prompt"][1]["uri"], same["prompt"][1]["uri"]);
}

#[test]
fn redacted_again_it_stays() {
    let once = redacted(EVERYWHERE);
    let lines = |text: &str| text.lines().count();
    assert_eq!(lines(&redacted(&once)), lines(&once));
    assert_eq!(redacted(EVERYWHERE), once, "the same recording gives the same bytes");
}

#[test]
fn findings_of_fixtures_stay() {
    let mut redactor = Redactor::default();
    let mut rules = BTreeSet::new();
    let mut failed = Vec::new();
    let (mut count, mut keeping) = (0, 0);
    for (_, path) in effort::one_in(9, fixtures::fixtures()) {
        let recording = std::fs::read(&path).unwrap();
        let before = findings(&recording);
        count += 1;
        let Some(new) = redactor.redact(&recording, &Settings::default()) else {
            failed.push(path.display().to_string());
            continue;
        };
        if findings(&new.bytes) != before {
            failed.push(path.display().to_string());
        }
        // A string stays only where a rule has to read it.
        keeping += usize::from(!new.kept.is_empty());
        rules.extend(before.into_iter().map(|(rule, ..)| rule));
    }
    assert!(count > 40 && rules.len() > 30, "{count} {}", rules.len());
    assert!(keeping * 10 < count, "{keeping} of {count}");
    assert!(failed.is_empty(), "{failed:#?}");
}
