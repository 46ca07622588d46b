//! Redaction: nothing that a user may have written survives, and the findings stay where they are.

use std::collections::BTreeSet;

use acpcheck::{
    check::Settings, redact::Redactor, report::fingerprint::FingerprintDigest, transcript,
};

use super::{
    effort, fixtures,
    formats::writers::{self, Sent},
};

/// The findings, by what readers see of them.
fn findings(recording: &[u8]) -> Vec<(&'static str, FingerprintDigest, Vec<u32>)> {
    let (diagnostics, _) = effort::check(recording, &Settings::default());
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

/// Further places: titles, keys of `_meta`, names of variables, headers, groups, JSON in a string, and JSON
/// in a string of that.
const ELSEWHERE: &str = r##"{"t":1,"dir":"c2a","msg":{"jsonrpc":"2.0","id":"canary-01","method":"initialize","params":{"protocolVersion":1,"clientInfo":{"name":"editor","title":"Editor","version":"1.0.0","_meta":{"canary-03@example.org":1,"the canary-04 key":2,"/home/canary-05":3,"note":{"deep":["canary-06"]}}},"clientCapabilities":{"fs":{"readTextFile":true,"writeTextFile":true},"terminal":true}}}}
{"t":2,"dir":"a2c","msg":{"jsonrpc":"2.0","id":"canary-01","result":{"protocolVersion":1,"agentInfo":{"name":"kettle","title":"Kettle","version":"1"},"agentCapabilities":{"_meta":{"/srv/canary-08/x":"canary-09"}},"authMethods":[{"type":"env_var","id":"key","name":"canary-10","vars":[{"name":"CANARY_11","label":"canary-12"}],"link":"https://canary-13.example"},{"type":"terminal","id":"t","name":"n","args":["canary-14"],"env":{"CANARY_15":"canary-16"}}]}}}
{"t":3,"dir":"c2a","msg":{"jsonrpc":"2.0","id":"canary-17","method":"session/new","params":{"cwd":"/home/canary-18","mcpServers":[{"name":"canary-19","command":"canary-20","args":["canary-21"],"env":[{"name":"CANARY_22","value":"canary-23"}],"_meta":{"canary-24 x":{"canary-25 y":"canary-26"}}},{"type":"sse","name":"canary-27","url":"https://user:canary-28@h.example/canary-29","headers":[{"name":"X-Canary-30","value":"canary-31"}]}]}}}
{"t":4,"dir":"a2c","msg":{"jsonrpc":"2.0","id":"canary-17","result":{"sessionId":"canary-32","modes":{"currentModeId":"ask","availableModes":[{"id":"ask","name":"canary-33","description":"canary-34"}]},"configOptions":[{"id":"model","name":"canary-35","type":"select","currentValue":"fern","options":[{"group":"canary-36","name":"canary-37","options":[{"value":"fern","name":"canary-38"}]}]}]}}}
{"t":5,"dir":"c2a","msg":{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"canary-32","prompt":[{"type":"text","text":"{\"path\":\"/home/canary-39\",\"args\":\"{\\\"inner\\\":\\\"canary-40\\\",\\\"canary-41\\\":1}\"}"},{"type":"resource","resource":{"uri":"canary-42:///canary-43","mimeType":"text/canary-44","text":"canary-45"}},{"type":"image","data":"Y2FuYXJ5LTQ2","mimeType":"image/png","uri":"file:///canary-47.png"}]}}}
{"t":6,"dir":"a2c","msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"canary-32","update":{"sessionUpdate":"tool_call","toolCallId":"canary-48","title":"canary-49","kind":"execute","status":"pending","rawInput":"{\"command\":\"canary-50\",\"canary-51\":true}","rawOutput":{"CANARY_52":"canary-53","out.canary-54":1},"locations":[{"path":"/w/canary-55.rs","line":3}]}}}}
{"t":7,"dir":"a2c","msg":{"jsonrpc":"2.0","id":"canary-56","method":"terminal/create","params":{"sessionId":"canary-32","command":"canary-57","args":["--x=canary-58"],"env":[{"name":"CANARY_59","value":"canary-60"}],"cwd":"/canary-61"}}}
{"t":8,"dir":"c2a","msg":{"jsonrpc":"2.0","id":"canary-56","result":{"terminalId":"canary-62"}}}
{"t":8.5,"dir":"a2c","msg":{"jsonrpc":"2.0","id":"canary-63","method":"fs/write_text_file","params":{"sessionId":"canary-32","path":"/canary-64","content":"{\"a\":\"{\\\"b\\\":\\\"canary-65\\\"}\"}"}}}
{"t":9,"dir":"c2a","msg":{"jsonrpc":"2.0","id":"canary-63","error":{"code":-32000,"message":"canary-66","data":{"canary-67 x":"canary-68","errno":"canary-69"}}}}
{"t":10,"dir":"a2c","msg":{"jsonrpc":"2.0","id":"canary-70","method":"session/request_permission","params":{"sessionId":"canary-32","toolCall":{"toolCallId":"canary-48","_meta":{"terminal_output":{"data":"canary-71"}}},"options":[{"optionId":"canary-72","name":"canary-73","kind":"allow_once"}]}}}
{"t":11,"dir":"c2a","msg":{"jsonrpc":"2.0","id":"canary-70","result":{"outcome":{"outcome":"selected","optionId":"canary-72"}}}}
{"t":12,"dir":"a2c","msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"canary-32","update":{"sessionUpdate":"session_info_update","title":"canary-74","updatedAt":"2026-01-01T00:00:00Z"}}}}
{"t":13,"dir":"a2c","msg":{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"canary-32","update":{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"water","description":"canary-75","input":{"hint":"canary-76"}}]}}}}
{"t":14,"dir":"a2c","msg":{"jsonrpc":"2.0","method":"_kettle/note of canary-77","params":{"canary-78 x":{"CANARY_79 x":"canary-80"},"/path.canary-81":0}}}
{"t":15,"dir":"a2c","msg":{"jsonrpc":"2.0","id":3,"result":{"stopReason":"end_turn","_meta":{"canary-82 x":1,"canary-83 x":"canary-84"}}}}
"##;

#[test]
fn nothing_survives_elsewhere() {
    let new = redacted(ELSEWHERE).to_lowercase();
    assert!(!new.contains("canary") && !new.contains("y2fuyxj5"), "{new}");
    assert!(new.contains("\"kettle\"") && new.contains("\"water\""), "words of the agent stay");
    assert_eq!(findings(redacted(ELSEWHERE).as_bytes()), findings(ELSEWHERE.as_bytes()));
}

/// Strings that look like URIs, dates or words of programs, and values that the protocol does not
/// define.
#[test]
fn what_looks_like_a_word_of_a_program_does_not_survive() {
    let prompt = |text: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":7,"method":"session/prompt","params":{{"sessionId":"s","prompt":[{{"type":"text","text":"{text}"}}]}}}}"#
        )
    };
    let mut lines: Vec<_> = [
        "zebrafish:hunter",
        "zebrafish:5432",
        "zebrafish://hunter",
        "2024-01-01 555-0199 4711",
        "20240101 4111111111111111",
        "20240101T47114711",
    ]
    .map(prompt)
    .into();
    lines.extend(
        [
            r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"m","data":{"kind":"zebrafish","src/zebrafish.rs":1,"zebrafish:22":2}}}"#,
            r#"{"jsonrpc":"2.0","id":8,"method":"mcp/message","params":{"connectionId":"c","method":"tools/call","params":{"name":"zebrafish","arguments":{"zebrafish":"x","pin":4711}}}}"#,
            r#"{"jsonrpc":"2.0","method":"_acme/note","params":{"kind":"zebrafish","mode":"zebrafish","info":{"name":"zebrafish"},"value":"zebrafish"}}"#,
            r#"{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s","extra":{"mode":"zebrafish"},"info":{"x":1}}}"#,
            r#"{"jsonrpc":"2.0","id":9,"method":"elicitation/create","params":{"sessionId":"s","mode":"form","message":"m","requestedSchema":{"type":"object","properties":{"zebrafish":{"type":"integer","default":4711,"title":"zebrafish"}}}}}"#,
            r#"{"jsonrpc":"2.0","id":9,"result":{"action":"accept","content":{"type":"zebrafish","zebrafish":4711}}}"#,
        ]
        .map(str::to_owned),
    );
    for message in &lines {
        for line in [
            message.clone(),
            format!(r#"{{"t":1.5,"dir":"c2a","msg":{message}}}"#),
            format!(
                r#"{{"ts":1,"event":"rpc","dir":"c2a","user":"zebrafish","cwd":"zebrafish","frame":{message}}}"#
            ),
        ] {
            let new = redacted(&(line.clone() + "\n"));
            assert!(!new.contains("ebraf") && !new.contains("hunter"), "{line}\n{new}");
            assert!(!new.contains("4711") && !new.contains("0199"), "{line}\n{new}");
        }
    }
    // What acpcheck writes into its recordings stays, and nothing else there.
    let start = r#"{"type":"start","format":"acpcheck-record","version":1,"at":"2026-10-05T09:00:00.000Z","tool":"acpcheck 0.1.0","agent":"zebrafish","cwd":"zebrafish","driven":{"run":"0123456789abcdef","scenario":"cancel","process":1,"plays":"client"}}"#;
    let new = redacted(&format!("{start}\n{}\n", prompt("zebrafish")));
    assert!(!new.contains("ebraf"), "{new}");
    for kept in ["acpcheck 0.1.0", "0123456789abcdef", r#""scenario":"cancel""#] {
        assert!(new.contains(kept), "{kept}: {new}");
    }
    // A usual scheme and a time of day stay.
    let new =
        redacted(&(prompt("mailto:ann@zebra.fish") + "\n" + &prompt("2024-05-06T07:08:09.5Z")));
    assert!(new.contains("mailto:p") && new.contains("2000-01-01T07:08:09.5Z"), "{new}");
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
        if effort::check(text.as_bytes(), &settings).1.messages == 0 {
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

/// A placeholder has no marks of the text, which would look like the text itself, cut.
#[test]
fn marks_of_a_text_do_not_survive() {
    let recording = EVERYWHERE
        .replace("canary-44", "[[Water the roses in the garden")
        .replace("canary-45", "**Bold**\\n  **In the sun**\\n/water now\\n\\n> \\\"quoted\\\"");
    let new = redacted(&recording);
    assert!(!new.contains("[[") && !new.contains("**text") && !new.contains("> "), "{new}");
    assert!(new.contains(r"\n  text") && new.contains(r"\n/text"), "blanks and `/` stay: {new}");
}

/// Rules ask whether two paths differ only in case or accents.
#[test]
fn spellings_of_one_path_stay_alike() {
    let load = |home: &str, cwd: &str| {
        let lines = EVERYWHERE.lines().take(2).map(|line| format!("{line}\n")).collect::<String>();
        format!(
            r#"{lines}{{"jsonrpc":"2.0","id":2,"method":"session/new","params":{{"cwd":"{home}","mcpServers":[]}}}}
{{"jsonrpc":"2.0","id":2,"result":{{"sessionId":"s"}}}}
{{"jsonrpc":"2.0","id":3,"method":"session/load","params":{{"sessionId":"s","cwd":"{cwd}","mcpServers":[]}}}}
{{"jsonrpc":"2.0","id":3,"error":{{"code":-32602,"message":"m"}}}}
"#
        )
    };
    let is_other = |text: &str| {
        findings(text.as_bytes()).iter().any(|(rule, ..)| *rule == "session/cwd-mismatch")
    };
    for (home, cwd, differs) in [
        (r"C:\\Farm\\Hay", "c:/farm/HAY", false),
        ("/srv/farm", "/srv/FARM", true),
        ("/srv/caf\u{e9}", "/srv/cafe\u{301}", true),
    ] {
        let text = load(home, cwd);
        assert_eq!(is_other(&text), differs, "{home} {cwd}");
        let new = redacted(&text);
        assert_eq!(is_other(&new), differs, "{new}");
        assert!(!new.to_lowercase().contains("farm") && !new.contains("caf"), "{new}");
        assert!(new.contains("p4\"") && new.contains("P4\""), "{new}");
    }
}

/// One string that a placeholder would change does not keep the others.
#[test]
fn few_strings_keep_their_shape() {
    let call = |id: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","method":"session/update","params":{{"sessionId":"s","update":{{"sessionUpdate":"tool_call","toolCallId":"call_{id}","title":"ls"}}}}}}"#
        )
    };
    let terminal = |command: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":"t","method":"terminal/create","params":{{"sessionId":"s","command":"{command}"}}}}"#
        )
    };
    let opening: String = EVERYWHERE.lines().take(2).map(|line| format!("{line}\n")).collect();
    for command in ["ls", "ls -la zebra"] {
        let lines = [call("1"), call("2"), terminal(command)].join("\n");
        let new = redacted(&format!("{opening}{lines}\n"));
        assert!(!new.contains("\"ls") && !new.contains("call_"), "{new}");
    }
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
